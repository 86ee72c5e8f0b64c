function __interlock_at
    set -l at ''
    set -l last ''
    for word in (commandline -opc)[2..]
        test "$word" = --; and return 1
        if test -n "$last"
            set last ''
            continue
        end
        if string match -q -- '-*' $word
            contains -- "$at|$word" $__interlock_takes; and set last $word
        else if contains -- (string trim -- "$at $word") $__interlock_commands
            set at (string trim -- "$at $word")
        end
    end
    test "$at" = "$argv[1]"
end
complete -c interlock -f
