"""Asks through the gateway as Claude Code does: where to and with what its variables say."""

import os

import anthropic

headers = dict(line.split(": ", 1) for line in os.environ.get("ANTHROPIC_CUSTOM_HEADERS", "").splitlines())
client = anthropic.Anthropic(default_headers=headers)
answer = client.messages.create(
    model="qwen3:8b", max_tokens=64, messages=[{"role": "user", "content": "What do I want to buy?"}]
)
print(answer.content[0].text)
