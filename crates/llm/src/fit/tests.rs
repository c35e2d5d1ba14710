use proptest::prelude::*;
use toolwright_jsonrpc::Json;

use super::*;
use crate::form::{
    Arguments, Block, Call, Effort, Event, Message, Reasoning, Response, Role, Tool, ToolChoice, ToolResult,
};
use crate::{Dialect, IdRule};

mod schemas;

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn tool(name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        description: None,
        schema: Some(json(r#"{"type":"object","properties":{}}"#)),
        strict: None,
        extra: Vec::new(),
    }
}

fn call(id: Option<&str>, name: &str) -> Block {
    Block::Call(Call {
        id: id.map(str::to_owned),
        name: name.to_owned(),
        arguments: Arguments::Object(Json::empty_object()),
        extra: Vec::new(),
    })
}

fn result(id: Option<&str>, name: Option<&str>) -> Block {
    Block::Result(ToolResult {
        call_id: id.map(str::to_owned),
        name: name.map(str::to_owned),
        blocks: Vec::new(),
        is_error: false,
        extra: Vec::new(),
    })
}

fn request(tools: &[&str], turns: Vec<Vec<Block>>) -> Request {
    let messages = turns.into_iter().enumerate().map(|(at, blocks)| Message {
        role: if at % 2 == 0 { Role::Assistant } else { Role::User },
        blocks,
        extra: Vec::new(),
    });
    Request {
        tools: tools.iter().map(|name| tool(name)).collect(),
        messages: messages.collect(),
        ..Request::default()
    }
}

fn chat() -> Target {
    Target::new(Dialect::OpenAiChat, "m")
}

fn with_ids(ids: IdRule) -> Target {
    Target { ids, ..chat() }
}

fn fitted(request: &mut Request, target: &Target) -> (Names, Notes) {
    let mut notes = Notes::default();
    let names = fit(request, target, &mut notes).unwrap();
    (names, notes)
}

fn refused(mut request: Request, target: &Target) -> Failure {
    fit(&mut request, target, &mut Notes::default()).unwrap_err()
}

fn ids(request: &Request) -> Vec<String> {
    let id = |block: &Block| match block {
        Block::Call(call) => call.id.clone(),
        Block::Result(result) => result.call_id.clone(),
        _ => None,
    };
    request.messages.iter().flat_map(|message| &message.blocks).map(|block| id(block).unwrap()).collect()
}

// === Names ===

#[test]
fn a_request_that_fits_is_not_touched() {
    let mut request = request(
        &["read_file", "a-b"],
        vec![vec![call(Some("x"), "read_file")], vec![result(Some("x"), None)]],
    );
    request.choice = Some(ToolChoice::Tool("a-b".to_owned()));
    let before = request.clone();
    let (names, notes) = fitted(&mut request, &chat());
    assert_eq!(request, before);
    assert!(names.is_empty() && notes.as_slice().is_empty());
    assert_eq!(names.original("read_file"), "read_file");
}

#[test]
fn a_long_name_is_renamed_everywhere_and_back() {
    let long = format!("mcp__server__{}", "x".repeat(70));
    let mut request = request(
        &["short", &long],
        vec![vec![call(Some("1"), &long), call(Some("2"), "short")], vec![result(Some("1"), Some(&long))]],
    );
    request.choice = Some(ToolChoice::Tool(long.clone()));
    let (names, _) = fitted(&mut request, &chat());
    let sent = request.tools[1].name.clone();
    assert_eq!(sent.len(), 64);
    assert!(sent.starts_with("mcp__server__xxx"));
    assert_eq!(request.choice, Some(ToolChoice::Tool(sent.clone())));
    let Block::Call(sent_call) = &request.messages[0].blocks[0] else { panic!() };
    let Block::Result(sent_result) = &request.messages[1].blocks[0] else { panic!() };
    assert_eq!((&sent_call.name, sent_result.name.as_ref()), (&sent, Some(&sent)));
    let mut answer = Response { blocks: vec![call(None, &sent), call(None, "short")], ..Response::default() };
    names.restore(&mut answer);
    assert_eq!(answer.blocks, [call(None, &long), call(None, "short")]);
    let mut event = Event::CallStart { call: 0, id: "i".to_owned(), name: sent };
    names.restore_event(&mut event);
    assert_eq!(event, Event::CallStart { call: 0, id: "i".to_owned(), name: long });
}

#[test]
fn letters_that_are_not_taken_are_replaced_and_the_name_stays_readable() {
    let mut request = request(&["get.weather", "get weather", "get_weather", "größe", ""], vec![]);
    let (names, _) = fitted(&mut request, &chat());
    let sent: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(sent[0].starts_with("get_weather_") && sent[1].starts_with("get_weather_") && sent[0] != sent[1]);
    assert_eq!(sent[2], "get_weather");
    assert!(sent[3].starts_with("gr__e_") && sent[4].starts_with("tool_"), "{sent:?}");
    for (name, original) in sent.iter().zip(["get.weather", "get weather", "get_weather", "größe", ""]) {
        assert_eq!(names.original(name), original);
    }
}

#[test]
fn a_new_name_is_none_that_somebody_has() {
    let mut first = request(&["a.b"], vec![]);
    fitted(&mut first, &chat());
    let taken = first.tools[0].name.clone();
    let mut second = request(&["a.b", &taken], vec![]);
    let (names, _) = fitted(&mut second, &chat());
    assert_ne!(second.tools[0].name, taken);
    assert_eq!(second.tools[1].name, taken);
    assert_eq!(names.original(&taken), taken);
    assert_eq!(names.original(&second.tools[0].name), "a.b");
}

#[test]
fn a_model_may_answer_with_the_long_name_or_a_cut_one() {
    let long = format!("mcp__plugin_jenkins__{}_last", "build_console_".repeat(5));
    let mut request = request(&[&long, "read_file"], vec![]);
    let (names, _) = fitted(&mut request, &chat());
    let sent = &request.tools[0].name;
    assert_eq!(names.original(&long), long);
    assert_eq!(names.original(&long[..64]), long);
    assert_eq!(names.original(&long[..32]), long);
    assert_eq!(names.original(&sent[..60]), long);
    assert_eq!(names.original(&sent[..55]), long, "without its hash");
}

#[test]
fn a_cut_name_that_says_too_little_or_could_be_two_is_left_alone() {
    let (one, two) = (format!("mcp__a__{}", "y".repeat(80)), format!("mcp__a__{}z", "y".repeat(80)));
    let mut both = request(&[&one, &two, "mcp__a"], vec![]);
    let (names, _) = fitted(&mut both, &chat());
    for name in [&one[..64], "mcp", "mcp__a__y", "other", ""] {
        assert_eq!(names.original(name), name);
    }
    // A tool whose own name begins so is nearer.
    let mut dotted = request(&["get.weather", "get_weather_now"], vec![]);
    let (names, _) = fitted(&mut dotted, &chat());
    assert_eq!(names.original("get_weather"), "get_weather");
    let mut alone = request(&["get.weather", "set_weather"], vec![]);
    let (names, _) = fitted(&mut alone, &chat());
    assert_eq!(names.original("get_weather"), "get.weather");
}

#[test]
fn a_tool_of_the_history_is_renamed_but_not_guessed() {
    let gone = "gone.".repeat(20);
    let mut request = request(&["here"], vec![vec![call(Some("1"), &gone)]]);
    let (names, _) = fitted(&mut request, &chat());
    let Block::Call(sent) = &request.messages[0].blocks[0] else { panic!() };
    assert!(sent.name.len() <= 64);
    assert_eq!(names.original(&sent.name), gone);
    assert_eq!(names.original(&gone[..64]), &gone[..64]);
}

proptest! {
    #[test]
    fn names_are_unique_valid_stable_and_map_back(
        all in proptest::collection::hash_set("[a-c._ é-]{0,6}|[ab]{60,70}|[a.]{126,132}", 1..12),
        limit in prop_oneof![Just(64_usize), Just(128), Just(20), 0..200_usize],
    ) {
        let all: Vec<String> = all.into_iter().collect();
        let tools: Vec<&str> = all.iter().map(String::as_str).collect();
        let mut one = request(&tools, vec![]);
        let target = Target { name_chars: limit, ..chat() };
        let (names, _) = fitted(&mut one, &target);
        let sent: Vec<String> = one.tools.iter().map(|tool| tool.name.clone()).collect();
        let distinct: std::collections::HashSet<&String> = sent.iter().collect();
        prop_assert_eq!(distinct.len(), all.len());
        for (name, original) in sent.iter().zip(&all) {
            prop_assert!(!name.is_empty() && name.len() <= limit.max(16) && name.chars().all(is_word_char));
            prop_assert_eq!(names.original(name), original);
            prop_assert_eq!(names.original(original), original);
        }
        let (again, _) = fitted(&mut one, &target);
        prop_assert!(again.is_empty());
        // Neither the order nor the company of other tools matters.
        for (name, original) in sent.iter().zip(&all) {
            let mut alone = request(&[original], vec![]);
            fitted(&mut alone, &target);
            prop_assert_eq!(&alone.tools[0].name, name);
        }
    }
}

// === Ids ===

#[test]
fn ids_that_are_taken_stay() {
    let mut request = request(
        &[],
        vec![vec![call(Some("functions.Bash:0"), "Bash")], vec![result(Some("functions.Bash:0"), None)]],
    );
    fitted(&mut request, &with_ids(IdRule::Any));
    assert_eq!(ids(&request), ["functions.Bash:0"; 2]);
    fitted(&mut request, &with_ids(IdRule::Word));
    assert_eq!(ids(&request), ["functions_Bash_0"; 2]);
    fitted(&mut request, &with_ids(IdRule::Word));
    assert_eq!(ids(&request), ["functions_Bash_0"; 2]);
}

#[test]
fn ids_that_become_the_same_are_told_apart() {
    let turns = vec![
        vec![call(Some("a:b"), "t"), call(Some("a.b"), "t"), call(Some("a_b"), "t")],
        vec![result(Some("a.b"), None), result(Some("a_b"), None), result(Some("a:b"), None)],
    ];
    let mut request = request(&[], turns);
    fitted(&mut request, &with_ids(IdRule::Word));
    let ids = ids(&request);
    assert_eq!(ids[2], "a_b", "who had it keeps it");
    assert!(ids[0] != ids[1] && ids[0] != ids[2] && ids[1] != ids[2]);
    assert_eq!(ids[3..], [ids[1].clone(), ids[2].clone(), ids[0].clone()]);
}

#[test]
fn nine_letters_and_digits_are_made_of_a_hash_and_kept_when_they_are_there() {
    let turns = vec![
        vec![call(Some("toolu_01"), "t"), call(Some("abcDEF123"), "t")],
        vec![result(Some("toolu_01"), None), result(Some("abcDEF123"), None)],
    ];
    let mut request = request(&[], turns);
    fitted(&mut request, &with_ids(IdRule::NineAlphanumerics));
    let ids = ids(&request);
    assert!(ids[0].len() == 9 && ids[0].chars().all(|letter| letter.is_ascii_alphanumeric()));
    assert_eq!(ids[1..], ["abcDEF123".to_owned(), ids[0].clone(), "abcDEF123".to_owned()]);
}

#[test]
fn a_long_id_is_shortened() {
    let long = "call_".to_owned() + &"x".repeat(80);
    let mut request = request(&[], vec![vec![call(Some(&long), "t")], vec![result(Some(&long), None)]]);
    fitted(&mut request, &with_ids(IdRule::UpTo(40)));
    let ids = ids(&request);
    assert!(ids[0].len() == 40 && ids[0].starts_with("call_xxx") && ids[0] == ids[1], "{ids:?}");
}

#[test]
fn missing_ids_are_made_by_position_and_results_find_their_calls() {
    let turns = vec![
        vec![call(None, "a"), call(Some(""), "b"), call(None, "a")],
        vec![result(None, Some("b")), result(None, Some("a")), result(None, None)],
        vec![call(None, "c")],
        vec![result(None, Some("c")), result(None, Some("c"))],
    ];
    let mut request = request(&[], turns);
    fitted(&mut request, &chat());
    assert_eq!(
        ids(&request),
        ["call_1", "call_2", "call_3", "call_2", "call_1", "call_3", "call_4", "call_4", "result_1"]
    );
}

#[test]
fn a_made_id_is_none_that_stands_elsewhere() {
    let turns = vec![vec![call(None, "a")], vec![result(None, None)], vec![call(Some("call_1"), "b")]];
    let mut request = request(&[], turns);
    fitted(&mut request, &with_ids(IdRule::Word));
    let ids = ids(&request);
    assert_eq!(ids[2], "call_1");
    assert!(ids[0] != "call_1" && ids[0] == ids[1]);
}

#[test]
fn an_id_that_returns_in_a_later_turn_is_another_call() {
    let turns = vec![
        vec![call(Some("call_0"), "a")],
        vec![result(Some("call_0"), None)],
        vec![call(Some("call_0"), "b"), call(Some("call_0"), "c")],
        vec![result(Some("call_0"), None), result(Some("call_0"), None)],
    ];
    let mut request = request(&[], turns);
    fitted(&mut request, &with_ids(IdRule::Word));
    let ids = ids(&request);
    assert_eq!(ids[..2], ["call_0", "call_0"]);
    assert!(ids[2] != ids[0] && ids[3] != ids[0] && ids[2] != ids[3]);
    assert_eq!(ids[4..], ids[2..4]);
}

#[test]
fn a_result_that_answers_nothing_keeps_its_id() {
    let mut request = request(&[], vec![vec![call(Some("a"), "t")], vec![result(Some("zzz"), None)]]);
    fitted(&mut request, &chat());
    assert_eq!(ids(&request), ["a", "zzz"]);
}

proptest! {
    #[test]
    fn calls_have_ids_of_their_own_that_the_rule_allows(
        given in proptest::collection::vec(proptest::option::of("[a.:_]{0,3}|call_[1-3]|[a-z]{9}|[xö]{38,70}"), 1..10),
        rule in prop_oneof![
            Just(IdRule::Any), Just(IdRule::Word), Just(IdRule::NineAlphanumerics), Just(IdRule::UpTo(40))
        ],
    ) {
        // Each call is followed by its result.
        let turns = given.iter().flat_map(|id| {
            [vec![call(id.as_deref(), "t")], vec![result(id.as_deref(), Some("t"))]]
        });
        let mut request = request(&[], turns.collect());
        fitted(&mut request, &with_ids(rule));
        let ids = ids(&request);
        let calls: std::collections::HashSet<&String> = ids.iter().step_by(2).collect();
        prop_assert_eq!(calls.len(), given.len());
        for pair in ids.chunks(2) {
            prop_assert_eq!(&pair[0], &pair[1]);
            let is_allowed = match rule {
                IdRule::Any => !pair[0].is_empty(),
                IdRule::Word => !pair[0].is_empty() && pair[0].chars().all(is_word_char),
                IdRule::NineAlphanumerics => {
                    pair[0].len() == 9 && pair[0].chars().all(|letter| letter.is_ascii_alphanumeric())
                }
                IdRule::UpTo(most) => pair[0].chars().count() <= most,
            };
            prop_assert!(is_allowed, "{}", pair[0]);
        }
    }
}

// === Choices ===

#[test]
fn allowed_tools_become_fewer_tools() {
    for (is_required, expected) in [(false, ToolChoice::Auto), (true, ToolChoice::Required)] {
        let mut request = request(&["a", "b", "c"], vec![]);
        request.server_tools = vec![json(r#"{"type":"web_search","name":"w"}"#), json(r#"{"type":"code"}"#)];
        let names = vec!["c".to_owned(), "a".to_owned(), "web_search".to_owned()];
        request.choice = Some(ToolChoice::Allowed { is_required, names });
        let (_, notes) = fitted(&mut request, &chat());
        let left: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((left, request.server_tools.len(), request.choice), (vec!["a", "c"], 1, Some(expected)));
        assert!(notes.as_slice().is_empty());
    }
}

#[test]
fn allowed_tools_that_are_not_there_are_told_and_none_left_is_an_end() {
    let allowed = |is_required, names: &[&str]| {
        let mut request = request(&["read_file", "b"], vec![]);
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        request.choice = Some(ToolChoice::Allowed { is_required, names });
        request
    };
    let mut some = allowed(true, &["b", "x"]);
    let (_, notes) = fitted(&mut some, &chat());
    assert_eq!(notes.as_slice()[0].code, "allowed_tools_unknown");
    let mut none = allowed(false, &[]);
    fitted(&mut none, &chat());
    assert_eq!((none.tools.len(), none.choice), (0, Some(ToolChoice::None)));
    assert!(refused(allowed(true, &["read_files"]), &chat()).message.contains("read_file"));
    assert_eq!(refused(allowed(true, &[]), &chat()).param.as_deref(), Some("tool_choice"));
}

#[test]
fn a_choice_of_a_tool_that_is_not_there_is_refused_with_the_nearest() {
    let mut near = request(&["read_file", "write_file"], vec![]);
    near.choice = Some(ToolChoice::Tool("read_fil".to_owned()));
    let failure = refused(near, &chat());
    assert_eq!((failure.status, failure.param.as_deref()), (400, Some("tool_choice")));
    assert!(failure.message.contains("\"read_fil\"") && failure.message.contains("read_file"), "{failure}");
    let mut none = request(&[], vec![]);
    none.choice = Some(ToolChoice::Tool("x".repeat(100_000)));
    let failure = refused(none, &chat());
    assert!(failure.message.contains("no tools at all") && failure.message.len() < 400);
    let mut served = request(&[], vec![]);
    served.server_tools = vec![json(r#"{"type":"web_search_20250305","name":"web_search"}"#)];
    served.choice = Some(ToolChoice::Tool("web_search".to_owned()));
    fitted(&mut served, &chat());
}

#[test]
fn too_many_tools_are_refused_with_the_numbers() {
    let target = Target { most_tools: Some(2), ..chat() };
    let failure = refused(request(&["a", "b", "c"], vec![]), &target);
    assert!(failure.message.contains("3 tools") && failure.message.contains("2 at most"), "{failure}");
    let mut filtered = request(&["a", "b", "c"], vec![]);
    filtered.choice = Some(ToolChoice::Allowed { is_required: false, names: vec!["a".to_owned()] });
    fitted(&mut filtered, &target);
}

// === Settings ===

#[test]
fn of_temperature_and_top_p_the_first_is_sent_where_both_are_refused() {
    let mut both = request(&[], vec![]);
    (both.temperature, both.top_p) = (Some(json("0.5")), Some(json("0.9")));
    let target = Target { takes_temperature_with_top_p: false, ..chat() };
    let (_, notes) = fitted(&mut both.clone(), &chat());
    assert!(notes.as_slice().is_empty());
    let (_, notes) = fitted(&mut both, &target);
    assert_eq!((both.temperature.is_some(), both.top_p, notes.as_slice().len()), (true, None, 1));
    let mut alone = request(&[], vec![]);
    alone.top_p = Some(json("0.9"));
    fitted(&mut alone, &target);
    assert!(alone.top_p.is_some());
}

#[test]
fn thinking_is_switched_off_where_it_is_refused_beside_tools() {
    let target = Target { takes_effort_with_tools: false, ..chat() };
    let effort = |request: &Request| request.reasoning.as_ref().and_then(|reasoning| reasoning.effort);
    let mut asked = request(&["a"], vec![]);
    asked.reasoning = Some(Reasoning { effort: Some(Effort::High), ..Reasoning::default() });
    let (_, notes) = fitted(&mut asked, &target);
    assert_eq!((effort(&asked), notes.as_slice().len()), (Some(Effort::None), 1));
    let mut silent = request(&["a"], vec![]);
    let (_, notes) = fitted(&mut silent, &target);
    assert_eq!((effort(&silent), notes.as_slice().len()), (Some(Effort::None), 0));
    let mut without_tools = request(&[], vec![]);
    fitted(&mut without_tools, &target);
    assert_eq!(without_tools.reasoning, None);
}
