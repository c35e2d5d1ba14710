//! Tools are found by what people ask for: each question has its tool among the first three.

use toolwright_jsonrpc::Json;
use toolwright_toolbox::meta::Identifier;
use toolwright_toolbox::search::{Entry, Index};

/// `server tool description parameters`
const TOOLS: &[(&str, &str, &str, &str)] = &[
    (
        "filesystem",
        "read_text_file",
        "Read the complete contents of a file from the file system as text.",
        "path head tail",
    ),
    (
        "filesystem",
        "write_file",
        "Create a new file or completely overwrite an existing file with new content.",
        "path content",
    ),
    (
        "filesystem",
        "list_directory",
        "Get a detailed listing of all files and directories in a specified path.",
        "path",
    ),
    ("filesystem", "move_file", "Move or rename files and directories.", "source destination"),
    ("filesystem", "delete_file", "Delete a file permanently.", "path"),
    ("github", "create_issue", "Create a new issue in a GitHub repository.", "owner repo title body labels"),
    ("github", "search_repositories", "Search for GitHub repositories.", "query page"),
    (
        "github",
        "create_pull_request",
        "Create a new pull request in a GitHub repository.",
        "owner repo title head base",
    ),
    ("github", "merge_pull_request", "Merge a pull request.", "owner repo pull_number"),
    (
        "brave",
        "brave_web_search",
        "Performs a web search, ideal for general queries, news, articles, and online content.",
        "query count",
    ),
    ("postgres", "query", "Run a read-only SQL query against the database.", "sql"),
    ("slack", "slack_post_message", "Post a new message to a Slack channel.", "channel_id text"),
    (
        "slack",
        "slack_list_channels",
        "List public channels in the workspace with pagination.",
        "limit cursor",
    ),
    ("google-maps", "maps_directions", "Get directions between two points.", "origin destination mode"),
    ("weather", "get_forecast", "Get the weather forecast for a location.", "latitude longitude"),
    (
        "puppeteer",
        "puppeteer_screenshot",
        "Take a screenshot of the current page or a specific element.",
        "name selector",
    ),
    ("memory", "create_entities", "Create multiple new entities in the knowledge graph.", "entities"),
    ("time", "get_current_time", "Get current time in a specific timezone.", "timezone"),
    (
        "calendar",
        "createEvent",
        "Creates an event in the calendar, with attendees and a reminder.",
        "summary start end attendees",
    ),
    ("home", "setLightBrightness", "Dims or brightens a lamp in a room.", "room level"),
];

const QUESTIONS: &[(&str, &str)] = &[
    ("read a file", "read_text_file"),
    ("show me the contents of a file", "read_text_file"),
    ("save text to a file", "write_file"),
    ("overwrite an existing file", "write_file"),
    ("what files are in this folder", "list_directory"),
    ("list directory", "list_directory"),
    ("rename a file", "move_file"),
    ("remove a file", "delete_file"),
    ("delete files for good", "delete_file"),
    ("open a bug report on github", "create_issue"),
    ("file a new issue", "create_issue"),
    ("find repositories", "search_repositories"),
    ("look for a repo on GitHub", "search_repositories"),
    ("open a pull request", "create_pull_request"),
    ("merge a PR pull request", "merge_pull_request"),
    ("search the web", "brave_web_search"),
    ("find news articles online", "brave_web_search"),
    ("run a SQL query", "query"),
    ("ask the database", "query"),
    ("send a message to a channel", "slack_post_message"),
    ("post in slack", "slack_post_message"),
    ("which slack channels are there", "slack_list_channels"),
    ("how do I get from A to B, directions", "maps_directions"),
    ("will it rain tomorrow", "get_forecast"),
    ("weather forecast", "get_forecast"),
    ("take a picture of the page", "puppeteer_screenshot"),
    ("add nodes to the knowledge graph", "create_entities"),
    ("what time is it in Tokyo, timezone", "get_current_time"),
    ("schedule a meeting with attendees", "createEvent"),
    ("dim the lights in the living room", "setLightBrightness"),
];

