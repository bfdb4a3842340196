# cpuprof - see README.md. Objects and programs go to build/ (release) or build/CONFIG/.
#
#   make [CONFIG=release|debug|asan|cov]   the program, build/cpuprof
#   make check                             all tests that need Debian packages only
#   make check-unit check-cli check-fuzz check-lint   one part of them
#   make CONFIG=asan check                 the same under ASan and UBSan
#   make check-interop                     real clients read what is written (npm)
#   make check-live                        names of live recordings beside samply's own (samply)
#   make check-speed                       instructions of common runs against a budget (valgrind)
#   make fuzz                              libFuzzer programs in build/fuzz/ (clang)
#   make bench                             cpuprof and its peers side by side, docs/benchmarks.md
#   make install [prefix=/usr/local]       make uninstall, make clean
#   make V=1                               shows the command lines

CONFIG  ?= release
prefix  ?= /usr/local
-include config.mak

B       := build$(if $(filter-out release,$(CONFIG)),/$(CONFIG))
O       := $(B)/obj

PKGS    := libprotobuf-c zlib libpcre2-8
PKG     := pkg-config

WARN    := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
           -Wpointer-arith -Wwrite-strings -Wvla -Wundef -Wformat=2
OPT_release := -O3 -g
OPT_debug   := -O0 -g3
OPT_asan    := -O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
OPT_fuzz    := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
OPT_cov     := -O0 -g --coverage
SAN_asan    := -fsanitize=address,undefined
SAN_fuzz    := -fsanitize=address,undefined
SAN_cov     := --coverage

CFLAGS  ?= $(OPT_$(CONFIG))
override CFLAGS += -std=c11 $(WARN) -pthread
override CPPFLAGS += -Iinclude -Isrc -I$(B)/gen $(shell $(PKG) --cflags $(PKGS))
override LDFLAGS += $(SAN_$(CONFIG)) -pthread
LIBS    := $(shell $(PKG) --libs $(PKGS)) -lm

# ISA-L unpacks gzip about twice as fast as zlib; used where it is installed.
WITH_ISAL ?= $(shell $(PKG) --exists libisal && echo yes || echo no)
ifeq ($(WITH_ISAL),yes)
override CPPFLAGS += -DCPF_WITH_ISAL
LIBS += $(shell $(PKG) --libs libisal)
endif

# libiberty has no pkg-config file. Without it mangled names stay as they are.
WITH_LIBIBERTY ?= $(shell echo 'int main(void) { return !rust_demangle("_R", 0); }' | \
                    $(CC) -include libiberty/demangle.h -x c -o /dev/null - -liberty 2>/dev/null && \
                    echo yes || echo no)
ifeq ($(WITH_LIBIBERTY),yes)
override CPPFLAGS += -DCPF_WITH_LIBIBERTY
LIBS += -liberty
endif

# libelf reads ELF files; without it the elf backend says so. liblzma unpacks
# the symbol table that some systems keep in .gnu_debugdata.
WITH_LIBELF ?= $(shell $(PKG) --exists libelf && echo yes || echo no)
ifeq ($(WITH_LIBELF),yes)
override CPPFLAGS += -DCPF_WITH_LIBELF $(shell $(PKG) --cflags libelf)
LIBS += $(shell $(PKG) --libs libelf)
WITH_LZMA ?= $(shell $(PKG) --exists liblzma && echo yes || echo no)
ifeq ($(WITH_LZMA),yes)
override CPPFLAGS += -DCPF_WITH_LZMA
LIBS += $(shell $(PKG) --libs liblzma)
endif
# Debug sections packed with zstd.
WITH_ZSTD ?= $(shell $(PKG) --exists libzstd && echo yes || echo no)
ifeq ($(WITH_ZSTD),yes)
override CPPFLAGS += -DCPF_WITH_ZSTD $(shell $(PKG) --cflags libzstd)
LIBS += $(shell $(PKG) --libs libzstd)
endif
endif

