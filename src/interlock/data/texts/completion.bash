_interlock() {
  local cur=${COMP_WORDS[COMP_CWORD]} at='' last='' word i value=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [ "$word" = -- ] && { compopt -o default; COMPREPLY=(); return; }
    [ "$word" = = ] && continue
    if [ -n "$last" ]; then last=''; continue; fi
    case $word in
      -*) _interlock_takes "$at" "$word" && last=$word ;;
      *) _interlock_is "${at:+$at }$word" && at=${at:+$at }$word ;;
    esac
  done
  [ "$cur" = = ] && cur=''
  if [ -n "$last" ]; then
    _interlock_takes "$at" "$last"
  elif [[ $cur == -* ]]; then
    value=$(_interlock_options "$at")
  else
    _interlock_takes "$at" ''
    word=$(_interlock_words "$at")
    [ -n "$word" ] && value=$word
  fi
  case $value in
    FILES) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    NAMES:*) mapfile -t COMPREPLY < <(compgen -W       "$(interlock completion --names "${value#NAMES:}" 2>/dev/null)" -- "$cur") ;;
    FOLDERS) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$value" -- "$cur") ;;
  esac
}
complete -F _interlock interlock
