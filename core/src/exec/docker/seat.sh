# Runs one command after the other. Each comes on standard input: a word that nobody can guess, whether the
# command may read what follows, a script, and the word again. The word then says in the outputs when the
# command begins, which is the script's to say, and when it has ended with nothing of it left.
unset end reads script line code
printf '%s\n' "$$"
while IFS= read -r end; do
  IFS= read -r reads
  script=
  while IFS= read -r line && [ "$line" != "$end" ]; do
    script="$script$line
"
  done
  if [ "$reads" = yes ]; then
    (eval "$script")
  else
    (eval "$script") </dev/null
  fi
  code=$?
  script=
  clear "$$" || code="$code swamped"
  printf '%s %s\n' "$end" "$code"
  printf '%s end\n' "$end" >&2
done
