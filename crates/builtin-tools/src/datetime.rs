//! `get_current_datetime`: the date and time, here or in another time zone.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jiff::Zoned;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::json;
use toolwright_base::{closest_by, fold_name, is_slip, keystrokes_apart, letters_apart};
use toolwright_executor::{ToolFailure, ToolFunction, ToolOutput};
use toolwright_model::{Annotations, Origin, ToolDefinition};

use super::arguments::{invalid, parse};
use super::{BuiltinError, BuiltinTool, Clock};

const NAME: &str = "get_current_datetime";

/// The sentence of the voice gateway's tool (founding document 001, its datetime tool), spoken as it is.
const SENTENCE: &str = "It is currently %-I:%M %p on %A, %B %-d, %Y.";

/// Forms with a name.
const FORMS: [(&str, &str); 4] =
    [("sentence", SENTENCE), ("iso", "%Y-%m-%dT%H:%M:%S%:z"), ("date", "%Y-%m-%d"), ("time", "%H:%M:%S")];

const INPUT: &str = r#"{
  "type": "object",
  "properties": {
    "timezone": {"type": "string", "maxLength": 100, "description": "An IANA name such as Europe/Berlin; the time zone of this machine when left out"},
    "format": {"type": "string", "maxLength": 200, "description": "sentence (when left out), iso, date, time, unix, or a strftime pattern such as %d.%m.%Y"}
  },
  "additionalProperties": false
}"#;

const OUTPUT: &str = r#"{
  "type": "object",
  "properties": {
    "text": {"type": "string"},
    "iso": {"type": "string"},
    "timezone": {"type": "string"},
    "unix": {"type": "integer"}
  },
  "required": ["text", "iso", "timezone", "unix"],
  "additionalProperties": false
}"#;

/// How many names a message proposes.
const MAX_PROPOSALS: usize = 3;

/// The tool's line in the table.
pub(super) fn tool(clock: &Clock, home: Option<&TimeZone>) -> BuiltinTool {
    BuiltinTool {
        definition: ToolDefinition {
            name: NAME.to_owned(),
            origin: Origin::BuiltIn,
            description: "Tells the current date, time and time zone, here or in another time zone."
                .to_owned(),
            input_schema: INPUT.to_owned(),
            output_schema: Some(OUTPUT.to_owned()),
            annotations: Annotations { harmless: true, ..Annotations::default() },
            ..ToolDefinition::default()
        },
        function: Arc::new(Datetime { clock: clock.clone(), home: home.cloned() }),
    }
}

struct Datetime {
    clock: Clock,
    /// The user's time zone; that of the machine when not configured.
    home: Option<TimeZone>,
}

/// The user's time zone by its configured name.
pub(super) fn home(name: Option<&str>) -> Result<Option<TimeZone>, BuiltinError> {
    name.map(find).transpose().map_err(|reason| BuiltinError::TimeZone { reason })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    timezone: Option<String>,
    format: Option<String>,
}

impl ToolFunction for Datetime {
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        async move { self.tell(&parse(NAME, &arguments)?) }.boxed()
    }
}

impl Datetime {
    fn tell(&self, arguments: &Arguments) -> Result<ToolOutput, ToolFailure> {
        let zone = match &arguments.timezone {
            Some(name) => find(name).map_err(invalid)?,
            None => self.home.clone().unwrap_or_else(of_the_machine),
        };
        let now = self.clock.now().to_zoned(zone);
        let zone = zone_name(&now);
        let mut text = write(&now, arguments.format.as_deref().unwrap_or("sentence"))?;
        if matches!(arguments.format.as_deref(), None | Some("sentence")) {
            let whose = if arguments.timezone.is_some() { "The" } else { "Your" };
            text.push_str(&format!(" {whose} timezone is {zone}."));
        }
        let structured = json!({
            "text": text, "iso": write(&now, "iso")?, "timezone": zone, "unix": now.timestamp().as_second(),
        });
        Ok(ToolOutput::structured(text, structured.to_string()))
    }
}

/// The time zone of the machine; UTC where it has none, as in many containers.
pub(super) fn of_the_machine() -> TimeZone {
    let zone = TimeZone::system();
    if zone.is_unknown() { TimeZone::UTC } else { zone }
}

fn write(now: &Zoned, format: &str) -> Result<String, ToolFailure> {
    if format == "unix" {
        return Ok(now.timestamp().as_second().to_string());
    }
    let named = FORMS.iter().find(|(name, _)| *name == format).map(|(_, pattern)| *pattern);
    let Some(pattern) = named.or_else(|| format.contains('%').then_some(format)) else {
        return Err(invalid(format!(
            "the format {format:?} is not known. It is sentence, iso, date, time, unix, or a strftime pattern \
             such as %d.%m.%Y"
        )));
    };
    let mut text = String::new();
    BrokenDownTime::from(now).format(pattern, &mut text).map_err(|error| {
        invalid(format!("the format {format:?} cannot be written: {error}. Send for example %Y-%m-%d %H:%M"))
    })?;
    Ok(text)
}

/// The name of a time zone; its offset when it has none.
fn zone_name(now: &Zoned) -> String {
    now.time_zone().iana_name().map_or_else(|| now.offset().to_string(), str::to_owned)
}

/// Finds a time zone, or says which names are near.
fn find(name: &str) -> Result<TimeZone, String> {
    if let Ok(zone) = TimeZone::get(name) {
        return Ok(zone);
    }
    let near = nearest(name);
    let proposal = match near.as_slice() {
        [] => "Use an IANA name such as Europe/Berlin or UTC".to_owned(),
        [near] => format!("The nearest name is {near}"),
        near => format!("The nearest names are {}", near.join(", ")),
    };
    Err(format!("there is no time zone {name:?}. {proposal}"))
}

/// The names most like a wrong one: the same place elsewhere first, then few differing letters.
fn nearest(wrong: &str) -> Vec<String> {
    let place_of = |name: &str| name.rsplit('/').next().map(fold_name).unwrap_or_default();
    let (wanted, place) = (fold_name(wrong), place_of(wrong));
    let names = jiff::tz::db().available().map(|name| name.to_string());
    let near = closest_by(
        names.map(|name| (place_of(&name), fold_name(&name), name)),
        |(own, whole, name)| {
            Some((letters_apart(own, &place).min(letters_apart(whole, &wanted)), name.clone()))
        },
        |(own, whole, name)| {
            let slips = |one: &str, other: &str| {
                Some(keystrokes_apart(one, other)).filter(|apart| is_slip(*apart, one, other))
            };
            let apart = slips(own, &place).into_iter().chain(slips(whole, &wanted)).min()?;
            Some((apart, name.clone()))
        },
        MAX_PROPOSALS,
    );
    near.into_iter().map(|(.., name)| name).collect()
}
