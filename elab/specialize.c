/* Pass 01, specialize: from the AST to typed IR.
 *
 * Finds the program in the file, runs its compile-time code with the parameters at hand, elaborates
 * the host function and, at their calls, the functions it reaches; drops the rest. What comes out
 * has every name resolved, every compile-time branch taken and every value typed. The same code
 * reads dumps. */
#include "elab/specialize.h"
#include "elab/typed/typed.h"
#include "ir/verify.h"
#include <string.h>

static Program *new_program(Arena *arena, Interner *in, const AstModule *module,
                            const SpecializeOptions *options, Diags *diags)
{
    Program *p = arena_new(arena, Program);
    p->arena = arena;
    p->in = in;
    p->types = type_table_new(arena);
    p->src = module->src;
    p->diags = diags;
    p->platform = options->platform ? options->platform : &platforms[PLATFORM_A2A3SIM];
    p->ranks = options->ranks ? options->ranks : 2;
    return p;
}

static void start(Elab *e, Arena *arena, Interner *in, const AstModule *module,
                  const SpecializeOptions *options, Diags *diags)
{
    *e = (Elab){.arena = arena,
                .in = in,
                .diags = diags,
                .module = module,
                .opt = options,
                .typed = &elab_run_time};
    e->syntax_errors = diags->n_errors;
    e->p = new_program(arena, in, module, options, diags);
    e->tt = e->p->types;
    e->s_self = intern(in, "self");
    e->s_pl = intern(in, "pl");
    e->s_pld = intern(in, "pld");
    e->scope = elab_scope_new(e, NULL);
}

static void finish(Elab *e)
{
    for (CtScope *s = e->scope; s; s = s->parent)
        map_free(&s->index);
    for (uint32_t i = 0; i < e->kept.len; i++) {
        map_free(&e->kept.at[i]->index);
        map_free(&e->kept.at[i]->locals);
    }
    arena_free(&e->temporary);
    map_free(&e->operations);
    map_free(&e->foreign_names);
    map_free(&e->from_names);
    map_free(&e->decl_index);
    map_free(&e->setting_index);
    map_free(&e->binding_index);
}

/* The parameters of a dump are those of its first line: its text has none left. */
static void keep_bindings(Elab *e)
{
    for (uint32_t i = 0; e->ir && i < e->header->bindings.len; i++) {
        const HeaderPair *b = &e->header->bindings.at[i];
        bool ranks = strcmp(b->value, "ranks") == 0;
        Binding binding = {.name = b->name,
                           .value = ranks ? internf(e->in, "%u", e->p->ranks) : b->value,
                           .ranks = ranks};
        avec_push(e->arena, &e->p->bindings, binding);
        e->p->ranks_bound |= ranks;
    }
}

/* Everything up to the choice of the entry: what the first line of a dump needs. */
static FnDecl *find(Elab *e)
{
    if (!elab_read_header(e))
        return NULL;
    elab_settings(e);
    elab_imports(e);
    keep_bindings(e);
    bool ok = elab_find_program(e) && elab_collect(e);
    FnDecl *entry = ok ? elab_take_entry(e) : NULL;
    /* Not after other mistakes: the parameter may be one that was not reached. */
    if (ok && !diags_failed(e->diags))
        elab_unused_settings(e);
    return entry;
}

/* After a mistake in a caller its callees were not reached: their own mistakes are reported in the
 * same run where their types stand in the text. */
static void check_unreached(Elab *e)
{
    for (uint32_t i = 0; i < e->decls.len; i++) {
        FnDecl *d = &e->decls.at[i];
        bool wanted = d->state == FN_NEW && (d->reached || e->syntax_errors) && d->kind != FN_HOST;
        if (wanted && elab_signature(e, d) && elab_fully_annotated(d))
            elab_function(e, d, NULL, d->def->def.name_span);
    }
}

static void drop_uncalled(Elab *e)
{
    for (uint32_t i = 0; i < e->decls.len; i++) {
        FnDecl *d = &e->decls.at[i];
        if (d->state != FN_NEW || d->next || d->form == FORM_SUBWORKER)
            continue;
        ScopeMark mark = elab_enter_scope(e, d);
        elab_check_names(e, d->def);
        elab_leave_scope(e, mark);
        if (!d->reached && !e->ir)
            diag_warn(e->diags, d->def->def.name_span, WARN_UNCALLED_FUNCTION,
                      "nothing calls %s: it is dropped", d->name);
    }
}

