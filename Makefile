# pldc and pldrun. `make help` lists the targets; `make SAN=address,undefined` builds with sanitizers.

CC = gcc
AR = ar
RE2C = re2c
BISON = bison

comma := ,
B := build$(if $(VMCHECK),/vmcheck)$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))

CFLAGS = -O2 -g
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Werror=switch
# Contraction would give a*b+c one rounding on some machines: results must be the same everywhere.
BASE_FLAGS = -std=c17 -ffp-contract=off -D_GNU_SOURCE -I. -I$(B)/gen
SAN_FLAGS = $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
# What a sanitizer adds keeps clang from making vectors of the kernels: it need not say so each time.
SAN_FLAGS += $(if $(and $(SAN),$(findstring clang,$(CC))),-Wno-pass-failed)
# A flag that the compiler may know.
takes = $(shell $(CC) $(1) -Werror -fsyntax-only -xc /dev/null 2>/dev/null && echo $(1))
# The kernels of the simulator are loops over elements. Events are cleared for each operation: with
# REP STOS, which gcc takes for that, it takes longer to start than to do.
SIM_FLAGS := -O3 $(call takes,-mmemset-strategy=vector_loop:512:noalign$(comma)libcall:-1:noalign)
# No code asks for errno or floating-point exceptions; with them few loops would become vectors.
KERNEL_FLAGS = -fno-math-errno -fno-trapping-math
ALL_FLAGS = $(CFLAGS) $(BASE_FLAGS) -fPIC -fvisibility=hidden $(SAN_FLAGS) $(if $(VMCHECK),-DPLD_VM_CHECK)
LIBS = -lm -lpthread
CHECK_CFLAGS = $(shell pkg-config --cflags check)
CHECK_LIBS = $(shell pkg-config --libs check)

# Folder order is include order: see scripts/check-includes.
FOLDERS = base lexer parser ir elab/comptime elab/typed elab lower codegen \
    sim/machine sim/fabric sim/sched sim/check sim/explore sim/report sim/host sim/processes api cli
