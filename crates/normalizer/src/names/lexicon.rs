//! What words mean: the one place where the vocabulary of parameter names is written down.

/// Keys that models put around the whole arguments, folded.
pub(crate) const SAFE_ENVELOPES: &[&str] = &[
    "arguments", "argument", "input", "inputs", "parameters", "parameter", "params", "param", "args", "arg",
    "kwargs", "toolinput", "toolargs", "toolarguments", "toolparams", "toolparameters", "toolcall", "functioncall", "function",
    "actioninput", "functionargs", "functionarguments", "call", "request", "payload", "body", "data", "properties",
    "json", "options", "requestbody", "callargs", "inputdata", "value",
];

/// Spellings of one word: the first of each line is the form words are compared in.
const SPELLINGS: &[&[&str]] = &[
    &["repository", "repo", "repos"],
    &["directory", "dir", "folder", "dirs", "directories", "folders"],
    &["message", "msg", "msgs"],
    &["command", "cmd", "cmds"],
    &["description", "desc", "descr"],
    &["configuration", "config", "cfg", "conf"],
    &["environment", "env"],
    &["index", "idx"],
    &["number", "num", "nr"],
    &["quantity", "qty"],
    &["language", "lang"],
    &["latitude", "lat"],
    &["longitude", "lon", "lng"],
    &["source", "src"],
    &["destination", "dst", "dest"],
    &["organization", "org", "organisation"],
    &["parameter", "param", "params", "parameters"],
    &["argument", "arg", "args", "arguments"],
    &["attribute", "attr", "attrs"],
    &["property", "prop", "props", "properties"],
    &["maximum", "max"],
    &["minimum", "min"],
    &["previous", "prev"],
    &["document", "doc", "docs"],
    &["database", "db"],
    &["table", "tbl"],
    &["column", "col", "cols"],
    &["image", "img"],
    &["picture", "pic"],
    &["package", "pkg"],
    &["application", "app"],
    &["authentication", "auth"],
    &["reference", "ref"],
    &["identifier", "id", "ids", "identifiers"],
    &["expression", "expr"],
    &["function", "func", "fn"],
    &["variable", "var", "vars"],
    &["address", "addr"],
    &["password", "pwd", "passwd"],
    &["position", "pos"],
    &["length", "len"],
    &["format", "fmt"],
    &["value", "val"],
    &["string", "str"],
    &["query", "qry"],
    &["text", "txt"],
    &["file", "filename", "fname"],
    &["error", "err"],
    &["request", "req"],
    &["response", "resp", "res"],
    &["transaction", "txn", "tx"],
    &["account", "acct"],
    &["average", "avg"],
    &["category", "cat", "categories"],
    &["character", "char", "chars"],
    &["count", "cnt"],
    &["current", "curr", "cur"],
    &["date", "dt"],
    &["dictionary", "dict"],
    &["information", "info"],
    &["initial", "init"],
    &["location", "loc"],
    &["object", "obj"],
    &["option", "opt", "opts", "options"],
    &["pattern", "pat"],
    &["phone", "tel", "telephone"],
    &["project", "proj"],
    &["region", "rgn"],
    &["regex", "regexp", "re"],
    &["sequence", "seq"],
    &["session", "sess"],
    &["specification", "spec"],
    &["statement", "stmt"],
    &["timezone", "tz"],
    &["username", "usr"],
    &["version", "ver"],
    &["width", "w"],
    &["height", "h"],
    &["color", "colour"],
    &["query", "q"],
    &["url", "uri", "urls", "uris"],
    &["recursive", "recurse", "recursively"],
    &["url", "link", "href"],
    &["namespace", "ns"],
    &["process", "proc"],
    &["timestamp", "ts"],
    &["duration", "dur"],
    &["amount", "amt"],
    &["kilometer", "km"],
    &["second", "sec", "secs", "seconds"],
    &["millisecond", "ms", "millis", "milliseconds", "msec"],
    &["minute", "mins", "minutes"],
    &["hour", "hr", "hrs", "hours"],
    &["query", "queries"],
    &["entity", "entities"],
    &["assignee", "assignees"],
    &["city", "cities"],
    &["entry", "entries"],
    &["activity", "activities"],
    &["currency", "currencies"],
    &["country", "countries"],
    &["library", "lib", "libs", "libraries"],
];