fn entries() -> Vec<Entry> {
    TOOLS
        .iter()
        .map(|(server, name, description, parameters)| Entry {
            tool: Identifier::new("all", *server, *name),
            title: None,
            description: (*description).to_owned(),
            parameters: parameters.split(' ').map(|name| (name.to_owned(), String::new())).collect(),
        })
        .collect()
}

#[test]
fn every_question_finds_its_tool_among_the_first_three() {
    let entries = entries();
    let index = Index::build(entries.clone());
    let mut missed = Vec::new();
    let mut first = 0;
    for (question, wanted) in QUESTIONS {
        let found: Vec<&str> =
            index.search(question, 3).iter().map(|hit| entries[hit.index].tool.name.as_str()).collect();
        first += usize::from(found.first() == Some(wanted));
        if !found.contains(wanted) {
            missed.push(format!("{question}: {found:?}"));
        }
    }
    println!("{first} of {} stand first", QUESTIONS.len());
    assert_eq!(missed, Vec::<String>::new());
    assert!(first >= 24, "{first}");
}

#[test]
fn the_same_question_has_the_same_answer() {
    let entries = entries();
    for question in ["file", "create", "", "the of", "github issue"] {
        let answers: Vec<_> = (0..5).map(|_| Index::build(entries.clone()).search(question, 7)).collect();
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{question}");
    }
    // Equal tools stand in their order.
    let same: Vec<Entry> =
        (0..5).map(|at| Entry { tool: Identifier::new("t", "s", "echo"), ..entries[at].clone() }).collect();
    let same: Vec<Entry> = same
        .iter()
        .map(|entry| Entry { description: String::new(), parameters: vec![], ..entry.clone() })
        .collect();
    let order: Vec<usize> = Index::build(same).search("echo", 10).iter().map(|hit| hit.index).collect();
    assert_eq!(order, [0, 1, 2, 3, 4]);
}

#[test]
fn questions_that_say_nothing_find_the_first_tools() {
    let index = Index::build(entries());
    for nothing in ["", "   ", "the of and", "?!", "use the tools please"] {
        let found = index.search(nothing, 4);
        assert_eq!(found.iter().map(|hit| hit.index).collect::<Vec<_>>(), [0, 1, 2, 3], "{nothing}");
        assert!(found.iter().all(|hit| hit.score == 0.0));
    }
    assert!(index.search("xyzzy", 4).is_empty());
    assert!(Index::build([]).search("file", 4).is_empty());
    assert!(Index::build([]).search("", 4).is_empty());
    assert!(index.search("file", 0).is_empty());
}

#[test]
fn every_script_is_found() {
    let entries: Vec<Entry> = ["Datei löschen", "搜索文件内容", "читать файл", "ファイルを読む"]
        .iter()
        .map(|text| Entry {
            tool: Identifier::new("t", "s", "x"),
            title: None,
            description: (*text).to_owned(),
            parameters: vec![],
        })
        .collect();
    let index = Index::build(entries);
    for (at, question) in ["LÖSCHEN", "搜索", "Файл", "読む"].iter().enumerate() {
        assert_eq!(index.search(question, 1).first().map(|hit| hit.index), Some(at), "{question}");
    }
}

#[test]
fn an_entry_is_made_of_what_a_server_sends() {
    let definition = Json::parse(
        r#"{"name":"read","title":"Reader","description":"Reads","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where"},"raw":true}}}"#,
    )
    .expect("JSON");
    let entry = Entry::of(Identifier::new("t", "s", "read"), &definition);
    assert_eq!(entry.title.as_deref(), Some("Reader"));
    assert_eq!(
        entry.parameters,
        [("path".to_owned(), "Where".to_owned()), ("raw".to_owned(), String::new())]
    );
    let bare = Entry::of(Identifier::new("t", "s", "x"), &Json::parse(r#"{"inputSchema":7}"#).expect("JSON"));
    assert_eq!((bare.title, bare.description, bare.parameters.len()), (None, String::new(), 0));
}
