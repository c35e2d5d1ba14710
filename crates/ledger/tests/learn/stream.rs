//! Kinds of mistakes that models make, and conversations with them.

use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_ledger::learn::{LearnPolicy, Learning, LearningOptions, MemoryStore};
use toolwright_ledger::{Failure, Record};
use toolwright_model::{Outcome, ToolDefinition};
use toolwright_normalizer::{RawArguments, Tool};

/// One kind of mistake: `§` in the calls is a value that differs between conversations.
pub struct Mistake {
    pub tool: &'static str,
    /// The schema's properties, and its required parameters.
    pub properties: &'static str,
    pub required: &'static str,
    pub sent: &'static str,
    pub right: &'static str,
    /// The rule: its type, `from` and `to`.
    pub lesson: (&'static str, &'static str, &'static str),
    /// Whether the policy may apply it by itself.
    pub safe: bool,
}

const TEXT: &str = r#"{"type":"string"}"#;

macro_rules! alias {
    ($tool:literal, $properties:literal, $required:literal, $sent:literal, $right:literal, $from:literal, $to:literal) => {
        Mistake {
            tool: $tool,
            properties: $properties,
            required: $required,
            sent: $sent,
            right: $right,
            lesson: ("param_alias", $from, $to),
            safe: true,
        }
    };
}

/// Mistakes that models repeat. `T` stands for the schema of a string.
pub const MISTAKES: &[Mistake] = &[
    alias!(
        "create_page",
        r#""headline":T,"markdown":T"#,
        r#"["headline","markdown"]"#,
        r#"{"headline":"h","source":"§"}"#,
        r#"{"headline":"h","markdown":"§"}"#,
        "source",
        "markdown"
    ),
    alias!(
        "grade_class",
        r#""outcome":{"type":"object"}"#,
        r#"["outcome"]"#,
        r#"{"roster":{"§":5}}"#,
        r#"{"outcome":{"§":5}}"#,
        "roster",
        "outcome"
    ),
    alias!(
        "send_note",
        r#""recipient":T,"prose":T"#,
        r#"["recipient","prose"]"#,
        r#"{"recipient":"r","payload":"§"}"#,
        r#"{"recipient":"r","prose":"§"}"#,
        "payload",
        "prose"
    ),
    alias!(
        "send_note",
        r#""recipient":T,"prose":T"#,
        r#"["recipient","prose"]"#,
        r#"{"who":"§","prose":"p"}"#,
        r#"{"recipient":"§","prose":"p"}"#,
        "who",
        "recipient"
    ),
    alias!(
        "open_ticket",
        r#""synopsis":T,"queue":T"#,
        r#"["synopsis","queue"]"#,
        r#"{"caption":"§","queue":"q"}"#,
        r#"{"synopsis":"§","queue":"q"}"#,
        "caption",
        "synopsis"
    ),
    alias!(
        "open_ticket",
        r#""synopsis":T,"queue":T"#,
        r#"["synopsis","queue"]"#,
        r#"{"synopsis":"s","board":"§"}"#,
        r#"{"synopsis":"s","queue":"§"}"#,
        "board",
        "queue"
    ),
    alias!(
        "book_room",
        r#""venue":T,"slot":T"#,
        r#"["venue","slot"]"#,
        r#"{"venue":"v","when":"§"}"#,
        r#"{"venue":"v","slot":"§"}"#,
        "when",
        "slot"
    ),
    alias!(
        "book_room",
        r#""venue":T,"slot":T"#,
        r#"["venue","slot"]"#,
        r#"{"hall":"§","slot":"s"}"#,
        r#"{"venue":"§","slot":"s"}"#,
        "hall",
        "venue"
    ),
    alias!(
        "look_up_word",
        r#""lemma":T"#,
        r#"["lemma"]"#,
        r#"{"entry":"§"}"#,
        r#"{"lemma":"§"}"#,
        "entry",
        "lemma"
    ),
    alias!(
        "draw_chart",
        r#""series":{"type":"array","items":{"type":"number"}},"kind":T"#,
        r#"["series","kind"]"#,
        r#"{"points":[1,2,3],"kind":"§"}"#,
        r#"{"series":[1,2,3],"kind":"§"}"#,
        "points",
        "series"
    ),
    alias!(
        "play_song",
        r#""track":T"#,
        r#"["track"]"#,
        r#"{"piece":"§"}"#,
        r#"{"track":"§"}"#,
        "piece",
        "track"
    ),
    alias!(
        "tag_photo",
        r#""asset":T,"keyword":T"#,
        r#"["asset","keyword"]"#,
        r#"{"asset":"a","hashtag":"§"}"#,
        r#"{"asset":"a","keyword":"§"}"#,
        "hashtag",
        "keyword"
    ),
    alias!(
        "tag_photo",
        r#""asset":T,"keyword":T"#,
        r#"["asset","keyword"]"#,
        r#"{"still":"§","keyword":"k"}"#,
        r#"{"asset":"§","keyword":"k"}"#,
        "still",
        "asset"
    ),
    alias!(
        "forecast",
        r#""locality":T"#,
        r#"["locality"]"#,
        r#"{"spot":"§"}"#,
        r#"{"locality":"§"}"#,
        "spot",
        "locality"
    ),
    alias!(
        "log_hours",
        r#""project":T,"effort":{"type":"number"}"#,
        r#"["project","effort"]"#,
        r#"{"project":"§","spent":4.5}"#,
        r#"{"project":"§","effort":4.5}"#,
        "spent",
        "effort"
    ),
    alias!(
        "share_doc",
        r#""collaborator":T,"role":T"#,
        r#"["collaborator","role"]"#,
        r#"{"invitee":"§","role":"r"}"#,
        r#"{"collaborator":"§","role":"r"}"#,
        "invitee",
        "collaborator"
    ),
    alias!(
        "add_event",
        r#""agenda":T,"start":T"#,
        r#"["agenda","start"]"#,
        r#"{"plan":"§","start":"s"}"#,
        r#"{"agenda":"§","start":"s"}"#,
        "plan",
        "agenda"
    ),
    alias!(
        "rate_film",
        r#""stars":{"type":"integer"},"film":T"#,
        r#"["stars","film"]"#,
        r#"{"verdict":7,"film":"§"}"#,
        r#"{"stars":7,"film":"§"}"#,
        "verdict",
        "stars"
    ),
    alias!(
        "measure",
        r#""sensor":T,"window":T"#,
        r#"["sensor","window"]"#,
        r#"{"probe":"§","window":"w"}"#,
        r#"{"sensor":"§","window":"w"}"#,
        "probe",
        "sensor"
    ),
    alias!(
        "measure",
        r#""sensor":T,"window":T"#,
        r#"["sensor","window"]"#,
        r#"{"sensor":"s","span":"§"}"#,
        r#"{"sensor":"s","window":"§"}"#,
        "span",
        "window"
    ),
    alias!(
        "summarize",
        r#""corpus":T"#,
        r#"["corpus"]"#,
        r#"{"passage":"§"}"#,
        r#"{"corpus":"§"}"#,
        "passage",
        "corpus"
    ),
    alias!(
        "render_map",
        r#""region":T,"layer":T"#,
        r#"["region","layer"]"#,
        r#"{"region":"r","overlay_on":"§"}"#,
        r#"{"region":"r","layer":"§"}"#,
        "overlay_on",
        "layer"
    ),
    alias!(
        "find_recipe",
        r#""ingredient":T"#,
        r#"["ingredient"]"#,
        r#"{"with":"§"}"#,
        r#"{"ingredient":"§"}"#,
        "with",
        "ingredient"
    ),
    alias!(
        "post_reply",
        r#""thread":T,"remark":T"#,
        r#"["thread","remark"]"#,
        r#"{"thread":"t","answer":"§"}"#,
        r#"{"thread":"t","remark":"§"}"#,
        "answer",
        "remark"
    ),
    alias!(
        "post_reply",
        r#""thread":T,"remark":T"#,
        r#"["thread","remark"]"#,
        r#"{"topic":"§","remark":"r"}"#,
        r#"{"thread":"§","remark":"r"}"#,
        "topic",
        "thread"
    ),
    alias!(
        "check_stock",
        r#""article":T"#,
        r#"["article"]"#,
        r#"{"goods":"§"}"#,
        r#"{"article":"§"}"#,
        "goods",
        "article"
    ),
    alias!(
        "translate_line",
        r#""utterance":T,"tongue":T"#,
        r#"["utterance","tongue"]"#,
        r#"{"utterance":"u","into":"§"}"#,
        r#"{"utterance":"u","tongue":"§"}"#,
        "into",
        "tongue"
    ),
    alias!(
        "translate_line",
        r#""utterance":T,"tongue":T"#,
        r#"["utterance","tongue"]"#,
        r#"{"original":"§","tongue":"t"}"#,
        r#"{"utterance":"§","tongue":"t"}"#,
        "original",
        "utterance"
    ),
    alias!(
        "dim_lamp",
        r#""fixture":T,"percent":{"type":"integer"}"#,
        r#"["fixture","percent"]"#,
        r#"{"fixture":"§","glow":42}"#,
        r#"{"fixture":"§","percent":42}"#,
        "glow",
        "percent"
    ),
    alias!(
        "plan_route",
        r#""origin":T,"goal":T"#,
        r#"["origin","goal"]"#,
        r#"{"origin":"o","finish_line":"§"}"#,
        r#"{"origin":"o","goal":"§"}"#,
        "finish_line",
        "goal"
    ),
    Mistake {
        tool: "set_urgency",
        properties: r#""case":T,"level":{"enum":["blocker","normal","minor"]}"#,
        required: r#"["case","level"]"#,
        sent: r#"{"case":"§","level":"showstopper"}"#,
        right: r#"{"case":"§","level":"blocker"}"#,
        lesson: ("value_map", "level", "blocker"),
        safe: false,
    },
    Mistake {
        tool: "run_plan",
        properties: r#""steps":{"type":"array","items":{"type":"object","properties":{"verb":T,"object":T},"required":["verb","object"],"additionalProperties":false}}"#,
        required: r#"["steps"]"#,
        sent: r#"{"steps":[{"deed":"§","object":"o"},{"deed":"§2","object":"p"}]}"#,
        right: r#"{"steps":[{"verb":"§","object":"o"},{"verb":"§2","object":"p"}]}"#,
        lesson: ("nested_alias", "deed", "verb"),
        safe: false,
    },
    Mistake {
        tool: "list_builds",
        properties: r#""branch":T,"scope":T"#,
        required: r#"["branch","scope"]"#,
        sent: r#"{"branch":"§"}"#,
        right: r#"{"branch":"§","scope":"all"}"#,
        lesson: ("param_default", "scope", "all"),
        safe: false,
    },
];

impl Mistake {
    pub fn definition(&self) -> ToolDefinition {
        tool(self.tool, self.properties, self.required)
    }

