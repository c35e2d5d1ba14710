"""Asks through the gateway as Claude Code does: where to and with what its variables say."""

import os

import anthropic

headers = dict(line.split(": ", 1) for line in os.environ.get("ANTHROPIC_CUSTOM_HEADERS", "").splitlines())
# Somebody who is logged in at Anthropic has a key of their own.
own = None if "ANTHROPIC_AUTH_TOKEN" in os.environ else "sk-of-somebody"
client = anthropic.Anthropic(api_key=own, default_headers=headers)
answer = client.messages.create(
    model="qwen3:8b", max_tokens=64, messages=[{"role": "user", "content": "What do I want to buy?"}]
)
print(answer.content[0].text)
