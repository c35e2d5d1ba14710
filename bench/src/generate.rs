//! Making cases: valid calls, calls with one to four mistakes, traps.

use serde_json::Value;

use crate::case::{Case, Sent, Verdict};
use crate::cli::Amount;
use crate::corpus::Corpus;
use crate::lookalike;
use crate::mutate::syntax::{self, Slip, Written};
use crate::mutate::{self, KINDS, Mutation, Scene, apply};
use crate::rng::Rng;
use crate::tool_name::{self, Called};
use crate::traps;
use crate::write::{self, Style};

/// Most mistakes made in one call.
const MOST_LAYERS: usize = 4;
/// Most mistakes in a call of a destructive tool, whose budget is lower.
const MOST_LAYERS_DESTRUCTIVE: usize = 2;
/// Calls tried before a case is given up.
const ATTEMPTS: usize = 300;

/// A kind of mistake, in the value or in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lead {
    Kind(&'static str),
    Name(&'static str),
    Slip(Slip),
}

/// All cases for a seed: `per_layer` each of valid calls, of one to four mistakes, and of traps.
pub fn all(corpus: &Corpus, amount: Amount) -> Vec<Case> {
    let scenes: Vec<Scene<'_>> = corpus
        .tools
        .iter()
        .flat_map(|tool| tool.calls.iter().map(move |call| Scene::new(tool, call)))
        .collect();
    let mut cases = Vec::new();
    for index in 0..amount.per_layer {
        let mut rng = Rng::for_case(amount.seed, "valid", index);
        let id = format!("valid-{}-{index:05}", amount.seed);
        cases.extend(lookalike::case(&scenes, index, id, &mut rng));
    }
    let leads = leads(&scenes, amount.seed);
    for layers in 1..=MOST_LAYERS {
        // Nothing at all leaves no room for a second mistake.
        let leads: Vec<_> =
            leads.iter().filter(|(lead, _)| layers == 1 || *lead != Lead::Slip(Slip::Nothing)).collect();
        let group = format!("{layers} layer{}", if layers == 1 { "" } else { "s" });
        for index in 0..amount.per_layer {
            let mut rng = Rng::for_case(amount.seed, &group, index);
            let id = format!("layers{layers}-{}-{index:05}", amount.seed);
            let Some((lead, homes)) = leads.get(index % leads.len().max(1)) else { break };
            let case = (0..ATTEMPTS).find_map(|_| {
                let scene = scenes.get(*rng.pick(homes)?)?;
                repair(corpus, scene, *lead, layers, &mut rng)
            });
            cases.extend(case.map(|broken| broken.case(id, &group)));
        }
    }
    for index in 0..amount.per_layer {
        let mut rng = Rng::for_case(amount.seed, "trap", index);
        let id = format!("trap-{}-{index:05}", amount.seed);
        cases.extend(traps::case(corpus, &scenes, index, &id, &mut rng));
    }
    cases
}

/// Every kind of mistake with the calls it can be made in.
fn leads(scenes: &[Scene<'_>], seed: u64) -> Vec<(Lead, Vec<usize>)> {
    let mut leads: Vec<(Lead, Vec<usize>)> =
        KINDS.iter().map(|kind| (Lead::Kind(kind), Vec::new())).collect();
    leads.extend(tool_name::KINDS.iter().map(|kind| (Lead::Name(kind), Vec::new())));
    leads.extend(Slip::ALL.iter().map(|slip| (Lead::Slip(*slip), Vec::new())));
    for (home, scene) in scenes.iter().enumerate() {
        let mut rng = Rng::for_case(seed, "leads", home);
        // Some kinds depend on chance: several tries find more homes for them.
        let found: Vec<Mutation> = (0..4).flat_map(|_| mutate::candidates(scene, &mut rng)).collect();
        for (lead, homes) in &mut leads {
            let fits = match lead {
                Lead::Kind(kind) => found.iter().any(|mutation| mutation.kind == *kind),
                Lead::Name(_) => true,
                Lead::Slip(slip) => slip_allowed(scene, *slip, scene.call),
            };
            if fits {
                homes.push(home);
            }
        }
    }
    leads.retain(|(_, homes)| !homes.is_empty());
    leads
}

/// A call with mistakes, and how it is sent.
#[derive(Debug)]
struct Broken<'a> {
    scene: &'a Scene<'a>,
    sent: Sent,
    called: Option<Called<'a>>,
    layers: Vec<String>,
}

impl Broken<'_> {
    fn case(self, id: String, group: &str) -> Case {
        let answer = (Verdict::Repair, Some(self.scene.call.clone()));
        let case = Case::new(id, group, self.scene.tool, self.sent, answer).with_layers(self.layers);
        match &self.called {
            Some(called) => case.among(called),
            None => case,
        }
    }
}