    pub fn sent(&self, value: &str) -> String {
        self.sent.replace('§', value)
    }

    pub fn right(&self, value: &str) -> String {
        self.right.replace('§', value)
    }

    /// Whether a rule is the one that this mistake implies.
    pub fn is_taught_by(&self, rule: (&str, &str, &Value)) -> bool {
        rule.0 == self.lesson.0 && rule.1 == self.lesson.1 && rule.2 == self.lesson.2
    }
}

pub fn tool(name: &str, properties: &str, required: &str) -> ToolDefinition {
    let properties = properties.replace(":T", &format!(":{TEXT}"));
    ToolDefinition {
        name: name.to_owned(),
        server: Some("office".to_owned()),
        input_schema: format!(
            r#"{{"type":"object","properties":{{{properties}}},"required":{required},"additionalProperties":false}}"#
        ),
        ..ToolDefinition::default()
    }
}

/// A minimal gateway: normalizes, records the result, and learns from it.
pub struct World {
    pub learning: Learning,
    pub seq: u64,
}

impl World {
    pub fn new(policy: LearnPolicy) -> World {
        let options = LearningOptions { policy, ..LearningOptions::default() };
        let (learning, _) = Learning::open(options, Box::<MemoryStore>::default()).expect("memory holds");
        World { learning, seq: 0 }
    }

