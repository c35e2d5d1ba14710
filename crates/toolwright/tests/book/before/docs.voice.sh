# Ports that are free, told in the words of the page.
echo '{"agent": {"model": "qwen3:8b"}, "voice": {"mqtt": {"port": 0}, "wyoming": {"listen": "127.0.0.1:0"}}}' > toolwright.json