SRC     := $(sort $(wildcard src/base/*.c src/core/*.c src/view/*.c src/formats/*.c \
             src/symbolize/*.c src/reports/*.c))
CLI     := $(sort $(wildcard src/cli/*.c))
GEN     := $(B)/gen/profile.pb-c.c
# Texts that become strings of C: script and style of flame graphs.
TEXTS   := $(patsubst src/reports/%.js,$(B)/gen/%_js.h,$(wildcard src/reports/*.js)) \
           $(patsubst src/reports/%.css,$(B)/gen/%_css.h,$(wildcard src/reports/*.css))
LIBOBJ  := $(SRC:src/%.c=$(O)/%.o) $(GEN:$(B)/gen/%.c=$(O)/gen/%.o)
CLIOBJ  := $(CLI:src/%.c=$(O)/%.o)
UNIT    := $(patsubst tests/unit/%.c,$(B)/tests/%,$(sort $(wildcard tests/unit/t_*.c)))
FUZZSRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ    := $(FUZZSRC:tests/fuzz/%.c=$(B)/%)
SYMT    := $(patsubst tests/symbols/%.c,$(B)/symbols/%,$(sort $(wildcard tests/symbols/*.c)))
REPLAY  := $(FUZZSRC:tests/fuzz/%.c=$(B)/replay/%)

# V=1 shows the command lines.
V ?= 0
ifeq ($(V),0)
CC_  = @echo "  CC      $@"; $(CC)
LD_  = @echo "  LD      $@"; $(CC)
AR_  = @echo "  AR      $@"; ar
GEN_ = @echo "  PROTOC  $@"; protoc-c
TEXT_ = @echo "  TEXT    $@"; sh src/reports/text.sh
else
CC_ = $(CC)
LD_ = $(CC)
AR_ = ar
GEN_ = protoc-c
TEXT_ = sh src/reports/text.sh
endif

.PHONY: FORCE all lib check check-unit check-cli check-fuzz check-lint check-valgrind check-interop check-live check-symbols check-speed fuzz fuzz-programs bench install uninstall clean help
.SECONDARY:
all: $(B)/cpuprof
lib: $(B)/libcpuprof.a

# Rebuild when flags change: the stamp is rewritten only if its text differs.
$(O)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(LIBS)' | cmp -s - $@ || \
	 echo '$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(LIBS)' > $@
FORCE:

$(B)/gen/%.pb-c.c: proto/%.proto
	@mkdir -p $(@D)
	$(GEN_) --proto_path=proto --c_out=$(@D) $<
$(B)/gen/%.pb-c.h: $(B)/gen/%.pb-c.c ;
$(B)/gen/%_js.h: src/reports/%.js src/reports/text.sh
	@mkdir -p $(@D)
	$(TEXT_) $< >$@
$(B)/gen/%_css.h: src/reports/%.css src/reports/text.sh
	@mkdir -p $(@D)
	$(TEXT_) $< >$@

$(O)/gen/%.o: $(B)/gen/%.c $(O)/flags
	@mkdir -p $(@D)
	$(CC_) $(CPPFLAGS) $(CFLAGS) -w -MMD -MP -c -o $@ $<
$(O)/%.o: src/%.c $(O)/flags | $(GEN) $(TEXTS)
	@mkdir -p $(@D)
	$(CC_) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/libcpuprof.a: $(LIBOBJ)
	@rm -f $@
	$(AR_) rcs $@ $^
$(B)/cpuprof: $(CLIOBJ) $(B)/libcpuprof.a
	$(LD_) $(CFLAGS) $(LDFLAGS) -o $@ $(CLIOBJ) $(B)/libcpuprof.a $(LIBS)

$(B)/tests/%: tests/unit/%.c $(B)/libcpuprof.a $(O)/flags
	@mkdir -p $(@D)
	$(LD_) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -MMD -MP -MF $@.d -o $@ $< $(B)/libcpuprof.a $(LIBS) -lcmocka

$(B)/replay/%: tests/fuzz/%.c tests/fuzz/driver.c $(B)/libcpuprof.a $(O)/flags
	@mkdir -p $(@D)
	$(LD_) $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes $(LDFLAGS) -MMD -MP -MF $@.d -o $@ $< tests/fuzz/driver.c $(B)/libcpuprof.a $(LIBS)
$(B)/fuzz_%: tests/fuzz/fuzz_%.c $(B)/libcpuprof.a $(O)/flags
	$(LD_) $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes $(LDFLAGS) -fsanitize=fuzzer -MMD -MP -MF $@.d -o $@ $< $(B)/libcpuprof.a $(LIBS)

# Names of addresses through one backend, for comparisons with other tools.
$(B)/symbols/%: tests/symbols/%.c $(B)/libcpuprof.a $(O)/flags
	@mkdir -p $(@D)
	$(LD_) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -MF $@.d -o $@ $< $(B)/libcpuprof.a $(LIBS)

# All tests. Unit programs print TAP; the corpus of each fuzz target is replayed.
check: $(B)/cpuprof $(UNIT) $(REPLAY) $(SYMT)
	@CPUPROF='$(abspath $(B)/cpuprof)' tests/all.sh $(UNIT) -- $(REPLAY) -- tests/cli/run.sh
check-unit: $(UNIT)
	@tests/all.sh $(UNIT) -- --
check-cli: $(B)/cpuprof $(SYMT)
	@CPUPROF='$(abspath $(B)/cpuprof)' tests/cli/run.sh
check-fuzz: $(REPLAY)
	@tests/all.sh -- $(REPLAY) --
# Typical command lines under memcheck: no error, no leak.
check-valgrind: $(B)/cpuprof
	@CPUPROF='$(abspath $(B)/cpuprof)' sh tests/valgrind.sh
check-lint: $(GEN)
	@sh tests/lint/layers.sh
# Real clients, which npm installs into a scratch folder (kept where INTEROP names one).
check-interop: $(B)/cpuprof
	@sh tests/interop/run.sh $(abspath $(B)/cpuprof)
check-live: $(B)/cpuprof
	@dir=$$(mktemp -d) && python3 tests/symbols/like_samply_live.py $(abspath $(B)/cpuprof) "$$dir"; \
		rc=$$?; rm -rf "$$dir"; exit $$rc
# Debug information of all kinds beside llvm-symbolizer and eu-addr2line: 10 minutes and more.
check-symbols: $(B)/symbols/dwarf_lookup
	@sh tests/symbols/run.sh
check-speed: $(B)/cpuprof
	@python3 tests/bench/count.py --cpuprof $(abspath $(B)/cpuprof)

# Side by side with peers in one run; writes docs/benchmarks.md. Needs hyperfine, valgrind, go.
bench: $(B)/cpuprof
	python3 tests/bench/bench.py --growth --cpuprof $(abspath $(B)/cpuprof) --write docs/benchmarks.md

# libFuzzer builds (clang): build/fuzz/fuzz_NAME; run e.g. build/fuzz/fuzz_json tests/fuzz/corpus/json
fuzz:
	@$(MAKE) CC=clang CONFIG=fuzz fuzz-programs
fuzz-programs: $(FUZZ)

install: $(B)/cpuprof
	install -d $(DESTDIR)$(prefix)/bin
	install -m 755 $(B)/cpuprof $(DESTDIR)$(prefix)/bin/cpuprof
uninstall:
	rm -f $(DESTDIR)$(prefix)/bin/cpuprof
clean:
	rm -rf build
help:
	@sed -n 's/^#   //p' Makefile

-include $(wildcard $(B)/symbols/*.d) $(LIBOBJ:.o=.d) $(CLIOBJ:.o=.d) $(UNIT:=.d) $(REPLAY:=.d) $(FUZZ:=.d)
