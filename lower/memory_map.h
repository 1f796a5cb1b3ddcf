/* What lies where: tiles in the memories of a core, from the addresses that allocate_memory gave
 * them, and window buffers in the symmetric heap, as materialize_windows laid it out. */
#ifndef PLD_LOWER_MEMORY_MAP_H
#define PLD_LOWER_MEMORY_MAP_H

#include "base/core_memory.h"
#include "lower/live.h"

/* A tile under all the names of one carried value. */
typedef struct {
    const char *name; /* the one bound first */
    const Type *type;
    int64_t bytes, addr;
    Segments segments; /* when it is alive, on the line of Live */
    uint32_t order;    /* rank of its first binding */
    uint32_t from, to; /* lines of the source from its first binding to its last use */
} MapTile;

typedef struct {
    int64_t used;     /* highest address that a tile takes */
    int64_t alive;    /* bytes alive at once, at most */
    int64_t separate; /* bytes of all tiles: what they would take without reuse */
    uint32_t peak;    /* position where most is alive */
} MapMemory;

typedef struct {
    const Func *f;
    Live *live;
    uint32_t *lines;    /* by statement of Live's line: line of the source */
    VEC(MapTile) tiles; /* by memory, then in the order of their bindings */
    MapMemory of[MEM_KINDS];
} FuncMap;

typedef struct {
    const char *name;
    const char *type; /* "[2, 64] FP32", or the number of bytes asked for */
    const Expr *offset, *bytes;
    int64_t at, size; /* their values; -1: known when the program is started */
    Func *f;          /* whose expressions they are */
} MapWindow;

typedef VEC(MapWindow) MapWindows;

/* A program after allocate_memory. The map of an InCore function is to be freed. */
FuncMap *func_map_new(Program *p, const Source *src, Func *f);
void func_map_free(FuncMap *m);
/* "[2, 64] FP32" */
void tile_shape_print(Buf *out, const Type *t);
/* In the order of their addresses; what they hold is in the program's arena. */
void map_windows(Program *p, MapWindows *out);

#endif
