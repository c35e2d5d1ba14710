book-notes
toolwright serve
book-note prose milk
book-note payload milk || true
toolwright audit tail | awk 'NR == 1 { print "CALL=" $2 }' > "$BOOK_STATE/words"
