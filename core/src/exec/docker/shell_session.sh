# Runs one command after the other. Each comes on standard input: a word that nobody can guess, whether the
# command may read what follows, a script, and the word again. The word then says in the outputs when the
# command begins, which is the script's to say, and when it has ended with nothing of it left. A command
# that may read is the last one: what it leaves unread is no command.
#
# At a terminal, where what is typed is shown and cut into lines, all of it comes instead on the standard
# input of process $1, which waits for nothing else. The keys that interrupt are for the command.
unset end reads script line code
case ${1-} in
  '') exec 3<&0 ;;
  *)
    trap : INT QUIT
    exec 3<"/proc/$1/fd/0" ;;
esac
printf '%s\n' "$$"
while IFS= read -r end <&3; do
  IFS= read -r reads <&3
  script=
  while IFS= read -r line <&3 && [ "$line" != "$end" ]; do
    script="$script$line
"
  done
  # Half a command is none.
  [ "$line" = "$end" ] || exit 1
  [ -z "${1-}" ] || kill -KILL "$1"
  if [ "$reads" = yes ]; then
    (eval "$script") 3<&-
  else
    (eval "$script") 3<&- </dev/null
  fi
  code=$?
  script=
  clear "$$" || code="$code swamped"
  printf '%s %s\n' "$end" "$code"
  printf '%s end\n' "$end" >&2
  [ "$reads" = no ] || exit 0
done
