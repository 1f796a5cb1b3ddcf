# The plug-ins for message-passing libraries, one for each whose compiler wrapper is there: make mpi.

# MPICC=mpicc.mpich builds for one of them.
in_path = $(wildcard $(addsuffix /$1,$(subst :, ,$(PATH))))
MPICC ?= $(foreach c,mpicc.openmpi mpicc.mpich,$(if $(call in_path,$c),$c))
plugin = $(B)/pld-fabric-$(if $(findstring mpich,$1),mpich,openmpi).so
PLUGINS = $(foreach c,$(MPICC),$(call plugin,$c))

.PHONY: mpi mpi-long
mpi: all
	@scripts/bootstrap mpi
	@$(MAKE) --no-print-directory plugins
	@echo 'mpirun -n 2 $(B)/pldrun --fabric=mpi samples/11_allreduce_reveal.pld -d 0-3'

.PHONY: plugins
plugins: $(PLUGINS)

define PLUGIN_RULE
$(call plugin,$1): mpi/transport.c sim/processes/transport.h $(B)/flags
	$$(call say,LD $$@)OMPI_CC='$$(CC)' MPICH_CC='$$(CC)' $1 $$(CFLAGS) -std=c17 -fPIC \
	    -fvisibility=hidden -Wall -Wextra -Wshadow -I. -shared -o $$@ mpi/transport.c
endef
$(foreach c,$(MPICC),$(eval $(call PLUGIN_RULE,$c)))

# Every sample, mode and number of devices over 1 to 4 processes; MPI_SHARD=2/7: the third of seven
# parts.
mpi-long: tests
	@LONG=1 MPI_SHARD=$(MPI_SHARD) tests/e2e/mpi.sh $(B)
