# The commands. They write only inside this folder, except for the caches of pip, uv and npm.

PYTHON ?= python3

venv := .venv/bin/python
# uv with the pip settings of this machine, so that an index or a proxy is set in one place.
uv := .venv-uv/bin/python -I infra/uv_command.py
# A package is installed only if its content has the hash in the lock; nothing is compiled.
locked := --quiet --no-compile --require-hashes --only-binary=:all:

# Without these, jsii (under the CDK) keeps its cache in the home folder and prints a banner about Node 20.
export JSII_RUNTIME_PACKAGE_CACHE_ROOT := $(CURDIR)/.cdk/jsii
export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION := 20

.DEFAULT_GOAL := help
.PHONY: help setup installed run load order starts slow outage kill interrupts mixed test quick other walks blackbox check docs format hooks bench fuzz fuzz-api simulate mutate lock synth bootstrap diff deploy after-restore destroy lint-infra clean machine

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# One at a time: two commands in one folder would install into the same environments.
# The three environments of one command have nothing in common: they are made side by side.
setup: machine ## install everything that the other commands need, exactly as locked
	@$(PYTHON) -I infra/alone.py .cdk/setup.lock $(MAKE) --no-print-directory --jobs=3 installed

installed: .venv/onthedot .venv/jobs .venv-cloud/locked node_modules/locked
	@:

# PORT is the port of the API.
PORT ?= 8787
run: setup ## start On the Dot on this machine (PORT=8787); Ctrl-C stops it
	@$(venv) -m onthedot.local --port $(PORT)

test: setup ## run the tests
	@$(venv) -m pytest -m 'not long'

# These tests start no stack; those of the API use Dynoxide.
QUICK := $(addprefix tests/,schedule records store dispatch launch work registry upkeep api)
quick: setup ## run the tests of the rooms that need no stack
	@$(venv) -m pytest -m 'not long and not deep' --quiet --numprocesses=auto $(QUICK)

# Users have 3.11 or newer, the functions run on 3.13: what needs no stack is tested on both.
OTHER ?= $(shell $(PYTHON) -I infra/other_python.py)
OTHERS := $(QUICK) $(addprefix tests/,targets lambdas sdk cli moto)
other: setup ## run the tests that need no stack on the other Python, 3.13 or 3.11, if it is installed
ifeq ($(OTHER),)
	@echo 'No other Python of 3.11 and 3.13 is here: tests run on this one only.'
else
	@$(MAKE) --no-print-directory .venv-other/locked
	@.venv-other/bin/python -m pytest -m 'not long and not deep' --quiet --numprocesses=auto $(OTHERS)
endif

walks: setup ## count the modules that a tick, a run and a write execute
	@$(venv) -m tests.walks

blackbox: setup ## use a local stack as a user does, and test every promise of the docs (some minutes)
	@$(venv) -m pytest tests/blackbox --numprocesses=0 --durations=10

check: setup ## check lint, formatting, types, and the stack against AWS's rules
	@.venv/bin/ruff check
	@.venv/bin/ruff format --check
	@.venv/bin/mypy
	@$(MAKE) --no-print-directory lint-infra

docs: setup ## write the pages that are made from the code: OpenAPI, fields and problems
	@$(venv) -m onthedot.api.replies.generated_files

format: setup ## format the files, and fix what the rules can fix
	@.venv/bin/ruff check --fix-only
	@.venv/bin/ruff format

hooks: setup ## let git check each commit (lint, formatting) and each push (types, the rules in tests/tidy)
	@.venv/bin/pre-commit install

bench: setup ## measure the code's speed against its limits (some minutes)
	@$(venv) -m bench

load: setup ## measure 1,000 one-minute schedules on the local stack: spread, then all at :00 (a quarter of an hour)
	@$(venv) -m bench.local

order: setup ## check on a local stack, with few and with many runs, that waiting runs start in the order of their due times
	@$(venv) -m bench.order

starts: setup ## measure `make run` in a folder that was in use for hours (some minutes)
	@$(venv) -m bench.starts

slow: setup ## measure a schedule that fires each second beside 100 slow calls of another tenant, on a local stack (a quarter of an hour)
	@$(venv) -m bench.slow

# 4 minutes are enough for `.ci/run`.
DOWN ?= 9
outage: setup ## stop a local stack for DOWN=9 minutes, then check the promise of each policy
	@$(venv) -m bench.outage --down-min $(DOWN)

