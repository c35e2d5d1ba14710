//! Several processes on one folder, and decisions in any order.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use toolwright_ledger::learn::{
    Event, FileStore, LearnPolicy, Learning, LearningOptions, MemoryStore, SharedLearning, Status,
};

use super::stream::{MISTAKES, World};

fn open(folder: &Path) -> Learning {
    let options = LearningOptions { folder: Some(folder.to_owned()), ..LearningOptions::default() };
    let store = FileStore::open(folder).expect("a folder");
    Learning::open(options, Box::new(store)).expect("it opens").0
}

/// Suggestions for some mistakes.
fn taught(learning: Learning, mistakes: usize) -> (Learning, Vec<String>) {
    let mut world = World { learning, seq: 0 };
    for mistake in &MISTAKES[..mistakes] {
        world.converse(mistake, "one", "first");
        world.converse(mistake, "two", "second");
    }
    let ids = world.learning.suggestions().into_iter().map(|one| one.id).collect();
    (world.learning, ids)
}

#[test]
fn decision_applies_in_other_processes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut one, ids) = taught(open(folder.path()), 1);
    let mut two = open(folder.path());
    one.accept(&ids[0], "anna", 1).expect("accepted");
    assert!(two.active_rules().is_empty());
    assert!(two.refresh().expect("read"), "there was something");
    assert_eq!(two.active_rules(), one.active_rules());
    assert!(!two.refresh().expect("read"), "and nothing more");
    two.undo(&ids[0], "ben", 2).expect("undone");
    assert!(one.refresh().expect("read"));
    assert_eq!(one.suggestion(&ids[0]).expect("known").status, Status::Undone);
    assert_eq!(one.history(), two.history());
}

#[test]
fn torn_line_of_another_process_loses_no_decision() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut one, ids) = taught(open(folder.path()), 1);
    let file = folder.path().join(toolwright_ledger::learn::DECISIONS_FILE);
    std::fs::write(&file, "{\"ts\":1,\"id\":\"cut").expect("written");
    one.accept(&ids[0], "anna", 1).expect("accepted");
    assert_eq!(open(folder.path()).active_rules().len(), 1);
}

#[test]
fn stored_suggestions_can_be_decided_by_another_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let (learning, ids) = taught(open(folder.path()), 1);
    let text = serde_json::to_string(&learning.undecided()).expect("JSON");
    std::fs::write(folder.path().join(toolwright_ledger::learn::SUGGESTIONS_FILE), text).expect("written");
    let open =
        || SharedLearning::open(folder.path(), Arc::default(), LearnPolicy::Suggest).expect("it opens").0;
    assert_eq!(open().suggestions()[0].id, ids[0]);
    let accepted = open().accept(&ids[0], "anna").expect("accepted");
    assert_eq!(accepted.status, Status::Active);
    assert_eq!(open().active_rules().len(), 1);
    // An invalid file suggests nothing and breaks nothing.
    std::fs::write(folder.path().join(toolwright_ledger::learn::SUGGESTIONS_FILE), "[{").expect("written");
    assert_eq!(open().suggestions().len(), 1, "what was decided is known from the decisions");
}

/// A history with a few decisions about each of two suggestions.
fn history() -> Vec<Event> {
    let options = LearningOptions::default();
    let learning = Learning::open(options, Box::<MemoryStore>::default()).expect("memory holds").0;
    let (mut learning, ids) = taught(learning, 2);
    learning.accept(&ids[0], "anna", 10).expect("accepted");
    learning.dismiss(&ids[1], "ben", 20).expect("dismissed");
    learning.undo(&ids[0], "ben", 30).expect("undone");
    learning.undo(&ids[1], "anna", 40).expect("undone");
    learning.accept(&ids[1], "anna", 5).expect("accepted, by a clock that was put back");
    learning.accept(&ids[0], "anna", 60).expect("accepted again");
    learning.history().to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn order_of_imported_decisions_does_not_matter(
        order in Just(history()).prop_shuffle(),
        parts in 1_usize..4,
    ) {
        let right = history();
        let options = LearningOptions::default();
        let mut learning = Learning::open(options, Box::<MemoryStore>::default()).expect("memory holds").0;
        for part in order.chunks(parts) {
            learning.import(part.to_vec()).expect("memory holds");
            // Importing is idempotent.
            prop_assert!(!learning.import(part.to_vec()).expect("memory holds"));
        }
        prop_assert_eq!(learning.history(), &right[..]);
        let statuses: Vec<Status> = learning.suggestions().into_iter().map(|one| one.status).collect();
        prop_assert_eq!(statuses, vec![Status::Active, Status::Active]);
    }
}