/* Instances of one text: k, k_1, k_2 ... Functions of imported files come before those of the
 * file that imports them, as in the text that a dump is. */
typedef struct {
    uint64_t place;
    Func *func;
} Placed;

static int by_place(const void *a, const void *b)
{
    const Placed *x = a, *y = b;
    size_t n = strlen(x->func->name), m = strlen(y->func->name);
    if (x->place != y->place)
        return x->place > y->place ? 1 : -1;
    return n != m ? (n > m ? 1 : -1) : strcmp(x->func->name, y->func->name);
}

static void collect_functions(Elab *e)
{
    VEC(Placed) list = {0};
    for (uint32_t i = 0; i < e->decls.len; i++)
        for (const FnDecl *d = &e->decls.at[i]; d; d = d->next)
            if (d->state == FN_DONE)
                avec_push(e->arena, &e->p->funcs, d->func);
    for (uint32_t i = 0; i < e->p->funcs.len; i++) {
        Func *f = e->p->funcs.at[i];
        uint64_t file = source_part(e->module->src, f->span.begin)->order;
        avec_push(e->arena, &list, (Placed){file << 32 | f->span.begin, f});
    }
    vec_sort(&list, by_place);
    for (uint32_t i = 0; i < list.len; i++)
        e->p->funcs.at[i] = list.at[i].func;
    for (uint32_t i = 0; i < e->added.len; i++)
        avec_push(e->arena, &e->p->funcs, e->added.at[i]);
}

static void set_stage(Elab *e)
{
    Program *p = e->p;
    p->stage = e->ir ? e->header->stage : PASS_SPECIALIZE;
    for (uint32_t i = 0; i <= p->stage; i++)
        p->properties =
            (p->properties & ~pass_info((PassId)i)->breaks) | pass_info((PassId)i)->produces;
}

/* A dump may have been edited: what its first line promises is a claim about the text, and a
 * mistake in it is not the compiler's. */
static bool check_promises(Elab *e)
{
    Program *p = e->p;
    Diags caught;
    if (!e->ir)
        return true;
    diags_init(&caught, e->arena, p->src);
    p->diags = &caught;
    bool clean = ir_verify(p, p->properties, pass_info((PassId)p->stage)->name);
    p->diags = e->diags;
    for (uint32_t i = 0; i < caught.list.len; i++)
        elab_error(e, caught.list.at[i].span, "value", "not what its first line says, a dump of %s",
                   caught.list.at[i].message);
    diags_free(&caught);
    return clean;
}

static bool elaborate(Elab *e)
{
    FnDecl *entry = find(e);
    if (!entry)
        return false;
    elab_mark_reached(e, entry);
    bool ok = elab_entry(e, entry);
    if (!ok)
        check_unreached(e);
    drop_uncalled(e);
    ok = ok && elab_elements(e);
    collect_functions(e);
    set_stage(e);
    return ok && !diags_failed(e->diags) && check_promises(e);
}

Program *specialize(Arena *arena, Interner *in, const AstModule *module,
                    const SpecializeOptions *options, Diags *diags)
{
    Elab e;
    start(&e, arena, in, module, options, diags);
    bool ok = elaborate(&e);
    finish(&e);
    return ok ? e.p : NULL;
}

/* Names of skipped lines that got a value from outside: constants in the dump. */
static void print_given(const Elab *e, Buf *out)
{
    for (uint32_t i = 0; i < e->module->poisoned.len; i++)
        for (uint32_t k = 0; k < e->p->bindings.len; k++) {
            const Binding *b = &e->p->bindings.at[k];
            if (b->name == e->module->poisoned.at[i].name)
                buf_printf(out, "%s = %s\n", b->name, b->value);
        }
}

bool specialize_header(Arena *arena, Interner *in, const AstModule *module,
                       const SpecializeOptions *options, Diags *diags, Buf *out)
{
    Elab e;
    Func entry = {0};
    start(&e, arena, in, module, options, diags);
    FnDecl *d = find(&e);
    if (d && !elab_failed(&e)) {
        entry.name = d->name;
        e.p->entry = &entry;
        elab_print_header(&e, out);
        print_given(&e, out);
    }
    bool ok = d && !elab_failed(&e);
    finish(&e);
    return ok;
}
