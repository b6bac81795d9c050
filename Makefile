# trace-lanefix: `make help` lists the targets. Nothing here uses the network or probes the compiler.
#
# Objects lie in one folder per flag set ($(BUILD)/obj, $(BUILD)/pic), the sanitizer builds in
# folders of their own, so that no build mixes with another. CFLAGS, CPPFLAGS, LDFLAGS and LDLIBS
# given by the user come last.

BUILD ?= build
PREFIX ?= /usr/local
# Not every shell does that behind a =
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/trace-lanefix
BASH_COMPLETION_DIR ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETION_DIR ?= $(PREFIX)/share/zsh/site-functions
FISH_COMPLETION_DIR ?= $(PREFIX)/share/fish/vendor_completions.d
PYTHON ?= python3
# Of the folders in which Python looks the one below PREFIX, else the one that is usual there
PYTHONDIR ?= $(shell $(PYTHON) -c 'import site, sys, sysconfig; p = sys.argv[1]; print(next( \
    (d for d in site.getsitepackages() if d.startswith(p + "/lib")), \
    sysconfig.get_path("purelib", "posix_prefix", {"base": p})))' "$(PREFIX)" 2>/dev/null)
PKG_CONFIG ?= pkg-config
CLANG_FORMAT ?= clang-format
CLANG_TIDY ?= clang-tidy
CPPCHECK ?= cppcheck

VERSION := $(shell sed -n 's/^.define LANEFIX_VERSION "\(.*\)"/\1/p' include/lanefix.h)
SOVERSION := 0

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
# No fused multiply-add: viewer_time imitates the viewer's doubles operation by operation.
# Where it was built does not show, so two builds give the same bytes.
BASE_CFLAGS := -std=c11 -O2 -g -pthread $(WARNINGS) -fvisibility=hidden -ffp-contract=off \
    -ffile-prefix-map='$(CURDIR)'=.
BASE_CPPFLAGS := -Iinclude -D_FILE_OFFSET_BITS=64 -MMD -MP
SANITIZE ?=
ALL_CFLAGS = $(BASE_CFLAGS) $(SANITIZE) $(CFLAGS)
ALL_LDFLAGS = $(SANITIZE) $(LDFLAGS)
LIBS := -lz -lm -pthread
CHECK_CFLAGS = $(shell $(PKG_CONFIG) --cflags check)
CHECK_LIBS = $(shell $(PKG_CONFIG) --libs check)

# ISA-L where it is installed; ISAL=0 leaves it out, ISAL=1 insists on it. What is to be installed is
# what was built, so there the stamp of the last build says it.
BUILT_ISAL := $(if $(filter install,$(MAKECMDGOALS)),$(patsubst $(BUILD)/isal-%,%,$(wildcard $(BUILD)/isal-*)))
ISAL ?= $(or $(BUILT_ISAL),$(shell $(PKG_CONFIG) --exists libisal 2>/dev/null && echo 1 || echo 0))
ifeq ($(ISAL),1)
ISAL_CPPFLAGS := -DHAVE_ISAL $(shell $(PKG_CONFIG) --cflags libisal)
BASE_CPPFLAGS += $(ISAL_CPPFLAGS)
LIBS += $(shell $(PKG_CONFIG) --libs libisal)
else
LEFT_OUT := src/codec_isal.c
endif
# What is the program's own; all else is the library.
PROGRAM_SOURCES := \
    src/main.c \
    src/arguments.c \
    src/description.c \
    src/find_traces.c \
    src/hint.c \
    src/many.c \
    src/messages.c \
    src/one.c \
    src/options.c \
    src/parse.c \
    src/progress.c \
    src/progress_text.c \
    src/result.c \
    src/share_jobs.c \
    src/targets.c \
    src/terminal.c
