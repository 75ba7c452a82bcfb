# bsonscope. `make` builds ./bsonscope; `make run` and `make test` first install what is missing.
#
# MODE is one of release, debug, asan, tsan, fuzz; each has its own build folder.

MODE    ?= release
PREFIX  ?= /usr/local
DESTDIR ?=
VERSION := 0.1.0
BUILD   := build/$(MODE)

# libmongoc 2.x calls its pkg-config modules mongoc2 and bson2; 1.x libmongoc-1.0 and libbson-1.0.
MONGOC  := $(shell pkg-config --exists mongoc2 2>/dev/null && echo mongoc2 bson2 || echo libmongoc-1.0 libbson-1.0)
MODULES := $(MONGOC) ncursesw panelw libpcre2-8 zlib
LINKED  := $(lastword $(MONGOC)) ncursesw panelw libpcre2-8 zlib
DECIMAL := -lbidgcc000
# Linux: the program loads libmongoc 1.x when it needs it (src/remote/driver.h). Tests call it themselves.
DRIVER  := $(shell pkg-config --libs $(MONGOC) 2>/dev/null)
LOADED  := $(if $(filter Linux-libbson-1.0,$(shell uname -s)-$(lastword $(MONGOC))),-ldl,$(DRIVER))

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
FLAGS_release := -O2 -g
FLAGS_debug   := -O0 -g3
FLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_tsan    := -O1 -g -fsanitize=thread
FLAGS_fuzz    := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# -ffp-contract=off: the library sample's generator must round as IEEE doubles do, without fused multiply-add.
CPPFLAGS += -D_GNU_SOURCE -DBSONSCOPE_VERSION='"$(VERSION)"' -I. -Isrc -I$(BUILD) $(shell pkg-config --cflags $(MODULES) 2>/dev/null)
CFLAGS   += -std=c11 $(WARNINGS) $(FLAGS_$(MODE)) -ffp-contract=off -pthread
LDFLAGS  += $(FLAGS_$(MODE)) -pthread -Wl,--as-needed
LDLIBS   += $(shell pkg-config --libs $(LINKED) 2>/dev/null) $(LOADED) $(DECIMAL) -lm

SOURCES  := $(filter-out src/main.c,$(wildcard src/*.c src/*/*.c ui/*.c ui/*/*.c))
EMBEDDED := $(wildcard queries/*.json src/samples/bookstore/*.json)
OBJECTS  := $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/embedded.o
LIBRARY  := $(BUILD)/libbsonscope.a
PROGRAM  := $(BUILD)/bsonscope

FUZZED   := reader plan log
HARNESS  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/harness/*.c) $(FUZZED:%=tests/fuzz/fuzz_%.c))
UNITS    := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
TOOLS    := $(patsubst tests/tools/%.c,$(BUILD)/tests/%,$(wildcard tests/tools/*.c))
BENCHES  := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))
TIMED    := $(BUILD)/bench/contest/engine $(BUILD)/bench/budget/budget
CHECKS   := $(wildcard tests/batch/*.sh tests/screens/*.sh tests/clients/*.sh)

# One short line a file; `make V=1` shows the commands.
ifeq ($(V),)
Q := @
say = @echo "  $(1)	$(2)"
endif

.PHONY: all run test deps test-deps debug asan tsan fuzz bench lint screenshots clean install uninstall units
.DELETE_ON_ERROR:

all: bsonscope

bsonscope: $(PROGRAM)
	$(Q)rm -f $@ && cp $(PROGRAM) $@

run: deps
	$(MAKE) --no-print-directory all
	./bsonscope $(ARGS)

deps:
	@sh scripts/deps.sh build

test-deps:
	@sh scripts/deps.sh build test

# The packages have to be there before make reads their flags: hence the second make.
test: test-deps
	$(MAKE) --no-print-directory check

check: all units
	@BUILD=$(BUILD) MODE=$(MODE) sh scripts/test.sh $(UNITS) -- $(CHECKS)
.PHONY: check

debug:
	$(MAKE) MODE=debug build/debug/bsonscope
asan:
	$(MAKE) MODE=asan test
tsan:
	$(MAKE) MODE=tsan test

# libFuzzer is clang's. FUZZ_SECONDS for each target.
FUZZ_CC      ?= clang
FUZZ_SECONDS ?= 60
fuzz: deps
	$(MAKE) --no-print-directory MODE=fuzz CC="$(FUZZ_CC)" fuzz-run
fuzz-run: $(FUZZED:%=$(BUILD)/fuzz/%)
	BUILD=$(BUILD) FUZZ_SECONDS=$(FUZZ_SECONDS) sh tests/fuzz/run.sh $(FUZZED)
.PHONY: fuzz-run

units: $(UNITS) $(TOOLS)

bench: deps
	$(MAKE) --no-print-directory bench-run
bench-run: all $(BENCHES) $(TIMED)
	BUILD=$(BUILD) sh tests/bench/run.sh $(BENCHES)
.PHONY: bench-run

lint: test-deps
	sh scripts/lint.sh

screenshots: deps
	$(MAKE) --no-print-directory all
	sh scripts/screenshots.sh ./bsonscope

$(PROGRAM): $(BUILD)/src/main.o $(LIBRARY)
	$(call say,link,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(LIBRARY): $(OBJECTS)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# Data files become byte arrays: embedded_find("queries/library.json", &size).
$(BUILD)/embedded.c: $(EMBEDDED) scripts/embed.sh
	@mkdir -p $(@D)
	$(Q)sh scripts/embed.sh $(EMBEDDED) > $@
$(BUILD)/embedded.o: $(BUILD)/embedded.c
	$(call say,cc,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/%: tests/unit/%.c $(HARNESS) $(LIBRARY) Makefile
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -Itests -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< $(HARNESS) $(LIBRARY) $(LDLIBS) $(DRIVER) -lcunit -lutil

$(BUILD)/tests/%: tests/tools/%.c $(HARNESS) $(LIBRARY) Makefile
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -Itests -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< $(HARNESS) $(LIBRARY) $(LDLIBS) $(DRIVER) -lcunit -lutil

$(BUILD)/bench/%: tests/bench/%.c $(LIBRARY) Makefile
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -Itests -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< $(LIBRARY) $(LDLIBS)

$(BUILD)/fuzz/%: tests/fuzz/fuzzer.c $(BUILD)/tests/fuzz/fuzz_%.o $(LIBRARY) Makefile
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fsanitize=fuzzer -DFUZZ_TARGET=fuzz_$* -Itests $(LDFLAGS) -o $@ \
		$< $(BUILD)/tests/fuzz/fuzz_$*.o $(LIBRARY) $(LDLIBS)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/bsonscope/queries $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 bsonscope $(DESTDIR)$(PREFIX)/bin/bsonscope
	install -m 644 queries/*.json queries/README.md $(DESTDIR)$(PREFIX)/share/bsonscope/queries
	./bsonscope --man > $(DESTDIR)$(PREFIX)/share/man/man1/bsonscope.1

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/bsonscope $(DESTDIR)$(PREFIX)/share/man/man1/bsonscope.1
	rm -rf $(DESTDIR)$(PREFIX)/share/bsonscope

clean:
	rm -rf build bsonscope

$(HARNESS): CPPFLAGS += -Itests

-include $(OBJECTS:.o=.d) $(HARNESS:.o=.d) $(BUILD)/src/main.d $(UNITS:=.d) $(TOOLS:=.d) $(BENCHES:=.d) $(TIMED:=.d)
