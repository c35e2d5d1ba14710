//! What a gateway must not change: texts with everything in them that JSON allows and programs like to lose.
//!
//! `faithful-server` says them, and a test compares what arrives byte by byte.

/// Numbers, order, escapes and spaces that a typed program would write differently.
pub const ODD: &str = r#"{"z":1.0,"a":9223372036854775809,"huge":1e400,"tiny":-0.0,"m":1E+2,"\u00e9":"\u00e9\/\ud83d\ude00","":null,"deep":[[ ],{ "b":-0 }]}"#;

/// The items of `tools/list`, in an order that is not the alphabet's, on two pages.
pub const TOOLS: [&[&str]; 2] = [
    &[
        r##"{"name":"zebra","inputSchema":{"type":"object","$defs":{"leg":{"type":"integer","minimum":0,"x-vendor":{"b":1,"a":2}}},"properties":{"legs":{"$ref":"#/$defs/leg"},"big":{"type":"integer","maximum":9223372036854775809},"text":{"type":"string","default":"\u0041\/"}},"$schema":"https://json-schema.org/draft/2020-12/schema"},"title":"Z\u00e9bre","icons":[{"src":"data:image/png;base64,AAAA","sizes":["48x48","any"],"mimeType":"image/png","theme":"dark"}],"execution":{"taskSupport":"optional","x-queue":"slow"},"annotations":{"title":"a zebra","readOnlyHint":true,"x-vendor/cost":1.50},"_meta":{"vendor.example/rank":1e2,"vendor.example/odd":[1.0,-0]},"x-vendor-field":{"kept":true,"n":1e400}}"##,
        r#"{"inputSchema":{"properties":{},"type":"object"},"description":"Its name comes last.\n\ttabs","outputSchema":{"type":"object","properties":{"got":{}}},"name":"echo"}"#,
    ],
    &[
        r#"{"name":"fails","description":"","inputSchema":{"type":"object","additionalProperties":true},"vendor":null}"#,
    ],
];

/// The cursor of the second page.
pub const CURSOR: &str = r#""page \"2\" \u00e9""#;

/// What else is said of the server.
pub const INFO: &str = r#"{"version":"1.0","name":"faithful","title":"Faithful \u00e9","websiteUrl":"https://example.org","icons":[{"src":"https://example.org/i.png"}],"x-build":7.0}"#;

/// What it can do.
pub const CAPABILITIES: &str = r#"{"tools":{"listChanged":true,"x-more":1.0},"resources":{"subscribe":false},"prompts":{},"completions":{},"experimental":{"vendor.example/thing":{"n":1.0}},"x-vendor":{"kept":[1.0]}}"#;

/// How it is to be used.
pub const INSTRUCTIONS: &str = r#""Ask \"zebra\" first.\n\u00e9""#;

/// What the methods besides tools answer, without what the era adds.
pub const RESULTS: [(&str, &str, &str); 8] = [
    (
        "resources/list",
        "{}",
        r#"{"resources":[{"name":"b","uri":"x:b","size":1.0,"x-vendor":[]},{"uri":"x:a","name":"a","annotations":{"priority":0.50,"audience":["user"]}}],"x-more":1e2}"#,
    ),
    (
        "resources/templates/list",
        "{}",
        r#"{"resourceTemplates":[{"uriTemplate":"x:{+rest}","name":"t","_meta":{"n":1.0}}]}"#,
    ),
    (
        "resources/read",
        r#"{"uri":"x:a"}"#,
        r#"{"contents":[{"uri":"x:a","text":"\u0000\u001f\/","mimeType":"text/plain","_meta":{"n":-0}}]}"#,
    ),
    (
        "prompts/list",
        "{}",
        r#"{"prompts":[{"name":"p","arguments":[{"name":"x","required":true,"x-kind":"y"}],"icons":[]}]}"#,
    ),
    (
        "prompts/get",
        r#"{"name":"p"}"#,
        r#"{"messages":[{"role":"user","content":{"type":"text","text":"\u00e9","annotations":{"lastModified":"2026-01-01T00:00:00Z"}}}],"description":"d","x-vendor":1.0}"#,
    ),
    (
        "completion/complete",
        r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"x","value":""}}"#,
        r#"{"completion":{"values":["a","b"],"hasMore":false,"total":2},"x-more":[1.0]}"#,
    ),
    ("vendor.example/thing", r#"{"n":1.0}"#, r#"{"answer":1e400,"b":{"z":1,"a":2}}"#),
    ("vendor.example/other", "{}", r#"{"list":[1.0,2.00,3e0]}"#),
];

/// The error of the tool `fails` and of a method that nobody knows.
pub const ERROR: &str =
    r#"{"code":-32042,"message":"as \u00e9 asked","data":{"n":1.0,"big":9223372036854775809,"z":[],"a":{}}}"#;

/// The arguments that the test sends; they come back as they arrive.
pub const ARGUMENTS: &str = r#"{"legs":4,"text":"\u0041\/\ud83d\ude00","big":9223372036854775809,"extra":{"z":1.0,"a":1e400,"m":[ 1 , 2 ]}}"#;

/// The result of `zebra`, around the arguments it got.
pub fn result(arguments: &str) -> String {
    format!(
        r#"{{"structuredContent":{{"got":{arguments}}},"content":[{{"type":"text","text":"\u00e9\/","annotations":{{"priority":1.0}},"_meta":{{"n":1.0}}}},{{"type":"resource_link","uri":"x:a","name":"a","x-vendor":1e2}},{{"type":"vendor.example/thing","n":1e400}}],"x-vendor":{ODD},"_meta":{{"vendor.example/cost":0.10}}}}"#
    )
}
