//! Life cycle of a suggestion: accepted, dismissed, undone, lapsed, and all of it persistent.

use std::fs;
use std::path::Path;

use toolwright_ledger::learn::{
    DECISIONS_FILE, FileStore, LEARNED_RULES_FILE, LearnPolicy, Learning, LearningError, LearningOptions,
    Status, What,
};
use toolwright_model::Outcome;
use toolwright_normalizer::rules::parse_learned;

use super::stream::{MISTAKES, World};

fn in_folder(folder: &Path) -> World {
    let options = LearningOptions { folder: Some(folder.to_owned()), ..LearningOptions::default() };
    let store = Box::new(FileStore::open(folder).expect("a folder"));
    World { learning: Learning::open(options, store).expect("it opens").0, seq: 0 }
}

fn taught(folder: &Path, mistakes: usize) -> World {
    let mut world = in_folder(folder);
    for mistake in &MISTAKES[..mistakes] {
        world.converse(mistake, "one", "first");
        world.converse(mistake, "two", "second");
    }
    world
}

fn rules(folder: &Path) -> String {
    fs::read_to_string(folder.join(LEARNED_RULES_FILE)).expect("the rules file")
}

#[test]
fn accepted_rule_is_active_with_provenance_after_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut world = taught(folder.path(), 1);
    let id = world.learning.suggestions()[0].id.clone();
    world.learning.accept(&id, "anna", 1_700_000_000_000_000).expect("accepted");
    let written = rules(folder.path());
    assert!(written.contains("accepted by anna at 2023-11-14T22:13:20Z on 2 observations"), "{written}");
    assert!(written.contains(&id));
    assert_eq!(parse_learned(&written).expect("a rules file").len(), 1);
    drop(world);
    let mut world = in_folder(folder.path());
    assert_eq!(world.learning.suggestion(&id).expect("known").status, Status::Active);
    let outcome = world.send(&MISTAKES[0].definition(), "new", &MISTAKES[0].sent("x"), None);
    assert!(matches!(outcome, Outcome::Repaired { .. }), "{outcome:?}");
    assert_eq!(rules(folder.path()), written);
}

#[test]
fn undo_restores_the_rules_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut world = taught(folder.path(), 2);
    let ids: Vec<String> = world.learning.suggestions().into_iter().map(|one| one.id).collect();
    world.learning.accept(&ids[0], "anna", 1).expect("accepted");
    let before = rules(folder.path());
    world.learning.accept(&ids[1], "anna", 2).expect("accepted");
    assert_ne!(rules(folder.path()), before);
    let undone = world.learning.undo(&ids[1], "anna", 3).expect("undone");
    assert_eq!(undone.status, Status::Undone);
    assert_eq!(rules(folder.path()), before);
    // The policy does not accept it again; a person can.
    world.learning.set_policy(LearnPolicy::ApplySafe);
    for mistake in &MISTAKES[..2] {
        world.converse(mistake, "three", "third");
    }
    assert_eq!(world.learning.suggestion(&ids[1]).expect("known").status, Status::Undone);
    world.learning.accept(&ids[1], "anna", 4).expect("accepted again");
    let events: Vec<What> = world.learning.history().iter().map(|event| event.event).collect();
    assert_eq!(events, [What::Accepted, What::Accepted, What::Undone, What::Accepted]);
}

#[test]
fn dismissed_suggestion_returns_when_evidence_doubles() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut world = taught(folder.path(), 1);
    let id = world.learning.suggestions()[0].id.clone();
    world.learning.dismiss(&id, "anna", 1).expect("dismissed");
    world.converse(&MISTAKES[0], "three", "third");
    assert_eq!(world.learning.suggestion(&id).expect("known").status, Status::Dismissed);
    world.converse(&MISTAKES[0], "four", "fourth");
    assert_eq!(world.learning.suggestion(&id).expect("known").status, Status::Suggested);
}

#[test]
fn undoing_a_dismissal_suggests_it_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut world = taught(folder.path(), 1);
    let id = world.learning.suggestions()[0].id.clone();
    world.learning.dismiss(&id, "anna", 1).expect("dismissed");
    assert_eq!(world.learning.undo(&id, "anna", 2).expect("undone").status, Status::Suggested);
    assert_eq!(world.learning.suggestions()[0].status, Status::Suggested);
}

#[test]
fn rule_lapses_when_the_schema_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut world = taught(folder.path(), 1);
    let id = world.learning.suggestions()[0].id.clone();
    world.learning.accept(&id, "anna", 1).expect("accepted");
    // Rules lapse even when learning is off.
    world.learning.set_policy(LearnPolicy::Off);
    let mut tool = MISTAKES[0].definition();
    tool.input_schema = tool.input_schema.replace("markdown", "html");
    world.send(&tool, "new", r#"{"headline":"h","html":"x"}"#, None);
    assert_eq!(world.learning.suggestion(&id).expect("known").status, Status::Lapsed);
    assert_eq!(rules(folder.path()), "[]\n");
    assert_eq!(world.learning.history().last().expect("an event").by, "schema");
}

#[test]
fn invalid_decisions_report_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut world = taught(folder.path(), 1);
    let id = world.learning.suggestions()[0].id.clone();
    assert!(matches!(world.learning.accept("nothing", "anna", 1), Err(LearningError::Unknown(_))));
    assert!(matches!(world.learning.undo(&id, "anna", 1), Err(LearningError::NothingToUndo(_))));
    world.learning.accept(&id, "anna", 1).expect("accepted");
    assert!(matches!(world.learning.accept(&id, "anna", 2), Err(LearningError::Already { .. })));
    assert!(matches!(world.learning.dismiss(&id, "anna", 2), Err(LearningError::Already { .. })));
}

#[test]
fn torn_line_is_cut_off_and_damaged_line_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut world = taught(folder.path(), 2);
    let ids: Vec<String> = world.learning.suggestions().into_iter().map(|one| one.id).collect();
    world.learning.accept(&ids[0], "anna", 1).expect("accepted");
    drop(world);
    let path = folder.path().join(DECISIONS_FILE);
    let whole = fs::read_to_string(&path).expect("the file");
    fs::write(&path, format!("{whole}no event\n{}", &whole[..40])).expect("written");
    let options = LearningOptions { folder: Some(folder.path().to_owned()), ..LearningOptions::default() };
    let store = Box::new(FileStore::open(folder.path()).expect("a folder"));
    let (learning, loaded) = Learning::open(options, store).expect("it opens");
    assert_eq!((loaded.events.len(), loaded.damaged.as_slice(), loaded.torn_bytes), (1, &[2][..], 40));
    assert_eq!(learning.active_rules().len(), 1);
    assert_eq!(fs::read_to_string(&path).expect("the file"), format!("{whole}no event\n"));
}
