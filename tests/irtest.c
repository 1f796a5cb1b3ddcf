#include "tests/irtest.h"
#include <string.h>

void irtest_setup(IrTest *t)
{
    *t = (IrTest){0};
    diags_init(&t->diags, &t->arena, NULL);
    t->p = arena_new(&t->arena, Program);
    *t->p = (Program){.arena = &t->arena,
                      .in = &t->names,
                      .diags = &t->diags,
                      .ranks = 4,
                      .platform = &platforms[PLATFORM_A2A3SIM]};
    t->p->types = type_table_new(&t->arena);
    t->p->name = intern(&t->names, "P");
    t->f = arena_new(&t->arena, Func);
    t->f->kind = FN_INCORE;
    t->f->name = intern(&t->names, "step");
    t->f->result = type_none(t->p->types);
    avec_push(&t->arena, &t->p->funcs, t->f);
    t->b = (Builder){.p = t->p, .f = t->f, .block = &t->f->body};
}

void irtest_teardown(IrTest *t)
{
    diags_free(&t->diags);
    interner_free(&t->names);
    arena_free(&t->arena);
}

const Type *irtest_type(IrTest *t, TypeKind kind, Dtype dtype, uint32_t rank, const int64_t *dims)
{
    const Dim *d[MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        d[i] = dims[i] < 0 ? dim_name(t->p->types, intern(&t->names, "NR"))
                           : dim_const(t->p->types, dims[i]);
    return type_shaped(t->p->types, kind, dtype, rank, d);
}

const Type *irtest_matrix(IrTest *t, TypeKind kind, Dtype dtype, int64_t rows, int64_t cols)
{
    int64_t dims[2] = {rows, cols};
    return irtest_type(t, kind, dtype, 2, dims);
}

VarId irtest_param(IrTest *t, const char *name, const Type *type)
{
    VarId v = func_new_var(t->p, t->f, intern(&t->names, name), type, (Span){0, 0});
    Direction dir = type_is_memory(type) ? DIR_INOUT : DIR_IN;
    avec_push(&t->arena, &t->f->params, (Param){.var = v, .dir = dir});
    return v;
}

Expr *irtest_use(IrTest *t, VarId v)
{
    return ex_var(t->p, t->f, v);
}

Expr *irtest_pair(IrTest *t, int64_t a, int64_t b)
{
    return ex_listv(t->p, ex_index(t->p, a), ex_index(t->p, b), NULL);
}

const char *irtest_message(const IrTest *t)
{
    return t->diags.list.len ? t->diags.list.at[0].message : "";
}

const char *irtest_body(Arena *arena, Program *p, const Func *f, bool ssa)
{
    enum { DEPTH = 8 };
    Buf all = {0}, body = {0};
    ir_print(&all, p, &(PrintOptions){.ssa = ssa});
    const char *at = strstr(all.at, arena_printf(arena, "    def %s(", f->name));
    for (at = strstr(at, ":\n") + 2; strncmp(at, "        ", DEPTH) == 0;) {
        size_t len = strcspn(at, "\n") + 1;
        buf_bytes(&body, at + DEPTH, len - DEPTH);
        at += len;
    }
    const char *text = arena_strndup(arena, body.at ? body.at : "", body.len);
    buf_free(&all);
    buf_free(&body);
    return text;
}