LIB_SOURCES := $(filter-out $(PROGRAM_SOURCES) $(LEFT_OUT),$(wildcard src/*.c))
PROGRAM_OBJECTS := $(PROGRAM_SOURCES:src/%.c=$(BUILD)/obj/%.o)
LIB_OBJECTS := $(LIB_SOURCES:src/%.c=$(BUILD)/obj/%.o)
PIC_OBJECTS := $(LIB_SOURCES:src/%.c=$(BUILD)/pic/%.o)
UNIT_SOURCES := $(wildcard test/unit/*.c)
UNIT_OBJECTS := $(UNIT_SOURCES:test/unit/%.c=$(BUILD)/unit/%.o)
# A model of the viewer and an oracle of the plan, which share no code with src.
MODEL_SOURCES := $(filter-out test/model/stats.c,$(wildcard test/model/*.c))
MODEL_OBJECTS := $(MODEL_SOURCES:test/model/%.c=$(BUILD)/model/%.o)
ALL_C := $(wildcard include/*.h src/*.[ch] test/*/*.[ch] bench/*.[ch])

PROGRAM := $(BUILD)/trace-lanefix
STATIC_LIB := $(BUILD)/liblanefix.a
SHARED_LIB := $(BUILD)/liblanefix.so.$(SOVERSION)
BENCH_PROGRAMS := $(BUILD)/tracegen $(BUILD)/measure $(BUILD)/tokenize

# make V=1 shows the commands.
ifneq ($(V),1)
Q := @
say = @echo "  $(1) $@"
endif

.DELETE_ON_ERROR:
.PHONY: all check test check-units check-cases check-faults check-signals check-full-disk check-threads \
        check-terminal check-install check-description check-completions check-python \
        check-hostile-small check-hostile check-large check-jobs check-random check-corpus \
        check-reference check-model check-html check-picture check-aarch64 asan tsan fuzz fuzz-targets \
        coverage valgrind bench bench-growth rules demo picture completions dist distcheck install uninstall \
        install-python uninstall-python format format-check lint lint-sources lint-tests lint-cppcheck clean \
        help

all: $(PROGRAM) $(STATIC_LIB) $(SHARED_LIB) ## build the program and the library (default)

# With and without ISA-L are two flag sets in one folder: the one is built anew over the other.
ISAL_STAMP := $(BUILD)/isal-$(ISAL)
$(ISAL_STAMP):
	@mkdir -p $(@D)
	@rm -f $(BUILD)/isal-*
	@touch $@

# What git calls this checkout, asked once for all makes below this one. A stamp has it in its name,
# and one object knows it.
ifeq ($(origin GIT_DESCRIPTION),undefined)
GIT_DESCRIPTION := $(shell scripts/describe $(patsubst $(BUILD)/description-%,%,$(wildcard $(BUILD)/description-*)))
endif
export GIT_DESCRIPTION
DESCRIPTION_STAMP := $(BUILD)/description-$(GIT_DESCRIPTION)
$(DESCRIPTION_STAMP):
	@mkdir -p $(@D)
	@rm -f $(BUILD)/description-*
	@touch $@
$(BUILD)/obj/description.o: $(DESCRIPTION_STAMP)
$(BUILD)/obj/description.o: BASE_CPPFLAGS += -DGIT_DESCRIPTION='"$(GIT_DESCRIPTION)"'

$(BUILD)/obj/%.o: src/%.c $(ISAL_STAMP)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CPPFLAGS) $(CPPFLAGS) $(ALL_CFLAGS) -c $< -o $@

$(BUILD)/pic/%.o: src/%.c $(ISAL_STAMP)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CPPFLAGS) $(CPPFLAGS) $(ALL_CFLAGS) -fPIC -c $< -o $@

$(BUILD)/unit/%.o: test/unit/%.c $(ISAL_STAMP)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CPPFLAGS) -Isrc $(CHECK_CFLAGS) $(CPPFLAGS) $(ALL_CFLAGS) -c $< -o $@

$(BUILD)/model/%.o: test/model/%.c $(ISAL_STAMP)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CPPFLAGS) $(CPPFLAGS) $(ALL_CFLAGS) -c $< -o $@

$(BUILD)/model-stats: $(BUILD)/model/stats.o $(MODEL_OBJECTS)
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $^ -o $@ -lm $(LDLIBS)

$(STATIC_LIB): $(LIB_OBJECTS)
	@rm -f $@
	$(call say,AR)
	$(Q)$(AR) rcs $@ $^

$(SHARED_LIB): $(PIC_OBJECTS)
	$(call say,LD)
	$(Q)$(CC) -shared -Wl,-soname,liblanefix.so.$(SOVERSION) $(ALL_LDFLAGS) $^ -o $@ $(LIBS) $(LDLIBS)

$(PROGRAM): $(PROGRAM_OBJECTS) $(STATIC_LIB)
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $^ -o $@ $(LIBS) $(LDLIBS)

# With what the program is made of but main; threads are counted.
$(BUILD)/units: $(UNIT_OBJECTS) $(MODEL_OBJECTS) $(filter-out %/main.o,$(PROGRAM_OBJECTS)) $(STATIC_LIB)
	$(call say,LD)
	$(Q)$(CC) -Wl,--wrap=pthread_create $(ALL_LDFLAGS) $^ -o $@ $(CHECK_LIBS) $(LIBS) $(LDLIBS)

$(BENCH_PROGRAMS): $(BUILD)/%: bench/%.c
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(BASE_CPPFLAGS) $(CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) $< -o $@ $(LDLIBS)

-include $(wildcard $(BUILD)/*.d $(BUILD)/*/*.d $(BUILD)/fuzz/*/*.d $(BUILD)/fuzz/test/*/*.d)

check: check-cases check-faults check-signals check-full-disk ## run the tests: units, cases, faults, signals, ...
check: check-threads check-terminal check-install check-description check-completions check-python
check: check-hostile-small check-units check-picture
test: check ## another name for check

# RUNNER runs what was built for another machine, such as qemu-aarch64; units and cases can take it.
RUNNER ?=
ifneq ($(RUNNER),)
TESTED := $(BUILD)/run/trace-lanefix
$(TESTED): $(PROGRAM)
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec $(RUNNER) "%s" "$$@"\n' '$(abspath $(PROGRAM))' >$@
	@chmod +x $@
else
TESTED := $(PROGRAM)
endif

check-units: $(BUILD)/units
	$(RUNNER) $(BUILD)/units

RUNS ?= 20000
SEED ?= 1
check-random: $(BUILD)/units ## RUNS random traces from SEED on, judged by a model of the viewer
	CK_RUN_SUITE=random CK_TIMEOUT_MULTIPLIER=100 RUNS=$(RUNS) SEED=$(SEED) $(BUILD)/units

check-cases: $(TESTED)
	test/run-cases $(TESTED) test/cases

$(BUILD)/fault.so: test/faults/fault.c
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(BASE_CPPFLAGS) $(CPPFLAGS) $(BASE_CFLAGS) -fvisibility=default $(CFLAGS) -fPIC \
	    -shared $(LDFLAGS) $< -o $@ -ldl $(LDLIBS)

check-faults: $(PROGRAM) $(BUILD)/fault.so
	test/check-faults $(PROGRAM) $(BUILD)/fault.so test/sample.json test/cases/repair-all/in.json

check-signals: $(PROGRAM) $(BUILD)/tracegen $(BUILD)/fault.so
	test/check-signals $(PROGRAM) $(BUILD)/tracegen $(BUILD)/fault.so

check-full-disk: $(PROGRAM) $(BUILD)/tracegen
	test/check-full-disk $(PROGRAM) $(BUILD)/tracegen

check-threads: $(PROGRAM) $(BUILD)/tracegen $(BUILD)/fault.so
	test/check-threads $(PROGRAM) $(BUILD)/tracegen $(if $(SANITIZE),,$(BUILD)/fault.so)

$(BUILD)/hostile: $(wildcard test/hostile/*.[ch])
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(filter-out -MMD -MP,$(BASE_CPPFLAGS)) $(CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) \
	    $(filter %.c,$^) -o $@ -lz $(LDLIBS)

check-hostile-small: $(PROGRAM) $(BUILD)/hostile $(BUILD)/measure
	test/check-hostile $(PROGRAM) $(BUILD)/hostile $(BUILD)/measure small

check-hostile: $(PROGRAM) $(BUILD)/hostile $(BUILD)/measure ## traces meant to do harm, in full size: an hour, 4 GB in TMPDIR, KINDS
	test/check-hostile $(PROGRAM) $(BUILD)/hostile $(BUILD)/measure full $(KINDS)

SIZE_GB ?= 6
check-large: $(PROGRAM) $(BUILD)/hostile $(BUILD)/measure ## a trace of SIZE_GB (6), plain and through gzip: twice that in TMPDIR
	test/check-large $(PROGRAM) $(BUILD)/hostile $(BUILD)/measure $(SIZE_GB)

$(BUILD)/pty: test/terminal/pty.c
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(BASE_CPPFLAGS) $(CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) $< -o $@ $(LDLIBS)

check-terminal: $(PROGRAM) $(BUILD)/pty
	test/check-terminal $(PROGRAM) $(BUILD)/pty

check-install: all
	+test/check-install $(BUILD)

check-description: all
	+test/check-description $(BUILD)

check-completions: $(PROGRAM)
	test/check-completions $(PROGRAM)

# The completions are made where an option was added, not at each build.
completions: $(PROGRAM) ## make the completions of bash, zsh and fish anew from --help
	$(PROGRAM) --help | scripts/completions/generate bash >scripts/completions/trace-lanefix.bash
	$(PROGRAM) --help | scripts/completions/generate zsh >scripts/completions/_trace-lanefix
	$(PROGRAM) --help | scripts/completions/generate fish >scripts/completions/trace-lanefix.fish

check-python: all ## the tests of the Python module, and the Python tool's own, of REFERENCE=DIR, on it
	+SANITIZE="$(SANITIZE)" test/check-python $(PYTHON) $(SHARED_LIB) "$(REFERENCE)"

CHECKER ?= $(if $(CORPUS),$(CORPUS)/../tools/perfetto_model.py)
check-corpus: $(PROGRAM) $(BUILD)/model-stats ## fix all traces of CORPUS=DIR and let CHECKER=FILE judge them
	@test/check-corpus $(PROGRAM) "$(CORPUS)" "$(CHECKER)" $(BUILD)/model-stats

check-model: $(BUILD)/model-stats ## compare the tests' model of the viewer with CHECKER=FILE on CORPUS=DIR
	@test/check-model $(BUILD)/model-stats "$(CORPUS)" "$(CHECKER)"

check-reference: $(PROGRAM) ## compare with the Python tool in REFERENCE=DIR on random traces
	@test/check-reference $(PROGRAM) "$(REFERENCE)"

check-html: $(PROGRAM) ## the pages and pictures in headless CHROMIUM; PAGES=DIR keeps them, with what they look like
	@test/check-html $(PROGRAM) test/sample.json $(PAGES)

# The README shows it. One that is old is a failure.
SAMPLE_PICTURE := test/sample.svg
check-picture: $(PROGRAM)
	@$(PROGRAM) -q --dry-run --svg $(BUILD)/sample.svg test/sample.json
	@cmp $(BUILD)/sample.svg $(SAMPLE_PICTURE) || { echo 'it is old: make picture'; exit 1; }
	@echo 'check-picture: ok'

picture: $(PROGRAM) ## draw the README's picture anew, of the sample trace
	$(PROGRAM) -q --dry-run --svg $(SAMPLE_PICTURE) test/sample.json

asan: ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(MAKE) BUILD=$(BUILD)/asan check-cases check-units \
	    SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"

# A small trace for check-threads, but of more pieces than are under way at a time with 4 threads. Of the
# units those whose tests start threads (test/unit/units.c): it has nothing to tell of others.
tsan: ## the tests that start threads under ThreadSanitizer
	JOBS=8 SIZE_MB=3 THREADS="1 2 4" $(MAKE) BUILD=$(BUILD)/tsan check-cases check-threads \
	    $(BUILD)/tsan/units SANITIZE="-fsanitize=thread"
	JOBS=8 CK_INCLUDE_TAGS=threads $(BUILD)/tsan/units

# check-faults lets the calls fail by which the counts are written too, and one case runs as a user who
# cannot write them, so the verdicts of these two do not count.
COVERAGE := $(MAKE) BUILD=$(BUILD)/coverage CC=gcc CFLAGS="--coverage -O0" LDFLAGS=--coverage
coverage: ## which lines of src the tests run: units, cases, threads, faults (gcc and gcov)
	@rm -f $(BUILD)/coverage/*/*.gcda
	$(COVERAGE) check-units check-threads
	-GCOV_ERROR_FILE=/dev/null $(COVERAGE) -k check-cases check-faults >$(BUILD)/coverage/rest.log 2>&1
	@test/coverage $(BUILD)/coverage/obj $(PROGRAM_SOURCES) $(LIB_SOURCES)

# Where char is unsigned, and doubles are another machine's. Left out are suites that take long under an
# emulator and whose ground others tread as well; LEAVE_OUT= runs all. scripts/cross-tools installs it.
LEAVE_OUT ?= keep id_map findings repair_damage salvage nest large
AARCH64 := aarch64-linux-gnu
check-aarch64: ## units and cases of a cross-compiled program, under qemu: LEAVE_OUT
	CK_EXCLUDE_TAGS="$(LEAVE_OUT)" PKG_CONFIG_LIBDIR=/usr/lib/$(AARCH64)/pkgconfig:/usr/share/pkgconfig \
	    $(MAKE) BUILD=$(BUILD)/aarch64 CC=$(AARCH64)-gcc AR=$(AARCH64)-ar RUNNER=qemu-aarch64 ISAL=0 \
	    check-cases check-units

# One thread at a time, as memcheck runs them; the tests that are large in themselves are left out.
VALGRIND := valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite \
    --errors-for-leak-kinds=definite
valgrind: $(PROGRAM) $(BUILD)/units ## the units and cases under valgrind's memcheck
	test/run-valgrind "$(VALGRIND)" $(PROGRAM) $(BUILD)/units

THREADS ?= 1 2 8
# Of the units, only the suite of the library looks at JOBS; others run with one and three threads
# always, or have none.
check-jobs: $(PROGRAM) $(BUILD)/units ## the tests with 1, 2 and 8 threads: nothing may depend on it
	for jobs in $(THREADS); do \
	    JOBS=$$jobs test/run-cases $(PROGRAM) test/cases && \
	    JOBS=$$jobs CK_RUN_SUITE=lanefix $(BUILD)/units || exit 1; \
	done

# libFuzzer, so clang whatever CC is. What it finds of interest stays in $(BUILD)/fuzz from run to run.
FUZZ_TARGETS := $(patsubst test/fuzz/fuzz_%.c,%,$(wildcard test/fuzz/fuzz_*.c))
TIME ?= 60
FUZZ_CC = clang $(BASE_CPPFLAGS) -Isrc $(CPPFLAGS) $(BASE_CFLAGS) -fno-sanitize-recover=all $(CFLAGS)
FUZZ_OBJECTS := $(LIB_SOURCES:%.c=$(BUILD)/fuzz/%.o) $(MODEL_SOURCES:%.c=$(BUILD)/fuzz/%.o)
$(BUILD)/fuzz/%.o: %.c $(ISAL_STAMP)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer-no-link,address,undefined -c $< -o $@

$(FUZZ_TARGETS:%=$(BUILD)/fuzz/%): $(BUILD)/fuzz/%: $(BUILD)/fuzz/test/fuzz/fuzz_%.o $(FUZZ_OBJECTS)
	$(call say,LD)
	$(Q)clang -fsanitize=fuzzer,address,undefined $(LDFLAGS) $^ -o $@ $(LIBS) $(LDLIBS)

fuzz-targets: $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%)
fuzz: fuzz-targets ## run each fuzz target for TIME seconds (60)
	for target in $(FUZZ_TARGETS); do \
	    mkdir -p $(BUILD)/fuzz/$$target.corpus && \
	    $(BUILD)/fuzz/$$target -max_total_time=$(TIME) -max_len=4096 -timeout=60 -print_final_stats=1 \
	        -verbosity=0 -dict=test/fuzz/trace.dict -artifact_prefix=$(BUILD)/fuzz/$$target. \
	        $(BUILD)/fuzz/$$target.corpus $$(ls -d test/fuzz/corpus/$$target 2>/dev/null) \
	        test/cases/accept-* test/cases/refuse-* test/cases/salvage-* \
	        test/cases/repair-* || exit 1; \
	done

bench: $(PROGRAM) $(BENCH_PROGRAMS) ## speed beside cat, gzip, pigz, jsmn: SIZE_MB, RUNS, REFERENCE
	bench/run.sh $(BUILD)

bench-growth: $(PROGRAM) $(BENCH_PROGRAMS) ## speed against size, to 4 GiB: SIZES, RUNS, OUT, PICTURE
	bench/growth.sh $(BUILD)

rules: $(PROGRAM) ## what each rule of which slice gives way makes of the traces of CORPUS=DIR
	@bench/rules.sh $(PROGRAM) "$(CORPUS)"

demo: $(PROGRAM) ## fix the sample trace and show the report
	$(PROGRAM) test/sample.json $(BUILD)/sample.fixed.json

DIST := $(BUILD)/trace-lanefix-$(VERSION).tar.gz
dist: ## what git tracks as a tarball in BUILD, the same bytes each time
	@mkdir -p $(BUILD)
	scripts/dist $(DIST)

distcheck: dist ## whether the tarball is reproducible, builds and passes tests outside git
	+test/check-dist $(DIST)

# Files are as they were built: what is here is not built anew, and nothing is written here.
install: all ## install into DESTDIR, PREFIX (default /usr/local)
	install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBDIR)/pkgconfig' '$(DESTDIR)$(INCLUDEDIR)' \
	    '$(DESTDIR)$(MANDIR)/man1' '$(DESTDIR)$(DOCDIR)' '$(DESTDIR)$(BASH_COMPLETION_DIR)' \
	    '$(DESTDIR)$(ZSH_COMPLETION_DIR)' '$(DESTDIR)$(FISH_COMPLETION_DIR)'
	install -m 755 $(PROGRAM) '$(DESTDIR)$(BINDIR)/trace-lanefix'
	install -m 644 $(STATIC_LIB) '$(DESTDIR)$(LIBDIR)/liblanefix.a'
	install -m 755 $(SHARED_LIB) '$(DESTDIR)$(LIBDIR)/liblanefix.so.$(VERSION)'
	ln -sf liblanefix.so.$(VERSION) '$(DESTDIR)$(LIBDIR)/liblanefix.so.$(SOVERSION)'
	ln -sf liblanefix.so.$(SOVERSION) '$(DESTDIR)$(LIBDIR)/liblanefix.so'
	install -m 644 include/lanefix.h '$(DESTDIR)$(INCLUDEDIR)/lanefix.h'
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	    -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@ISAL@|$(if $(filter 1,$(ISAL)), -lisal)|' \
	    src/lanefix.pc.in >'$(DESTDIR)$(LIBDIR)/pkgconfig/lanefix.pc'
	chmod 644 '$(DESTDIR)$(LIBDIR)/pkgconfig/lanefix.pc'
	install -m 644 src/trace-lanefix.1 '$(DESTDIR)$(MANDIR)/man1/trace-lanefix.1'
	install -m 644 LICENSE '$(DESTDIR)$(DOCDIR)/LICENSE'
	install -m 644 scripts/completions/trace-lanefix.bash '$(DESTDIR)$(BASH_COMPLETION_DIR)/trace-lanefix'
	install -m 644 scripts/completions/_trace-lanefix '$(DESTDIR)$(ZSH_COMPLETION_DIR)/_trace-lanefix'
	install -m 644 scripts/completions/trace-lanefix.fish '$(DESTDIR)$(FISH_COMPLETION_DIR)/trace-lanefix.fish'