/// Makes `layers` mistakes in a call, the leading one among them.
fn repair<'a>(
    corpus: &'a Corpus,
    scene: &'a Scene<'a>,
    lead: Lead,
    layers: usize,
    rng: &mut Rng,
) -> Option<Broken<'a>> {
    if scene.tool.is_destructive() && layers > MOST_LAYERS_DESTRUCTIVE {
        return None;
    }
    let candidates = mutate::candidates(scene, rng);
    let mut chosen: Vec<Mutation> = Vec::new();
    let mut slips: Vec<Slip> = Vec::new();
    let mut called = None;
    match lead {
        Lead::Name(kind) => called = Some((kind, tool_name::misnamed(corpus, scene.tool, kind, rng)?)),
        Lead::Kind(kind) => chosen.push(pick_kind(&candidates, kind, rng)?.clone()),
        Lead::Slip(slip) => slips.push(slip),
    }
    let mut tries = 0;
    while chosen.len() + slips.len() + usize::from(called.is_some()) < layers {
        tries += 1;
        if tries > 60 {
            return None;
        }
        if rng.below(10) < 3 && slips.len() < 2 {
            let slip = *rng.pick(&Slip::ALL)?;
            let fits = slip != Slip::Nothing && slips.iter().all(|other| other.fits(slip));
            if fits && slip_allowed(scene, slip, scene.call) {
                slips.push(slip);
            }
        } else if let Some(next) = pick_kind(&candidates, rng.word(&KINDS), rng)
            && !slips.contains(&Slip::Nothing)
            && mutate::fit(scene, &chosen, next)
        {
            chosen.push(next.clone());
        }
    }
    let value = apply::all(scene.call, &chosen)?;
    let sent = match &called {
        Some(_) if chosen.is_empty() && slips.is_empty() => plain(&value, rng),
        _ => send(scene, &value, &mut slips, rng)?,
    };
    let name = called.iter().map(|(kind, _)| (*kind).to_string());
    let labels = chosen.iter().map(Mutation::label).chain(slips.iter().map(|slip| slip.label().to_string()));
    let layers = name.chain(labels).collect();
    Some(Broken { scene, sent, called: called.map(|(_, called)| called), layers })
}

fn pick_kind<'m>(candidates: &'m [Mutation], kind: &str, rng: &mut Rng) -> Option<&'m Mutation> {
    let alike: Vec<&Mutation> = candidates.iter().filter(|mutation| mutation.kind == kind).collect();
    rng.pick(&alike).copied()
}

/// Whether a slip has a place in the value and the contract lets this tool be mended.
fn slip_allowed(scene: &Scene<'_>, slip: Slip, value: &Value) -> bool {
    let mendable = match slip {
        Slip::MissingClose => !scene.tool.is_destructive(),
        Slip::Nothing => scene.accepts(&Value::Object(serde_json::Map::new())),
        _ => true,
    };
    mendable && slip.applies(value)
}