# If nothing else runs on the machine, no run is late by more than a second.
ROUNDS ?= 10
RUNS ?= 1000
kill: setup ## kill dispatchers, workers and the whole local stack under load, ROUNDS=10 times each, and random workers during RUNS=1000 runs
	@ROUNDS=$(ROUNDS) BUSY_SEC=1 RUNS=$(RUNS) $(venv) -m pytest tests/e2e/test_kill.py \
	  tests/engines/test_random_kills.py --numprocesses=0 --capture=no --verbose

# Each release reads the rows, messages and cursors of the other, as during a deployment.
OLD ?= a255cf2
MINUTES ?= 10
mixed: setup ## let the release OLD=a255cf2 and this one work on the same tables for MINUTES=10
	@$(venv) -m bench.mixed --old $(OLD) --minutes $(MINUTES)

# Each moment of the setup has its own clone; each start afterwards must work.
SETUPS ?= 4
STARTS ?= 16
interrupts: setup ## press Ctrl-C at SETUPS=4 moments of `make setup` and STARTS=16 of a first `make run`
	@$(venv) -m tests.e2e.interrupts --setups $(SETUPS) --starts $(STARTS)

fuzz: setup ## give 200,000 broken schedules to the parser
	@FUZZ=200000 $(venv) -m pytest tests/schedule/test_fuzz.py

# Ten seeds, all checks, and links from answers to requests.
EXAMPLES ?= 10
fuzz-api: setup ## let schemathesis look for answers that break the OpenAPI document (a quarter of an hour)
	@FUZZ_API=10 EXAMPLES=$(EXAMPLES) $(venv) -m pytest tests/api/admin/test_schema.py --numprocesses=1 --durations=0

# SEEDS histories over all cores; PROFILE=edits,races and FIRST=1000 choose.
SEEDS ?= 20000
simulate: setup ## play SEEDS=20000 histories of the protocol with all kinds of faults
	@SEEDS=$(SEEDS) $(venv) -m tests.simulation

# SAMPLE changes, drawn by SEED; with MODULES=gate,work only these modules are changed.
SAMPLE ?= 600
SEED ?= 1
mutate: setup ## plant SAMPLE=600 small faults, drawn by SEED=1, and name those that no history or test finds
	@SAMPLE=$(SAMPLE) SEED=$(SEED) MODULES=$(MODULES) $(venv) -m tests.mutation

# The certificate bundle of the AWS CLI would replace the certificates that Node trusts.
cdk := env -u AWS_CA_BUNDLE CDK_HOME=$(CURDIR)/.cdk NODE_OPTIONS=--no-warnings \
  $(venv) -m infra.cdk

# STAGE=test makes or changes the stack OnTheDot-test, beside others of the account.
export STAGE
# Without a terminal nobody can approve.
unasked := $(if $(CI),--require-approval never)
staged := $(if $(STAGE),--context stage=$(STAGE))

# The template is the same in every account, so no account is looked up.
synth: setup ## write the CloudFormation template into cdk.out
	@AWS_EC2_METADATA_DISABLED=true $(cdk) synth --quiet

# OPTIONS="--context alarm_email=ops@example.com" goes to the CDK unchanged.
OPTIONS ?=
bootstrap: setup ## prepare your AWS account and region for the CDK, once
	@$(cdk) bootstrap $(staged) $(OPTIONS)

diff: setup ## show what deploying would change (OPTIONS="--context …" also for bootstrap, deploy, destroy)
	@decided=$$($(venv) -m infra.before_deploy $(OPTIONS)) && \
	  $(cdk) diff $(staged) $$decided $(OPTIONS)

# CI=1 asks nothing; KEY_TO=ssm:/path writes a first admin key there instead of printing it.
export KEY_TO
deploy: setup ## deploy into your AWS account (STAGE=, CI=1), and print an admin key if none is valid
	@decided=$$($(venv) -m infra.before_deploy $(OPTIONS)) && \
	  $(cdk) deploy $(unasked) $(staged) $$decided $(OPTIONS)
	@$(venv) -m infra.welcome

after-restore: setup ## after a restore: keep slots that fired from firing again (docs/restoring.md)
	@$(venv) -m infra.restored

destroy: setup ## take the stack down; its tables and its bucket stay
	@$(cdk) destroy $(if $(CI),--force) $(staged) $(OPTIONS)

