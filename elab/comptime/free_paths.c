/* Attributes and items of names that a definition does not bind: cfg.rows, table['k'][0]. */
#include "base/map.h"
#include "elab/comptime/taken.h"

enum { MAX_STEPS = 64 };

/* What a step is taken from; NULL: it is no step by a constant. */
static Ast *base_of(const Ast *a)
{
    if (a->kind == AST_ATTR)
        return a->attr.base;
    if (a->kind != AST_SUBSCRIPT || a->sub.index.len != 1)
        return NULL;
    AstKind key = a->sub.index.at[0]->kind;
    return key == AST_INT || key == AST_STR ? a->sub.base : NULL;
}

static void put_key(Buf *out, const Ast *key)
{
    if (key->kind == AST_INT) {
        buf_printf(out, "[%lld]", (long long)key->integer.value);
        return;
    }
    buf_str(out, "['");
    for (const char *c = key->str.text; *c; c++) {
        if (*c == '\'' || *c == '\\')
            buf_char(out, '\\');
        buf_char(out, *c);
    }
    buf_str(out, "']");
}

const char *taken_path_text(Arena *arena, const Ast *path)
{
    const Ast *steps[MAX_STEPS];
    uint32_t n = 0;
    for (const Ast *a = path; a; a = base_of(a)) {
        if (n == MAX_STEPS)
            return NULL;
        steps[n++] = a;
    }
    if (steps[n - 1]->kind != AST_NAME)
        return NULL;
    Buf b = {0};
    while (n--) {
        const Ast *a = steps[n];
        if (a->kind == AST_NAME)
            buf_str(&b, a->name);
        else if (a->kind == AST_ATTR)
            buf_printf(&b, ".%s", a->attr.name);
        else
            put_key(&b, a->sub.index.at[0]);
    }
    const char *text = arena_strndup(arena, b.at, b.len);
    buf_free(&b);
    return text;
}

typedef struct {
    Map roots; /* NAME nodes that are free */
    FreePath *fn;
    void *env;
} Walk;

static void note_root(void *env, Ast *name)
{
    map_set_ptr(&((Walk *)env)->roots, name, 1);
}

static bool is_path(const Walk *w, const Ast *a)
{
    while (a && a->kind != AST_NAME)
        a = base_of(a);
    return a && map_get_ptr(&w->roots, a, NULL);
}

static void walk(void *env, Ast *a)
{
    const Walk *w = env;
    if (a->kind != AST_NAME && is_path(w, a))
        w->fn(w->env, a);
    else
        ast_children(a, walk, env);
}

void taken_free_paths(Ast *def, FreePath *fn, void *env)
{
    Walk w = {.fn = fn, .env = env};
    taken_free_names(def, note_root, &w);
    walk(&w, def);
    map_free(&w.roots);
}
