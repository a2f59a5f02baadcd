//! Names of files: those that programs see, and those that are durable.
//!
//! A name is a path; what stands before its last `/` is its folder. Folders are there without
//! being made.

use std::collections::{BTreeMap, BTreeSet};

use crate::rng::Rng;

/// A file's number on its disk.
pub(crate) type FileId = u64;

/// Names that change together, or not at all.
struct Change {
    folder: String,
    sets: Vec<(String, Option<FileId>)>,
}

/// All names of a disk.
#[derive(Default)]
pub(crate) struct Names {
    seen: BTreeMap<String, FileId>,
    durable: BTreeMap<String, FileId>,
    /// Not durable yet, the oldest first.
    changes: Vec<Change>,
}

/// The folder that a name lies in.
pub(crate) fn folder_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl Names {
    pub(crate) fn get(&self, name: &str) -> Option<FileId> {
        self.seen.get(name).copied()
    }

    /// All names that begin like this, in ascending order.
    pub(crate) fn starting(&self, with: &str) -> Vec<String> {
        let from = self.seen.range(with.to_owned()..);
        from.map(|(name, _)| name).take_while(|n| n.starts_with(with)).cloned().collect()
    }

    /// Changes names of one folder together.
    pub(crate) fn change(&mut self, sets: Vec<(String, Option<FileId>)>) {
        let folder = sets.first().map_or("", |(name, _)| folder_of(name)).to_owned();
        apply(&mut self.seen, &sets);
        self.changes.push(Change { folder, sets });
    }

    /// Makes the names of one folder durable.
    pub(crate) fn sync(&mut self, folder: &str) {
        let (now, later) =
            std::mem::take(&mut self.changes).into_iter().partition(|c| c.folder == folder);
        self.changes = later;
        let now: Vec<Change> = now;
        for change in now {
            apply(&mut self.durable, &change.sets);
        }
    }

    /// The power goes: of what is not durable, some changes happened. A journal keeps the first
    /// of them; other file systems, any.
    pub(crate) fn cut(&mut self, rng: &mut Rng, keep: u64) {
        let changes = std::mem::take(&mut self.changes);
        let first = rng.one_in(2).then(|| rng.index(changes.len() + 1));
        for (n, change) in changes.iter().enumerate() {
            if first.map_or_else(|| rng.below(10) < keep, |first| n < first) {
                apply(&mut self.durable, &change.sets);
            }
        }
        self.seen = self.durable.clone();
    }

    /// Files that have a name, or may have one after a cut.
    pub(crate) fn files(&self) -> BTreeSet<FileId> {
        let sets = self.changes.iter().flat_map(|c| &c.sets);
        let named = self.seen.values().chain(self.durable.values()).copied();
        named.chain(sets.filter_map(|(_, file)| *file)).collect()
    }
}

fn apply(names: &mut BTreeMap<String, FileId>, sets: &[(String, Option<FileId>)]) {
    for (name, file) in sets {
        match file {
            Some(file) => names.insert(name.clone(), *file),
            None => names.remove(name),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_durable_once_its_own_folder_is_synced() {
        let mut names = Names::default();
        names.change(vec![("a/x".into(), Some(1))]);
        names.change(vec![("b/y".into(), Some(2))]);
        names.sync("a");
        assert_eq!(names.starting("").len(), 2);
        names.cut(&mut Rng::new(1), 0);
        assert_eq!(names.get("a/x"), Some(1));
    }

    #[test]
    fn a_cut_renames_a_file_or_does_not() {
        let (mut old, mut new) = (0, 0);
        for seed in 0..100 {
            let mut names = Names::default();
            names.change(vec![("x".into(), Some(1)), ("x.tmp".into(), Some(2))]);
            names.sync("");
            names.change(vec![("x".into(), Some(2)), ("x.tmp".into(), None)]);
            names.cut(&mut Rng::new(seed), 5);
            match (names.get("x"), names.get("x.tmp")) {
                (Some(1), Some(2)) => old += 1,
                (Some(2), None) => new += 1,
                other => panic!("half of a renaming: {other:?}"),
            }
        }
        assert!(old > 20 && new > 20, "{old} {new}");
    }
}