/// Words that may stand for each other as the whole meaning of a parameter.
const SYNONYMS: &[&[&str]] = &[
    &["path", "file", "filepath"],
    &["path", "directory"],
    &["query", "search", "keyword", "term", "question"],
    &["query", "sql", "statement"],
    &["pattern", "regex"],
    &["pattern", "query", "search"],
    &["content", "text", "body", "contents"],
    &["content", "data"],
    &["message", "text", "content", "body"],
    &["command", "script"],
    &["command", "action", "operation", "op"],
    &["code", "script"],
    &["url", "website", "site", "webpage"],
    &["title", "name", "subject", "heading"],
    &["title", "summary"],
    &["name", "label"],
    &["tag", "label"],
    &["description", "summary", "detail", "details"],
    &["description", "body"],
    &["type", "kind", "category"],
    &["count", "quantity", "amount", "number"],
    &["price", "cost"],
    &["location", "place", "city"],
    &["location", "address"],
    &["user", "username", "login"],
    &["email", "mail"],
    &["recipient", "recipients", "to"],
    &["sender", "from"],
    &["channel", "room"],
    &["image", "picture", "photo"],
    &["score", "grade", "mark"],
    &["prompt", "instruction", "task"],
    &["prompt", "text", "query"],
    &["question", "prompt"],
    &["state", "status"],
    &["comment", "text", "body", "message"],
    &["note", "text", "content", "body"],
    &["expression", "formula", "equation"],
    &["option", "choice"],
    &["setting", "configuration", "option"],
    &["filter", "where", "condition", "criteria"],
    &["sort", "order"],
    &["language", "locale"],
    &["field", "column"],
    &["device", "entity"],
    &["brightness", "level"],
    &["item", "entry", "record", "element"],
    &["item", "product"],
    &["org", "organization", "owner"],
    &["person", "people", "attendee", "participant", "guest"],
    &["reason", "explanation"],
    &["step", "stage"],
    &["event", "meeting", "appointment"],
    &["cell", "range"],
    &["selector", "element", "ref"],
    &["thread", "conversation"],
    &["workspace", "team"],
    &["document", "file", "page"],
    &["offset", "skip"],
];

/// Whole names that models use for one another, folded.
const WHOLE_NAMES: &[&[&str]] = &[
    &[
        "limit", "maxresults", "max", "count", "topk", "k", "n", "numresults", "pagesize", "perpage", "size",
        "maxitems", "maxcount", "resultcount", "numitems", "resultlimit", "maxresult", "top", "numberofresults",
        "resultslimit", "maxrows", "rowlimit", "limitto", "maxnumresults", "take", "resultscount", "maxentries",
    ],
    &["offset", "skip", "startindex", "startat", "from"],
    &["page", "pagenumber", "pagenum", "pageindex", "pageno"],
    &["cursor", "pagetoken", "nextcursor", "nextpagetoken", "continuationtoken"],
    &[
        "path", "file", "filepath", "filename", "fname", "pathname", "absolutepath", "abspath", "relativepath",
        "fullpath", "targetfile", "filelocation", "absolutefilepath", "relpath",
    ],
    &["directory", "dir", "folder", "dirpath", "directorypath", "folderpath", "dirname", "path", "foldername"],
    &["cwd", "workdir", "workingdirectory", "workingdir", "currentdirectory"],
    &["oldstring", "oldstr", "oldtext", "old", "search", "find", "searchtext", "findtext", "searchstring", "oldcontent", "oldcode"],
    &["newstring", "newstr", "newtext", "new", "replace", "replacement", "replacewith", "replacetext", "newcontent", "newcode", "replacementtext"],
    &["query", "q", "search", "searchquery", "searchterm", "searchterms", "searchtext", "keyword", "keywords", "querystring", "querytext", "searchstring"],
    &["to", "recipient", "recipients", "toaddress", "toemail", "recipientemail", "emailto"],
    &["from", "sender", "fromaddress", "fromemail", "senderemail"],
    &["start", "starttime", "from", "begin", "startsat", "startat", "since", "startdatetime", "begintime", "fromtime"],
    &["start", "startdate", "from", "begin", "since", "fromdate", "begindate"],
    &["end", "endtime", "to", "finish", "endsat", "endat", "until", "enddatetime", "finishtime", "totime"],
    &["end", "enddate", "to", "finish", "until", "todate", "finishdate"],
    &["source", "src", "from", "sourcepath", "srcpath", "frompath", "oldpath", "inputpath", "origin"],
    &["destination", "dst", "dest", "to", "destinationpath", "destpath", "dstpath", "topath", "newpath", "targetpath", "target"],
    &["lines", "linecount", "numlines", "numberoflines"],
    &["email", "emailaddress", "mail"],
    &["phone", "phonenumber", "tel", "mobile", "phoneno"],
    &["user", "username", "login", "userlogin"],
    &["url", "uri", "link", "href", "website", "webaddress", "pageurl", "targeturl", "weburl", "siteurl", "address"],
    &["id", "identifier", "uid"],
    &["isbackground", "background", "runinbackground"],
    &["deadline", "duedate", "due", "dueon", "dueat"],
    &["expression", "expr", "formula", "equation"],
    &["assignee", "assignedto", "assignto"],
    &["zip", "zipcode", "postalcode", "postcode"],
    &["ignorecase", "caseinsensitive"],
];

