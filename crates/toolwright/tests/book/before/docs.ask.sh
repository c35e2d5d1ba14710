echo '{"agent": {"model": "qwen3:8b"}}' > toolwright.json
echo 'buy milk' > notes.md
git init --quiet .
git add notes.md
echo 'feed the cat' >> notes.md
