cat > tool.json <<'EOF'
{"name": "read_note", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "maximum": 100}}, "required": ["path"], "additionalProperties": false}}
EOF
schema='{"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["path"], "additionalProperties": false}'
for arguments in '{"path": "a.md"}' '{"file_path": "a.md"}' '{"path": "a.md", "limit": "5"}' '{"path": "a.md", "limit": 2.5}'; do
    echo "{\"tool\": {\"name\": \"read_note\", \"inputSchema\": $schema}, \"arguments\": $arguments}"
done > calls.jsonl
echo '[{"id": "owner", "tools": ["add_task"], "type": "param_alias", "from": "responsible", "to": "owner"}]' > rules.json