/// Words that say what a value is made of and nothing about what it is for.
const FILLERS: &[&str] = &[
    "string", "value", "parameter", "argument", "field", "the", "a", "an", "of", "my", "your", "object", "list",
    "array", "json", "int", "integer", "bool", "boolean", "dictionary", "float", "in", "for", "is", "given",
    "specified", "requested", "desired", "input", "data", "use",
];

/// Words that may be added to or missing from a name without changing what is meant.
const NEUTRAL: &[&str] = &[
    "file", "full", "absolute", "relative", "abs", "rel", "name", "text", "content", "search", "query", "identifier", "number",
    "path", "user", "message", "url", "code", "body", "issue", "page", "line", "result", "item", "target", "string",
];

/// Opposites: words of one line with different sides never stand for each other.
const AXES: &[&[&[&str]]] = &[
    &[
        &["from", "source", "start", "begin", "since", "origin", "beginning"],
        &["to", "destination", "end", "until", "stop", "finish", "target", "dest"],
    ],
    &[
        &["old", "previous", "original", "before", "find", "prior"],
        &["new", "after", "replacement", "updated", "replace", "next"],
    ],
    &[&["minimum", "lowest", "least", "low"], &["maximum", "highest", "most", "high"]],
    &[&["first"], &["last"], &["middle"], &["full"]],
    &[&["input"], &["output", "out"]],
    &[&["width"], &["height"], &["depth"], &["length"]],
    &[&["latitude"], &["longitude"], &["altitude"]],
    &[&["x"], &["y"], &["z"]],
    &[&["left"], &["right"], &["top"], &["bottom"]],
    &[&["row"], &["column"]],
    &[&["include", "included", "allow", "allowed", "with", "whitelist"], &["exclude", "excluded", "deny", "denied", "ignore", "skip", "without", "blacklist", "block"]],
    &[&["enable", "enabled", "on", "show"], &["disable", "disabled", "off", "hide"]],
    &[&["add", "create", "insert"], &["remove", "delete", "drop", "clear"]],
    &[&["open", "opened"], &["close", "closed"]],
    &[&["parent", "ancestor"], &["child", "children", "descendant"]],
    &[&["sender"], &["receiver", "recipient"]],
    &[&["key"], &["value"]],
    &[&["upper"], &["lower"]],
    &[&["prefix"], &["suffix"]],
    &[&["radius"], &["diameter"], &["circumference"], &["area"], &["perimeter"], &["volume"]],
    &[&["year"], &["month"], &["week"], &["day"], &["hour"], &["minute"], &["second"], &["millisecond"]],
    &[&["public"], &["private"]],
    &[&["base"], &["head"]],
    &[&["local"], &["remote"]],
    &[&["read"], &["write"]],
    &[&["cc"], &["bcc"]],
    &[&["username", "login"], &["password"]],
    &[&["buy"], &["sell"]],
    &[&["debit"], &["credit"]],
    &[&["actual"], &["expected"]],
    &[&["expected"], &["received"]],
    &[&["numerator"], &["denominator"]],
    &[&["subject"], &["body"]],
    &[&["title"], &["body", "content"]],
    &[&["accept"], &["reject"]],
    &[&["major"], &["minor"], &["patch"]],
    &[&["home"], &["away"], &["work"]],
    &[&["gross"], &["net"], &["tax"]],
    &[&["red"], &["green"], &["blue"], &["alpha"]],
    &[&["horizontal"], &["vertical"]],
    &[&["departure", "depart"], &["arrival", "arrive", "return"]],
    &[&["billing"], &["shipping"]],
    &[&["checkin"], &["checkout"]],
    &[&["inner"], &["outer"]],
    &[&["author"], &["assignee"], &["reviewer"], &["reporter"], &["owner"], &["creator"], &["committer"]],
    &[&["mass", "weight"], &["height"]],
    &[&["celsius"], &["fahrenheit"], &["kelvin"]],
    &[&["name"], &["identifier"], &["email"], &["url"], &["phone"], &["password"], &["token"], &["date"], &["time"], &["type"], &["status"], &["description"], &["count"], &["size"], &["color"]],
];

