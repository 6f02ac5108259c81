# Which processes of the container a command has left behind. Only builtins: there may be no programs.

# Sets `parent` and `session` of process $1; both empty if it is gone.
look() {
  parent= session=
  while read -r key value _; do
    case $key in
      PPid:) parent=$value ;;
      NSsid:) session=$value; return ;;
    esac
  done 2>/dev/null <"/proc/$1/status"
}

# Sets `top` to the last one above process $1 that somebody outside has started, or that has lost its
# parent, and `parent` to what stands above that: 0 or 1.
climb() {
  top=$1
  look "$top"
  own=$session
  while [ "${parent:-0}" -gt 1 ]; do
    top=$parent
    look "$top"
  done
}

# True if process $1 is of a command that still runs, of another session than $2. Each process of a command
# has inherited the number of the first one, unless it hides.
is_of_other() {
  run=
  while IFS= read -r words || [ -n "$words" ]; do
    case $words in
      *TOOLKEEP_RUN=*)
        run=${words#*TOOLKEEP_RUN=}
        run=${run%%[!0-9]*}
        break ;;
    esac
    words=
  done 2>/dev/null <"/proc/$1/environ"
  [ -n "$run" ] || return 1
  climb "$run"
  # A session that waits runs none.
  [ "$parent" = 0 ] && [ "$top" != 1 ] && [ "$top" != "$2" ] && [ "$top" != "$run" ]
}

# True if process $1 was left behind by session $2, or by nobody that is there any more.
is_left() {
  [ "$1" = 1 ] || [ "$1" = "$2" ] && return 1
  climb "$1"
  # The container's own have the session of its first process, which nobody can join.
  [ "$own" = 1 ] && return 1
  case $parent in
    0) [ "$top" = "$2" ] ;;
    1) ! is_of_other "$1" "$2" ;;
    *)
      # One above it has gone meanwhile: look again.
      look "$1"
      [ -z "$parent" ] || found=1
      return 1 ;;
  esac
}

# Sends signal $2 to what session $1 has left behind. True if there was nothing.
sweep() {
  found=
  for process in /proc/[0-9]*; do
    process=${process#/proc/}
    if is_left "$process" "$1"; then
      found=1
      kill -"$2" "$process" 2>/dev/null
    fi
  done
  [ -z "$found" ]
}

# Ends what session $1 has left behind. False if more comes than can be ended.
clear() {
  rounds=0
  until sweep "$1" KILL; do
    rounds=$((rounds + 1))
    [ "$rounds" -lt 100 ] || return 1
  done
}
