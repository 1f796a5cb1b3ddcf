/* Definitions taken one by one, and what their names are bound to. */
#include "api/unit.h"
#include "elab/comptime/given.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ITEMS = 1 << 16, MAX_NESTING = 16 };

/* ---- taking */

typedef struct {
    UnitCall *call;
    VEC(const char *) names, paths;
    Map seen;
} Take;

static void note_name(void *env, Ast *name)
{
    Take *t = env;
    if (map_get_ptr(&t->seen, name->name, NULL))
        return;
    map_set_ptr(&t->seen, name->name, 1);
    vec_push(&t->names, name->name);
}

/* Each of its beginnings is a path too, and who binds has to know the longest alone. */
static void note_path(void *env, Ast *path)
{
    Take *t = env;
    Compilation *c = &t->call->unit->c;
    const char *text = taken_path_text(&c->arena, path);
    Sym name = text ? intern(&c->in, text) : NULL;
    if (!name || map_get_ptr(&t->seen, name, NULL))
        return;
    map_set_ptr(&t->seen, name, 1);
    vec_push(&t->paths, name);
}

static int read_definition(void *env)
{
    Take *t = env;
    pld_unit *u = t->call->unit;
    Ast *def = compile_take(&u->c, &u->sources.at[t->call->def], t->call->line);
    diags_sort(&u->c.diags, &u->c.arena, &u->sorted);
    if (u->c.why)
        return unit_refuse(u, u->c.why);
    if (!def)
        return PLD_ERRORS;
    taken_free_names(def, note_name, t);
    taken_free_paths(def, note_path, t);
    return PLD_OK;
}

static int keep_definition(void *env)
{
    Take *t = env;
    pld_unit *u = t->call->unit;
    UnitDef def = {.source = t->call->def, .line = t->call->line};
    for (uint32_t i = 0; i < t->names.len; i++)
        avec_push(&u->arena, &def.free_names, unit_copy(u, t->names.at[i]));
    for (uint32_t i = 0; i < t->paths.len; i++)
        avec_push(&u->arena, &def.free_paths, unit_copy(u, t->paths.at[i]));
    avec_push(&u->arena, &u->defs, def);
    return PLD_OK;
}

int pld_unit_take(pld_unit *unit, uint32_t source, uint32_t line, uint32_t *def)
{
    UnitCall call = {.unit = unit, .def = source, .line = line};
    Take t = {.call = &call};
    *def = PLD_NO_DEF;
    if (!unit->broken && source >= unit->sources.len)
        return unit_refuse(unit, "there is no text of this number");
    int status = unit_working(&call, read_definition, &t);
    if (status == PLD_OK)
        status = unit_setting(&call, keep_definition, &t);
    if (status == PLD_OK)
        *def = unit->defs.len - 1;
    return status;
}

const char *const *pld_unit_names(pld_unit *unit, uint32_t def, size_t *n)
{
    *n = 0;
    if (unit->broken || def >= unit->defs.len)
        return NULL;
    *n = unit->defs.at[def].free_names.len;
    return unit->defs.at[def].free_names.at;
}

const char *const *pld_unit_paths(pld_unit *unit, uint32_t def, size_t *n)
{
    *n = 0;
    if (unit->broken || def >= unit->defs.len)
        return NULL;
    *n = unit->defs.at[def].free_paths.len;
    return unit->defs.at[def].free_paths.at;
}

/* ---- values */

static bool is_dotted(const char *s)
{
    bool start = true;
    for (; *s; s++) {
        bool letter = *s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z');
        bool digit = *s >= '0' && *s <= '9';
        if (start ? !letter : !letter && !digit && *s != '.')
            return false;
        start = *s == '.';
    }
    return !start;
}

typedef struct {
    pld_unit *u;
    uint32_t items;
} Copy;

static const char *copy_value(Copy *c, const pld_value *v, Given *out, uint32_t depth);

