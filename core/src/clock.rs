//! Where the store's time comes from.

/// Wall clock in milliseconds since 1970. It may step back; nothing may depend on its order.
pub trait Clock {
    /// Now.
    fn now(&self) -> i64;
}

impl<C: Clock + ?Sized> Clock for &C {
    fn now(&self) -> i64 {
        (**self).now()
    }
}

/// A clock that stands still: for steps that were handed their time, and for tests.
#[derive(Clone, Copy, Debug)]
pub struct At(pub i64);

impl Clock for At {
    fn now(&self) -> i64 {
        self.0
    }
}
