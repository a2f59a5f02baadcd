//! Addresses of extension units: offsets moved to where no tags code is.

/// The largest address; larger values are tags codes. Hashes have 32 bits, and times are not
/// negative.
pub const MAX_ADDRESS: i64 = i32::MIN as i64 - 1;

/// The largest offset that has an address, in bytes.
pub const MAX_OFFSET: u64 = MAX_ADDRESS.abs_diff(i64::MIN);

/// Whether the tags code of an entry is the address of a unit.
#[must_use]
pub const fn is_address(tags_code: i64) -> bool {
    tags_code <= MAX_ADDRESS
}

/// The address of the unit at this offset, bytes from the start of the series.
#[must_use]
pub const fn address_of(offset: u64) -> Option<i64> {
    if offset > MAX_OFFSET {
        return None;
    }
    Some(offset.cast_signed().wrapping_add(i64::MIN))
}

/// The offset of the unit with this address, bytes from the start of the series.
#[must_use]
pub const fn offset_of(address: i64) -> Option<u64> {
    if is_address(address) { Some(address.abs_diff(i64::MIN)) } else { None }
}
