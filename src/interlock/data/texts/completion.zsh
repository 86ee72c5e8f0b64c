_interlock() {
  local at='' last='' word value=''
  local -a list
  for word in "${words[@]:1:$((CURRENT - 2))}"; do
    [[ $word == -- ]] && { _default; return; }
    if [[ -n $last ]]; then last=''; continue; fi
    case $word in
      -*) _interlock_takes "$at" "$word" && last=$word ;;
      *) _interlock_is "${at:+$at }$word" && at=${at:+$at }$word ;;
    esac
  done
  if [[ -n $last ]]; then
    _interlock_takes "$at" "$last"
  elif [[ ${words[CURRENT]} == -* ]]; then
    _interlock_options "$at"
    _describe -o option list
    return
  else
    _interlock_takes "$at" ''
    _interlock_words "$at"
    [[ ${#list} -gt 0 ]] && { _describe command list; return; }
  fi
  case $value in
    FILES) _files ;;
    FOLDERS) _files -/ ;;
    NAMES:*) compadd -- $(interlock completion --names "${value#NAMES:}" 2>/dev/null) ;;
    ?*) compadd -- ${=value} ;;
  esac
}
compdef _interlock interlock