static const char *copy_items(Copy *c, const pld_value *v, Given *out, uint32_t depth)
{
    if (depth >= MAX_NESTING || v->n > MAX_ITEMS - c->items)
        return "a value with too many items, or that nests too deeply";
    Given *items = arena_array(&c->u->arena, v->n + 1, sizeof *items);
    c->items += (uint32_t)v->n;
    for (size_t i = 0; i < v->n; i++) {
        const pld_value *item = (const pld_value *)((const char *)v->items + i * v->items->size);
        const char *why = copy_value(c, item, &items[i], depth + 1);
        if (why)
            return why;
    }
    out->items = items;
    out->n = (uint32_t)v->n;
    return NULL;
}

static bool is_type_name(const char *s)
{
    static const char *const names[] = {"pl.Tensor", "pld.DistributedTensor", "pl.Tile",
                                        "pl.Scalar"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(s, names[i]) == 0)
            return true;
    return false;
}

static const char *copy_type(Copy *c, const pld_value *v, Given *out, uint32_t depth)
{
    if (!out->text)
        out->text = "pl.Tensor";
    out->dtype = pld_dtype_name(v->dtype);
    out->i = v->dir;
    if (!is_type_name(out->text) || !out->dtype || v->dir < PLD_IN || v->dir > PLD_INOUT)
        return "a type of no kind, dtype or direction that there is";
    for (size_t i = 0; i < v->n; i++) {
        const pld_value *d = (const pld_value *)((const char *)v->items + i * v->items->size);
        if (d->tag != PLD_V_EXTENT && (d->tag != PLD_V_INT || d->integer < -1))
            return "an extent of a type is a number or the name of one";
    }
    return copy_items(c, v, out, depth);
}

/* NULL, or why it is none. */
static const char *copy_value(Copy *c, const pld_value *v, Given *out, uint32_t depth)
{
    if (v->size < sizeof *v || v->tag < PLD_V_NONE || v->tag > PLD_V_DICT)
        return "no pld_value";
    *out = (Given){.kind = (GivenKind)v->tag, .i = v->integer, .f = v->real};
    bool text = v->tag == PLD_V_TEXT || v->tag == PLD_V_OPAQUE,
         name = v->tag == PLD_V_DTYPE || v->tag == PLD_V_ENUM || v->tag == PLD_V_OP,
         extent = v->tag == PLD_V_EXTENT;
    if ((text || name || extent) && !v->text)
        return "a value without its text";
    if (v->text && (name || v->tag == PLD_V_TYPE) && !is_dotted(v->text))
        return "a value whose text is no name";
    if (extent && !given_is_extent(v->text))
        return "a value whose text is no extent";
    if (v->text && utf8_check(v->text, strlen(v->text)) < strlen(v->text))
        return "a value whose text is not valid UTF-8";
    if (v->text)
        out->text = unit_copy(c->u, v->text);
    if (v->tag == PLD_V_DEF && (v->integer < 0 || v->integer >= c->u->defs.len))
        return "a definition that was not taken";
    if (v->tag == PLD_V_TYPE)
        return copy_type(c, v, out, depth);
    if (v->tag == PLD_V_DICT && v->n % 2)
        return "a dict with a key that has no value";
    bool items = v->tag == PLD_V_LIST || v->tag == PLD_V_TUPLE || v->tag == PLD_V_DICT;
    return items ? copy_items(c, v, out, depth) : NULL;
}

static int refuse_value(pld_unit *u, const char *name, const char *why)
{
    return unit_refuse(u, arena_printf(&u->arena, "%s: %s", name, why));
}

/* ---- binding */

static int bind_name(void *env)
{
    const UnitCall *call = env;
    pld_unit *u = call->unit;
    UnitDef *d = &u->defs.at[call->def];
    GivenName new = {.name = unit_copy(u, call->option)};
    Copy c = {.u = u};
    uint32_t i = 0;
    const char *why = call->given ? copy_value(&c, call->given, &new.value, 0) : NULL;
    if (why)
        return refuse_value(u, call->option, why);
    while (i < d->bound.len && strcmp(d->bound.at[i].name, call->option) != 0)
        i++;
    if (i < d->bound.len && call->given)
        d->bound.at[i] = new;
    else if (i < d->bound.len)
        d->bound.at[i] = vec_pop(&d->bound);
    else if (call->given)
        avec_push(&u->arena, &d->bound, new);
    return PLD_OK;
}

