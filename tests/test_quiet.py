"""Ordinary commands of coding agents in their workspace: none of them is interrupted."""

from __future__ import annotations

import pytest

from interlock.cli.judge import judge_text
from interlock.model.action import VERDICT_ALLOW

LINES = r"""
ls
ls -la
cat README.md
cat -n src/app.py
head -50 src/app.py
head -n 20 README.md
tail -100 log.txt
tail -n +10 src/app.py
sed -n '1,200p' src/app.py
sed -n 10,20p src/app.py
sed -n '/class/,/^$/p' src/app.py
sed -i 's/foo/bar/g' src/app.py
sed -i.bak 's/foo/bar/' src/app.py
sed -e 's/a/b/' -e 's/c/d/' f.txt
sed '/^#/d' f.txt
sed 's/e/E/' f.txt
sed 's|/usr/bin|/opt|g' f.txt
sed -E 's/([a-z]+)/\1/' f.txt
sed -i '/^export /d' a.ts
sed -i 's/w /x /' a.ts
sed -n 's/.*version: \(.*\)/\1/p' f
sed 's/a/b/w' f.txt
grep -rn "TODO" src
grep -rn "rm -rf /" .
grep -v '^#' f | sort | uniq -c | sort -rn | head -20
grep -E "a|b" f
grep -rl foo src | xargs sed -i 's/foo/bar/g'
grep -A5 -B5 foo f
grep -5 foo f
rg -n "fn main" --type rust
rg -l foo | xargs wc -l
find . -name '*.py'
find . -name '*.py' -not -path './node_modules/*' | xargs grep -l foo
find src -name '*.py' -exec grep -l foo {} +
find . -name __pycache__ -type d -exec rm -rf {} +
find . -name '*.pyc' -delete
find / -name python3 2>/dev/null
find /usr -name 'libssl*' 2>/dev/null | head
find . -maxdepth 2 -type d
fd -e py
wc -l src/*.py
diff <(sort a) <(sort b)
comm -12 <(sort a) <(sort b)
awk '{print $1}' f
awk -F: '{print $1}' /etc/passwd
awk 'NR>5 && NR<10' f
awk '$3 > 100 {print $1, $3}' data.txt
awk '{sum += $1} END {print sum}' f
awk '{print $1 | "sort"}' f
cut -d, -f1 data.csv
tr -d '\r' < f > g
jq . package.json
jq -r '.scripts | keys[]' package.json
jq '.version = "1.2"' package.json > tmp.json && mv tmp.json package.json
curl -s localhost:8080/health
curl -s http://localhost:3000/api | jq .
curl -X POST localhost:8080/api -d '{"a":1}' -H 'Content-Type: application/json'
curl -X POST localhost:8080/api -d @body.json
curl -sf http://localhost:8080 >/dev/null && echo up
until curl -sf localhost:8080; do sleep 1; done
for i in $(seq 1 10); do curl -s localhost:8080 && break; sleep 1; done
for i in {1..30}; do curl -s "localhost:$PORT/x?i=$i"; done
while ! nc -z localhost 5432; do sleep 0.1; done
git status
git status --short
git diff HEAD~1
git log --oneline -20
git log -5
git log --format='%h %s' -n 10
git show HEAD:src/app.py
git add -A
git add src/app.py tests/
git commit -m "fix: rm -rf / is bad"
git commit --amend --no-edit
git add -A && git commit -m "x" && git push
git push
git push origin feature/x
git push -u origin HEAD
git pull --rebase
git fetch --all --prune
git checkout -b feature/x
git checkout main
git switch -c x
git branch -a
git branch -d merged
git merge main
git rebase main
git rebase --continue
git stash
git stash pop
git stash list
git tag v1.0
git remote -v
git rev-parse --show-toplevel
git ls-files | wc -l
git ls-files | xargs grep foo
git cherry-pick abc
git reset HEAD src/app.py
git reset --soft HEAD~1
git config user.name
git config --get remote.origin.url
git restore --staged src/app.py
git rm old.py
git mv a.py b.py
git grep foo
git -C sub status
git submodule update --init
git apply fix.patch
git --no-pager log -5
git diff | cat
git diff main...HEAD --name-only
git clone https://github.com/foo/bar
gh pr list
gh pr create --title x --body "removes rm -rf / call"
gh run view 1 --log
npm test
npm run build
npm ci
npm install
npm run test -- --watch=false
npm install lodash
npm run build 2>&1 | tail -20
npx tsc --noEmit
npx eslint . --fix
npx jest src/foo.test.ts
npx prettier --write .
npx rimraf dist
yarn install
pnpm -r build
node script.js
node -e "console.log(1)"
node -e "console.log(require('./package.json').version)"
python3 -c "print(1)"
python3 -c "import json; print(json.load(open('a.json'))['x'])"
python3 -c "import os; [print(f) for f in os.listdir('.')]"
python3 script.py
python -m pytest
python -m pytest -x -q tests/test_a.py::test_b
python3 -m venv .venv
python -m json.tool a.json
source .venv/bin/activate
. venv/bin/activate && pip install -r requirements.txt
source .venv/bin/activate && pytest -q
.venv/bin/python -m pytest
.venv/bin/pip install -r requirements.txt
.venv/bin/python -c "print(1)"
pip install -e .
pip install -r requirements.txt
pip install requests
pip freeze > requirements.txt
pytest -q tests 2>&1 | tail -5
pytest tests -k "not slow" --tb=short
PYTHONPATH=src pytest
DEBUG=1 npm start
NODE_ENV=production npm run build
uv run pytest
uv sync
poetry run pytest
ruff check --fix .
black .
cargo build --release
cargo test -- --nocapture
cargo run -- --help
cargo add serde
go build ./...
go test -run TestX ./pkg
go run main.go
make
make test
make -j4
make clean
cmake -B build
cmake --build build
mvn -q package
./gradlew build
./run.sh
./scripts/build.sh
bash scripts/test.sh
bash -n script.sh
bash -x script.sh
bash +x script.sh
chmod +x run.sh
chmod +x scripts/*.sh
chmod 755 run.sh
mkdir -p src/foo
mkdir build && cd build && cmake ..
cp -r src/a src/b
mv src/old.py src/new.py
mv src/old src/new
mv src/*.py lib/
rm a.py
rm -f a.py b.py
rm -rf node_modules
rm -rf build dist
rm -rf build/ && mkdir build
rm -rf node_modules package-lock.json && npm install
rm -rf __pycache__ .pytest_cache
rm -rf ./dist
rm -rf dist/*
rm -rf .venv && python3 -m venv .venv
rm *.pyc
rm -f *.o
ln -s a b
ln -sf ../project/a b
tar czf x.tgz src
tar xzf x.tgz
unzip x.zip
docker ps -a
docker logs -f app --tail 100
docker build -t app .
docker compose up -d
docker compose logs
docker exec app ls
kubectl get pods
terraform plan
aws s3 ls
ps aux | grep node
lsof -i :3000
df -h
du -sh * | sort -h
env | grep PATH
env
echo $PATH
echo "hello"
echo hello > a.txt
echo hello >> a.txt
printf '%s\n' a b c > f
which python3
command -v node
date +%s
sleep 5
time make
timeout 60 npm test
timeout 10s python3 x.py
nohup npm start > /tmp/log 2>&1 &
npm start > server.log 2>&1 &
npm run dev > /tmp/dev.log 2>&1 & sleep 5; curl -s localhost:3000; kill $!
node server.js & PID=$!; sleep 1; curl localhost:3000; kill $PID
python3 app.py & echo $! > app.pid
kill %1
wait
export FOO=bar
export PATH="$PWD/node_modules/.bin:$PATH"
export PATH="$HOME/.local/bin:$PATH"
cd src && ls
cd src && python3 -m pytest
cd /home/user/project && npm test
cd .. && ls
(cd sub && make)
cd "$(git rev-parse --show-toplevel)" && ls
set -euo pipefail
for f in *.py; do echo $f; done
for f in src/*.py; do python3 -m py_compile "$f"; done
for f in $(git diff --name-only); do echo "$f"; done
for f in a b c; do cp $f $f.bak; done
for d in */; do (cd "$d" && npm test); done
for f in *.txt; do mv "$f" "${f%.txt}.md"; done
for f in src/*.py; do sed -i 's/a/b/' "$f"; done
for f in *.log; do rm "$f"; done
while read -r f; do echo "$f"; done < list.txt
git diff --name-only | while read f; do wc -l "$f"; done
find . -name '*.js' | while read -r f; do node --check "$f"; done
if [ -f package.json ]; then npm test; fi
[ -d node_modules ] || npm install
[[ "$x" == y ]] && echo
case "$1" in a) echo a;; esac
tee a.txt <<< hello
tmp=$(mktemp) && echo x > "$tmp" && cat "$tmp" && rm "$tmp"
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"; ls
trap 'rm -rf "$tmp"' EXIT; tmp=$(mktemp -d)
cleanup() { rm -rf "$tmp"; }; trap cleanup EXIT; tmp=$(mktemp -d)
TMP=$(mktemp); curl -s localhost:80 > $TMP; rm -f $TMP
npm test > /tmp/out.txt 2>&1; tail -20 /tmp/out.txt
echo x > /tmp/a.txt; rm /tmp/a.txt
pytest 2>&1 | tee /tmp/pytest.log | tail
ls 2>/dev/null
make 2>&1 >/dev/null
x=$(cat f); echo "$x"
VERSION=$(jq -r .version package.json); echo $VERSION
BRANCH=$(git branch --show-current); git push -u origin $BRANCH
files=$(git diff --name-only); for f in $files; do echo $f; done
arr=(a b c); for x in "${arr[@]}"; do echo $x; done
declare -A m=([a]=1); echo ${m[a]}
declare -a files=(a.py b.py); for f in "${files[@]}"; do rm "$f"; done
x=5; echo $((x+1))
((i++))
f() { local d=$1; mkdir -p "$d"; cp a "$d"/; }; f build
psql -c "SELECT * FROM users LIMIT 5"
sqlite3 a.db 'SELECT * FROM x'
redis-cli ping
openssl rand -hex 32
echo aGk= | base64 -d
sha256sum dist/*
file a.out
gcc -o a a.c && ./a
javac A.java && java A
ruby a.rb
bundle exec rspec
perl -ne 'print if /x/' f
perl -pi -e 's/a/b/' f.txt
perl -0pe 's/a\nb/c/' f
perl -e 'print "hi\n"'
dotnet test
shellcheck x.sh
history | tail
less README.md
watch -n 1 ls
xargs -a files.txt wc -l
seq 1 10 | xargs -I{} echo {}
ls | xargs -I{} echo {}
cat files.txt | xargs -P4 -n1 python3 check.py
printf '%s\0' a b | xargs -0 ls -l
find . -name '*.py' -print0 | xargs -0 grep foo
find . -name '*.py' -print0 | xargs -0 -n1 python3 -m py_compile
find . -name '*.pyc' | xargs rm -f
yes | head
python3 manage.py migrate
uvicorn app:app --reload
npx playwright test
npx ts-node a.ts
npx -y cowsay hi
bun test
deno test
nvm use 18
eval "$(ssh-agent -s)"
eval "$(direnv hook bash)"
eval "$(pyenv init -)"
nice -n 10 make
nice -10 make
stdbuf -oL python3 x.py | tee log
env FOO=1 python3 x.py
env -u FOO python3 x.py
strace -c ls
echo done | tee -a log.txt
cat *.md > all.md
truncate -s 0 log.txt
: > log.txt
> log.txt
sort -u f -o f
split -l 100 f part_
echo "rm -rf /" | wc -c
echo "sudo rm" >> notes.md
ls ~/.ssh
cat /etc/os-release
cat ~/.bashrc
cat ~/.gitconfig
wc -l /var/log/syslog
python3 -c 'import os; print(os.environ.get("PATH"))'
python3 -c "import shutil; shutil.copy('a','b')"
python3 -c "open('out.txt','w').write('x')"
python3 -c "import subprocess; print(subprocess.run(['git','status'],capture_output=True).stdout)"
node -e "require('fs').writeFileSync('out.json', JSON.stringify({a:1}))"
node -e "const fs=require('fs'); console.log(fs.readFileSync('a.json','utf8'))"
node -e "require('child_process').execSync('git status')"
node -p "require('./package.json').name"
ruby -e 'puts File.read("a.txt")'
awk 'BEGIN { print "hi" }'
awk '{print > "out.txt"}' f
cat <<< hi
mapfile -t lines < f; echo "${lines[0]}"
IFS=, read -r a b <<< "1,2"; echo $a
oldIFS=$IFS; IFS=:; for p in $PATH; do echo $p; done
echo "${x:-default}"
echo "${f%.py}" "${f##*/}"
mkdir -p src/{a,b,c}
touch file{1..3}.txt
exec 3>&1
exec > >(tee log.txt) 2>&1
{ echo a; echo b; } > f
(echo a; echo b) | sort
pushd src && ls && popd
jobs
foo --version
mytool build --out dist
my-cli test
my-cli find x
tool install git
app run rm-old --dry-run
custom-runner python3 x.py
myapp --grep "rm -rf /"
myapp -c "SELECT 1; SELECT rm FROM x"
mytool cat README.md
kubectl-foo exec pod
supabase functions serve
vercel env pull
firebase emulators:start
heroku logs
ls .claude
cat .claude/settings.json
mkdir -p .claude/commands
echo x > .claude/commands/x.md
cp x.md .claude/agents/x.md
cp x.md .claude/skills/
rm .claude/commands/x.md
{ cat head.py; cat tail.py; } > all.py; python3 all.py
(cat a; cat b) > c.sh && bash c.sh
npm run build && node dist/index.js && rm -rf dist
npm run build -- --mode production
npm run dev -- --port 3001 > /tmp/vite.log 2>&1 &
node --test tests/
node --experimental-vm-modules node_modules/.bin/jest
node -e "const a=require('./a'); a.run().then(r=>console.log(r))"
node -e "const p=require('path'); console.log(p.join('/a','/b'))"
node -e "fetch('http://localhost:3000/api/x').then(r=>r.json()).then(console.log)"
node -e "const {execSync}=require('child_process'); console.log(execSync('npm ls').toString())"
node -e "console.log(/a|b/.exec('a'))"
ruby -e 'require "json"; puts JSON.parse(File.read("a.json"))["x"]'
ruby -e 'File.write("out.txt", "x")'
php -r 'echo json_encode([1]);'
php -r 'file_put_contents("a.txt","x");'
perl -e 'open(my $f, "<", "a.txt"); print <$f>'
perl -ne 'print unless /^#/' f
perl -i -pe 's/foo/bar/g' src/*.c
php artisan migrate
php artisan test
vendor/bin/phpunit
bin/rails test
./manage.py test
./node_modules/.bin/tsc --noEmit
./scripts/deploy.sh --dry-run
./bin/tool --config config.yml
./configure --prefix=/usr/local && make
./a.out < input.txt > output.txt
./test_runner | tee results.txt
cargo nextest run
turbo run build
nx test app
lerna run test
ng build
vite build
next build
expo start
rails routes
mix test
stack build
dune build
zig build
bazel test //...
gradle test
sbt test
lein test
elm make src/Main.elm
dart test
flutter test
swift test
xcodebuild -scheme x test
pod install
fastlane test
ls -la | grep foo
ls *.py | xargs wc -l
ls *.py | xargs -n1 basename
ls | while read f; do echo "$f"; done
ls -t | head -1
cat f | tr ' ' '\n' | sort | uniq -c
cat package.json | grep version
cat a.json | python3 -m json.tool
cat a.json | python3 -c "import sys,json; print(json.load(sys.stdin)['a'])"
cat list | while read x; do echo $x; done
curl -s http://localhost:9200/_cat/indices
curl -s https://api.github.com/repos/x/y | jq .name
curl -L -o file.zip https://github.com/x/y/archive/main.zip
curl -I https://example.com
wget -q https://github.com/x/y.tar.gz
git diff > changes.patch
git diff HEAD -- '*.py' | grep '^+'
git log --all --oneline --graph | head -20
git log --since='1 week ago' --author=x
git stash && git checkout main && git pull && git checkout - && git stash pop
git add . && git commit -m "wip" || true
git commit -m 'feat: add `rm -rf` guard; drop $HOME handling'
git commit -F msg.txt
git commit --allow-empty -m "trigger"
git show --stat HEAD~3
git branch --merged | grep -v main
git log --pretty=format:"%h - %an, %ar : %s"
git rev-list --count HEAD
git fetch origin pull/12/head:pr-12
git ls-remote origin
git config --list
git config user.email a@b.c
git init
git init && git add -A && git commit -m init
gh pr view --json title,body
gh pr checkout 12
gh pr comment 12 --body "curl x | sh is bad"
gh issue create --title "rm -rf / bug" --body "see /etc/passwd"
gh release list
docker build --build-arg A=1 -t x .
docker compose up --build -d
docker compose exec web python manage.py migrate
docker logs x 2>&1 | tail
docker exec -it db psql -c 'select 1'
kubectl get pods -A -o wide
kubectl logs -f deploy/x
kubectl describe node
helm list
terraform plan -out=tf.plan
terraform fmt -recursive
aws sts get-caller-identity
aws s3 ls s3://bucket
gcloud auth list
pip install -U pip
pip install 'requests>=2'
pip install --upgrade -r requirements.txt
pip install -e '.[dev]'
python -m pip install -r requirements-dev.txt
uv pip install -r requirements.txt
uv add httpx
poetry add httpx
npm i -D typescript
yarn add react
pnpm add zod
go get ./...
bundle exec rake test
composer require x/y
python setup.py build
python -m build
python - <<< "print(1)"
python3 -c "import os; print(os.getcwd())"
python3 -c "from pathlib import Path; Path('a.txt').write_text('x')"
python3 -c "import sqlite3; print(sqlite3.connect('a.db').execute('select 1').fetchall())"
python3 -c "import yaml; yaml.safe_load(open('a.yml'))"
python3 -c "import requests; print(requests.get('http://localhost:8000').text)"
python3 -m py_compile src/*.py
python3 -m timeit "1+1"
python3 -W error -c "import x"
python3 -u app.py 2>&1 | tee app.log
PYTHONDONTWRITEBYTECODE=1 python3 -m pytest -p no:cacheprovider
FOO=bar BAZ=qux ./run.sh
export $(grep -v '^#' .env.example | xargs) && npm start
set -a; source .env.example; set +a; npm start
test -d dist && rm -rf dist; mkdir dist
rm -rf dist && npm run build
rm -rf "$PWD/dist"
rm -rf ./build/*
rm -rf node_modules/.cache
rm -f coverage.xml .coverage
rm -rf /home/user/project/dist
rm -f src/old_file.py src/other_file.py
rm src/components/Old.tsx
rm -r __pycache__
rm -rf **/__pycache__
find . -name node_modules -prune -o -name '*.js' -print
find . -type d -name __pycache__ -prune -exec rm -rf {} \;
find . -name '*.orig' -delete
find . -name '*.sh' -exec chmod +x {} +
find . -type f -name '*.ts' -exec sed -i 's/a/b/g' {} +
find . -empty -type d
find . -name '*.log' -mtime +7 -delete
find src -name '*.test.ts' | xargs npx jest
find . -name '*.py' -exec python3 -m py_compile {} \;
find . -name "*.md" | xargs -I{} sh -c 'echo {}; head -1 {}'
for f in $(find . -name '*.sh'); do bash -n "$f"; done
for f in $(ls *.txt); do echo $f; done
for f in *.jpg; do convert "$f" "${f%.jpg}.png"; done
for pkg in a b; do (cd packages/$pkg && npm test); done
for i in {1..3}; do echo $i; sleep 1; done
for t in tests/*.sh; do bash "$t" || exit 1; done
for f in a b; do if [ -f "$f" ]; then cat "$f"; fi; done
while true; do date; sleep 1; done
until pg_isready -h localhost; do sleep 1; done
if ! command -v jq >/dev/null; then echo no jq; fi
if git diff --quiet; then echo clean; else echo dirty; fi
mkdir -p a/b && cd a/b && touch x && cd -
cd packages/app && npm run build && cd ../..
cd frontend; npm ci; npm test
(cd frontend && npm ci) && (cd backend && pip install -r requirements.txt)
pushd frontend > /dev/null; npm test; popd > /dev/null
cp .env.example .env.local.example
cp -r templates/* dist/
cp -R src dist/
cp a.txt /tmp/
cp /tmp/a.txt .
mv dist/* public/
mv *.log logs/
mv src/{a,b}.py
ln -s ../shared shared
ln -sf $(pwd)/bin/x bin/y
tar -czf backup.tgz --exclude=node_modules .
tar -xzf a.tgz -C vendor
unzip -o a.zip -d vendor
zip -r out.zip dist
gzip -k a.txt
sed -i '' 's/a/b/' f
sed -i -e 's/a/b/' -e '/x/d' f
sed -i "s|http://old|http://new|g" config.json
sed -i '5i import os' a.py
sed -i '10,20d' a.py
sed -n '/start/,/end/p;/x/w out.txt' f
sed 's/\/etc\/passwd/x/' f
awk 'NR==FNR{a[$1];next} $1 in a' f g
awk '{printf "%s\n", $1 > "out.txt"}' f
awk -F, 'NR>1 {s+=$2} END {printf "%.2f\n", s}' f
awk 'length > 120' src/*.py
cut -f1 f | sort -u | tee list.txt | wc -l
paste -sd, f
xargs -n2 echo < f
echo "a b" | xargs -n1
git ls-files -z | xargs -0 wc -l
git ls-files '*.py' | xargs ruff check
git diff --name-only --diff-filter=d | grep '\.py$' | xargs black
pgrep -f vite && echo running
ps -ef | grep python | grep -v grep
netstat -an | grep LISTEN
ss -tlnp
jobs -l
kill $(jobs -p)
npm start & SERVER_PID=$!; trap "kill $SERVER_PID" EXIT; npm run e2e
(sleep 5; echo hi) &
timeout 5 bash -c 'until nc -z localhost 80; do sleep 1; done'
bash -c "source .venv/bin/activate && pytest"
bash -lc 'npm test'
sh -c 'echo $0 $1' a b
eval "$(rbenv init - bash)"
eval "$(conda shell.bash hook)"
eval "$(starship init bash)"
source ~/.nvm/nvm.sh && nvm use 20
source ~/.bashrc
. "$HOME/.cargo/env"
[ -s "$NVM_DIR/nvm.sh" ] && . "$NVM_DIR/nvm.sh"
export NVM_DIR="$HOME/.nvm"
x=$(date +%Y); mkdir -p "logs/$x"
OUT=/tmp/out.$$; npm test > $OUT; tail $OUT
LOG=$(mktemp /tmp/log.XXXX); make > "$LOG" 2>&1; tail "$LOG"; rm -f "$LOG"
DIR=$(mktemp -d); git clone https://github.com/x/y "$DIR"; ls "$DIR"; rm -rf "$DIR"
cat > /tmp/a.json <<< '{}'
tee /tmp/x.py > /dev/null <<< 'print(1)'
echo '{"command":"rm -rf /tmp/x"}' > payload.json
echo '{"command":"rm -rf /"}' | python3 hook.py
echo "SELECT 1" | psql
printf 'GET / HTTP/1.0\r\n\r\n' | nc localhost 8080
diff <(git show HEAD:a) a
comm -3 <(ls a) <(ls b)
sqlite3 a.db < schema.sql
sqlite3 a.db "INSERT INTO t VALUES (1)"
redis-cli get x
mongosh --eval 'db.x.find()'
openssl s_client -connect localhost:443 </dev/null
base64 -w0 logo.png > logo.b64
hexdump -C f | head
jq -s 'add' *.json > all.json
jq -r '.[] | "\(.a) \(.b)"' f
yq -i '.version = 2' chart.yaml
yq '.a' f.yaml
time npm test
/usr/bin/time -v ./a.out
command time ls
hash -r
type -a python
compgen -c | head
set -x; ls; set +x
shopt -s globstar; ls **/*.py
trap 'echo bye' EXIT
exec bash
exit 0
return 0 2>/dev/null || true
true
:
# just a comment
read -r x < f; echo "$x"
declare -p x
printf -v x '%03d' 5; echo $x
echo $RANDOM $$ $?
echo "${arr[@]}" ${#arr[@]}
cross-env NODE_ENV=test jest
dotenv -- npm start
concurrently "npm run a" "npm run b"
wait-on http://localhost:3000
nodemon server.js
pm2 list
storybook build
cypress run
mytool test find-bugs
mytool --script build.sh
mytool -c config.yml
mytool -c "select a from b where c"
custom exec -- pytest -q
internal-cli env list
internal-cli run dev
something.sh
./x rm-old
sentry-cli releases list
"""
"""One command a line."""

