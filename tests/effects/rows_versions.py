"""Version control beside git: what is pushed, and where to; what is dropped; settings that name a
program. Each has a permitted twin.
"""

from __future__ import annotations

DOES = [
    ("hg push", "pushes=what is configured"),
    ("hg push -f", "pushes:force"),
    ("hg push https://x.example/r", "pushes:url-remote"),
    ("hg clone https://x.example/r", "connects=x.example"),
    ("hg pull https://x.example/r", "connects=x.example"),
    ("hg update -C tip", "discards-work:tracked"),
    ("hg --config hooks.pre-log='rm -rf ~' log", "runs-code"),
    ("sl push --to main", "pushes:main"),
    ("sl push --force --to topic", "pushes:force"),
    ("sl goto --clean topic", "discards-work:tracked"),
    ("sl clone https://x.example/r", "connects=x.example"),
    ("jj git push", "pushes=what is configured"),
    ("jj git push --remote https://x.example/r", "pushes:url-remote"),
    ("jj git push -b main", "pushes:main"),
    ("jj git push --all", "pushes:main"),
    ("jj git push --deleted", "pushes:delete"),
    ("jj git clone https://x.example/r", "connects=x.example"),
    ("jj git remote add up https://x.example/r", "connects=x.example"),
    ("jj util exec -- rm -rf /etc", "deletes=/etc"),
    ("jj op abandon ..@-", "discards-work:all"),
    ("jj util gc --expire=now", "discards-work:all"),
    ("""jj --config 'ui.editor=["sh","-c","id"]' describe""", "runs-code=ui.editor"),
    ("""jj config set --user aliases.st '["util","exec","--","id"]'""", "runs-code=aliases.st"),
]
DOES_NOT = [
    ("hg push -f", "pushes:url-remote"),
    ("hg clone ../other", "connects"),
    ("hg update tip", "discards-work"),
    ("hg --config ui.verbose=1 log", "runs-code"),
    ("hg commit -m 'push -f'", "pushes"),
    ("sl push --to topic", "pushes:main"),
    ("sl goto topic", "discards-work"),
    ("sl commit -m 'rm -rf /'", "deletes"),
    ("jj git push --dry-run", "pushes"),
    ("jj git push -b topic", "pushes:main"),
    ("jj git push -b topic", "pushes:delete"),
    ("jj git fetch", "pushes"),
    ("jj git remote list", "connects"),
    ("jj util exec -- ls", "deletes"),
    ("jj op log", "discards-work"),
    ("jj util gc", "discards-work"),
    ("jj abandon", "discards-work"),
    ("jj undo", "discards-work"),
    ("jj describe -m 'rm -rf /'", "deletes"),
    ("jj config set --user user.name Ann", "runs-code"),
]