    /// Sends a call. A refused one fails with this message of the tool, if any.
    pub fn send(
        &mut self,
        tool: &ToolDefinition,
        session: &str,
        arguments: &str,
        words: Option<&str>,
    ) -> Outcome {
        self.send_as(tool, (Some("default"), session), arguments, words)
    }

    /// The same with this token.
    pub fn send_as(
        &mut self,
        tool: &ToolDefinition,
        (principal, session): (Option<&str>, &str),
        arguments: &str,
        words: Option<&str>,
    ) -> Outcome {
        let compiled = Tool::compile(tool).expect("the schema is one");
        let outcome =
            self.learning.rules().load().normalizer().normalize(&compiled, &RawArguments::json(arguments));
        let refused = matches!(outcome, Outcome::Refused { .. });
        let mut record = self.record(tool, session, arguments);
        record.principal = principal.map(str::to_owned);
        if let Outcome::Repaired { arguments, .. } = &outcome {
            record.normalized = Some(RawValue::from_string(arguments.clone()).expect("JSON"));
        }
        record.error = refused.then(|| Failure {
            code: "invalid_arguments".to_owned(),
            message: words.unwrap_or("refused").to_owned(),
            parameters: Vec::new(),
            is_from_tool: words.is_some(),
        });
        self.observe(&record, tool);
        outcome
    }

    pub fn observe(&mut self, record: &Record, tool: &ToolDefinition) {
        self.learning.observe(record, Some(tool)).expect("memory holds");
    }

    /// A successful call.
    pub fn record(&mut self, tool: &ToolDefinition, session: &str, arguments: &str) -> Record {
        self.seq += 1;
        Record {
            seq: self.seq,
            ts: 1_700_000_000_000_000 + i64::try_from(self.seq).expect("small"),
            principal: Some("default".to_owned()),
            session: Some(session.to_owned()),
            server: tool.server.clone(),
            tool: tool.name.clone(),
            arguments: Some(RawValue::from_string(arguments.to_owned()).expect("JSON")),
            ..Record::default()
        }
    }

    /// A mistake and its correction in one conversation.
    pub fn converse(&mut self, mistake: &Mistake, session: &str, value: &str) {
        let tool = mistake.definition();
        self.send(&tool, session, &mistake.sent(value), None);
        self.send(&tool, session, &mistake.right(value), None);
    }
}