BLOCKS = [
    "git commit -m \"$(cat <<'EOF'\nFix the thing\n\nIt used `rm -rf /` before; curl x | sh\nEOF\n)\"",
    "cat > src/a.py <<'EOF'\nimport os\nos.system(\"rm -rf /\")\nEOF",
    "cat > notes.md <<EOF\nDo not run rm -rf / or curl x | sh\nEOF",
    "cat <<'EOF' > x.sh\n#!/bin/bash\nrm -rf \"$1\"\nEOF",
    "cat > run.sh <<'EOF' && chmod +x run.sh && ./run.sh\n#!/bin/bash\nset -e\nnpm test\nEOF",
    "cat >> .gitignore <<'EOF'\nnode_modules\n.env\nEOF",
    "cat > Dockerfile <<'EOF'\nFROM python\nRUN apt-get update && rm -rf /var/lib/apt/lists/*\nEOF",
    "cat > /tmp/test.py <<'EOF'\nprint(1)\nEOF\npython3 /tmp/test.py",
    "python3 - <<'EOF'\nprint(1)\nEOF",
    'python3 <<\'EOF\'\nimport json\nd = json.load(open("a.json"))\nd["x"] = 1\njson.dump(d, open("a.json", "w"))\nEOF',
    "node <<'EOF'\nconsole.log(1)\nEOF",
    'python3 - <<\'EOF\'\nimport re, pathlib\np = pathlib.Path("src/app.py")\ns = p.read_text()\ns = s.replace("a", "b")\np.write_text(s)\nEOF',
    '{\n  echo "# Report"\n  date\n  git log -3\n} > report.md\ncat report.md',
    'for f in a b; do\n  echo "== $f"\n  cat "$f"\ndone > out.txt',
    'while read -r line; do\n  echo "$line"\ndone <<EOF\na\nb\nEOF',
    'set -e\nd=$(mktemp -d)\ncd "$d"\ncat > t.c <<\'EOF\'\nint main(){}\nEOF\ngcc t.c -o t && ./t\ncd - && rm -rf "$d"',
    "cat > a.sh <<'EOF'\necho hi\nEOF\nln -s a.sh b.sh\nbash b.sh",
    "cp template.sh /tmp/x.sh\nsh /tmp/x.sh",
]
"""Commands of several lines."""


@pytest.mark.parametrize("command", [*LINES.strip().split("\n"), *BLOCKS])
def test_ordinary_work_is_quiet(command: str) -> None:
    """Everyday commands are allowed, a warning at most."""
    decision = judge_text(command)
    assert decision.verdict == VERDICT_ALLOW, decision.findings
