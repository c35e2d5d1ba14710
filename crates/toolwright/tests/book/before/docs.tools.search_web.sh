# In the place of SearXNG: one answer, at a port of its own.
cat > engine.py <<'EOF'
import http.server
import json

RESULT = {"url": "https://rust-lang.org/", "title": "Rust", "content": "A language"}


class Engine(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"results": [RESULT]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Engine)
print(server.server_port, flush=True)
server.serve_forever()
EOF
python engine.py > port.txt &
until [ -s port.txt ]; do sleep 0.1; done
echo "8080=$(cat port.txt)" > "$BOOK_STATE/words"
