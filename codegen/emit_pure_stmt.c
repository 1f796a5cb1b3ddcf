/* Statements of init and golden functions, and the functions themselves. */
#include "codegen/emit_pure.h"
#include <string.h>

static uint32_t pure_block(PureCode *pc, const Ast *at, const AstList *body);

static uint32_t set_name(PureCode *pc, const Ast *target, uint32_t value)
{
    if (target->kind != AST_NAME)
        return pure_error(pc, target, "syntax",
                          "only names can be assigned to in an init or golden function");
    uint32_t slot = pure_find_slot(pc, target->name);
    if (slot == NO_SLOT)
        slot = pure_new_slot(pc, target, target->name);
    pc->assigned.at[slot] = true;
    return pure_node(pc, target, (BcPureNode){.kind = PURE_SET, .slot = slot, .a = value});
}

/* a, b = x, y: all values are taken before any name is set. */
static void set_tuple(PureCode *pc, Kids *out, const Ast *target, const Ast *value)
{
    Kids temps = {0};
    uint32_t n = target->items.len;
    if ((value->kind != AST_TUPLE && value->kind != AST_LIST) || value->items.len != n) {
        pure_error(pc, target, "type", "as many values as names are needed");
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = pure_expr(pc, value->items.at[i]);
        vec_push(&temps,
                 pure_new_slot(pc, target, internf(pc->em->p->in, " %u", pc->assigned.len)));
        vec_push(out, pure_node(pc, target,
                                (BcPureNode){.kind = PURE_SET, .slot = temps.at[i], .a = v}));
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = pure_node(pc, target, (BcPureNode){.kind = PURE_SLOT, .slot = temps.at[i]});
        vec_push(out, set_name(pc, target->items.at[i], v));
    }
    vec_free(&temps);
}

static void pure_assign(PureCode *pc, Kids *out, const Ast *a)
{
    for (uint32_t i = 0; i < a->assign.targets.len; i++) {
        const Ast *target = a->assign.targets.at[i];
        if (target->kind == AST_TUPLE || target->kind == AST_LIST)
            set_tuple(pc, out, target, a->assign.value);
        else
            vec_push(out, set_name(pc, target, pure_expr(pc, a->assign.value)));
    }
}

static void pure_augment(PureCode *pc, Kids *out, const Ast *a)
{
    uint32_t left = pure_expr(pc, a->aug.target), right = pure_expr(pc, a->aug.value);
    uint32_t value = pure_code_binary(pc, a, a->aug.op, left, right);
    vec_push(out, set_name(pc, a->aug.target, value));
}

static bool returns(const AstList *body)
{
    if (body->len == 0)
        return false;
    const Ast *last = body->at[body->len - 1];
    return last->kind == AST_RETURN ||
           (last->kind == AST_IF && returns(&last->if_.then) && returns(&last->if_.otherwise));
}

typedef VEC(bool) Flags;

static void copy_flags(Flags *to, const bool *at, uint32_t n)
{
    vec_clear(to);
    for (uint32_t i = 0; i < n; i++)
        vec_push(to, at[i]);
}

/* Names after an if are those set on every path that gets past it. */
static void pure_if(PureCode *pc, Kids *out, const Ast *a)
{
    Flags before = {0}, then = {0};
    uint32_t cond = pure_expr(pc, a->if_.cond);
    copy_flags(&before, pc->assigned.at, pc->assigned.len);
    uint32_t yes = pure_block(pc, a, &a->if_.then);
    copy_flags(&then, pc->assigned.at, pc->assigned.len);
    for (uint32_t i = 0; i < pc->assigned.len; i++)
        pc->assigned.at[i] = i < before.len && before.at[i];
    uint32_t no = pure_block(pc, a, &a->if_.otherwise);
    bool then_gone = !pc->failed && returns(&a->if_.then); /* failed: may be too deep to look at */
    bool else_gone = !pc->failed && returns(&a->if_.otherwise);
    for (uint32_t i = 0; i < pc->assigned.len; i++) {
        bool in_then = then_gone || (i < then.len && then.at[i]);
        pc->assigned.at[i] = in_then && (else_gone || pc->assigned.at[i]);
    }
    vec_free(&before);
    vec_free(&then);
    vec_push(out, pure_op(pc, a, PURE_IF, cond, yes, no));
}

static void pure_stmt(PureCode *pc, Kids *out, const Ast *a)
{
    uint32_t value;
    switch (a->kind) {
    case AST_ASSIGN: pure_assign(pc, out, a); break;
    case AST_ANN_ASSIGN:
        if (a->ann.value)
            vec_push(out, set_name(pc, a->ann.target, pure_expr(pc, a->ann.value)));
        break;
    case AST_AUG_ASSIGN: pure_augment(pc, out, a); break;
    case AST_IF: pure_if(pc, out, a); break;
    case AST_RETURN:
        if (!a->value) {
            pure_error(pc, a, "type", "an init or golden function returns a number");
            break;
        }
        value = pure_expr(pc, a->value);
        vec_push(out, pure_op(pc, a, PURE_RETURN, value, 0, 0));
        break;
    case AST_PASS: break;
    case AST_EXPR_STMT:
        if (a->value->kind != AST_STR)
            pure_error(pc, a, "syntax", "an expression by itself does nothing here");
        break;
    default:
        pure_error(
            pc, a, "syntax",
            pure_text(pc, "no %s statement in an init or golden function", ast_kind_name(a->kind)));
        break;
    }
}

