# The file that the page shows the mistakes of.
cat > rules.json <<'EOF'
[
  {"id": "owner", "tools": ["add_task"], "type": "param_alias",
   "from": "responsible", "too": "owner"},
  {"id": "done", "tools": ["add_task"], "type": "type_coerce",
   "from": "done", "coerce_to": "boolean"},
  {"id": "drop", "tools": ["add_task"], "type": "param_drop",
   "from": "trace"},
  {"id": "drop-again", "tools": ["add_task"], "type": "param_drop",
   "from": "trace"}
]
EOF
