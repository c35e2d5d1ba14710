//! Costs of repairs, and the risk budget of a tool.
//!
//! A cost ranks the readings of one call: the cheapest wins if the next best is a margin away. Risk is
//! the part of it that was inferred and not known; each tool has a budget for it.

/// Readings closer than this are ambiguous.
pub(crate) const MARGIN: u32 = 8;

/// Key: other case or separators.
pub(crate) const KEY_FORM: u32 = 4;
/// Key: one typing error.
pub(crate) const KEY_TYPO: u32 = 16;
/// Key: the same words in other spellings.
pub(crate) const KEY_SPELLING: u32 = 14;
/// Key: synonymous names or words.
pub(crate) const KEY_SYNONYM: u32 = 24;
/// Key: one name's words contained in the other's.
pub(crate) const KEY_CONTAINED: u32 = 24;
/// Key: every further word left over.
pub(crate) const KEY_EXTRA_WORD: u32 = 4;
/// Key: a left-over word that is neither neutral nor part of the tool's name.
pub(crate) const KEY_FOREIGN_WORD: u32 = 7;
/// Key: the target's description contains the key's words in a row.
pub(crate) const KEY_DESCRIBED: u32 = 40;
/// Key: only the value or the description supports the target.
pub(crate) const KEY_WEAK: u32 = 48;
/// Key: the target is optional, so nothing requires it.
pub(crate) const KEY_OPTIONAL: u32 = 4;

/// Value: string to scalar, enum form.
pub(crate) const VALUE_FORM: u32 = 4;
/// Value: string to container.
pub(crate) const VALUE_CONTAINER: u32 = 5;
/// Value: number to string.
pub(crate) const VALUE_TEXT: u32 = 6;
/// Value: container to JSON string.
pub(crate) const VALUE_JSON_TEXT: u32 = 10;
/// Value: one item and list.
pub(crate) const VALUE_LIST: u32 = 8;
/// Value: an empty optional left out.
pub(crate) const VALUE_EMPTY: u32 = 6;
/// Structure: an envelope removed.
pub(crate) const ENVELOPE: u32 = 10;
/// Structure: a wrapper restored.
pub(crate) const WRAPPER: u32 = 20;
/// An unsupported parameter dropped.
pub(crate) const DROP: u32 = 12;

/// Risk: a key by strong evidence.
pub(crate) const RISK_NAME: u32 = 2;
/// Risk: a key with a typing error.
pub(crate) const RISK_TYPO: u32 = 4;
/// Risk: a key with a word that the target does not have.
pub(crate) const RISK_FOREIGN_NAME: u32 = 4;
/// Risk: a key by weak evidence.
pub(crate) const RISK_WEAK_NAME: u32 = 9;
/// Risk: a wrapper restored or a container turned into text.
pub(crate) const RISK_STRUCTURE: u32 = 3;
/// Risk: brackets closed or quotes guessed in the text.
pub(crate) const RISK_TEXT: u32 = 4;

/// Risk budget of an ordinary tool.
pub(crate) const BUDGET: u32 = 24;
/// Risk budget of a destructive tool.
pub(crate) const DESTRUCTIVE_BUDGET: u32 = 3;
/// Risk budget of a tool that runs its input or places an order: a typing error, and one clear alias or two.
pub(crate) const RUNNING_BUDGET: u32 = 8;
