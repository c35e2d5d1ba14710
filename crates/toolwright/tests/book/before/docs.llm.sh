# A program on the vendor's SDK, which reads OPENAI_BASE_URL and OPENAI_API_KEY itself.
cat > app.py <<'EOF'
import openai

question = {"role": "user", "content": "What do I want to buy?"}
answer = openai.OpenAI().chat.completions.create(model="qwen3:8b", messages=[question])
print(answer.choices[0].message.content)
EOF
toolwright serve
