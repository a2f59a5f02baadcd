//! Clocks that cost little: what a put may ask for without noticing.

/// Milliseconds of a clock that never goes back, exact to a few milliseconds.
#[must_use]
pub fn coarse_monotonic_millis() -> i64 {
    coarse(libc::CLOCK_MONOTONIC_COARSE)
}

/// Milliseconds since 1970, exact to a few milliseconds.
#[must_use]
pub fn coarse_wall_millis() -> i64 {
    coarse(libc::CLOCK_REALTIME_COARSE)
}

fn coarse(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes the structure, which lives until the call returns. These clocks
    // exist on every Linux there is; on failure it stays 0.
    let _ = unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec.saturating_mul(1000).saturating_add(time.tv_nsec / 1_000_000)
}

/// The processor's own count of time, where it runs at one speed on all cores and whatever
/// they do; `None` elsewhere. What a tick is worth has to be measured.
#[must_use]
#[inline]
pub fn ticks() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: reads a counter that every such processor has; nothing else is touched.
        Some(unsafe { core::arch::x86_64::_rdtsc() })
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        None
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;

    #[test]
    fn the_coarse_clocks_are_near_the_exact_ones() {
        let exact = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        let coarse = coarse_wall_millis();
        assert!((i64::try_from(exact).unwrap() - coarse).abs() < 1000, "{exact} {coarse}");
        let before = coarse_monotonic_millis();
        std::thread::sleep(Duration::from_millis(50));
        assert!(coarse_monotonic_millis() - before >= 30);
    }
}
