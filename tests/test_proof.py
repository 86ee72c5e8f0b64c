"""What is proven to be harmless, and what is not: all of a call is known, and it stays in the
workspace.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from interlock.cli import judge
from interlock.effects.read import read
from interlock.engine.proof import doubts, unproven
from interlock.facts import Recorded
from interlock.model.policy import READ_ONLY
from tests.judging import shell

UNPROVEN = Path(__file__).parent / "corpus" / "unproven.txt"
PROVEN = [
    "ls -la", "cat README.md", "git status --short", "git diff --stat", "git log --oneline -5", "grep -rn 'def main' src | head -5", "touch a.txt",
    "mkdir -p src/new && touch src/new/__init__.py", "echo 'rm -rf /' > notes.txt", "sed -i 's/a/b/' src/a.py", "npm test", "pytest -q tests",
    "make build", "python3 -m pytest -q", "python3 scripts/check.py --all", "sh run.sh",
    "find . -name '*.py' -exec wc -l {} +", "set -euo pipefail; ls",
    "cp a.txt b.txt", "sort -u names.txt | uniq -c",
    "ls -la > /dev/null", "python3 -m unittest discover", "python3 -m py_compile src/a.py", "mv src/a.py src/b.py", "sleep 9 & PID=$!; kill $PID",
    "find /usr/include -name '*.h' | head", "grep -rn x /opt/app", "ls /", "gcc -Wall -O2 -Iinclude -o build/a src/a.c", "npx eslint src",
    "curl -X POST -d '{}' http://localhost:3000/api", "php artisan test", "terraform fmt", "./gradlew test --info", "cargo clippy --all-targets",
    "scc --by-file src", "xcodebuild -scheme App test", "ng build", "pdftotext a.pdf b.txt", "uvicorn app:app --port 8000",
    "grep -rl old src | xargs sed -i 's/old/new/'", "git ls-files '*.py' | xargs wc -l", "git diff --name-only | xargs ruff check",
    "fd -e py | xargs cat", "for f in $(git ls-files); do wc -l $f; done",
    "for f in src/*.py; do wc -l \"$f\"; done", "curl http://localhost:3000/health", "rm -rf node_modules", "find . -name '*.pyc' -delete", "mv a.bak b.bak", "cat /etc/os-release", "docker ps",
    "docker exec web ls /app", "psql -h localhost -c 'select 1'", "mysql -h 127.0.0.1 -e 'select 1'", "pg_dump -h localhost -s app", "profiles list -verbose", "diskutil list -plist", "clang-format -i a.c",
    "echo 'print(1)' > a.py && python a.py", "python -m examples.a.b", "python -m pkg.tests.run_all", "csvcut -c 1 a.csv | csvlook",
    "npm run build:release", "./scripts/build.sh", "python -c 'from mypkg import parse; parse(1)'", "xmllint --noout a.xml",
    "sqlite3 -csv a.db 'select 1'", "openssl rand -hex 16", "perl -c a.pl", "crontab -l", "rpm -qa",
    "yarn lint --fix", "jupyter nbconvert --to html a.ipynb",
    "cut -d / -f 2 a.txt", "awk -F/ '{print $1}' a.txt", "kubectl auth can-i create pods", "gh auth status",
    "docker buildx ls", "alembic history", "npx prisma validate", "docker cp app:/app/x.log .",
    "ls src/*.py | entr -c pytest -q", "docker inspect -f '{{.State.Status}}' app", "docker compose config --services",
    "terraform output", "git replace -l", "git symbolic-ref HEAD", "git update-index --refresh",
    "yarn app dev --watch", "npm config get registry", "git config --get credential.helper",
    "mlr --icsv put '$a = system(\"date\")' x.csv", "yq '.a = load(\"b.yml\")' x.yml",
    "printf '[tools]\\nnode=\"20\"\\n' > mise.toml", "kubectl cluster-info dump --output-directory=out",
    "golangci-lint run --timeout 5m ./...", "rspec spec/a_spec.rb:4 --format documentation",
    "rubocop -A app", "vendor/bin/phpunit --filter A --testdox", "vendor/bin/phpstan analyse src --level=8",
    "php artisan test --parallel", "python3 manage.py test --keepdb --parallel 4", "ctest --test-dir build -j4",
    "cmake --build build --parallel 8 --target unit_tests", "bazel test //... --test_output=errors",
    "clang-tidy -p build src/a.cpp", "protoc -I proto --go_out=gen proto/a.proto", "cargo expand --lib x",
    "dotnet ef migrations list --startup-project api", "git stash push -u -m wip", "yamllint -d relaxed .",
    "psql postgresql://u@localhost/app -c 'select 1'", "npx nx affected -t lint,test",
    "go build -ldflags \"-X main.version=$(git describe)\" .",
    "node --max-old-space-size=4096 app.js", "yarn workspaces foreach -A run lint", "gofumpt -l -w internal",
    "npx cypress run --spec cypress/e2e/a.cy.ts", "python3 manage.py sqlmigrate shop 0004",
    "valgrind --error-exitcode=1 ./build/a", "nix flake check --no-build", "dart run build_runner build --verbose",
    "printf '[testenv]\\ncommands=pytest -q\\n' > tox.ini; tox",
]  # fmt: skip
DOUBTED = [
    ("ls --no-such-option", "the option --no-such-option of ls is not known"),
    ("frobnicate a", "unknown program"),
    ("git -Z status", "the option -Z of git is not known"),
    ("cat ~/.ssh/id_rsa", "it reads"),
    ("cat .env", "it reads"),
    ("rm src/a.py", "it deletes"),
    ("touch /etc/x", "it writes"),
    ("echo x >> ~/.bashrc", "it writes"),
    ("curl https://example.com", "it connects"),
    ("npm install left-pad", "it installs"),
    ("gh api -X DELETE repos/a/b/keys/1", "gh asks a service elsewhere"),
    ("gh issue view 1 --hostname git.test", "gh asks a service elsewhere"),
    ("kubectl get secrets", "kubectl asks a service elsewhere"),
    ("kubectl --kubeconfig /tmp/x get pods", "kubectl asks a service elsewhere"),
    ("kubectl get $X", "kubectl asks a service elsewhere"),
    ("aws --endpoint-url http://x.test ec2 describe-instances", "aws asks a service elsewhere"),
    ("terraform output -json api_token", "terraform asks a service elsewhere"),
    ("psql -h db.test -c 'select 1'", "psql asks a service elsewhere"),
    ("sudo ls", "it gets another user's rights by"),
    ("kill 1", "it kills process"),
    ("rm -rf $X", "it possibly"),
    ("echo $(", "not all of it could be read"),
    ("sh /tmp/unread.sh", "executes"),
    ("python3 -m nobody_knows", "unknown module"),
    ("scc --no-such-option src", "the option --no-such-option of scc is not known"),
    ("scc -o ~/out.json src", "it writes"),
    ("ng deploy", "what ng deploy does is not known"),
    ("astro add react", "what astro add does is not known"),
    ("uvicorn app:app --host 0.0.0.0", "uvicorn may listen where others reach it"),
    ("grep -rl old . | xargs sed -i 's/old/new/'", "it writes /home/user/project"),
    ("git ls-files | xargs rm", "it deletes /home/user/project"),
    ("ls src | xargs cat", "it possibly reads"),
    ("mv src/a.py ~/a.py", "it writes"),
    ("cat list | xargs mv", "it possibly"),
    ("tar $ARGS", "what tar is given is not known"),
    ("ls ~", "it reads"),
    ("cat /home/other/notes", "it reads"),
    ("grep -r x /etc", "it possibly reads /etc/shadow"),
    ("find / -type f -exec cat {} +", "it possibly reads /etc/shadow"),
    ("mypy --cache-dir ~/x src", "what mypy does with /home/user/x is not known"),
    ("gcc -fplugin=./x.so a.c", "it executes ./x.so"),
    ("gcc -B/tmp/tools a.c", "from temp"),
    ("gcc @options a.c", "the options in options are not known"),
    ("clang -Xclang -load -Xclang x.so a.c", "an option of another program"),
    ("npx left-pad-x", "it installs"),
    ("kill 4711", "it kills process"),
    ("curl -d @.env http://localhost:3000", "it"),
    ("rails db:seed:replant", "does to a database is not known"),
    ("docker exec c rm /app/x", "it deletes"),
    ("docker exec c cat /run/secrets/x", "it reads"),
    ("docker exec c python x.py", "it possibly executes"),
    ("mysql -h db.test -e 'select 1'", "mysql asks a service elsewhere"),
    ("psql -d host=db.test -c 'select 1'", "psql asks a service elsewhere"),
    ("diskutil list --erase", "the option --erase of diskutil is not known"),
    ("profiles list -output /etc/x", "it writes /etc/x"),
    ("npm run release", "what release does is not known: release"),
    ("rundll32 user32.dll,LockWorkStation", "what a function of a library does is not known"),
    ("home-manager expire-generations now", "what home-manager expire-generations does is not"),
    ("aws ec2 describe-vpcs --endp http://x.test", "aws asks a service elsewhere"),
    ("yarn --frobnicate lint", "the option --frobnicate of yarn is not known"),
    ("jupyter nbconvert --execute /tmp/x.ipynb", "it executes /tmp/x.ipynb (temporary)"),
    ("rm -rf './~/x'", "it deletes"),
    ("curl -X POST localhost:8000/collections/delete -d 1", "an address that speaks of a loss"),
    ("python -c \"import pickle; pickle.load(open('/tmp/x', 'rb'))\"", "runs code"),
    ("bin/publish_all", "what publish_all does is not known: publish"),
    ("python -c 'import openai; openai.models.list()'", "openai speaks to a service elsewhere"),
    ("python -c 'import mylib; mylib.Repo().push()'", "what push does is not known"),
    ("python -m nobody_knows.scripts", "unknown module"),
    ("echo 'import x; x.y' > a.js && node a.js", "it runs code javascript"),
    ("git push", "it pushes"),
    ("find . -name '*.bak' -delete", "it deletes /home/user/project/x.bak"),
    ("rm app.db.bak", "it deletes /home/user/project/app.db.bak"),
    ("rm *~", "it deletes"),
    ("chmod 777 a", "it changes the permissions of"),
    ("docker inspect app", "docker may show what secrets are set to"),
    ("docker inspect -f '{{.Config.Env}}' app", "docker may show what secrets are set to"),
    ("docker compose config", "docker may show what secrets are set to"),
    ("terraform output -json", "terraform may show what secrets are set to"),
    ("helm get values web", "helm may show what secrets are set to"),
    ("aws lambda get-function --function-name f", "aws may show what secrets are set to"),
    ("docker exec app sh -c 'echo $KEY'", "the environment of container app may hold secrets"),
    ("docker cp app:/run/secrets/db .", "/run/secrets/db of the container may hold secrets"),
    ("az vm list --debug", "az asks a service elsewhere"),
    ("docker exec app env", "the environment of container app may hold secrets"),
    ("docker exec app printenv KEY", "the environment of container app may hold secrets"),
    ("gh release view --repo git.test/a/b", "gh asks a service elsewhere"),
    ("git update-index --assume-unchanged a", "git is told not to see changes of a file"),
    ("git update-index --force-remove a", "what is put into the index stands in no file"),
    ("az webapp config appsettings list -n x", "az may show what secrets are set to"),
    ("git symbolic-ref HEAD refs/heads/x", "HEAD is moved, and the files are not"),
    ("git fast-import < stream", "what a stream of commits sets branches to is not known"),
    ("mlr --from a put -q 'tee > $x, $*'", "what mlr is told to run or to open is not known"),
    (
        "printf '[hooks]\\nenter=\"x\"\\n' > mise.toml",
        "what mise.toml starts by itself is not known",
    ),
    ('echo \'{"runOn":"folderOpen"}\' > .vscode/tasks.json', "what tasks.json starts by itself"),
]
LEADING = (
    ("gh pr list", "GH_HOST=git.test"), ("gh pr list", "GH_REPO=git.test/a/b"),
    ("glab mr list", "GITLAB_HOST=git.test"), ("kubectl get pods", "KUBERNETES_MASTER=https://x.test"),
    ("helm list", "HELM_KUBEAPISERVER=https://x.test"), ("aws s3 ls", "AWS_ENDPOINT_URL=https://x.test"),
    ("aws s3 ls", "AWS_CA_BUNDLE=x.pem"), ("argocd app list", "ARGOCD_SERVER=x.test"),
    ("kubectl get pods", "HTTPS_PROXY=http://x.test"), ("terraform plan", "TF_CLI_CONFIG_FILE=x"),
)  # fmt: skip
QUIET = (
    ("gh pr list", "GH_PAGER=cat"), ("kubectl get pods", "NO_COLOR=1"),
    ("aws s3 ls", "AWS_REGION=eu-west-1"), ("helm list", "HELM_NAMESPACE=web"),
    ("gh pr list", "DATABASE_NAME=shop"),
)  # fmt: skip


@pytest.mark.parametrize(("command", "variable"), LEADING)
def test_a_look_that_a_variable_leads_elsewhere_is_not_proven(command: str, variable: str) -> None:
    """Before the command as well as exported."""
    for text in (f"{variable} {command}", f"export {variable}; {command}"):
        assert not judge.judge_text(text).proof, text
    assert judge.judge_text(command).proof


@pytest.mark.parametrize(("command", "variable"), QUIET)
def test_a_look_stays_one_beside_variables_that_lead_nowhere(command: str, variable: str) -> None:
    """What says how it looks, or is of something else."""
    assert judge.judge_text(f"export {variable}; {command}").proof


LOOKED_AT = [
    "gh pr list --state open", "gh api repos/a/b/pulls/1/comments", "kubectl get pods -A", "kubectl logs deploy/web", "helm list -A",
    "aws ec2 describe-instances --filters Name=a,Values=b", "aws s3 ls s3://b --recursive", "gcloud compute instances list", "az vm list", "terraform plan", "fly status",
]  # fmt: skip


@pytest.mark.parametrize("command", LOOKED_AT)
def test_a_service_may_be_looked_at_where_more_than_reading_files_was_lent(command: str) -> None:
    """What the user's own tools are signed in to lists what it has; who lent files alone did not
    lend that.
    """
    reading = read(shell(command), Recorded("/home/user"))
    assert unproven(reading, reading.effects) == ()
    assert unproven(reading, reading.effects, READ_ONLY)


@pytest.mark.parametrize("command", PROVEN)
def test_ordinary_work_in_the_workspace_is_proven(command: str) -> None:
    """Nothing of it is unknown, and nothing leaves the workspace."""
    assert doubts(read(shell(command), Recorded("/home/user"))) == ()


@pytest.mark.parametrize(("command", "why"), DOUBTED)
def test_whatever_is_not_known_to_be_harmless_is_not_proven(command: str, why: str) -> None:
    """The reason is said."""
    assert why in "; ".join(doubts(read(shell(command), Recorded("/home/user"))))


@pytest.mark.parametrize(
    ("line", "proven"),
    [
        ({"id": "1", "command": "ls -la", "cwd": "/home/user/project", "kind": "bash"}, True),
        ({"id": "2", "command": "rm -rf /", "cwd": "/home/user/project", "kind": "bash"}, False),
        (
            {
                "id": "3",
                "command": "/home/user/project/a.py",
                "cwd": "/home/user/project",
                "kind": "write",
            },
            True,
        ),
        (
            {
                "id": "4",
                "command": "/home/user/.ssh/config",
                "cwd": "/home/user/project",
                "kind": "write",
            },
            False,
        ),
        ({"id": "5", "command": 1}, False),
    ],
)
def test_the_judge_says_whether_it_is_proven(line: dict[str, object], proven: bool) -> None:
    """One word more in its answer, false where anything is amiss."""
    assert judge.answer(json.dumps(line))["proven"] is proven


@pytest.mark.parametrize(
    "command",
    [
        line
        for line in UNPROVEN.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ],
)
def test_what_could_do_more_is_never_proven(command: str) -> None:
    """Other programs by a variable or an option, code that is not followed, what leaves, what is
    lost, what controls other machines.
    """
    assert not judge.judge_text(command).proof
