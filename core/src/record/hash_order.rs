//! In which order a `java.util.HashMap` hands out its entries (spec 02 section 4.1).
//!
//! Readers do not depend on it, but the bytes of a property string do. Buckets that Java turns
//! into trees (8 or more entries) keep the order of insertion here, which may differ from Java.

use super::java_hash::java_hash;

/// Where an entry stands in the iteration, and where it is found.
///
/// Sorted, these keys are the order of iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderKey {
    /// Bucket of its name.
    pub(super) bucket: u16,
    /// Place of its first insertion.
    pub(super) first: u16,
    /// Place of the insertion whose value counts.
    pub(super) last: u16,
}

/// Room to sort the entries of a property map before the put lock is taken.
///
/// A map of more than `N` entries is written in the order of insertion instead, which readers
/// cannot tell apart. 16384 places are enough for every property string there can be.
pub type OrderRoom<const N: usize = 256> = heapless::Vec<OrderKey, N>;

/// [`OrderRoom`] of any size.
pub type OrderRoomView = heapless::VecView<OrderKey>;

/// Number of buckets of a map that has held this many entries at most.
#[must_use]
pub const fn table_size(entries: usize) -> u32 {
    let mut size: u32 = 16;
    while entries > (size / 4 * 3) as usize && size < 1 << 30 {
        size *= 2;
    }
    size
}

/// The bucket of a name in a table of `size` buckets, a power of two.
#[must_use]
pub fn bucket(name: &str, size: u32) -> u32 {
    spread(name) & (size - 1)
}

/// `HashMap.hash`: the name's hash with its upper half mixed into the lower one.
pub(super) fn spread(name: &str) -> u32 {
    let hash = java_hash(name).cast_unsigned();
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_grows_beyond_three_quarters() {
        let sizes = [0, 12, 13, 24, 25, 48, 49].map(table_size);
        assert_eq!(sizes, [16, 16, 32, 32, 64, 64, 128]);
        assert_eq!(table_size(usize::MAX), 1 << 30);
    }

    #[test]
    fn buckets_give_the_orders_seen_in_java() {
        for names in [
            &["KEYS", "UNIQ_KEY", "TAGS"][..],
            &["REAL_TOPIC", "DELAY", "WAIT", "TAGS", "REAL_QID"][..],
        ] {
            assert!(names.is_sorted_by_key(|name| bucket(name, 16)), "{names:?}");
        }
    }
}
