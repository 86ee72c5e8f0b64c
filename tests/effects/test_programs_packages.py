"""Package managers: what is installed, from where, to where; what is published; what is run. Each asked-about row has a permitted twin."""

from __future__ import annotations

import pytest

from tests.effects.reading import seen

DOES = [
    ("pip install requests", "installs:project"),
    ("pip install --user requests", "installs:user"),
    ("pip install --target /opt/x requests", "installs:global"),
    ("pip install --break-system-packages -r r.txt", "installs:global"),
    ("pip install -r requirements.txt", "installs:manifest"),
    ("pip install -e .", "installs:manifest"),
    ("pip install '.[test]'", "installs:manifest"),
    ("pip install git+https://x.example/r", "installs:vcs"),
    ("pip install https://x.example/a.whl", "installs:url"),
    ("pip install -r https://x.example/r.txt", "installs:url"),
    ("pip install --index-url https://x.example/simple a", "installs:other-index"),
    ("pip3 uninstall -y requests", "installs:remove"),
    ("python -m pip install x", "installs:project"),
    ("uv pip install x", "installs:project"),
    ("uv add x", "installs:project"),
    ("uv sync", "installs:manifest"),
    ("uv tool install x", "installs:user"),
    ("uvx evil", "installs:exec"),
    ("uv run rm -rf /", "deletes=/"),
    ("uv run bash -c 'rm -rf /' --help", "deletes=/"),
    ("uv publish", "publishes:package"),
    ("poetry add x", "installs:project"),
    ("poetry publish", "publishes:package"),
    ("poetry run rm -rf /", "deletes=/"),
    ("pipx install x", "installs:user"),
    ("pipx run x", "installs:exec"),
    ("twine upload dist/*", "publishes:package"),
    ("conda install x", "installs:project"),
    ("npm install", "installs:manifest"),
    ("npm ci", "installs:manifest"),
    ("npm install lodash", "installs:project"),
    ("npm install -g x", "installs:global"),
    ("npm i --global x", "installs:global"),
    ("npm -g install x", "installs:global"),
    ("npm install user/repo", "installs:vcs"),
    ("npm install https://x.example/a.tgz", "installs:url"),
    ("npm run build", "executes:package-script"),
    ("npm test", "executes=test"),
    ("npm publish", "publishes:package"),
    ("npm unpublish x", "publishes:remove"),
    ("npm owner add u x", "publishes:permission"),
    ("npm config set script-shell /tmp/x", "runs-code:option-command"),
    ("npm config set registry x", "writes=/home/user/.npmrc"),
    ("npm exec -c 'rm -rf /'", "deletes=/"),
    ("npx rm-all", "installs:exec"),
    ("npx tsc", "installs:known"),
    ("npx -c 'rm -rf /'", "deletes=/"),
    ("pnpm dlx x", "installs:exec"),
    ("yarn", "installs:manifest"),
    ("yarn add x", "installs:project"),
    ("yarn global add x", "installs:global"),
    ("yarn build", "executes:package-script"),
    ("yarn npm publish", "publishes:package"),
    ("bun install", "installs:manifest"),
    ("bun add -g x", "installs:global"),
    ("cargo install x", "installs:global"),
    ("cargo add x", "installs:project"),
    ("cargo publish", "publishes:package"),
    ("cargo yank x", "publishes:remove"),
    ("cargo +nightly publish", "publishes:package"),
    ("cargo run --config 'target.x.runner=\"evil\"'", "runs-code:option-command"),
    ("go install x.example/a@latest", "installs:global"),
    ("go run x.example/a@latest", "installs:exec"),
    ("go get x.example/a", "installs:project"),
    ("go test -exec 'rm -rf /' ./...", "deletes=/"),
    ("go build -o /etc/x", "writes=/etc/x"),
    ("gem install x", "installs:global"),
    ("gem push x.gem", "publishes:package"),
    ("bundle exec rm -rf /", "deletes=/"),
    ("dotnet nuget push x.nupkg", "publishes:package"),
    ("dotnet ef database drop", "changes-database:drop"),
    ("mvn deploy", "publishes:package"),
    ("gradle publish", "publishes:package"),
    ("mix ecto.drop", "changes-database:drop"),
    ("apt-get install -y x", "installs:system"),
    ("apt-get update", "installs:update"),
    ("apt remove x", "installs:remove"),
    ("apt-get -o APT::Update::Pre-Invoke::='rm -rf /' update", "deletes=/"),
    ("dpkg -i x.deb", "installs:system"),
    ("rpm -Uvh x.rpm", "installs:system"),
    ("pacman -Syu", "installs:system"),
    ("brew install x", "installs:system"),
    ("brew services stop x", "controls-system:service-stop"),
    ("apk add x", "installs:system"),
    ("snap install x", "installs:system"),
    ("nix-shell -p x --run 'rm -rf /'", "deletes=/"),
]

DOES_NOT = [
    ("pip list", "installs"),
    ("pip show x", "installs"),
    ("pip --version", "installs"),
    ("pip install --dry-run x", "installs"),
    ("pip install -e ./pkg", "installs:project"),
    ("pip cache info", "installs"),
    ("uv run pytest", "installs"),
    ("npm list", "installs"),
    ("npm view x", "publishes"),
    ("npm --version", "executes"),
    ("npm outdated", "installs"),
    ("npm install", "installs:global"),
    ("npm publish --dry-run", "publishes"),
    ("npm config get registry", "writes"),
    ("yarn info react", "executes"),
    ("pnpm why x", "executes"),
    ("cargo build", "installs"),
    ("cargo test", "publishes"),
    ("cargo search x", "installs"),
    ("go test ./...", "runs-code"),
    ("go env GOPATH", "writes"),
    ("go build ./...", "installs"),
    ("mvn clean install", "publishes"),
    ("gradle build", "publishes"),
    ("dotnet test", "installs"),
    ("apt list", "installs"),
    ("apt-cache search x", "installs"),
    ("dpkg -l", "installs"),
    ("rpm -qa", "installs"),
    ("rpm -qi x", "installs"),
    ("pacman -Qs x", "installs"),
    ("pacman -Ss x", "installs"),
    ("brew list", "installs"),
    ("brew services list", "controls-system"),
    ("gem list", "installs"),
]


@pytest.mark.parametrize(("command", "word"), DOES)
def test_is_seen(command: str, word: str) -> None:
    """What a package manager would do is among the effects."""
    assert word in seen(command)


@pytest.mark.parametrize(("command", "word"), DOES_NOT)
def test_is_not_seen(command: str, word: str) -> None:
    """Ordinary commands have none of these effects."""
    assert word not in seen(command)


@pytest.mark.parametrize("command", ["bash -c 'rm -rf /' --help", "node -e '1' x", "sh -c 'rm -rf /' --version"])
def test_words_after_the_code_are_its_arguments(command: str) -> None:
    """An option behind ``-c TEXT`` belongs to the text: it hides nothing."""
    assert "runs-code" in seen(command) or "deletes=/" in seen(command)