# W3005: the CDK writes down dependencies that CloudFormation would find by itself.
lint-infra: setup ## check the stack against AWS's rules and CloudFormation's
	@AWS_EC2_METADATA_DISABLED=true $(cdk) synth --quiet --context lint=true --output .cdk/linted
	@.venv/bin/cfn-lint --ignore-checks W3005 -- .cdk/linted/OnTheDot*.template.json

# uv resolves for 3.11 and 3.13 at once. It is called as it is: an index that only this machine has
# may lack the files of other platforms, and their hashes would be missing here.
# Pins stay as they are unless a .in file asks otherwise; LOCK=--upgrade renews them all.
lock: machine .venv-uv/locked ## pin packages again from the .in files, also the smaller locks of the functions (LOCK=--upgrade: newest versions)
	@for name in requirements requirements-cloud requirements-uv; do \
	  .venv-uv/bin/uv --no-cache pip compile --quiet --universal --python-version 3.11 \
	    --generate-hashes --no-emit-index-url --custom-compile-command "make lock" $(LOCK) \
	    $$name.in --output-file $$name.txt || exit 1; \
	done
	@npm install --package-lock-only --ignore-scripts
	@$(MAKE) setup
	@$(venv) -m infra.cut_lock

# .onthedot stays: it has what you registered on this machine.
clean: ## remove everything that these commands made, except .onthedot
	@rm -rf .venv .venv-cloud .venv-other .venv-uv node_modules cdk.out .cdk onthedot.egg-info
	@rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -prune -exec rm -rf {} +

machine:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo 'On the Dot needs Python 3.11 or newer: make setup PYTHON=/path/to/python3' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo 'This Python cannot make virtual environments: install python3-venv' >&2; exit 1; }
	@node -e 'process.exit(Number(process.versions.node.split(".")[0] < 20))' 2>/dev/null || \
	  { echo 'On the Dot needs Node 20 or newer on the PATH' >&2; exit 1; }
	@command -v npm >/dev/null || { echo 'On the Dot needs npm on the PATH' >&2; exit 1; }

# Each environment is made from nothing by its lock, so that no older package stays in it.
# The file `locked` marks a complete one. It is deleted first and made last, so Ctrl-C leaves no false mark.
# Uncompiled: most of the CDK is never imported, and compiling it takes twenty seconds.
# A newer uv is no reason to install again: that is why it stands behind the bar.
.venv/locked: requirements.txt | .venv-uv/locked
	@echo 'Installing .venv'
	@rm -f $@ .venv/onthedot
	@$(PYTHON) -m venv --clear --without-pip .venv
	@$(uv) pip sync $(locked) --python .venv requirements.txt
	@touch $@

# A half-installed package cannot be replaced.
.venv/onthedot: .venv/locked pyproject.toml
	@rm -rf $@ .venv/lib/python*/site-packages/*onthedot*
	@$(uv) pip install --quiet --offline --no-deps --no-build-isolation --python .venv --editable .
	@touch $@

.venv-other/locked: requirements.txt | .venv-uv/locked
	@echo 'Installing .venv-other'
	@rm -f $@
	@$(OTHER) -m venv --clear --without-pip .venv-other
	@$(uv) pip sync $(locked) --python .venv-other requirements.txt
	@$(uv) pip install --quiet --offline --no-deps --no-build-isolation --python .venv-other --editable .
	@touch $@

# What handlers in jobs/ import, if there is such a file. It may add packages, but change none of ours.
.venv/jobs: .venv/onthedot $(wildcard jobs/requirements.txt)
	@rm -f $@
	@! test -f jobs/requirements.txt || $(uv) pip install --quiet --no-compile --python .venv \
	  --constraint requirements.txt --requirement jobs/requirements.txt
	@touch $@

.venv-cloud/locked: requirements-cloud.txt | .venv-uv/locked
	@echo 'Installing .venv-cloud'
	@rm -f $@
	@$(PYTHON) -m venv --clear --without-pip .venv-cloud
	@$(uv) pip sync $(locked) --python .venv-cloud requirements-cloud.txt
	@touch $@

# pip installs nothing but uv, which installs the rest in a tenth of the time.
.venv-uv/locked: requirements-uv.txt
	@echo 'Installing uv'
	@rm -f $@
	@$(PYTHON) -m venv --clear .venv-uv
	@.venv-uv/bin/python -m pip --disable-pip-version-check --require-virtualenv install \
	  $(locked) --requirement requirements-uv.txt
	@touch $@

node_modules/locked: package.json package-lock.json .npmrc
	@echo 'Installing node_modules'
	@rm -f $@
	@npm ci --silent
	@touch $@
