#include "sim/processes/transport_open.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *name, *file, *packages, *wrapper;
    const char *set[4]; /* variables, any of which its launcher sets */
} Library;

static const Library libraries[] = {
    {"Open MPI",
     "pld-fabric-openmpi.so",
     "openmpi-bin and libopenmpi-dev",
     "mpicc.openmpi",
     {"OMPI_COMM_WORLD_SIZE", "OMPI_UNIVERSE_SIZE", "PMIX_RANK", NULL}},
    {"MPICH",
     "pld-fabric-mpich.so",
     "mpich and libmpich-dev",
     "mpicc.mpich",
     {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", NULL}},
};
enum { N_LIBRARIES = sizeof libraries / sizeof libraries[0] };

static bool is_launcher(const Library *l)
{
    for (uint32_t i = 0; i < 4 && l->set[i]; i++)
        if (getenv(l->set[i]))
            return true;
    return false;
}

bool transport_is_lost(Arena *arena, const PldTransport *t, const char **why)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; t->size() == 1 && i < sizeof sizes / sizeof sizes[0]; i++) {
        const char *started = getenv(sizes[i]);
        if (started && strtol(started, NULL, 10) > 1) {
            *why = arena_printf(
                arena,
                "%s processes were started (%s), and each is alone under %s: start them with its "
                "mpirun, or with srun --mpi=pmix for Open MPI, --mpi=pmi2 for MPICH",
                started, sizes[i], t->name);
            return true;
        }
    }
    return false;
}

/* Where the program lies, with a slash at its end. */
static const char *own_folder(Arena *arena)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return "";
    path[n] = 0;
    char *slash = strrchr(path, '/');
    return arena_strndup(arena, path, slash ? (size_t)(slash + 1 - path) : 0);
}

static const PldTransport *load(Arena *arena, const char *path, const char **why)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        *why = arena_printf(arena, "%s", dlerror());
        return NULL;
    }
    PldTransportEntry *entry;
    void *symbol = dlsym(library, PLD_TRANSPORT_ENTRY);
    memcpy(&entry, &symbol, sizeof entry);
    const PldTransport *t = symbol ? entry() : NULL;
    if (!t)
        *why = arena_printf(arena, "%s: it is no plug-in of pldrun", path);
    else if (t->version != PLD_TRANSPORT_VERSION)
        *why = arena_printf(arena,
                            "%s: its interface has version %u, this pldrun wants %u: run "
                            "make mpi again",
                            path, t->version, PLD_TRANSPORT_VERSION);
    return t && t->version == PLD_TRANSPORT_VERSION ? t : NULL;
}

static const PldTransport *load_library(Arena *arena, const Library *l, const char **why)
{
    static const char *const folders[] = {"", "../lib/pld/"};
    const char *here = own_folder(arena);
    for (int i = 0; i < 2; i++) {
        const char *path = arena_printf(arena, "%s%s%s", here, folders[i], l->file);
        if (access(path, F_OK) == 0)
            return load(arena, path, why);
    }
    *why = arena_printf(arena,
                        "the plug-in for %s, %s, is not there: install %s, then run make mpi "
                        "MPICC=%s",
                        l->name, l->file, l->packages, l->wrapper);
    return NULL;
}

const PldTransport *transport_open(Arena *arena, const char *path, const char **why)
{
    const PldTransport *t = NULL;
    if (path)
        return load(arena, strchr(path, '/') ? path : arena_printf(arena, "./%s", path), why);
    for (int i = 0; i < N_LIBRARIES; i++)
        if (is_launcher(&libraries[i]))
            return load_library(arena, &libraries[i], why);
    for (int i = 0; i < N_LIBRARIES && !t; i++)
        t = load_library(arena, &libraries[N_LIBRARIES - 1 - i], why);
    return t;
}