/// Words that must stand on both sides or on neither: they change what a value means.
const DISTINCT: &[&str] = &[
    // Negations.
    "no", "not", "non", "without", "exclude", "skip", "disable", "ignore", "never", "dont", "un", "hide", "only",
    // Units.
    "millisecond", "second", "minute", "hour", "day", "week", "month", "year", "kb", "mb", "gb", "byte", "bytes", "bit",
    "px", "pixel", "percent", "pct", "kilometer", "mile", "meter", "celsius", "fahrenheit", "usd", "eur", "cent",
    "kg", "lb", "pound", "gram", "degree", "radian",
    // Roles.
    "output", "backup", "temporary", "parent", "child", "root", "default", "fallback", "secondary", "primary", "owner",
    "author", "assignee", "reporter", "creator", "template", "rate", "retry", "cache", "hash", "salt", "public", "private", "secret",
    "token", "password", "bcc", "cc", "reply", "error", "total", "average", "alt", "thumbnail", "icon", "log", "lock", "billing", "shipping",
    "estimated", "expected", "actual", "discount", "tax", "next", "all", "any", "each", "every",
    "group", "team", "custom", "external", "internal", "remote", "local", "lookup", "foreign",
    "escape", "raw", "html", "markdown", "encoded", "base", "head", "mean", "median",
    "parentid", "min", "max", "minimum", "maximum", "expiry", "expires", "expiration", "created", "updated", "deleted", "modified",
    "second", "third", "fourth", "other", "another", "same", "self", "related", "linked",
];

/// Flags whose wrong value destroys something.
const DESTRUCTIVE_FLAGS: &[&str] = &[
    "force", "confirm", "confirmed", "delete", "recursive", "overwrite", "permanent", "purge", "hard", "destroy",
    "wipe", "prune", "cascade", "truncate", "erase", "dryrun", "drop", "replaceexisting", "skipconfirmation", "yes",
];

/// Verbs of tools that destroy something.
const DESTRUCTIVE_VERBS: &[&str] = &[
    "delete", "remove", "drop", "destroy", "purge", "wipe", "erase", "truncate", "uninstall", "kill", "terminate",
    "revoke", "reset", "prune", "rm", "unlink", "format", "shutdown",
];