int pld_unit_bind(pld_unit *unit, uint32_t def, const char *name, const pld_value *value)
{
    UnitCall call = {.unit = unit, .def = def, .option = name, .given = value};
    if (!unit->broken && def >= unit->defs.len)
        return unit_refuse(unit, "a definition that was not taken");
    return unit_setting(&call, bind_name, &call);
}

/* ---- arguments */

static const char *shape_text(pld_unit *u, const char *param, const Given *v)
{
    Buf b = {0};
    buf_printf(&b, "%s[", v->dtype);
    for (uint32_t i = 0; i < v->n; i++) {
        const Given *d = &v->items[i];
        buf_str(&b, i ? "," : "");
        if (d->kind == GIVEN_EXTENT)
            buf_str(&b, d->text);
        else if (d->i < 0)
            buf_printf(&b, "%s_dim%u", param, i);
        else
            buf_printf(&b, "%lld", (long long)d->i);
    }
    buf_char(&b, ']');
    const char *text = arena_strndup(&u->arena, b.at, b.len);
    buf_free(&b);
    return text;
}

static const char *number_text(pld_unit *u, const Given *v)
{
    if (v->kind == GIVEN_BOOL)
        return v->i ? "True" : "False";
    if (v->kind == GIVEN_INT)
        return arena_printf(&u->arena, "%lld", (long long)v->i);
    if (v->kind == GIVEN_DTYPE)
        return arena_printf(&u->arena, "pl.%s", v->text);
    if (v->kind == GIVEN_TEXT)
        return v->text;
    Buf b = {0};
    buf_double(&b, v->f);
    const char *text = arena_strndup(&u->arena, b.at, b.len);
    buf_free(&b);
    return text;
}

static int set_argument(void *env)
{
    const UnitCall *call = env;
    pld_unit *u = call->unit;
    Given v = {0};
    Copy c = {.u = u};
    uint32_t i = 0;
    const char *why = call->given ? copy_value(&c, call->given, &v, 0) : NULL;
    bool scalar = v.kind == GIVEN_INT || v.kind == GIVEN_FLOAT || v.kind == GIVEN_BOOL ||
                  v.kind == GIVEN_TEXT || v.kind == GIVEN_DTYPE;
    if (why || (call->given && !scalar && v.kind != GIVEN_TYPE))
        return refuse_value(u, call->option, why ? why : "an argument is a type or a number");
    const char *tensor = arena_printf(&u->arena, "tensor:%s", call->option);
    Define d = {.name = scalar ? tensor + strlen("tensor:") : tensor, .aside = true};
    while (i < u->arguments.len && strcmp(u->arguments.at[i].name, tensor) != 0 &&
           strcmp(u->arguments.at[i].name, call->option) != 0)
        i++;
    if (i < u->arguments.len)
        u->arguments.at[i] = vec_pop(&u->arguments);
    if (!call->given)
        return PLD_OK;
    d.value = scalar ? number_text(u, &v) : shape_text(u, call->option, &v);
    avec_push(&u->arena, &u->arguments, d);
    return PLD_OK;
}

int pld_unit_argument(pld_unit *unit, const char *param, const pld_value *value)
{
    UnitCall call = {.unit = unit, .option = param, .given = value};
    return unit_setting(&call, set_argument, &call);
}

const TakenLines *unit_taken(pld_unit *u, uint32_t entry)
{
    TakenLines *t = xcalloc(1, sizeof *t);
    TakenLine *defs = xcalloc(u->defs.len, sizeof *defs);
    for (uint32_t i = 0; i < u->defs.len; i++) {
        const UnitDef *d = &u->defs.at[i];
        defs[i] = (TakenLine){d->source, d->line, d->bound.at, d->bound.len};
    }
    *t = (TakenLines){u->sources.at, defs, u->sources.len, u->defs.len, entry};
    return t;
}
