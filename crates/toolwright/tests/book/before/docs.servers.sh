cat > toolwright.json <<'EOF'
{
  "mcpServers": {
    "memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]},
    "time": {"command": "uvx", "args": ["mcp-server-time"]},
    "gone": {"command": "no-such-program"},
    "off": {"command": "npx", "disabled": true}
  }
}
EOF