/// Common words of parameter names: a key made of these is not a misspelling of another.
const COMMON: &[&str] = &[
    "mode", "node", "code", "date", "data", "form", "from", "port", "post", "host", "text", "test", "file", "fill", "row", "col",
    "name", "game", "time", "times", "type", "key", "keys", "user", "users", "uses", "used", "list", "last", "cost", "case", "base",
    "page", "pages", "path", "paths", "part", "parts", "size", "side", "site", "state", "status", "start", "stage", "store", "score",
    "source", "target", "title", "table", "label", "level", "limit", "line", "lines", "link", "links", "local", "locale", "log",
    "max", "min", "map", "mark", "mask", "task", "message", "method", "model", "month", "move", "name", "names", "note", "notes",
    "vote", "number", "order", "owner", "output", "input", "offset", "option", "options", "query", "range", "rate", "date", "dates", "read",
    "ready", "region", "reason", "repo", "request", "result", "results", "role", "rule", "rules", "root", "route", "schema", "scope", "search",
    "section", "send", "server", "service", "session", "set", "sort", "sport", "style", "subject", "sum", "tag", "tags", "team", "term",
    "terms", "thread", "ticket", "token", "tokens", "tool", "tools", "topic", "total", "unit", "units", "until", "update", "url", "urls", "value",
    "values", "version", "view", "week", "weight", "height", "width", "with", "word", "words", "work", "world", "year", "zone", "body", "copy", "bold", "old", "new",
    "now", "how", "row", "rows", "raw", "draw", "day", "days", "way", "city", "color", "command", "comment", "comments", "commit", "company", "config", "content",
    "context", "count", "country", "county", "court", "course", "create", "cursor", "customer", "delete", "depth", "detail", "details", "device", "diff", "dir", "directory",
    "disk", "document", "domain", "email", "enable", "end", "send", "entity", "entry", "env", "error", "event", "events", "expr", "field", "fields", "filter",
    "filters", "flag", "flags", "folder", "force", "format", "frame", "free", "full", "function", "group", "groups", "hash", "head", "header", "headers", "heading", "help",
    "hide", "high", "history", "home", "hour", "hours", "image", "images", "index", "info", "item", "items", "item", "job", "jobs", "json", "kind", "label", "labels",
    "language", "latitude", "layer", "layout", "left", "length", "license", "list", "load", "lock", "block", "clock", "login", "long", "low", "main", "mail", "match", "media",
    "member", "members", "menu", "merge", "meta", "metric", "minute", "minutes", "mobile", "module", "money", "net", "network", "next", "node", "nodes", "null", "object",
    "on", "one", "open", "operation", "origin", "package", "parent", "password", "patch", "batch", "match", "pattern", "payload", "person", "phone", "photo", "place", "plan",
    "platform", "player", "plot", "point", "points", "policy", "pool", "position", "prefix", "price", "prize", "priority", "private", "process", "product", "profile", "program",
    "project", "prompt", "property", "protocol", "provider", "public", "quantity", "question", "queue", "rank", "record", "records", "recursive", "ref", "reference", "remote", "remove",
    "repeat", "replace", "reply", "report", "resource", "response", "right", "role", "roles", "room", "run", "sample", "scale", "schedule", "script", "second", "seconds", "secret",
    "select", "sender", "sequence", "series", "shape", "share", "sheet", "shell", "shop", "show", "sign", "signal", "single", "skip", "slot", "space", "speed", "spec", "stack",
    "stat", "stats", "step", "steps", "stop", "stock", "storage", "story", "stream", "street", "string", "summary", "suffix", "support", "switch", "symbol", "sync", "system", "tab", "tax",
    "template", "temperature", "theme", "thought", "timeout", "timestamp", "timezone", "track", "trace", "train", "tree", "trigger", "true", "tube", "types", "username", "variable",
    "video", "visible", "volume", "wait", "warning", "window", "x", "y", "z", "zip", "zoom", "amount", "account", "action", "active", "address", "agent", "age", "album", "alert", "alias",
    "amount", "angle", "annotation", "answer", "app", "area", "argument", "array", "artist", "asset", "attachment", "audio", "author", "auth", "auto", "axis", "balance", "band", "bank",
    "bar", "binary", "bit", "board", "book", "boolean", "border", "bottom", "box", "branch", "brand", "bucket", "budget", "buffer", "build", "button", "bytes", "cache", "calendar",
    "call", "camera", "capacity", "card", "cart", "category", "cell", "center", "chain", "channel", "chapter", "character", "chart", "chat", "check", "child", "choice", "class",
    "client", "close", "cluster", "column", "columns", "condition", "connection", "contact", "container", "control", "coordinate", "core", "cover", "credit", "currency", "current", "cut",
    "cat", "hat", "car", "bar", "far", "for", "fee", "see", "use", "ids", "tip", "top", "to", "too", "in", "is", "it", "at", "as", "by", "of", "off", "or", "and", "not", "no", "ip",
    "radius", "ratio", "radio", "bed", "red", "lead", "head", "mean", "team", "beam", "seam", "lat", "lon", "desk", "disc", "tests", "texts", "hosts", "posts", "ports", "modes", "codes", "forms",
    "contact", "contract", "contrast", "content", "context", "consent", "country", "counter", "county", "counts", "amounts", "mount", "quote", "quota", "quiet", "quite", "track", "tract", "trail", "trial",
    "except", "accept", "affect", "effect", "adapt", "adopt", "advice", "advise", "angel", "assure", "ensure", "insure", "complement", "compliment", "desert", "dessert", "formally", "formerly", "loose", "lose",
];

