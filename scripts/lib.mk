# The library that others link: what lies above cli/, with pld_* as its only symbols.

SONAME = libpld.so.0
API_OBJ = $(filter-out $(B)/obj/cli/% $(B)/obj/sim/processes/%,$(OBJ)) $(GEN_OBJ)
API_LIBS = $(B)/libpld.so $(B)/libpld.a $(B)/pld.pc
lib: $(API_LIBS)

LD = ld
OBJCOPY = objcopy

$(B)/$(SONAME): $(API_OBJ) api/libpld.map
	$(call say,LD $@)$(CC) $(ALL_FLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) \
	    -Wl,--version-script=api/libpld.map -o $@ $(API_OBJ) $(LIBS)

$(B)/libpld.so: $(B)/$(SONAME)
	@ln -sf $(SONAME) $@

# One object, whose hidden names nobody else sees.
$(B)/libpld.o: $(API_OBJ)
	$(call say,LD $@)$(LD) -r -o $@ $(API_OBJ) && $(OBJCOPY) --localize-hidden $@

$(B)/libpld.a: $(B)/libpld.o
	@rm -f $@
	$(call say,AR $@)$(AR) rcs $@ $<

$(B)/pld.pc: api/pld.pc.in scripts/lib.mk flags
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' $< >$@

# The library as its users have it, with an allocator that can be made to fail.
$(B)/tests/libpld_memory.o: $(B)/libpld.o
	@mkdir -p $(@D)
	@$(OBJCOPY) $(foreach f,malloc calloc realloc free,--redefine-sym $f=test_$f) $< $@

$(B)/tests/check_api_memory: $(B)/tests/libpld_memory.o $(B)/obj/tests/check_api_memory.o $(B)/obj/tests/support.o
	$(call say,LD $@)$(CC) $(ALL_FLAGS) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(LIBS)
