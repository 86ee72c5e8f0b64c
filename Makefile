# What a person or a machine does with this repository. `make help` lists it.

PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
CORPORA ?= ../shared/corpora
# one more than two cores have: many tests wait for a client or a process
WORKERS ?= 3
SOURCES := src tests bench scripts
# a tenth of the work that pip has with so much; it knows no settings of pip's, so where it finds no index pip does it
UV := "$$(sed -n 's/.*"\(uv==[0-9.]*\)".*/\1/p' pyproject.toml)"
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: recording packages deb composed options freeze thaw release-check docs site frameworks fuzz help demo install test lint format types unit e2e client clients score bench judges clean

help: ## list what can be made
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

# -- what the rest stands on; made again when pyproject.toml changes -------------------------------

$(VENV)/.made: scripts/venv.sh
	@PYTHON="$(PYTHON)" sh scripts/venv.sh $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml
	@echo "==> installing interlock into $(VENV)"
	@$(PIP) install -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.made pyproject.toml
	@echo "==> installing interlock and its test tools into $(VENV)"
	@$(PIP) install $(UV) && $(BIN)/uv --quiet pip install --python $(BIN)/python -e '.[dev]' || $(PIP) install -e '.[dev]'
	@touch $@ $(VENV)/.installed

# -- for people ------------------------------------------------------------------------------------

demo: $(VENV)/.installed ## install, then watch a recorded agent session go through the guard
	@echo "==> running the demonstration"
	@$(BIN)/python -m interlock demo
	@echo "That was from this folder. To have it for yourself:  make install"

install: ## install interlock for yourself, into ~/.local/share/interlock, with a link in ~/.local/bin; EXTRAS=agent for more
	@PYTHON="$(PYTHON)" EXTRAS="$(EXTRAS)" sh scripts/install.sh

test: lint client ## install, then check style, types, pages and behaviour
	@sh scripts/side_by_side.sh '$(MAKE) --no-print-directory types site' '$(MAKE) --no-print-directory unit'
	@echo "==> all checks passed"

# -- the parts of a test ---------------------------------------------------------------------------

lint: $(VENV)/.installed-dev ## check style and format
	@echo "==> ruff: style"
	@$(BIN)/python -m ruff check $(SOURCES)
	@echo "==> ruff: format"
	@$(BIN)/python -m ruff format --check $(SOURCES)

format: $(VENV)/.installed-dev ## put everything into its format
	@$(BIN)/python -m ruff check --fix-only $(SOURCES)
	@$(BIN)/python -m ruff format $(SOURCES)

types: $(VENV)/.installed-dev ## check types, strictly
	@echo "==> mypy --strict: types"
	@$(BIN)/python -m mypy

unit: $(VENV)/.installed-dev ## run the tests, in as many processes as WORKERS says
	@echo "==> pytest: behaviour, in $(WORKERS) processes"
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

e2e: $(VENV)/.installed-release clients frameworks ## run what make test leaves out: all real clients, frameworks, Go, long sets, made-up commands (an hour)
	@echo "==> pytest: real clients, Go programs, and made-up commands in a sandbox"
	@INTERLOCK_CLIENTS=1 INTERLOCK_FUZZ=$${INTERLOCK_FUZZ:-60} $(BIN)/python -m pytest -m 'e2e or long or hypothesis' -n $(WORKERS) --dist loadfile

# Heavy, so in a folder of their own: about 800 MB.
.frameworks/.installed: $(VENV)/.made pyproject.toml
	@echo "==> installing agent frameworks into .frameworks/"
	@PYTHON="$(PYTHON)" sh scripts/venv.sh .frameworks
	@.frameworks/bin/python -m pip --disable-pip-version-check --quiet install -e '.[frameworks]'
	@touch $@

frameworks: .frameworks/.installed ## install agent frameworks into .frameworks/ and run the tests of their adapters
	@echo "==> pytest: agent frameworks"
	@INTERLOCK_FRAMEWORKS=1 .frameworks/bin/python -m pytest -W default --disable-warnings -q tests/e2e/frameworks

composed: $(VENV)/.installed-dev ## compose calls that nobody wrote, with the answer known, and print those answered otherwise
	@$(BIN)/python -m tests.test_composed

fuzz: $(VENV)/.installed-dev ## look for new examples that break a law (the tests use the same ones every time)
	@echo "==> pytest: new examples"
	@INTERLOCK_FUZZ=1 $(BIN)/python -m pytest -q -m hypothesis