# Of the folders only the one that is named after the program goes, and only if nothing else is in it.
uninstall: ## remove what install put there
	rm -f '$(DESTDIR)$(BINDIR)/trace-lanefix' '$(DESTDIR)$(LIBDIR)/liblanefix.a' \
	    '$(DESTDIR)$(LIBDIR)/liblanefix.so.$(VERSION)' '$(DESTDIR)$(LIBDIR)/liblanefix.so.$(SOVERSION)' \
	    '$(DESTDIR)$(LIBDIR)/liblanefix.so' '$(DESTDIR)$(INCLUDEDIR)/lanefix.h' \
	    '$(DESTDIR)$(LIBDIR)/pkgconfig/lanefix.pc' '$(DESTDIR)$(MANDIR)/man1/trace-lanefix.1' \
	    '$(DESTDIR)$(DOCDIR)/LICENSE' '$(DESTDIR)$(BASH_COMPLETION_DIR)/trace-lanefix' \
	    '$(DESTDIR)$(ZSH_COMPLETION_DIR)/_trace-lanefix' \
	    '$(DESTDIR)$(FISH_COMPLETION_DIR)/trace-lanefix.fish'
	rmdir '$(DESTDIR)$(DOCDIR)' 2>/dev/null || true

install-python: ## install the Python module too, into PYTHONDIR (where PYTHON looks below PREFIX)
	@test -n "$(PYTHONDIR)" || { echo "install-python: no PYTHONDIR, and no $(PYTHON) to ask"; exit 1; }
	install -d '$(DESTDIR)$(PYTHONDIR)'
	sed 's|^_LIBDIR = ""|_LIBDIR = "$(LIBDIR)"|' scripts/trace_lanefix.py \
	    >'$(DESTDIR)$(PYTHONDIR)/trace_lanefix.py'
	chmod 644 '$(DESTDIR)$(PYTHONDIR)/trace_lanefix.py'

