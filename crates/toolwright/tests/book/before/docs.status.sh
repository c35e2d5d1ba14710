mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions ~/.local/share/man/man1
book-notes
toolwright serve
for text in milk cat; do book-note prose "$text"; done
until toolwright status --line | grep -q ' 2 calls'; do sleep 0.2; done
