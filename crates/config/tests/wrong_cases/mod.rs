//! Invalid configurations and their fixed versions.

/// An invalid configuration.
pub struct Case {
    /// The problem.
    pub title: &'static str,
    pub wrong: &'static str,
    /// The version with the fix; empty if there is no single one.
    pub fixed: &'static str,
}

pub const CASES: &[Case] = &[
    Case { title: "an empty file", wrong: "", fixed: r#"{"mcpServers": {}}"# },
    Case {
        title: "a file that ends too early",
        wrong: r#"{
  "mcpServers": {
    "a": {"command": "x"}
"#,
        fixed: r#"{
  "mcpServers": {
    "a": {"command": "x"}
}}"#,
    },
    Case {
        title: "a missing comma",
        wrong: r#"{
  "mcpServers": {
    "a": {"command": "x"}
    "b": {"command": "y"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "a": {"command": "x"},
    "b": {"command": "y"}
  }
}"#,
    },
    Case {
        title: "a missing colon",
        wrong: r#"{"mcpServers": {"a" {"command": "x"}}}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "x"}}}"#,
    },
    Case {
        title: "two commas",
        wrong: r#"{"mcpServers": {"a": {"command": "x",, "args": []}}}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "x", "args": []}}}"#,
    },
    Case { title: "single quotes", wrong: "{'mcpServers': {}}", fixed: r#"{"mcpServers": {}}"# },
    Case { title: "typographic quotes", wrong: "{“mcpServers”: {}}", fixed: r#"{"mcpServers": {}}"# },
    Case {
        title: "a key without quotes",
        wrong: "{\n  mcpServers: {}\n}",
        fixed: r#"{
  "mcpServers": {}
}"#,
    },
    Case {
        title: "text without quotes",
        wrong: r#"{"mcpServers": {"a": {"command": npx}}}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "npx"}}}"#,
    },
    Case {
        title: "True of Python",
        wrong: r#"{"mcpServers": {"a": {"command": "x", "disabled": True}}}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "x", "disabled": true}}}"#,
    },
    Case {
        title: "a path with backslashes",
        wrong: r#"{"mcpServers": {"a": {"command": "C:\Users\ann\serve.exe"}}}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "C:/Users/ann/serve.exe"}}}"#,
    },
    Case {
        title: "a path with backslashes that are escapes",
        wrong: r#"{"mcpServers": {"a": {"command": "C:\new\tools.exe"}}}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "C:\\new\\tools.exe"}}}"#,
    },
    Case {
        title: "a string that is not closed",
        wrong: r#"{"mcpServers": {
  "a": {"command": "npx,
    "args": []}
}}"#,
        fixed: r#"{"mcpServers": {
  "a": {"command": "npx",
    "args": []}
}}"#,
    },
    Case {
        title: "a tab in a string",
        wrong: "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [\"a\tb\"]}}}",
        fixed: r#"{"mcpServers": {"a": {"command": "x", "args": ["a\tb"]}}}"#,
    },
    Case {
        title: "the wrong bracket",
        wrong: r#"{"mcpServers": {"a": {"command": "x", "args": ["-y"}}}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "x", "args": ["-y"]}}}"#,
    },
    Case { title: "a bracket too many", wrong: r#"{"mcpServers": {}}}"#, fixed: r#"{"mcpServers": {}}"# },
    Case {
        title: "two objects",
        wrong: r#"{"mcpServers": {}}
{"mcpServers": {}}"#,
        fixed: r#"{"mcpServers": {}}"#,
    },
    Case {
        title: "a comment with #",
        wrong: r#"{
  # servers
  "mcpServers": {}
}"#,
        fixed: r#"{
  // servers
  "mcpServers": {}
}"#,
    },
    Case {
        title: "a comment without an end",
        wrong: r#"{
  "mcpServers": {} /* servers
}"#,
        fixed: r#"{
  "mcpServers": {} /* servers */
}"#,
    },
    Case { title: "= for :", wrong: r#"{"mcpServers" = {}}"#, fixed: r#"{"mcpServers" : {}}"# },
    Case {
        title: "; for ,",
        wrong: r#"{"mcpServers": {"a": {"command": "x"; "args": []}}}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "x", "args": []}}}"#,
    },
    Case {
        title: "TOML",
        wrong: r#"[mcp_servers.a]
command = "npx"
"#,
        fixed: "",
    },
    Case { title: "YAML", wrong: "mcpServers:\n  a:\n    command: npx\n", fixed: "" },
    Case {
        title: "a missing value",
        wrong: r#"{"mcpServers": {"a": {"command": }}}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "x"}}}"#,
    },
    Case {
        title: "an odd number",
        wrong: r#"{"mcpServers": {"a": {"command": "x", "timeoutMs": 0x10}}}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "x", "timeoutMs": 160}}}"#,
    },
    Case {
        title: "values that nest too deeply",
        wrong: r#"{"mcpServers": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}"#,
        fixed: "",
    },
    Case {
        title: "a list at the top",
        wrong: r#"[{"command": "x"}]"#,
        fixed: r#"{"mcpServers": {"name": {"command": "x"}}}"#,
    },
    Case {
        title: "no servers in it",
        wrong: r#"{"editor.fontSize": 12}"#,
        fixed: r#"{"mcpServers": {"name": {"command": "x"}}}"#,
    },
    Case {
        title: "a server without a name",
        wrong: r#"{"command": "npx", "args": ["-y", "x"]}"#,
        fixed: r#"{"mcpServers": {"name": {"command": "npx", "args": ["-y", "x"]}}}"#,
    },
    Case {
        title: "servers outside of mcpServers",
        wrong: r#"{
  "memory": {"command": "npx"}
}"#,
        fixed: r#"{"mcpServers": {
  "memory": {"command": "npx"}
}}"#,
    },
    Case { title: "a misspelt mcpServers", wrong: r#"{"mcpServer": {}}"#, fixed: r#"{"mcpServers": {}}"# },
    Case {
        title: "mcp_servers of old workbench files",
        wrong: r#"{"mcp_servers": []}"#,
        fixed: r#"{"mcpServers": {}}"#,
    },
    Case {
        title: "servers as a list",
        wrong: r#"{"mcpServers": [{"name": "a", "command": "x"}]}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "x"}}}"#,
    },
    Case {
        title: "mcpServers twice",
        wrong: r#"{
  "mcpServers": {"a": {"command": "x"}},
  "mcpServers": {"b": {"command": "y"}}
}"#,
        fixed: r#"{
  "mcpServers": {"a": {"command": "x"},
  "b": {"command": "y"}}
}"#,
    },
    Case {
        title: "one name for two servers",
        wrong: r#"{"mcpServers": {
  "a": {"command": "x"},
  "a": {"command": "y"}
}}"#,
        fixed: r#"{"mcpServers": {
  "a": {"command": "x"},
  "a2": {"command": "y"}
}}"#,
    },
    Case {
        title: "an unknown key beside the servers",
        wrong: r#"{"mcpServers": {}, "colour": "red"}"#,
        fixed: r#"{"mcpServers": {}}"#,
    },
    Case { title: "toolboxes as a list", wrong: r#"{"toolboxes": []}"#, fixed: r#"{"toolboxes": {}}"# },
    Case {
        title: "a toolbox that is none",
        wrong: r#"{"toolboxes": {"dev": ["a"]}}"#,
        fixed: r#"{"toolboxes": {"dev": {"description": "d", "mcpServers": {"a": {"command": "x"}}}}}"#,
    },
    Case {
        title: "a toolbox without servers",
        wrong: r#"{"toolboxes": {"dev": {"description": "d"}}}"#,
        fixed: r#"{"toolboxes": {"dev": {"description": "d", "mcpServers": {"name": {"command": "x"}}}}}"#,
    },
    Case {
        title: "a toolbox with an empty list of servers",
        wrong: r#"{"toolboxes": {"dev": {"description": "d", "mcpServers": {}}}}"#,
        fixed: r#"{"toolboxes": {}}"#,
    },
    Case {
        title: "a toolbox without a description",
        wrong: r#"{"toolboxes": {"dev": {"mcpServers": {"a": {"command": "x"}}}}}"#,
        fixed: r#"{"toolboxes": {"dev": {"description": "d", "mcpServers": {"a": {"command": "x"}}}}}"#,
    },
    Case {
        title: "a toolbox with a misspelt key",
        wrong: r#"{"toolboxes": {"dev": {"description": "d", "mcpServer": {"a": {"command": "x"}}}}}"#,
        fixed: r#"{"toolboxes": {"dev": {"description": "d", "mcpServers": {"a": {"command": "x"}}}}}"#,
    },
    Case {
        title: "a toolbox twice",
        wrong: r#"{"toolboxes": {
  "dev": {"description": "d", "mcpServers": {"a": {"command": "x"}}},
  "dev": {"description": "e", "mcpServers": {"b": {"command": "x"}}}
}}"#,
        fixed: r#"{"toolboxes": {
  "dev": {"description": "d", "mcpServers": {"a": {"command": "x"}}},
  "dev2": {"description": "e", "mcpServers": {"b": {"command": "x"}}}
}}"#,
    },
    Case {
        title: "a toolbox with an empty name",
        wrong: r#"{"toolboxes": {"": {"description": "d", "mcpServers": {"a": {"command": "x"}}}}}"#,
        fixed: "",
    },
    Case {
        title: "the old tool mode",
        wrong: r#"{"toolMode": "dynamic", "toolboxes": {}}"#,
        fixed: r#"{"toolboxes": {}}"#,
    },
    Case {
        title: "a server with an empty name",
        wrong: r#"{"mcpServers": {"": {"command": "x"}}}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "x"}}}"#,
    },
    Case {
        title: "a server's name with a line break",
        wrong: r#"{"mcpServers": {"a\nb": {"command": "x"}}}"#,
        fixed: r#"{"mcpServers": {"a-b": {"command": "x"}}}"#,
    },
    Case {
        title: "a command line for a server",
        wrong: r#"{
  "mcpServers": {
    "github": "npx -y server-github"
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "npx", "args": ["-y", "server-github"]}
  }
}"#,
    },
    Case {
        title: "an address for a server",
        wrong: r#"{
  "mcpServers": {
    "github": "https://example.com/mcp"
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"url": "https://example.com/mcp"}
  }
}"#,
    },
    Case {
        title: "an empty entry",
        wrong: r#"{
  "mcpServers": {
    "github": {}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x"}
  }
}"#,
    },
    Case {
        title: "a server without a command",
        wrong: r#"{
  "mcpServers": {
    "github": {"args": ["-y"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["-y"]}
  }
}"#,
    },
    Case {
        title: "another word for command",
        wrong: r#"{
  "mcpServers": {
    "github": {"cmd": "npx", "args": ["-y"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "npx", "args": ["-y"]}
  }
}"#,
    },
    Case {
        title: "a misspelt command",
        wrong: r#"{
  "mcpServers": {
    "github": {"comand": "npx"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "npx"}
  }
}"#,
    },
    Case {
        title: "a command that is a number",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": 5}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "5"}
  }
}"#,
    },
    Case {
        title: "an empty command",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": ""}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "npx"}
  }
}"#,
    },
    Case {
        title: "a command with its arguments",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "npx -y server-github"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "npx", "args": ["-y", "server-github"]}
  }
}"#,
    },
    Case {
        title: "arguments as a string",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "npx", "args": "-y server-github"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "npx", "args": ["-y", "server-github"]}
  }
}"#,
    },
    Case {
        title: "a number among the arguments",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["--port", 8080]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["--port", "8080"]}
  }
}"#,
    },
    Case {
        title: "an object among the arguments",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": [{"port": 1}]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["1"]}
  }
}"#,
    },
    Case {
        title: "variables as a list",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": ["A=b"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"A": "b"}}
  }
}"#,
    },
    Case {
        title: "a number as a variable",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"DEBUG": true}}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"DEBUG": "true"}}
  }
}"#,
    },
    Case {
        title: "null as a variable",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"DEBUG": null}}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {}}
  }
}"#,
    },
    Case {
        title: "= in the name of a variable",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"A=b": "c"}}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"A": "c"}}
  }
}"#,
    },
    Case {
        title: "a variable twice",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"A": "1", "A": "2"}}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"A": "1"}}
  }
}"#,
    },
    Case {
        title: "env_from with values",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "env_from": {"A": "b"}}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "env_from": ["A"]}
  }
}"#,
    },
    Case {
        title: "env_from with a dollar",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "env_from": ["$$A"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "env_from": ["A"]}
  }
}"#,
    },
    Case {
        title: "a misspelt cwd",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "workingDirectory": "/tmp"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "cwd": "/tmp"}
  }
}"#,
    },
    Case {
        title: "an empty cwd",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "cwd": ""}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x"}
  }
}"#,
    },
    Case {
        title: "a key in capitals",
        wrong: r#"{
  "mcpServers": {
    "github": {"Command": "x"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x"}
  }
}"#,
    },
    Case {
        title: "unknown keys",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "colour": "red", "size": 5}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x"}
  }
}"#,
    },
    Case {
        title: "a command and an address",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "url": "http://localhost/mcp"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x"}
  }
}"#,
    },
    Case {
        title: "a type that is not there",
        wrong: r#"{
  "mcpServers": {
    "github": {"type": "stdoi", "command": "x"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"type": "stdio", "command": "x"}
  }
}"#,
    },
    Case {
        title: "a WebSocket",
        wrong: r#"{
  "mcpServers": {
    "github": {"type": "websocket", "url": "ws://localhost:1/"}
  }
}"#,
        fixed: "",
    },
    Case {
        title: "a type that does not fit",
        wrong: r#"{
  "mcpServers": {
    "github": {"type": "http", "command": "x"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"type": "stdio", "command": "x"}
  }
}"#,
    },
    Case {
        title: "a type without its address",
        wrong: r#"{
  "mcpServers": {
    "github": {"type": "http"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"type": "http", "url": "https://example.com/mcp"}
  }
}"#,
    },
    Case {
        title: "an address without a scheme",
        wrong: r#"{
  "mcpServers": {
    "github": {"url": "localhost:8080/mcp"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"url": "http://localhost:8080/mcp"}
  }
}"#,
    },
    Case {
        title: "a program that makes headers",
        wrong: r#"{"mcpServers": {"a": {"url": "https://example.com/mcp", "headersHelper": "./headers.sh"}}}"#,
        fixed: r#"{"mcpServers": {"a": {"url": "https://example.com/mcp", "headers": {"X-Key": "${TOKEN}"}}}}"#,
    },
    Case {
        title: "a variable without braces that is not set",
        wrong: r#"{"mcpServers": {"a": {"command": "x", "env": {"API_TOKEN": "$API_TOKEN"}}}}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "x", "env": {"API_TOKEN": "${API_TOKEN:-x}"}}}}"#,
    },
    Case {
        title: "an address with a slash too few",
        wrong: r#"{"mcpServers": {"a": {"url": "https:/example.com/mcp"}}}"#,
        fixed: r#"{"mcpServers": {"a": {"url": "https://example.com/mcp"}}}"#,
    },
    Case {
        title: "two lists of servers",
        wrong: r#"{"mcpServers": {}, "servers": {"a": {"command": "x"}}}"#,
        fixed: r#"{"mcpServers": {"a": {"command": "x"}}}"#,
    },
    Case {
        title: "an address with a wrong scheme",
        wrong: r#"{
  "mcpServers": {
    "github": {"url": "file:///home/ann/serve.py"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "/home/ann/serve.py"}
  }
}"#,
    },
    Case {
        title: "an address with a space",
        wrong: r#"{
  "mcpServers": {
    "github": {"url": "https://example.com/my mcp"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"url": "https://example.com/my%20mcp"}
  }
}"#,
    },
    Case {
        title: "an address without a host",
        wrong: r#"{
  "mcpServers": {
    "github": {"url": "http:///mcp"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"url": "http://host/mcp"}
  }
}"#,
    },
    Case {
        title: "an address with a wrong port",
        wrong: r#"{
  "mcpServers": {
    "github": {"url": "http://localhost:99999/mcp"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"url": "http://localhost:9999/mcp"}
  }
}"#,
    },
    Case {
        title: "headers as a string",
        wrong: r#"{
  "mcpServers": {
    "github": {"url": "http://localhost/mcp", "headers": "Authorization: x"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"url": "http://localhost/mcp", "headers": {"Authorization": "x"}}
  }
}"#,
    },
    Case {
        title: "a header's name with its colon",
        wrong: r#"{
  "mcpServers": {
    "github": {"url": "http://localhost/mcp", "headers": {"Authorization:": "x"}}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"url": "http://localhost/mcp", "headers": {"Authorization": "x"}}
  }
}"#,
    },
    Case {
        title: "a header with a line break",
        wrong: r#"{
  "mcpServers": {
    "github": {"url": "http://localhost/mcp", "headers": {"X-Key": "${BROKEN_HEADER}"}}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"url": "http://localhost/mcp", "headers": {"X-Key": "${TOKEN}"}}
  }
}"#,
    },
    Case {
        title: "headers of a command",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "headers": {"A": "b"}}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x"}
  }
}"#,
    },
    Case {
        title: "arguments of an address",
        wrong: r#"{
  "mcpServers": {
    "github": {"url": "http://localhost/mcp", "args": ["-y"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"url": "http://localhost/mcp"}
  }
}"#,
    },
    Case {
        title: "filters as a string",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "toolFilters": "read_*"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "toolFilters": ["read_*"]}
  }
}"#,
    },
    Case {
        title: "an empty filter",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "toolFilters": ["!"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "toolFilters": ["!name"]}
  }
}"#,
    },
    Case {
        title: "filters of old workbench files",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "tool_filters": ["a"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "toolFilters": ["a"]}
  }
}"#,
    },
    Case {
        title: "a size with its unit",
        wrong: r#"{
  "maxResponseBytes": 1000,
  "mcpServers": {
    "github": {"command": "x", "maxResponseBytes": "64 MiB"}
  }
}"#,
        fixed: r#"{
  "maxResponseBytes": 16777216,
  "mcpServers": {
    "github": {"command": "x", "maxResponseBytes": 67108864}
  }
}"#,
    },
    Case {
        title: "a time with its unit",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "timeoutMs": "30s"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "timeoutMs": 30000}
  }
}"#,
    },
    Case {
        title: "a time of nothing",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "timeoutMs": 0}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x"}
  }
}"#,
    },
    Case {
        title: "a time in seconds",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "timeoutMs": 30}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "timeoutMs": 30000}
  }
}"#,
    },
    Case {
        title: "a switch in words",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "disabled": "yes"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "disabled": true}
  }
}"#,
    },
    Case {
        title: "a file of variables",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "envFile": ".env"}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "env_from": ["A"]}
  }
}"#,
    },
    Case {
        title: "a variable that is not set",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"API_KEY": "${GITHUB_TOKEN}"}}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"API_KEY": "${GITHUB_TOKEN:-value}"}}
  }
}"#,
    },
    Case {
        title: "a reference in small letters",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["${home}"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["${HOME}"]}
  }
}"#,
    },
    Case {
        title: "a reference that begins with a digit",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["${1ST}"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["$${1ST}"]}
  }
}"#,
    },
    Case {
        title: "a default after a single colon",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["--port=${PORT:8080}"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["--port=${PORT:-8080}"]}
  }
}"#,
    },
    Case {
        title: "a reference to nothing",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["${}"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["$${}"]}
  }
}"#,
    },
    Case {
        title: "a reference that is not closed",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["${HOME}/${PORT"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["${HOME}/${PORT}"]}
  }
}"#,
    },
    Case {
        title: "a reference within a default",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["${A:-${HOME}}"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["${A:-value}"]}
  }
}"#,
    },
    Case {
        title: "an input of VS Code",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"KEY": "${input:github-token}"}}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"KEY": "${GITHUB_TOKEN:-x}"}}
  }
}"#,
    },
    Case {
        title: "a folder of VS Code",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["${workspaceFolder}/data"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["/home/ann/data"]}
  }
}"#,
    },
    Case {
        title: "a variable without braces",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["$HOME/data"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["${HOME}/data"]}
  }
}"#,
    },
    Case {
        title: "two dollars",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"PASSWORD": "a$$b"}}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "env": {"PASSWORD": "a$b"}}
  }
}"#,
    },
    Case {
        title: "a reference behind an escape",
        wrong: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["\u00e4 ${nope}"]}
  }
}"#,
        fixed: r#"{
  "mcpServers": {
    "github": {"command": "x", "args": ["\u00e4 ${HOME}"]}
  }
}"#,
    },
    Case {
        title: "a ledger that is no object",
        wrong: r#"{"ledger": "power"}"#,
        fixed: r#"{"ledger": {"durability": "power"}}"#,
    },
    Case {
        title: "a word that is none of those known",
        wrong: "{\n  \"ledger\": {\"durability\": \"powr\", \"onFailure\": \"stop\"}\n}",
        fixed: r#"{
  "ledger": {"durability": "power", "onFailure": "block"}
}"#,
    },
    Case {
        title: "a setting that is misspelt",
        wrong: r#"{"ledger": {"keepDay": 30, "onFail": "block", "zzz": 1}}"#,
        fixed: r#"{"ledger": {"keepDays": 30, "onFailure": "block"}}"#,
    },
    Case {
        title: "a part under another name",
        wrong: r#"{"mcpServers": {}, "journal": {"durability": "power"}}"#,
        fixed: r#"{"mcpServers": {}, "ledger": {"durability": "power"}}"#,
    },
    Case {
        title: "days that are no whole number",
        wrong: r#"{"ledger": {"keepDays": 0.5}}"#,
        fixed: r#"{"ledger": {"keepDays": 90}}"#,
    },
    Case {
        title: "a size in words",
        wrong: r#"{"ledger": {"keepBytes": "512 MiB"}}"#,
        fixed: r#"{"ledger": {"keepBytes": 536870912}}"#,
    },
    Case {
        title: "a segment that is too small",
        wrong: r#"{"ledger": {"segmentBytes": 100}}"#,
        fixed: r#"{"ledger": {"segmentBytes": 67108864}}"#,
    },
    Case {
        title: "less than one file of the journal",
        wrong: r#"{"ledger": {"keepBytes": 1000000}}"#,
        fixed: r#"{"ledger": {"keepBytes": 1000000, "segmentBytes": 250000}}"#,
    },
    Case {
        title: "a folder of logs that is empty",
        wrong: r#"{"ledger": {"logDir": " "}}"#,
        fixed: r#"{"ledger": {"logDir": "logs"}}"#,
    },
    Case {
        title: "a setting that stands there twice",
        wrong: r#"{"ledger": {"keepDays": 1, "keepDays": 2}}"#,
        fixed: r#"{"ledger": {"keepDays": 2}}"#,
    },
    Case {
        title: "a pattern that is no regular expression",
        wrong: r#"{
  "redact": {
    "patterns": ["emp-\\d+", "(unclosed"]
  }
}"#,
        fixed: r#"{
  "redact": {
    "patterns": ["emp-\\d+", "\\(unclosed"]
  }
}"#,
    },
    Case {
        title: "a pattern that is found everywhere",
        wrong: r#"{"redact": {"patterns": ["\\d*"]}}"#,
        fixed: r#"{"redact": {"patterns": ["\\d+"]}}"#,
    },
    Case {
        title: "a key that is every key",
        wrong: r#"{"redact": {"keys": ["*"], "allowKeys": [""]}}"#,
        fixed: r#"{"redact": {"keys": ["*_dsn"], "allowKeys": ["page_token"]}}"#,
    },
    Case {
        title: "keys that are no list",
        wrong: r#"{"redact": {"keys": "dsn", "entropy": "no"}}"#,
        fixed: r#"{"redact": {"keys": ["dsn"], "entropy": false}}"#,
    },
    Case {
        title: "a store that is none of ours",
        wrong: r#"{"store": "mysql://ann:hunter2-hunter2@db/calls"}"#,
        fixed: r#"{"store": "postgres://ann:hunter2-hunter2@db/calls"}"#,
    },
    Case {
        title: "a store without its address",
        wrong: r#"{"store": "postgres"}"#,
        fixed: r#"{"store": "postgres://ann@db/calls"}"#,
    },
    Case {
        title: "a store as drivers write it",
        wrong: r#"{"store": "host=db user=ann password=hunter2-hunter2"}"#,
        fixed: r#"{"store": "postgres://ann:hunter2-hunter2@db/calls"}"#,
    },
    Case {
        title: "an address of a store with a space",
        wrong: r#"{"store": "postgres://ann:hunter2 hunter2@db/calls"}"#,
        fixed: r#"{"store": "postgres://ann:hunter2%20hunter2@db/calls"}"#,
    },
    Case {
        title: "a store that is no string",
        wrong: r#"{"store": {"type": "sqlite"}}"#,
        fixed: r#"{"store": "sqlite:calls.db"}"#,
    },
    Case {
        title: "a store whose variable is not set",
        wrong: r#"{"store": "postgres://ann:${PG_PASSWORD}@db/calls"}"#,
        fixed: r#"{"store": "postgres://ann:${TOKEN}@db/calls"}"#,
    },
    Case {
        title: "learning that is switched off by a flag",
        wrong: r#"{"mcpServers": {}, "learn": false}"#,
        fixed: r#"{"mcpServers": {}, "learn": "off"}"#,
    },
    Case {
        title: "learning in another spelling",
        wrong: r#"{"mcpServers": {}, "learn": "apply_safe"}"#,
        fixed: r#"{"mcpServers": {}, "learn": "apply-safe"}"#,
    },
    Case {
        title: "telemetry that is an address alone",
        wrong: r#"{"mcpServers": {}, "telemetry": "http://127.0.0.1:4318"}"#,
        fixed: r#"{"mcpServers": {}, "telemetry": {"otlp": "http://127.0.0.1:4318"}}"#,
    },
    Case {
        title: "a receiver without its scheme",
        wrong: r#"{"mcpServers": {}, "telemetry": {"otlp": "127.0.0.1:4318", "header": {}}}"#,
        fixed: r#"{"mcpServers": {}, "telemetry": {"otlp": "http://127.0.0.1:4318", "headers": {}}}"#,
    },
    Case {
        title: "a section llm that is no object",
        wrong: r#"{"mcpServers": {}, "llm": "openai"}"#,
        fixed: r#"{"mcpServers": {}, "llm": {"upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1"}}}}"#,
    },
    Case {
        title: "a section llm without upstreams",
        wrong: r#"{"llm": {"reask": 1}}"#,
        fixed: r#"{"llm": {"reask": 1, "upstreams": {"local": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}}}"#,
    },
    Case {
        title: "a section llm under another name",
        wrong: r#"{"mcpServers": {}, "upstreams": {}}"#,
        fixed: "",
    },
    Case {
        title: "a key of llm that is misspelt",
        wrong: r#"{"llm": {"upstream": {"local": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"local": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}}}"#,
    },
    Case {
        title: "upstreams that are a list",
        wrong: r#"{"llm": {"upstreams": [{"name": "local"}]}}"#,
        fixed: r#"{"llm": {"upstreams": {"local": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}}}"#,
    },
    Case {
        title: "an upstream that is an address alone",
        wrong: r#"{"llm": {"upstreams": {"local": "http://127.0.0.1:11434"}}}"#,
        fixed: r#"{"llm": {"upstreams": {"local": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}}}"#,
    },
    Case {
        title: "an upstream without its kind",
        wrong: r#"{"llm": {"upstreams": {"claude": {"url": "https://api.anthropic.com"}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"claude": {"kind": "anthropic", "url": "https://api.anthropic.com"}}}}"#,
    },
    Case {
        title: "an upstream without its address",
        wrong: r#"{"llm": {"upstreams": {"claude": {"kind": "anthropic"}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"claude": {"kind": "anthropic", "url": "https://api.anthropic.com"}}}}"#,
    },
    Case {
        title: "an upstream of an unknown kind",
        wrong: r#"{"llm": {"upstreams": {"vllm": {"kind": "open-ia", "url": "http://127.0.0.1:8000/v1"}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"vllm": {"kind": "openai", "url": "http://127.0.0.1:8000/v1"}}}}"#,
    },
    Case {
        title: "an upstream as other programs write it",
        wrong: r#"{
  "llm": {"upstreams": {"openai": {
    "type": "openai",
    "baseUrl": "https://api.openai.com/v1",
    "api_key": "hunter2-hunter2"
  }}}
}"#,
        fixed: r#"{"llm": {"upstreams": {"openai": {
  "kind": "openai",
  "url": "https://api.openai.com/v1",
  "apiKey": "hunter2-hunter2"
}}}}"#,
    },
    Case {
        title: "an address of an upstream without its scheme",
        wrong: r#"{"llm": {"upstreams": {"local": {"kind": "ollama", "url": "127.0.0.1:11434"}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"local": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}}}"#,
    },
    Case {
        title: "an address of an upstream with its path",
        wrong: r#"{"llm": {"upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1/chat/completions"}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1"}}}}"#,
    },
    Case {
        title: "two keys of one upstream",
        wrong: r#"{"llm": {"upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1", "apiKey": "hunter2-hunter2", "apiKeyFile": "key"}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1", "apiKeyFile": "key"}}}}"#,
    },
    Case {
        title: "a key of an upstream that is empty",
        wrong: r#"{"llm": {"upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1", "apiKey": "${EMPTY}"}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1", "apiKey": "${TOKEN}"}}}}"#,
    },
    Case {
        title: "a key of an upstream that is not set",
        wrong: r#"{"llm": {"upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1", "apiKey": "${OPENAI_API_KEY}"}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1", "apiKey": "${TOKEN}"}}}}"#,
    },
    Case {
        title: "a key of an upstream with a line break",
        wrong: r#"{"llm": {"upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1", "apiKey": "${BROKEN_HEADER}"}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1", "apiKey": "${TOKEN}"}}}}"#,
    },
    Case {
        title: "a header that requests have anyway",
        wrong: r#"{"llm": {"upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1", "headers": {"Content-Type": "application/json"}}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1", "headers": {}}}}}"#,
    },
    Case {
        title: "an api of an upstream that has none",
        wrong: r#"{"llm": {"upstreams": {"claude": {"kind": "anthropic", "url": "https://api.anthropic.com", "api": "chat"}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"claude": {"kind": "anthropic", "url": "https://api.anthropic.com"}}}}"#,
    },
    Case {
        title: "a name of an upstream with a slash",
        wrong: r#"{"llm": {"upstreams": {"my/local": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"my-local": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}}}"#,
    },
    Case {
        title: "two upstreams of one name",
        wrong: r#"{"llm": {"upstreams": {"a": {"kind": "ollama", "url": "http://127.0.0.1:11434"}, "a": {"kind": "openai", "url": "http://127.0.0.1:8000/v1"}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"a": {"kind": "ollama", "url": "http://127.0.0.1:11434"}, "b": {"kind": "openai", "url": "http://127.0.0.1:8000/v1"}}}}"#,
    },
    Case {
        title: "quirks that are wrong",
        wrong: r#"{
  "llm": {"upstreams": {"x": {"kind": "openai", "url": "http://127.0.0.1:8000/v1", "quirks": {
    "schemas": "gemni",
    "nameChars": 2,
    "topk": true,
    "temperature": "no"
  }}}}
}"#,
        fixed: r#"{"llm": {"upstreams": {"x": {"kind": "openai", "url": "http://127.0.0.1:8000/v1", "quirks": {
  "schemas": "gemini",
  "nameChars": 64,
  "topK": true,
  "temperature": false
}}}}}"#,
    },
    Case {
        title: "a time of an upstream that is no number",
        wrong: r#"{"llm": {"upstreams": {"x": {"kind": "ollama", "url": "http://127.0.0.1:11434", "timeoutMs": "soon", "idleTimeout": 5}}}}"#,
        fixed: r#"{"llm": {"upstreams": {"x": {"kind": "ollama", "url": "http://127.0.0.1:11434", "timeoutMs": 30000, "idleTimeoutMs": 5000}}}}"#,
    },
    Case {
        title: "a destination of no upstream",
        wrong: r#"{
  "llm": {
    "upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1"}},
    "models": {"*haiku*": "opanai/gpt-4.1-mini", "*sonnet*": ["openai/gpt-4.1", "local/qwen3:8b"]}
  }
}"#,
        fixed: r#"{
  "llm": {
    "upstreams": {"openai": {"kind": "openai", "url": "https://api.openai.com/v1"}},
    "models": {"*haiku*": "openai/gpt-4.1-mini", "*sonnet*": ["openai/gpt-4.1", "openai/qwen3:8b"]}
  }
}"#,
    },
    Case {
        title: "a destination without its model",
        wrong: r#"{"llm": {"upstreams": {"a": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}, "models": {"x": "a", "y": "a/", "z": "a/gpt-*", "q": 5, "r": []}}}"#,
        fixed: r#"{"llm": {"upstreams": {"a": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}, "models": {"x": "a/*", "y": "a/m", "z": "a/gpt-4", "q": "a/5"}}}"#,
    },
    Case {
        title: "a pattern behind the one that takes all",
        wrong: r#"{"llm": {"upstreams": {"a": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}, "models": {"*": "a/*", "qwen*": "a/qwen3:8b"}}}"#,
        fixed: r#"{"llm": {"upstreams": {"a": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}, "models": {"qwen*": "a/qwen3:8b", "*": "a/*"}}}"#,
    },
    Case {
        title: "models that are a list",
        wrong: r#"{"llm": {"upstreams": {"a": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}, "models": ["a/*"], "reask": 9, "keepBodies": "yes"}}"#,
        fixed: r#"{"llm": {"upstreams": {"a": {"kind": "ollama", "url": "http://127.0.0.1:11434"}}, "models": {"*": "a/*"}, "reask": 1, "keepBodies": true}}"#,
    },
    Case {
        title: "an agent with numbers that are none",
        wrong: r#"{
  "agent": {
    "model": 5,
    "rounds": 0,
    "timeoutMs": "soon",
    "tokens": "many",
    "answerTokens": -1,
    "resultBytes": "16 KiB",
    "repeats": 1,
    "temperature": 7
  }
}"#,
        fixed: r#"{
  "agent": {
    "model": "5",
    "rounds": 8,
    "timeoutMs": 30000,
    "tokens": 200000,
    "answerTokens": 2048,
    "resultBytes": 16384,
    "repeats": 3,
    "temperature": 0.2
  }
}"#,
    },
    Case {
        title: "an agent with other words",
        wrong: r#"{"agent": {"maxIterations": 5, "systemPrompt": "Be brief.", "memory": {"ttl": 60000}, "sytem": "x"}}"#,
        fixed: r#"{"agent": {"rounds": 5, "system": "Be brief.", "memory": {"idleMs": 60000}}}"#,
    },
    Case {
        title: "an agent whose parts are of other kinds",
        wrong: r#"{"agent": {"tools": "read_*", "system": ["Be brief."], "memory": 20, "model": " "}}"#,
        fixed: r#"{"agent": {"tools": ["read_*"], "system": {"ask": "Be brief."}, "memory": {"turns": 20}}}"#,
    },
    Case {
        title: "an agent that is a list",
        wrong: r#"{"agent": ["qwen3:8b"]}"#,
        fixed: r#"{"agent": {"model": "qwen3:8b"}}"#,
    },
];
