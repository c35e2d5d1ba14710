//! Ollama chat.
