//! The editor of the rules file: validated at every keystroke, written atomically, with earlier versions.

use http::StatusCode;
use maud::{Markup, html};
use toolwright_normalizer::rules::RuleFileError;

use super::run_blocking;
use crate::parts::{difference, moment, shortened};
use crate::rules_text::{check, mark};
use crate::{Dashboard, DashboardPage, PageProblem};

/// Limit of errors on the page.
const MISTAKES: usize = 50;
/// Limit of earlier versions on the page.
const EARLIER: usize = 20;

pub async fn page(dashboard: &Dashboard) -> Result<DashboardPage, PageProblem> {
    let Some(rules) = dashboard.rules.clone() else {
        return Err(PageProblem::new(
            StatusCode::NOT_FOUND,
            "The gateway was started without a rules file.",
            "Start it with --rules FILE; the file has to exist; \"[]\" is enough.",
        ));
    };
    let file = rules.file().display().to_string();
    let (text, earlier) = run_blocking(move || (rules.read(), rules.earlier(EARLIER))).await?;
    let text = text.map_err(|error| {
        PageProblem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("{file} cannot be read: {error}."),
            "Mend that, and load the page again.",
        )
    })?;
    let mut after = text.clone();
    let body = html! {
        p { "What is saved here is in force for the next call. A text with mistakes is not saved. " a href="/rules" { "All rules" } }
        form.editor data-do="save-rules" data-check="check-rules" data-into="checked" {
            input type="hidden" name="before" value=(mark(&text));
            label for="rules-text" { (file) }
            textarea #rules-text name="text" rows="24" spellcheck="false" { (text) }
            div.tools { button type="submit" { "Save" } }
        }
        div #checked aria-live="polite" { (checked(&text)) }
        noscript { p.quiet { "Without scripts: edit the file, and look with " code { "toolwright rules check" } " for mistakes." } }
        section aria-labelledby="earlier" {
            h2 #earlier { "Earlier texts" }
            @if earlier.is_empty() { p { "None yet: what is saved here is kept when another text takes its place." } }
            @for one in &earlier {
                details {
                    summary { "Until " (moment(one.until)) }
                    (difference(&one.text, &after))
                    @let () = after.clone_from(&one.text);
                    button type="button" data-fill="rules-text" data-text=(one.text) { "Put this text into the editor" }
                }
            }
        }
    };
    Ok(DashboardPage { title: "Edit rules".to_owned(), body })
}

/// The validation result of a text.
pub fn checked(text: &str) -> Markup {
    match check(text) {
        Ok(count) => html! { p { "✓ " (count) " rules without mistakes." } },
        Err(mistakes) => mistake_list(&mistakes),
    }
}

/// Errors with their positions and fixes.
pub fn mistake_list(mistakes: &[RuleFileError]) -> Markup {
    html! {
        p.problem role="alert" { "✕ " (mistakes.len()) @if mistakes.len() == 1 { " mistake:" } @else { " mistakes:" } }
        ul { @for mistake in mistakes.iter().take(MISTAKES) {
            li { "line " (mistake.line) ", column " (mistake.column) ": " (shortened(&mistake.message)) " – " (shortened(&mistake.fix)) }
        } }
    }
}
