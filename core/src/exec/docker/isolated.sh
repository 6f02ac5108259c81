# Makes ready for a program with credentials, in a shell that is to become it. Only builtins: what they are
# given stands in no list of processes.

# The names of the variables that the program would inherit. What the image says of languages, times and
# certificates it may have.
inherited() {
  export -p | while IFS= read -r line; do
    case $line in
      'export '*) name=${line#'export '} ;;
      'declare -x '*) name=${line#'declare -x '} ;;
      *) continue ;;
    esac
    name=${name%%=*}
    case $name in
      '' | [0-9]* | *[!A-Za-z0-9_]*) ;;
      PATH | PWD | TOOLKEEP_RUN | LANG | LC_ALL | LC_CTYPE | TZ | SSL_CERT_FILE | SSL_CERT_DIR) ;;
      *) printf '%s\n' "$name" ;;
    esac
  done
}

# Sets `mount` to the number of the mount that $1 is on, wherever its links lead; empty if nobody can tell.
mount_of() {
  mount=
  {
    while IFS=' 	:' read -r key value; do
      [ "$key" != mnt_id ] || mount=$value
    done </proc/self/fdinfo/9
  } 2>/dev/null 9<"$1"
}

# Sets `found` to the program of the name $1, and `search` to the search path that it gets: of both only what
# is on the image's own file system. Nothing is there that an agent could have written.
find_program() {
  mount_of /
  own=$mount found= search=
  [ -n "$own" ] || return 1
  IFS=:
  for folder in $PATH; do
    unset IFS
    case $folder in /*) mount_of "$folder" ;; *) continue ;; esac
    [ "$mount" = "$own" ] || continue
    search=$search${search:+:}$folder
    [ -z "$found" ] && [ -f "$folder/$1" ] && [ -x "$folder/$1" ] || continue
    mount_of "$folder/$1"
    [ "$mount" != "$own" ] || found=$folder/$1
  done
  unset IFS
  [ -n "$found" ]
}

# Says why the program does not run, and ends.
refuse() {
  printf '%s %s\n' "$end" "$1"
  exit 1
}

# Of a variable that it does not give up, such as its own options, a shell may die.
for name in $(inherited); do (unset -v "$name") 2>/dev/null && unset -v "$name"; done
case $(command -v printf) in printf) ;; *) refuse files ;; esac
