/* Definitions taken one by one out of texts, each with what its free names are bound to outside,
 * joined into a module. */
#ifndef PLD_ELAB_TAKEN_H
#define PLD_ELAB_TAKEN_H

#include "base/diag.h"
#include "parser/ast.h"

typedef enum {
    GIVEN_NONE,
    GIVEN_INT,
    GIVEN_FLOAT,
    GIVEN_BOOL,
    GIVEN_TEXT,
    GIVEN_DTYPE,  /* "FP32" */
    GIVEN_ENUM,   /* "pl.AtomicType.Add" */
    GIVEN_EXTENT, /* "N": pl.dynamic("N") */
    GIVEN_LIST,
    GIVEN_TUPLE,
    GIVEN_DEF,    /* another taken definition */
    GIVEN_OP,     /* "pl.add"; "pl", "pld", "math": the module */
    GIVEN_TYPE,   /* pl.Tensor[items, dtype] */
    GIVEN_OPAQUE, /* "a torch.Tensor": what no program knows */
    GIVEN_DICT    /* keys and values in turn */
} GivenKind;

typedef struct Given Given;
struct Given {
    GivenKind kind;
    int64_t i;          /* INT, BOOL; DEF: its number; TYPE: -1, or a Direction */
    double f;           /* FLOAT */
    const char *text;   /* as above; TYPE: "pl.Tensor", ... */
    const char *dtype;  /* TYPE */
    const Given *items; /* LIST, TUPLE, DICT; TYPE: its extents */
    uint32_t n;
};

/* "NAME:" is the annotation of the parameter NAME, "->" that of the result, "@" all decorators, as
 * the text of one. "cfg.rows" and "table['k'][0]" are paths (below). */
typedef struct {
    const char *name;
    Given value;
} GivenName;

typedef struct {
    uint32_t at; /* offset of its first line in the Source */
    const GivenName *names;
    uint32_t n_names;
} Taken;

typedef struct {
    const Taken *defs;
    uint32_t n, entry;
} TakenSet;

/* The definition whose first line, that of a decorator or of the def or class, begins at `at`; it
 * may be indented. NULL after a reported mistake. */
Ast *taken_parse(Arena *arena, Interner *in, const Source *src, uint32_t at, Diags *diags);

/* The NAME nodes that no scope in the definition binds, in the order of ast.def; its decorators,
 * annotations and defaults are part of it. They may be changed. */
typedef void FreeName(void *env, Ast *name);
void taken_free_names(Ast *def, FreeName *fn, void *env);

/* Attributes and items of free names, by constant keys: cfg.rows, table['k'][0].rows. Each path is
 * as long as it can be; its beginnings are paths as well. */
typedef void FreePath(void *env, Ast *path);
void taken_free_paths(Ast *def, FreePath *fn, void *env);
/* The text of a path, spelled in one way: a name, then .attribute, [number] or ['text'], in which
 * ' and \ stand behind a \. NULL: it is none. */
const char *taken_path_text(Arena *arena, const Ast *path);

/* A module of the entry and what it needs: values become constants, names of functions those of the
 * functions, two different things of one name get different ones. *name is that of the entry.
 * Places are those of the texts. */
AstModule *taken_module(Arena *arena, Interner *in, const Source *src, const TakenSet *set,
                        Diags *diags, Sym *name);
/* Is it the name of a class in the module? */
bool taken_is_class(const AstModule *module, Sym name);

#endif