/// Sends a broken value with slips; nothing when it turns out to be readable and valid.
pub fn send(scene: &Scene<'_>, value: &Value, slips: &mut [Slip], rng: &mut Rng) -> Option<Sent> {
    slips.sort();
    if slips.is_empty() {
        return (!scene.accepts(value)).then(|| plain(value, rng));
    }
    if !slips.iter().all(|slip| slip_allowed(scene, *slip, value)) {
        return None;
    }
    let Written { text, finish } = syntax::write(value, slips, rng)?;
    match serde_json::from_str::<Value>(&text) {
        Ok(read) if read == *value || scene.accepts(&read) => None,
        _ => Some(Sent { arguments: Value::String(text), finish }),
    }
}

/// Sends a value without slips: as an object, or as text, as it must be when it is no object.
pub fn plain(value: &Value, rng: &mut Rng) -> Sent {
    let as_text = !value.is_object() || rng.one_in(3);
    let style = Style { pretty: rng.one_in(2), ..Style::default() };
    let arguments = if as_text { Value::String(write::text(value, &style)) } else { value.clone() };
    Sent { arguments, finish: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;

    fn cases(seed: u64) -> Vec<Case> {
        all(&Corpus::load().unwrap(), Amount { seed, per_layer: 250 })
    }

    fn lines(cases: &[Case]) -> Vec<String> {
        cases.iter().map(|case| case.line().to_string()).collect()
    }

    /// What a strict reader makes of the arguments.
    fn strictly(case: &Case) -> Option<Value> {
        match case.question.get("arguments")? {
            Value::String(text) => serde_json::from_str(text).ok(),
            value => Some(value.clone()),
        }
    }

    fn is_valid(case: &Case, arguments: &Value) -> bool {
        let Some(tool) = case.question.get("tool") else { return false };
        let schema = &tool["inputSchema"];
        schema::accepts(schema, schema, arguments)
    }

    #[test]
    fn a_seed_gives_the_same_cases_and_another_seed_others() {
        assert_eq!(lines(&cases(5)), lines(&cases(5)));
        assert_ne!(lines(&cases(5)), lines(&cases(6)));
    }

    #[test]
    fn every_group_is_full_and_ids_are_unique() {
        let cases = cases(7);
        assert!(cases.len() >= 6 * 250 * 95 / 100, "{}", cases.len());
        let mut ids: Vec<&str> = cases.iter().map(Case::id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), cases.len());
    }

    #[test]
    fn a_repair_expects_a_valid_call_of_the_corpus() {
        let corpus = Corpus::load().unwrap();
        for case in cases(8).iter().filter(|case| case.verdict == Verdict::Repair) {
            let expected = case.expected.as_ref().unwrap();
            assert!(corpus.tools.iter().any(|tool| tool.calls.contains(expected)), "{}", case.line());
            assert!(is_valid(case, expected) || case.expected_name.is_some(), "{}", case.line());
        }
    }

    #[test]
    fn what_must_be_repaired_or_refused_is_never_valid_as_sent() {
        for case in cases(9).iter().filter(|case| case.verdict != Verdict::Unchanged) {
            let valid = strictly(case).is_some_and(|value| is_valid(case, &value));
            assert!(!valid, "{}", case.line());
        }
    }

    #[test]
    fn what_must_stay_is_valid_as_sent() {
        for case in cases(10).iter().filter(|case| case.verdict == Verdict::Unchanged) {
            let sent = strictly(case).unwrap();
            assert!(is_valid(case, &sent), "{}", case.line());
            assert_eq!(case.expected.as_ref(), Some(&sent));
        }
    }

    #[test]
    fn the_number_of_mistakes_is_the_number_of_layers() {
        for case in cases(11).iter().filter(|case| case.verdict == Verdict::Repair) {
            assert!(case.group.starts_with(&case.layers.len().to_string()), "{}", case.line());
        }
    }

    #[test]
    fn every_kind_of_mistake_occurs() {
        let cases = cases(12);
        let kinds = KINDS.iter().copied().chain(Slip::ALL.iter().map(|slip| slip.label()));
        for kind in kinds {
            assert!(
                cases.iter().flat_map(|case| &case.layers).any(|layer| layer.starts_with(kind)),
                "{kind}"
            );
        }
    }
}
