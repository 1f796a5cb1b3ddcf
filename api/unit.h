/* A compilation in the making: what api/unit.c and api/definitions.c share. */
#ifndef PLD_API_UNIT_H
#define PLD_API_UNIT_H

#include "api/border.h"
#include "base/map.h"

/* A definition that was taken. */
typedef struct {
    uint32_t source, line;
    VEC(const char *) free_names, free_paths;
    VEC(GivenName) bound;
} UnitDef;

struct pld_unit {
    Heap heap; /* settings */
    Arena arena;
    CompileOptions options;
    Defines defines, arguments;
    Texts warnings;
    VEC(NamedSource) sources;
    VEC(UnitDef) defs;
    bool strip;
    HeapBudget budget; /* of `work` */
    Heap work;         /* of the last compilation or definition taken: below */
    Compilation c;
    Buf text[2], json, skeleton; /* text: plain, in colours */
    SortedDiags sorted;
    const char *why;
    int broken; /* PLD_NO_MEMORY or PLD_INTERNAL: may only be freed */
};

/* One call of pld.h: what it works on. */
typedef struct {
    pld_unit *unit;
    const char *option, *value;
    size_t len;
    uint32_t def, line;
    const pld_value *given;
    pld_program **out;
    int colour;
} UnitCall;

/* Runs `work` in the heap of the settings; its status. */
int unit_setting(UnitCall *call, int (*work)(void *env), void *env);
/* The same in the heap of what is made by compiling, which is emptied. */
int unit_working(UnitCall *call, int (*work)(void *env), void *env);
/* PLD_USAGE, with its reason. */
int unit_refuse(pld_unit *u, const char *why);
const char *unit_copy(pld_unit *u, const char *text);

/* The definitions as the compile driver takes them; made in the heap of the compilation. */
const TakenLines *unit_taken(pld_unit *u, uint32_t entry);

#endif