static uint32_t pure_block(PureCode *pc, const Ast *at, const AstList *body)
{
    Kids stmts = {0};
    if (++pc->depth >= BC_MAX_PURE_DEPTH / 2)
        pure_error(pc, at, "syntax", "these statements are nested too deeply");
    for (uint32_t i = 0; i < body->len && !pc->failed; i++)
        pure_stmt(pc, &stmts, body->at[i]);
    pc->depth--;
    return pure_list(pc, at, PURE_BLOCK, 0, &stmts);
}

static void bind_indices(PureCode *pc, const Ast *def, uint32_t rank)
{
    if (def->def.params.len != rank)
        diag_error(pc->em->p->diags, def->def.name_span, "shape",
                   "%s takes %u indices, the host parameter has %u dimensions", def->def.name,
                   def->def.params.len, rank);
    pc->failed |= def->def.params.len != rank;
    for (uint32_t i = 0; i < def->def.params.len; i++)
        pure_new_slot(pc, def, def->def.params.at[i].name);
}

/* Heights of trees, children first; values of min(...) and the like nest without nesting in the
 * text. */
static bool too_deep(const PureCode *pc)
{
    static const int8_t kid_count[] = {
#define PLD_PURE(ENUM, name, kids, doc) kids,
#include "codegen/pure.def"
    };
    bool deep = false;
    uint32_t *height = xcalloc(pc->nodes.len + (size_t)1, sizeof *height);
    for (uint32_t i = 0; i < pc->nodes.len; i++) {
        const BcPureNode *n = &pc->nodes.at[i];
        bool list = kid_count[n->kind] < 0;
        const uint32_t fixed[] = {n->a, n->b, n->c}, *kids = list ? pc->kids.at + n->a : fixed;
        for (uint32_t k = 0; k < (list ? n->n : (uint32_t)kid_count[n->kind]); k++) {
            if (height[kids[k]] >= height[i])
                height[i] = height[kids[k]] + 1;
        }
        deep |= height[i] >= BC_MAX_PURE_DEPTH;
    }
    free(height);
    return deep;
}

static void store_pure(PureCode *pc, BcPure u)
{
    Arena *arena = pc->em->arena;
    BcPureNode *nodes = arena_new_n(arena, BcPureNode, pc->nodes.len);
    uint32_t *kids = arena_new_n(arena, uint32_t, pc->kids.len);
    memcpy(nodes, pc->nodes.at, pc->nodes.len * sizeof *nodes);
    for (uint32_t i = 0; i < pc->kids.len; i++)
        kids[i] = pc->kids.at[i];
    u.n_nodes = pc->nodes.len;
    u.n_kids = pc->kids.len;
    u.n_slots = pc->assigned.len;
    u.nodes = nodes;
    u.kids = kids;
    vec_push(&pc->em->pure, u);
}

static uint32_t line_of(const Emit *em, const Func *f)
{
    if (f->loc.file)
        return f->loc.line;
    return f->span.end && em->p->src ? source_line_col(em->p->src, f->span.begin).line : 0;
}

void emit_pure(Emit *em, Func *f)
{
    PureCode pc = {.em = em, .f = f};
    const Ast *def = f->pure;
    BcPure u = {
        .golden = f->kind == FN_GOLDEN, .rtol = f->rtol, .atol = f->atol, .line = line_of(em, f)};
    const Param *m = pure_host_param(&pc, f->name, &u.param);
    const Type *t = m ? em->p->entry->vars.at[m->var].type : NULL;
    if (!m) {
        pure_error(&pc, def, "name",
                   pure_text(&pc, "the host function has no parameter %s", f->name));
    } else if (u.golden && !type_is_memory(t)) {
        pure_error(&pc, def, "type",
                   pure_text(&pc, "%s is a scalar: only tensors have goldens", f->name));
    } else {
        bind_indices(&pc, def, u.n_index = type_is_memory(t) ? t->rank : 0);
        u.root = pure_block(&pc, def, &def->def.body);
        if (!pc.failed && !returns(&def->def.body))
            pure_error(&pc, def, "type",
                       pure_text(&pc, "not every path through %s returns a number", f->name));
        if (!pc.failed && too_deep(&pc))
            pure_error(&pc, def, "value", pure_text(&pc, "%s is nested too deeply", f->name));
    }
    if (!pc.failed)
        store_pure(&pc, u);
    vec_free(&pc.nodes), vec_free(&pc.kids), vec_free(&pc.assigned);
    map_free(&pc.slots);
}
