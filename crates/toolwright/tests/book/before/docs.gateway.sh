echo '{"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}' > servers.json