/// The form in which a word is compared: abbreviations and spellings become one.
pub(crate) fn canonical(word: &str) -> &str {
    let find = |word: &str| SPELLINGS.iter().find(|line| line.contains(&word)).map(|line| line[0]);
    if let Some(found) = find(word) {
        return found;
    }
    let singular = super::words::singular(word);
    find(singular).unwrap_or(singular)
}

/// Whether two canonical words may stand for each other.
pub(crate) fn are_synonyms(a: &str, b: &str) -> bool {
    SYNONYMS.iter().any(|group| group.contains(&a) && group.contains(&b))
}

/// Whether two folded names are used for one another as wholes.
pub(crate) fn are_whole_synonyms(a: &str, b: &str) -> bool {
    WHOLE_NAMES.iter().any(|group| group.contains(&a) && group.contains(&b))
}

pub(crate) fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word)
}

pub(crate) fn is_neutral(word: &str) -> bool {
    NEUTRAL.contains(&word)
}

pub(crate) fn is_distinct(word: &str) -> bool {
    DISTINCT.contains(&word)
}

pub(crate) fn is_common(word: &str) -> bool {
    COMMON.contains(&word)
}

/// Whether a word takes a side on some axis at all.
pub(crate) fn takes_side(word: &str) -> bool {
    // The last axis tells heads of names apart; naming one is not taking a side.
    AXES[..AXES.len() - 1].iter().any(|axis| axis.iter().any(|side| side.contains(&word)))
}

/// Whether two words take the same side of an axis.
pub(crate) fn same_side(a: &str, b: &str) -> bool {
    AXES.iter().any(|axis| axis.iter().any(|side| side.contains(&a) && side.contains(&b)))
}

/// Whether two words take different sides of an axis.
pub(crate) fn are_opposed(a: &str, b: &str) -> bool {
    a != b
        && AXES.iter().any(|axis| {
            let side = |word: &str| axis.iter().position(|side| side.contains(&word));
            matches!((side(a), side(b)), (Some(a), Some(b)) if a != b)
        })
}

/// Whether a parameter of that name can destroy something when its value is wrong.
pub(crate) fn is_destructive_flag(name: &str) -> bool {
    let folded = super::fold(name);
    DESTRUCTIVE_FLAGS.iter().any(|flag| {
        folded == *flag || super::words(name).iter().any(|word| word == flag)
    })
}

/// Whether a tool of that name destroys something.
pub(crate) fn is_destructive_verb(word: &str) -> bool {
    DESTRUCTIVE_VERBS.contains(&word)
}

/// Whether a word says so little that its presence in a description proves nothing.
pub(crate) fn is_vague(word: &str) -> bool {
    const VAGUE: &[&str] = &[
        "name", "value", "type", "identifier", "data", "number", "list", "item", "option", "flag", "user", "time",
        "date", "result", "object", "string", "true", "false", "default", "optional", "required", "get", "set", "use",
    ];
    VAGUE.contains(&word) || word.len() < 3
}
