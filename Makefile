# Two commands are enough on a fresh Debian machine with Rust and Node:
#   make demo   everything in one process, on this computer, without any account
#   make test   the whole test suite
# Both install what is missing, say what they do, and can be run again.

SHELL := /bin/bash
.DEFAULT_GOAL := help
NPM := npm --prefix web-ui --no-fund --no-audit
DEMO_ARGS ?=
# One selection everywhere: another one would turn on other features of the libraries and compile them a second time.
BUILD := cargo build --locked --workspace --bins --tests

.PHONY: help demo test web lint fmt check-web test-web test-browser test-outside test-install soak event bench bench-leads bench-sheets bench-rows clean

help: ## say what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

demo: web ## kiosk, guest's phone and bot in one process; opens at the address it prints
	@tools/need cc
	@echo "── building the program (the first time takes some minutes)"
	@cargo build --locked -p stickers
	@cargo run --quiet --locked -p stickers -- demo $(DEMO_ARGS)

web: web-ui/node_modules/.package-lock.json ## build the web pages that the binary embeds
	@tools/build-web

web-ui/node_modules/.package-lock.json: web-ui/package.json web-ui/package-lock.json
	@tools/need node
	@echo "── installing the npm packages of web-ui by its lock file"
	@$(NPM) ci --loglevel=error
	@touch $@

test: web ## the whole test suite; starts every service it needs
	@tools/need cc postgres chromium python-venv nextest
	@$(MAKE) --no-print-directory test-web
	@echo "── building the program and its tests"
	@$(BUILD)
	@$(MAKE) --no-print-directory test-outside
	@$(MAKE) --no-print-directory test-browser
	@echo "── the tests of the crates"
	@tests/with-postgres.sh cargo nextest run --locked --workspace

test-web: web ## type checks and unit tests of the pages
	@echo "── type checks and unit tests of the pages"
	@$(NPM) run --silent check
	@$(NPM) run --silent test

test-outside: ## a client library that is not ours talks to the simulator
	@tools/need python-venv
	@$(BUILD) --quiet
	@echo "── a foreign Telegram client talks to the simulator"
	@SIMULATOR=$${CARGO_TARGET_DIR:-target}/debug/simulator tests/outside/run.sh

test-browser: web ## the whole path in Chromium
	@tools/need chromium postgres
	@$(BUILD) --quiet
	@echo "── the whole path in Chromium"
	@tests/with-postgres.sh $(NPM) run --silent e2e

test-install: web ## install, boot, upgrade and roll back on a fresh Debian, and start the compose file by hand; needs root, some minutes
	@tools/need cc postgres debootstrap python-venv
	@$(BUILD) --quiet
	@deploy/test/install.sh $${CARGO_TARGET_DIR:-target}/debug/stickers $${CARGO_TARGET_DIR:-target}/debug/simulator
	@tests/with-postgres.sh deploy/test/compose.sh $${CARGO_TARGET_DIR:-target}/debug/stickers $${CARGO_TARGET_DIR:-target}/debug/simulator

soak: ROUNDS ?= 100
soak: ## kill API and bot at ROUNDS moments under load (100), on both engines, and fifty requests without a bot; some twenty minutes
	@tools/need cc postgres nextest
	@$(BUILD) --quiet
	@echo "── kill -9 at $(ROUNDS) moments on each engine, and a backlog of fifty"
	@STICKERS_KILL_ROUNDS=$(ROUNDS) STICKERS_BACKLOG=50 tests/with-postgres.sh cargo nextest run --locked --workspace \
		--test-threads 3 --success-output immediate \
		-E 'binary(leads) and (test(killed_at_any_moment) or test(cards_come_in_order_once))'

bench-rows: ROWS ?= 1000000
bench-rows: web ## every statement of the loops, of a guest's way and of the panel over ROWS old guests, packs and requests (1000000): 10 ms at most
	@tools/need cc postgres nextest
	@STICKERS_OLD_ROWS=$(ROWS) tests/with-postgres.sh cargo nextest run --locked --workspace --no-capture -E 'test(nothing_that_runs_again_and_again)'

event: COUNT ?= 1000
event: web ## an event of COUNT guests (1000) with failing providers and killed processes: in one process, and as real ones; prints the figures
	@tools/need cc postgres nextest
	@$(BUILD) --quiet
	@echo "── an event of $(COUNT) guests, twice"
	@STICKERS_EVENT_GUESTS=$(COUNT) tests/with-postgres.sh cargo nextest run --locked --workspace --test-threads 1 \
		--success-output immediate -E 'binary(event) and test(event)'

lint: web ## formatting, clippy, documentation and types, warnings are errors
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --document-private-items --quiet
	$(NPM) run --silent check
	@if command -v cargo-deny >/dev/null; then cargo deny --log-level error check licenses bans sources; \
	 else echo "cargo-deny is not installed: licences and sources are checked by the house test"; fi

fmt: ## format the code
	cargo fmt --all

bench: ## the figures of BENCHMARKS.md
	cargo bench --locked -p render --bench pack

bench-leads: web ## durable POST /leads beside a bare writer and a FastAPI service
	@tools/need cc python-venv
	@benches/peers/run.sh

bench-sheets: ## a provider's sheet to nine stickers, beside OpenCV, Pillow and sharp
	@tools/need cc node python-venv
	@benches/peers/sheets.sh

clean: ## remove what was built; data stays
	cargo clean
	rm -rf web-ui/*/dist
