/* Modules and what their names mean. Private to elab/module*.c. */
#ifndef PLD_ELAB_COMPTIME_MODULE_H
#define PLD_ELAB_COMPTIME_MODULE_H

#include "base/map.h"
#include "elab/comptime/modules.h"
#include "ir/type.h"

enum { MODULES_MAX = 64 };

typedef struct Module Module;

typedef enum {
    GLOBAL_OWN,      /* bound by statements of the module */
    GLOBAL_FROM,     /* `from of import member` */
    GLOBAL_MODULE,   /* `import of` */
    GLOBAL_PACKAGE,  /* the a of `import a.b` */
    GLOBAL_LANGUAGE, /* out of the language, math or typing */
    GLOBAL_POISON,   /* made by lines of a script that were skipped */
    GLOBAL_BAD,      /* its import was reported */
} GlobalKind;

/* A name that the statements of a module see; "a.b" after `import a.b`. */
typedef struct {
    Sym name, flat; /* flat: in the module that comes out, or NULL */
    GlobalKind kind;
    Module *of;
    Sym member;
    Sym language;        /* what it is there: "math:sqrt" */
    VEC(uint32_t) stmts; /* OWN: that bind it */
    const AstPoison *poison;
    Span span;    /* of the first binding */
    bool star;    /* by `from of import *`: gives way */
    bool element; /* an init or golden function: it keeps its name, which is a tensor's */
    bool needed;
} Global;

typedef struct {
    bool kept;  /* comes into the module that comes out */
    bool binds; /* some name */
} ModuleStmt;

struct Module {
    const char *path; /* to open it: what it is known by */
    const char *dir;  /* of the files beside it, below the folder of the program: "" or "a/b/" */
    bool package;     /* dir is its own folder, and what lies there its members */
    bool busy;        /* being read */
    Sym label;        /* for names and messages */
    uint32_t number;
    AstModule *ast; /* NULL: a folder without a file of its own */
    Map index;      /* name -> position in `globals` */
    VEC(Global *) globals;
    VEC(ModuleStmt) stmts; /* of the body */
};

typedef struct {
    Arena *arena;
    Interner *in;
    Source *src;
    Diags *diags;
    const ModulesOptions *options;
    VEC(Module *) modules; /* as found; the first is the file at hand */
    VEC(Module *) order;   /* as read: what is imported first */
} Modules;

/* module.c */
/* The module that `from DOTTED import` or `import DOTTED` in `m` is about; NULL: none, and a
 * message where one is due (then *reported). */
Module *module_find(Modules *ms, const Module *m, Sym dotted, Span span, bool *reported);
/* The module NAME in a package, or NULL. */
Module *module_inside(Modules *ms, const Module *package, Sym name, Span span);

/* module_names.c */
Global *module_global(const Module *m, Sym name);
/* The meaning behind imports: OWN, LANGUAGE, POISON, BAD or MODULE; NULL: none. */
Global *module_resolve(Global *g, Module **owner, uint32_t depth);
/* Names of the module's statements; its imports are read and taken out. */
void module_collect(Modules *ms, Module *m);
/* Names that an import of a script binds to something that can be taken; false: no file of the
 * user's. */
bool module_offers(Modules *ms, const Module *m, const Ast *import, SymList *names);
bool module_has(Modules *ms, const Module *m, const Ast *import, Sym member);
/* Calls `bind` with each name that `a` binds around it and, if `inner`, in functions in it. */
typedef void ModuleBind(void *env, Sym name, Span span);
void module_bound(const Ast *a, bool inner, ModuleBind *bind, void *env);
/* With each name that a def, lambda or comprehension has for itself. */
void module_bound_inside(const Ast *a, ModuleBind *bind, void *env);

void module_no_member(Modules *ms, const Module *of, Sym name, Span span);

/* module_flat.c: one module out of all. */
AstModule *module_flatten(Modules *ms);

/* module_walk.c: calls `use` with each NAME or ATTR that means a global, and its owner; with NULL
 * for a name that is none and is bound nowhere in the function. The node may be rewritten. */
typedef void ModuleUse(void *env, Ast *node, Module *owner, Global *g);
void module_walk(Modules *ms, Module *m, Ast *stmt, ModuleUse *use, void *env);

#endif
