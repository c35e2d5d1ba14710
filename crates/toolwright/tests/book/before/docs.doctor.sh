echo '{"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}' > toolwright.json
echo '[]' > rules.json