# The real Claude Code, kept in .clients/. Without npm its tests skip; where a machine judges (CI is set), a failed install is a failure.
client: $(VENV)/.made ## install the real Claude Code, which tests talk to, into .clients/
	@if [ ! -f scripts/install_client.py ]; then \
	    echo "==> no client to install: scripts/install_client.py is not there, so tests with real clients are skipped"; \
	elif ! command -v npm >/dev/null 2>&1; then \
	    echo "==> npm was not found, so the tests with the real Claude Code are skipped; to run them: sudo apt-get install npm"; \
	else \
	    echo "==> installing the real Claude Code into .clients/ (once)"; \
	    $(BIN)/python scripts/install_client.py || { \
	        echo "==> the client could not be installed, so the tests with the real Claude Code are skipped" >&2; \
	        test -z "$$CI"; \
	    }; \
	fi

clients: $(VENV)/.made ## install every real client program, for make e2e (about 1.7 GB)
	@if command -v npm >/dev/null 2>&1; then \
	    echo "==> installing every real client into .clients/ (once)"; \
	    $(BIN)/python scripts/install_client.py all; \
	else \
	    echo "==> npm was not found, so the tests with real clients are skipped; to run them: sudo apt-get install npm"; \
	fi

$(VENV)/.installed-release: $(VENV)/.installed-dev
	@echo "==> installing the compiler of the relay into $(VENV) (once, 100 MB)"
	@$(PIP) install -e '.[release]'
	@touch $@

release-check: $(VENV)/.installed-release ## build wheels, sdist and bills of materials into dist/, twice; try them with every Python found, each extra alone
	@$(BIN)/python scripts/release_check.py

# -- figures ---------------------------------------------------------------------------------------

score: $(VENV)/.installed-dev ## judge labelled corpora and print how many answers are right
	@if [ -f $(CORPORA)/score.py ]; then \
	    echo "==> judging $(CORPORA)/*.jsonl"; \
	    $(BIN)/python $(CORPORA)/score.py $(CORPORA)/*.jsonl --adapter "$(BIN)/interlock judge --jsonl" --by family; \
	    $(BIN)/python scripts/accuracy.py $(CORPORA); \
	else \
	    echo "there is no corpus to score: $(CORPORA)/score.py was not found; name its folder: make score CORPORA=/path/to/corpora"; \
	fi

freeze: $(VENV)/.installed-dev ## write down what every text at hand does and how it is judged
	@$(BIN)/python scripts/freeze.py --corpora $(CORPORA)

thaw: $(VENV)/.installed-dev ## say what is read or judged otherwise since `make freeze`
	@$(BIN)/python scripts/freeze.py --corpora $(CORPORA) --against

options: $(VENV)/.installed-dev ## write the tables of options anew, of programs that are installed here (NAMES=, FIG=folder of the package's build)
	@test -d "$(FIG)" || { echo "FIG= is no folder: npm pack @withfig/autocomplete, unpack it, and name its folder build"; exit 2; }
	@$(BIN)/python -m scripts.options $(FIG) $(NAMES)

bench: $(VENV)/.installed ## measure the start of the hook and the time of a decision, as ratios
	@echo "==> whole process: the hook against the bare interpreter"
	@$(BIN)/python bench/hook_start.py
	@echo "==> whole process: a guard that stays, against the cheapest processes there are"
	@$(BIN)/python bench/resident.py
	@echo "==> bench: what commands take of the processor (bench/commands.py)"
	@$(BIN)/python -m bench.commands
	@echo "==> whole processes: guarded programs (bench/guarded_start.py)"
	@$(BIN)/python -m bench.guarded_start
	@echo "==> in process: reading and deciding"
	@$(BIN)/python bench/decide.py
	@echo "==> in process: an ask with 10,000 files at stake"
	@$(BIN)/python bench/radius.py

judges: $(VENV)/.installed-dev ## measure what judges of reviews let pass; your model: make judges MODEL="--protocol openai-chat --model NAME --url URL"
	@$(BIN)/python bench/judges.py $(MODEL)

docs: $(VENV)/.installed ## write the pages that are generated
	@$(BIN)/python scripts/make_docs.py

recording: $(VENV)/.installed client ## record the moving picture of a session inside the real Claude Code anew (needs tmux)
	@$(BIN)/python -m scripts.claude_recording

packages: $(VENV)/.installed ## write what of the packages for clients follows from the source (packaging/)
	@$(BIN)/python -m scripts.make_packages

deb: $(VENV)/.installed-dev ## build a package for Debian and Ubuntu into dist/
	@PYTHON="$(BIN)/python" sh packaging/debian/build.sh dist

site: $(VENV)/.installed-dev ## build the documentation site into site/; a link that leads nowhere is an error
	@echo "==> mkdocs: the documentation site"
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

clean: ## remove what was made, real clients apart
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests bench scripts -name __pycache__ -type d -prune -exec rm -rf {} +
