//! What tools were agreed to be: whether the file is whole, and what waits for somebody's word.

use toolwright_security::Pins;

use crate::Examined;
use crate::finding::{Area, Check, Finding, Fix};

/// The file in the state folder.
const DEFINITIONS_FILE: &str = "definitions.json";
/// How many tools are named.
const SHOWN: usize = 5;

pub(crate) fn check(examined: &Examined) -> Check {
    let check = |said: String| Check::new(Area::Definitions, None, said);
    let Some(file) = examined.state.as_ref().map(|state| state.join(DEFINITIONS_FILE)) else {
        return check("not kept".to_owned());
    };
    if !file.exists() {
        return check("none yet".to_owned());
    }
    match Pins::open(Some(file.clone())) {
        Err(error) => {
            let finding = Finding::error(
                "definitions-damaged",
                "what tools were agreed to be cannot be read",
                format!("changes of tools are not noticed; {error}"),
                Fix::put_aside(&file),
            );
            check("damaged".to_owned()).with([finding.at(file.display())])
        }
        Ok(pins) => {
            let waiting = pins.waiting();
            let said = format!("tools agreed to: {}, waiting: {}", pins.agreed().len(), waiting.len());
            let names: Vec<String> =
                waiting.iter().take(SHOWN).map(|tool| format!("{}/{}", tool.server, tool.tool)).collect();
            let finding = (!waiting.is_empty()).then(|| {
                Finding::warning(
                    "definitions-waiting",
                    format!("{} tools are not what they were when you agreed to them", waiting.len()),
                    format!("their servers describe them in another way now: {}", names.join(", ")),
                    Fix::Do(
                        "look at them, and agree or not, on the page Security: toolwright dashboard"
                            .to_owned(),
                    ),
                )
                .at(file.display())
            });
            check(said).with(finding)
        }
    }
}
