# What stands where once it is installed, the packages, and what is made for them from tables.

PREFIX ?= /usr/local
DESTDIR ?=
BASHCOMP = share/bash-completion/completions
ZSHCOMP = share/zsh/site-functions
VIM = share/vim/vimfiles
INSTALL = install
VERSION = $(shell scripts/version)

S = $(B)/share
SHARED = $(addprefix $(S)/,pldc.bash pldrun.bash _pldc _pldrun pld.vim pld.tmLanguage.json)
OPTION_TABLES = ir/passes.def base/warnings.def base/platform.def scripts/table-rows
WORD_TABLES = lexer/tokens.def ir/ops.def base/dtype.def base/enums.def scripts/table-rows

$(S)/%.bash: cli/%_options.def $(OPTION_TABLES) scripts/completions
	@mkdir -p $(@D)
	$(call say,GEN $@)CC='$(CC)' scripts/completions bash $* >$@
$(S)/_%: cli/%_options.def $(OPTION_TABLES) scripts/completions
	@mkdir -p $(@D)
	$(call say,GEN $@)CC='$(CC)' scripts/completions zsh $* >$@
$(S)/pld.vim: $(WORD_TABLES) scripts/syntax
	@mkdir -p $(@D)
	$(call say,GEN $@)CC='$(CC)' scripts/syntax vim >$@
$(S)/pld.tmLanguage.json: $(WORD_TABLES) scripts/syntax
	@mkdir -p $(@D)
	$(call say,GEN $@)CC='$(CC)' scripts/syntax textmate >$@

# MODE:FILE:TARGET, which lies below PREFIX.
into = $(foreach f,$3,$1:$f:$2/$(notdir $f))
INSTALLED = $(call into,755,bin,$(BINS)) \
    $(foreach n,1 3 5 7,$(call into,644,share/man/man$n,$(wildcard man/*.$n))) \
    $(call into,644,share/pld/samples,$(wildcard samples/*.pld samples/README.md)) \
    $(foreach t,pldc pldrun,644:$(S)/$t.bash:$(BASHCOMP)/$t 644:$(S)/_$t:$(ZSHCOMP)/_$t) \
    644:$(S)/pld.vim:$(VIM)/syntax/pld.vim 644:scripts/ftdetect.vim:$(VIM)/ftdetect/pld.vim \
    644:$(S)/pld.tmLanguage.json:share/pld/pld.tmLanguage.json \
    $(call into,755,lib/pld,$(wildcard $(PLUGINS))) \
    644:api/pld.h:include/pld.h 755:$(B)/$(SONAME):lib/$(SONAME) 755:$(B)/$(SONAME):lib/libpld.so \
    644:$(B)/libpld.a:lib/libpld.a 644:$(B)/pld.pc:lib/pkgconfig/pld.pc \
    $(call into,644,share/pld/python/pld,$(wildcard python/pld/*.py python/pld/py.typed)) \
    $(call into,644,share/pld/python/pld/compat,$(wildcard python/pld/compat/*.py)) \
    $(call into,644,share/pld/samples/python,$(wildcard samples/python/*))
# Folders that are ours alone go when they are empty.
OWN = lib/pld share/pld/samples/python share/pld/samples share/pld/python/pld/compat share/pld/python/pld share/pld/python share/pld

.PHONY: install uninstall deb dist wheel bare-long

install: all $(SHARED)
	@INSTALL='$(INSTALL)' scripts/place install '$(DESTDIR)$(PREFIX)' $(INSTALLED)
	@echo 'for Python: PYTHONPATH=$(PREFIX)/share/pld/python'

uninstall:
	@scripts/place uninstall '$(DESTDIR)$(PREFIX)' $(INSTALLED)
	@for d in $(OWN); do rmdir '$(DESTDIR)$(PREFIX)'/$$d 2>/dev/null || :; done

# A package of Debian: dpkg -i build/pld_*.deb
deb: all $(SHARED)
	@rm -rf $(B)/deb
	@scripts/place install $(B)/deb/usr $(subst :$(ZSHCOMP),:share/zsh/vendor-completions,$(INSTALLED))
	@scripts/deb $(B) '$(VERSION)'

# The sources in one file, the same bytes for the same files.
dist:
	@mkdir -p $(B)
	@scripts/dist $(B) '$(VERSION)'

# The Python package with the library in it.
wheel: all
	@scripts/wheel $(B)

bare-long:
	@tests/bare/long.sh
