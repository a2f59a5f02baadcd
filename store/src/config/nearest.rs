//! The known name that a mistyped one was meant to be.

/// Longer names are no typing mistakes.
const LONGEST: usize = 64;

/// The name of `known` that `name` can be turned into with the fewest changed, added or left out
/// letters, if that is at most `changes`. Upper and lower case count as equal.
pub(super) fn nearest(
    name: &str,
    known: impl Iterator<Item = &'static str>,
    changes: usize,
) -> Option<&'static str> {
    if name.is_empty() || name.len() > LONGEST {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    known
        .map(|k| (distance(&lower, &k.to_ascii_lowercase()), k))
        .filter(|(d, _)| *d <= changes)
        .min()
        .map(|(_, k)| k)
}

/// How many letters may be wrong in a name that somebody meant to be a setting's.
pub(super) fn tolerance(name: &str) -> usize {
    (name.len() / 3).clamp(1, 6)
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, cb) in row.iter_mut().skip(1).zip(&b) {
            let changed = diagonal + usize::from(ca != *cb);
            diagonal = *cell;
            left = changed.min(diagonal + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 3] = ["flushDiskType", "brokerRole", "deleteWhen"];

    #[test]
    fn the_distance_counts_changed_added_and_left_out_letters() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }

    #[test]
    fn the_name_with_the_fewest_changes_is_found() {
        let near = |name, changes| nearest(name, KNOWN.into_iter(), changes);
        assert_eq!(near("flushDiskTyp", 2), Some("flushDiskType"));
        assert_eq!(near("BROKERROLE", 0), Some("brokerRole"));
        assert_eq!(near("brokerName", 2), None);
        assert_eq!(near("", 9), None);
        assert_eq!(near(&"x".repeat(1 << 20), 9), None);
    }
}
