book-notes
toolwright serve
book-note prose milk
book-note payload milk || true
toolwright audit export | sed -n 's/.*"call_id":"\([^"]*\)".*/CALL=\1/p' | head -n 1 > "$BOOK_STATE/words"