uninstall: uninstall-python
uninstall-python: ## remove what install-python put there, as uninstall does
	$(if $(PYTHONDIR),rm -f '$(DESTDIR)$(PYTHONDIR)/trace_lanefix.py' \
	    '$(DESTDIR)$(PYTHONDIR)'/__pycache__/trace_lanefix.*.pyc)

format: ## lay out the sources with clang-format
	$(CLANG_FORMAT) -i $(ALL_C)

format-check:
	$(CLANG_FORMAT) --dry-run --Werror $(ALL_C)

# Clang's analyzer, which takes nearly all of the time, walks the paths of the sources alone: those of the
# tests are run under the sanitizers. make lint-sources ANALYZED='$(ALL_C)' walks all.
TIDY_FLAGS := -std=c11 $(ISAL_CPPFLAGS) -Iinclude -Isrc
TIDIED := $(filter-out $(LEFT_OUT),$(filter %.c,$(ALL_C)))
ANALYZED ?= $(wildcard src/*.c bench/*.c)
lint: format-check lint-sources lint-tests lint-cppcheck ## clang-format, clang-tidy and cppcheck, all clean

lint-sources:
	$(CLANG_TIDY) --quiet $(filter $(ANALYZED),$(TIDIED)) -- $(TIDY_FLAGS) $(CHECK_CFLAGS)

lint-tests:
	$(CLANG_TIDY) --quiet --checks='-clang-analyzer-*' $(filter-out $(ANALYZED),$(TIDIED)) -- $(TIDY_FLAGS) $(CHECK_CFLAGS)

lint-cppcheck:
	$(CPPCHECK) --quiet --std=c11 --error-exitcode=1 --inline-suppr -Iinclude -Isrc \
	    --enable=warning,performance,portability --suppress=missingIncludeSystem src bench

clean: ## remove all that was built
	rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20
