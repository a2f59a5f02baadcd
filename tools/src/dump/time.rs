//! Milliseconds since 1970 as people read them.

/// `2023-11-25T00:51:51.164Z`; of years beyond four digits, and of 0, the number itself.
#[must_use]
pub(super) fn utc(millis: i64) -> String {
    const DAY: i64 = 86_400_000;
    // year 10000
    if !(1..253_402_300_800_000).contains(&millis) {
        return millis.to_string();
    }
    let (days, rest) = (millis / DAY, millis % DAY);
    let (year, month, day) = civil(days);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Year, month and day of a number of days since 1970: years begin in March here, so that the
/// day that not every year has is the last one.
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z / 146_097;
    let day_of_era = z % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(utc(1_700_873_511_164), "2023-11-25T00:51:51.164Z");
        assert_eq!(utc(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(utc(253_402_300_799_999), "9999-12-31T23:59:59.999Z");
        assert_eq!(utc(1), "1970-01-01T00:00:00.001Z");
        assert_eq!([0, -5, i64::MAX].map(utc), ["0", "-5", "9223372036854775807"]);
    }
}