MAINS = cli/pldc.c cli/pldrun.c
SRC = $(filter-out $(MAINS),$(wildcard $(FOLDERS:%=%/*.c)))
RE = $(wildcard $(FOLDERS:%=%/*.re))
GRAMMARS = $(wildcard $(FOLDERS:%=%/*.y))
GEN_C = $(RE:%.re=$(B)/gen/%.c) $(GRAMMARS:%.y=$(B)/gen/%.c)
GEN_H = $(GRAMMARS:%.y=$(B)/gen/%.h) $(B)/gen/cli/version.h

OBJ = $(SRC:%.c=$(B)/obj/%.o)
GEN_OBJ = $(GEN_C:$(B)/gen/%.c=$(B)/obj/gen/%.o)
MAIN_OBJ = $(patsubst %.c,$(B)/obj/%.o,$(wildcard $(MAINS)))
# What the tools and the tests link: all that is not a main.
LIB = $(B)/all.a
BINS = $(patsubst cli/%.c,$(B)/%,$(wildcard $(MAINS)))

# tests/check_*.c are programs; what else lies in tests/ is linked into each of them.
CHECKS = $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/check_*.c))
TEST_OBJ = $(patsubst %.c,$(B)/obj/%.o,$(filter-out tests/check_%,$(wildcard tests/*.c)))
# tests/fuzz/*.c and tests/bench/*.c are programs of their own.
FUZZERS = $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/fuzz/*.c))
BENCHES = $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/bench/*.c))

# A line for each command; V=1 shows the commands.
say = $(if $(V),,@echo '  $(1)' && )
# What builds as the first part of something else uses every processor, unless -j says how many.
BUILD = +$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

.PHONY: all lib tests fuzzers update-goldens demo check check-torch quick bench fuzz explore-long random-long clean lint format help flags

all: $(LIB) $(BINS) lib
tests: all plugins $(CHECKS) $(B)/tests/faults.so
fuzzers: all $(FUZZERS)

help:
	@echo 'all           build/pldc, build/pldrun and the library, build/libpld.so and .a'
	@echo 'demo          run the samples and show the IR diff of a collective'
	@echo 'check         every test; installs missing packages first'
	@echo 'check-torch   scripts with torch, where there is one (python3-torch)'
	@echo 'quick         unit tests and the short end-to-end tests'
	@echo 'update-goldens  writes every expected file of the tests anew; look at the diff'
	@echo 'mpi           the plug-ins for pldrun --fabric=mpi; mpi-long: its long tests'
	@echo 'bench         timings (tests/bench)'
	@echo 'fuzz          random input for a while (tests/fuzz)'
	@echo 'explore-long  every interleaving of the larger litmus tests'
	@echo 'random-long   10,000 random programs against their model'
	@echo 'bare-long     the README on a bare Debian, as root (tests/bare)'
	@echo 'install       programs, manual pages, samples, completions below DESTDIR and PREFIX'
	@echo 'uninstall     takes them away again'
	@echo 'deb, dist     a Debian package, the sources in one file'
	@echo 'lint          manual pages, house style, layout of C files, shell scripts'
	@echo 'format        lays the C files out as lint wants them'
	@echo 'clean         remove build/'
	@echo 'Variables: CC, CFLAGS, V=1 (whole commands), SAN=address,undefined, SAN=thread,'
	@echo '  VMCHECK=1 (a machine that asserts each access), PREFIX, DESTDIR'

# Objects depend on the flags they were compiled with, so that CC=clang rebuilds them.
FLAGS_TEXT = $(CC) $(ALL_FLAGS) $(WARN)
$(B)/flags: flags
	@mkdir -p $(@D)
	@echo '$(FLAGS_TEXT)' | cmp -s - $@ || echo '$(FLAGS_TEXT)' >$@

$(B)/gen/cli/version.h: flags
	@mkdir -p $(@D)
	@echo '#define PLD_VERSION "$(VERSION)"' | cmp -s - $@ || echo '#define PLD_VERSION "$(VERSION)"' >$@

$(LIB): $(OBJ) $(GEN_OBJ)
	@rm -f $@
	$(call say,AR $@)$(AR) rcs $@ $(OBJ) $(GEN_OBJ)

$(BINS): $(B)/%: $(B)/obj/cli/%.o $(LIB)
	$(call say,LD $@)$(CC) $(ALL_FLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LIBS)

$(B)/obj/sim/%.o: ALL_FLAGS += $(SIM_FLAGS)
$(B)/obj/sim/machine/kernel%.o: ALL_FLAGS += $(KERNEL_FLAGS)
$(B)/obj/tests/%.o: ALL_FLAGS += $(CHECK_CFLAGS)

$(B)/obj/gen/%.o: $(B)/gen/%.c $(B)/flags | $(GEN_H)
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(ALL_FLAGS) -Wall -Wno-unused -MMD -MP -c -o $@ $<

$(B)/obj/%.o: %.c $(B)/flags | $(GEN_H)
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(ALL_FLAGS) $(WARN) -MMD -MP -c -o $@ $<

$(B)/gen/%.c: %.re $(B)/flags
	@mkdir -p $(@D)
	$(call say,RE2C $<)$(RE2C) -W --depfile $(@:.c=.d) -o $@ $<

$(B)/gen/%.c $(B)/gen/%.h &: %.y $(B)/flags
	@mkdir -p $(@D)
	$(call say,BISON $<)$(BISON) -Wall --header=$(B)/gen/$*.h -o $(B)/gen/$*.c $<

$(filter-out %/check_api_memory,$(CHECKS)): $(B)/tests/%: $(B)/obj/tests/%.o $(TEST_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(call say,LD $@)$(CC) $(ALL_FLAGS) $(LDFLAGS) -o $@ $< $(TEST_OBJ) $(LIB) $(CHECK_LIBS) $(LIBS)

# The bench of the kernels chooses the instruction set.
$(B)/tests/bench/kernels: $(B)/obj/tests/kernelpath.o
$(FUZZERS) $(BENCHES): $(B)/tests/%: $(B)/obj/tests/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LD $@)$(CC) $(ALL_FLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(LIBS)

# Preloaded by tests: calls of the system that fail.
$(B)/tests/faults.so: tests/preload/faults.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,LD $@)$(CC) -O1 -std=c17 -D_GNU_SOURCE -Wall -Wextra -shared -fPIC -o $@ $<

# The packages come first: a compiler or test library may be missing.
check:
	@scripts/bootstrap
	@$(BUILD) tests fuzzers
	@tests/run.sh $(B)

check-torch: all
	@TORCH=1 tests/e2e/python.sh $(B) && TORCH=1 tests/e2e/unchanged.sh $(B)

quick: tests fuzzers
	@tests/run.sh $(B) quick

update-goldens: tests
	@scripts/update-goldens $(B)

demo:
	@scripts/bootstrap
	@$(BUILD) all
	@scripts/demo $(B)

bench: all $(BENCHES)
	@set -e; for s in $(sort $(wildcard tests/bench/*.sh)); do $$s $(B); done

fuzz: fuzzers
	@set -e; for s in $(sort $(wildcard tests/fuzz/*.sh)); do $$s $(B); done

random-long: all
	@COUNT=10000 tests/e2e/random.sh $(B)

explore-long: tests
	@set -e; for s in $(sort $(wildcard tests/litmus/long*.sh)); do $$s $(B); done

include scripts/lib.mk
include scripts/mpi.mk
include scripts/install.mk

lint:
	@scripts/bootstrap lint
	@scripts/lint

format:
	@scripts/lint --format

clean:
	rm -rf build

-include $(OBJ:.o=.d) $(GEN_OBJ:.o=.d) $(MAIN_OBJ:.o=.d) $(RE:%.re=$(B)/gen/%.d)
-include $(CHECKS:$(B)/%=$(B)/obj/%.d) $(FUZZERS:$(B)/%=$(B)/obj/%.d) $(TEST_OBJ:.o=.d)
