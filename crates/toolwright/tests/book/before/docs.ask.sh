echo '{"agent": {"model": "qwen3:8b"}}' > toolwright.json
echo 'buy milk' > notes.md
