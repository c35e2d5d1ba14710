# A model that corrects itself three times.
book-notes
toolwright serve
for text in milk cat rain; do
    book-note payload "$text" || true
    book-note prose "$text"
done
until toolwright rules suggest | grep -q 'itself 3 times'; do sleep 0.2; done
toolwright rules suggest --json | sed 's/.*"id":"\([0-9a-f]*\)".*/ID=\1/' | head -n 1 > "$BOOK_STATE/words"
