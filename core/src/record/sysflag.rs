//! The bits of a record's SYSFLAG (`MessageSysFlag.java`, spec 02 section 3).

/// The producer has compressed the body; the store does not care.
pub const COMPRESSED_FLAG: i32 = 0x01;
/// The topic's filter type is multi-tag; without effect in 4.9.3.
pub const MULTI_TAGS_FLAG: i32 = 0x02;
/// Not part of a transaction.
pub const TRANSACTION_NOT_TYPE: i32 = 0x00;
/// First half of a transaction: gets no queue offset and no queue entry.
pub const TRANSACTION_PREPARED_TYPE: i32 = 0x04;
/// Second half of a transaction that was committed: a message like any other.
pub const TRANSACTION_COMMIT_TYPE: i32 = 0x08;
/// Second half of a transaction that was rolled back: gets no queue offset and no queue entry.
pub const TRANSACTION_ROLLBACK_TYPE: i32 = 0x0C;
/// BORNHOST has 20 bytes rather than 8.
pub const BORNHOST_V6_FLAG: i32 = 0x10;
/// STOREHOST has 20 bytes rather than 8.
pub const STOREHOSTADDRESS_V6_FLAG: i32 = 0x20;

/// The transaction field: one of the four `TRANSACTION_*_TYPE`.
#[must_use]
pub const fn tran_type(sys_flag: i32) -> i32 {
    sys_flag & TRANSACTION_ROLLBACK_TYPE
}

/// Whether a message of this kind gets a queue offset and a queue entry: none and commit do.
#[must_use]
pub const fn is_dispatched(sys_flag: i32) -> bool {
    sys_flag & TRANSACTION_PREPARED_TYPE == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_of_bits_keeps_its_transaction_type() {
        for bits in 0..256 {
            assert_eq!(tran_type(bits), bits & 0x0C);
            let dispatched = matches!(bits & 0x0C, 0 | 8);
            assert_eq!(is_dispatched(bits), dispatched, "{bits:#x}");
            assert_eq!(is_dispatched(!0xFF | bits), dispatched, "{bits:#x}");
        }
    }
}
