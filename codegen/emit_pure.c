/* Init and golden functions: from the syntax tree to the nodes of pure.def, children before
 * parents. */
#include "codegen/emit_pure.h"
#include <string.h>

enum { MAX_NODES = 1 << 20 };

uint32_t pure_error(PureCode *pc, const Ast *a, const char *code, const char *text)
{
    if (!pc->failed)
        diag_error(pc->em->p->diags, a->span, code, "%s", text);
    pc->failed = true;
    return 0;
}

const char *pure_text(PureCode *pc, const char *fmt, const char *name)
{
    Buf text = {0};
    buf_printf(&text, fmt, name);
    const char *kept = arena_strndup(pc->em->arena, text.at, text.len);
    buf_free(&text);
    return kept;
}

uint32_t pure_node(PureCode *pc, const Ast *a, BcPureNode n)
{
    if (pc->nodes.len == MAX_NODES)
        return pure_error(pc, a, "value", "this init or golden function is too large");
    vec_push(&pc->nodes, n);
    return pc->nodes.len - 1;
}

static uint32_t add_int(PureCode *pc, const Ast *a, int64_t v)
{
    return pure_node(pc, a, (BcPureNode){.kind = PURE_INT, .ival = v});
}

uint32_t pure_op(PureCode *pc, const Ast *at, PureKind kind, uint32_t a, uint32_t b, uint32_t c)
{
    return pure_node(pc, at, (BcPureNode){.kind = (uint16_t)kind, .a = a, .b = b, .c = c});
}

uint32_t pure_list(PureCode *pc, const Ast *a, PureKind kind, uint32_t slot, Kids *kids)
{
    BcPureNode n = {
        .kind = (uint16_t)kind, .slot = slot, .a = pc->kids.len, .n = (uint16_t)kids->len};
    if (kids->len > UINT16_MAX)
        pure_error(pc, a, "value", "this init or golden function is too large");
    for (uint32_t i = 0; i < kids->len; i++)
        vec_push(&pc->kids, kids->at[i]);
    vec_free(kids);
    return pure_node(pc, a, n);
}

uint32_t pure_new_slot(PureCode *pc, const Ast *a, Sym name)
{
    if (pc->assigned.len == BC_MAX_PURE_SLOTS)
        return pure_error(pc, a, "value", "this init or golden function has too many variables");
    map_set_ptr(&pc->slots, name, pc->assigned.len);
    vec_push(&pc->assigned, true);
    return pc->assigned.len - 1;
}

uint32_t pure_find_slot(const PureCode *pc, Sym name)
{
    uint64_t slot = NO_SLOT;
    map_get_ptr(&pc->slots, name, &slot);
    return (uint32_t)slot;
}

const Param *pure_host_param(const PureCode *pc, Sym name, uint32_t *index)
{
    const Func *host = pc->em->p->entry;
    for (uint32_t i = 0; i < host->params.len; i++) {
        if (host->vars.at[host->params.at[i].var].base == name) {
            *index = i;
            return &host->params.at[i];
        }
    }
    return NULL;
}

static const Type *host_type(const PureCode *pc, const Param *m)
{
    return pc->em->p->entry->vars.at[m->var].type;
}

static uint32_t pure_name(PureCode *pc, const Ast *a)
{
    const Program *p = pc->em->p;
    uint32_t slot = pure_find_slot(pc, a->name), param;
    if (slot != NO_SLOT && pc->assigned.at[slot])
        return pure_node(pc, a, (BcPureNode){.kind = PURE_SLOT, .slot = slot});
    if (slot != NO_SLOT)
        return pure_error(pc, a, "name",
                          pure_text(pc, "%s has no value on some path to here", a->name));
    for (uint32_t i = 0; i < p->extents.len; i++) {
        if (p->extents.at[i] == a->name)
            return pure_node(pc, a, (BcPureNode){.kind = PURE_EXTENT, .slot = i});
    }
    const Param *m = pure_host_param(pc, a->name, &param);
    if (!m)
        return pure_error(pc, a, "name",
                          pure_text(pc, "%s is not defined in this function", a->name));
    if (type_is_memory(host_type(pc, m)))
        return pure_error(
            pc, a, "type",
            pure_text(pc, "%s is a tensor: give an index for each dimension", a->name));
    return pure_node(pc, a, (BcPureNode){.kind = PURE_SCALAR, .slot = param});
}

/* x[i, j]: one index a dimension. */
static uint32_t pure_element(PureCode *pc, const Ast *a, uint32_t param, const Type *t)
{
    Kids kids = {0};
    if (!type_is_memory(t) || a->sub.index.len != t->rank)
        return pure_error(pc, a, "shape",
                          type_is_memory(t) ? "one index for each dimension is needed"
                                            : "a scalar has no elements");
    for (uint32_t i = 0; i < a->sub.index.len; i++)
        vec_push(&kids, pure_expr(pc, a->sub.index.at[i]));
    return pure_list(pc, a, PURE_ELEMENT, param, &kids);
}

static bool const_axis(const Ast *a, int64_t *v)
{
    bool negative = a->kind == AST_UNARY && a->unary.op == OP_NEG;
    const Ast *number = negative ? a->unary.operand : a;
    if (number->kind != AST_INT)
        return false;
    *v = negative ? -number->integer.value : number->integer.value;
    return true;
}

/* x.shape[d] */
static uint32_t pure_shape(PureCode *pc, const Ast *a, uint32_t param, const Type *t)
{
    int64_t axis;
    if (!type_is_memory(t) || a->sub.index.len != 1 || !const_axis(a->sub.index.at[0], &axis))
        return pure_error(pc, a, "shape", "shape[] of a tensor takes one constant");
    if (axis < 0)
        axis += t->rank;
    if (axis < 0 || axis >= t->rank)
        return pure_error(pc, a, "shape", "no such dimension");
    return pure_node(pc, a, (BcPureNode){.kind = PURE_SHAPE, .slot = param, .ival = axis});
}

static uint32_t pure_subscript(PureCode *pc, const Ast *a)
{
    const Ast *base = a->sub.base;
    bool shape = base->kind == AST_ATTR && strcmp(base->attr.name, "shape") == 0;
    const Ast *name = shape ? base->attr.base : base;
    uint32_t param;
    const Param *m = name->kind == AST_NAME ? pure_host_param(pc, name->name, &param) : NULL;
    if (!m)
        return pure_error(pc, a, "name", "only tensors of the host function take subscripts here");
    return shape ? pure_shape(pc, a, param, host_type(pc, m))
                 : pure_element(pc, a, param, host_type(pc, m));
}

static PureKind binary_kind(BinaryOp op)
{
    static const uint8_t kinds[] = {
        [OP_ADD] = PURE_ADD,       [OP_SUB] = PURE_SUB,           [OP_MUL] = PURE_MUL,
        [OP_DIV] = PURE_DIV,       [OP_FLOORDIV] = PURE_FLOORDIV, [OP_MOD] = PURE_MOD,
        [OP_POW] = PURE_POW,       [OP_BITAND] = PURE_BITAND,     [OP_BITOR] = PURE_BITOR,
        [OP_BITXOR] = PURE_BITXOR, [OP_SHL] = PURE_SHL,           [OP_SHR] = PURE_SHR,
    };
    return (PureKind)kinds[op];
}

uint32_t pure_code_binary(PureCode *pc, const Ast *at, BinaryOp op, uint32_t a, uint32_t b)
{
    if (op == OP_MATMUL)
        return pure_error(pc, at, "type", "@ has no meaning for elements: use sum over a range");
    return pure_op(pc, at, binary_kind(op), a, b, 0);
}

static uint32_t pure_unary(PureCode *pc, const Ast *a)
{
    uint32_t operand = pure_expr(pc, a->unary.operand);
    switch (a->unary.op) {
    case OP_NEG: return pure_op(pc, a, PURE_NEG, operand, 0, 0);
    case OP_NOT: return pure_op(pc, a, PURE_NOT, operand, 0, 0);
    case OP_INVERT: return pure_op(pc, a, PURE_INVERT, operand, 0, 0);
    case OP_POS: break;
    }
    return operand;
}

/* a < b < c is a < b and b < c; the middle has no effects, so it may be evaluated twice. */
static uint32_t pure_compare(PureCode *pc, const Ast *a)
{
    static const uint8_t kinds[] = {[CMP_EQ] = PURE_EQ, [CMP_NE] = PURE_NE, [CMP_LT] = PURE_LT,
                                    [CMP_LE] = PURE_LE, [CMP_GT] = PURE_GT, [CMP_GE] = PURE_GE};
    uint32_t all = 0;
    for (uint32_t i = 0; i < a->compare.ops.len; i++) {
        CompareOp op = a->compare.ops.at[i];
        if (op > CMP_GE)
            return pure_error(pc, a, "type", "only == != < <= > >= compare numbers");
        uint32_t left = pure_expr(pc, i ? a->compare.rest.at[i - 1] : a->compare.first);
        uint32_t right = pure_expr(pc, a->compare.rest.at[i]);
        uint32_t one = pure_op(pc, a, (PureKind)kinds[op], left, right, 0);
        all = i ? pure_op(pc, a, PURE_AND, all, one, 0) : one;
    }
    return all;
}

static uint32_t pure_logic(PureCode *pc, const Ast *a, PureKind kind)
{
    uint32_t all = pure_expr(pc, a->items.at[0]);
    for (uint32_t i = 1; i < a->items.len; i++) {
        uint32_t next = pure_expr(pc, a->items.at[i]);
        all = pure_op(pc, a, kind, all, next, 0);
    }
    return all;
}

/* range(...) as a LOOP; the caller sets its slot. */
static uint32_t pure_range(PureCode *pc, const Ast *iter)
{
    const Ast *callee = iter->kind == AST_CALL ? iter->call.callee : NULL;
    Sym name = !callee                    ? ""
               : callee->kind == AST_NAME ? callee->name
               : callee->kind == AST_ATTR ? callee->attr.name
                                          : "";
    if (strcmp(name, "range") != 0 || iter->call.args.len < 1 || iter->call.args.len > 3 ||
        iter->call.keywords.len)
        return pure_error(pc, iter, "type",
                          "a `for` in here runs over range(stop), range(start, stop) or "
                          "range(start, stop, step)");
    uint32_t n = iter->call.args.len, parts[3];
    parts[0] = n > 1 ? pure_expr(pc, iter->call.args.at[0]) : add_int(pc, iter, 0);
    parts[1] = pure_expr(pc, iter->call.args.at[n > 1]);
    parts[2] = n > 2 ? pure_expr(pc, iter->call.args.at[2]) : add_int(pc, iter, 1);
    return pure_op(pc, iter, PURE_LOOP, parts[0], parts[1], parts[2]);
}

/* `if cond` of a clause: a loop that runs once or not at all. */
static uint32_t pure_filter(PureCode *pc, const Ast *cond)
{
    uint32_t slot = pc->assigned.len;
    vec_push(&pc->assigned, true);
    uint32_t test = pure_expr(pc, cond), yes = add_int(pc, cond, 1), no = add_int(pc, cond, 0);
    uint32_t stop = pure_op(pc, cond, PURE_COND, test, yes, no);
    uint32_t start = add_int(pc, cond, 0), step = add_int(pc, cond, 1);
    return pure_node(
        pc, cond, (BcPureNode){.kind = PURE_LOOP, .slot = slot, .a = start, .b = stop, .c = step});
}

/* sum(element for k in range(n) if cond): the names of the loops are gone after it. */
static uint32_t pure_aggregate(PureCode *pc, const Ast *at, const Ast *gen, PureKind kind)
{
    Kids kids = {0};
    VEC(uint32_t) outer = {0};
    vec_push(&kids, 0);
    for (uint32_t i = 0; i < gen->gen.clauses.len; i++) {
        const AstForClause *c = &gen->gen.clauses.at[i];
        if (c->target->kind != AST_NAME) {
            pure_error(pc, c->target, "type", "a `for` in here takes one name");
            break;
        }
        uint32_t loop = pure_range(pc, c->iter);
        vec_push(&outer, pure_find_slot(pc, c->target->name));
        uint32_t slot = pure_new_slot(pc, c->target, c->target->name);
        if (pc->failed)
            break;
        pc->nodes.at[loop].slot = slot;
        vec_push(&kids, loop);
        if (c->cond)
            vec_push(&kids, pure_filter(pc, c->cond));
    }
    kids.at[0] = pure_expr(pc, gen->gen.element);
    for (uint32_t i = outer.len; i-- > 0;)
        map_set_ptr(&pc->slots, gen->gen.clauses.at[i].target->name, outer.at[i]);
    vec_free(&outer);
    return pure_list(pc, at, kind, 0, &kids);
}

static const struct {
    const char *name;
    uint16_t one, many; /* kinds: of one value; of a generator, or 0 */
} functions[] = {
    {"abs", PURE_ABS, 0},         {"exp", PURE_EXP, 0},         {"log", PURE_LOG, 0},
    {"sqrt", PURE_SQRT, 0},       {"sin", PURE_SIN, 0},         {"cos", PURE_COS, 0},
    {"float", PURE_TO_FLOAT, 0},  {"int", PURE_TO_INT, 0},      {"randn", PURE_RANDN, 0},
    {"uniform", PURE_UNIFORM, 0}, {"min", PURE_MIN2, PURE_MIN}, {"max", PURE_MAX2, PURE_MAX},
    {"sum", 0, PURE_SUM},         {"prod", 0, PURE_PROD},       {"all", 0, PURE_ALL},
    {"any", 0, PURE_ANY},
};

/* min and max of several values, two at a time. */
static uint32_t pure_values(PureCode *pc, const Ast *a, PureKind kind)
{
    bool two = kind == PURE_MIN2 || kind == PURE_MAX2;
    if (a->call.keywords.len || (two ? a->call.args.len < 2 : a->call.args.len != 1))
        return pure_error(pc, a, "type",
                          two ? "min and max take two or more values, or one generator"
                              : "this function takes one value");
    uint32_t all = pure_expr(pc, a->call.args.at[0]);
    if (!two)
        return pure_op(pc, a, kind, all, 0, 0);
    for (uint32_t i = 1; i < a->call.args.len; i++) {
        uint32_t next = pure_expr(pc, a->call.args.at[i]);
        all = pure_op(pc, a, kind, all, next, 0);
    }
    return all;
}

static uint32_t pure_call(PureCode *pc, const Ast *a)
{
    const Ast *callee = a->call.callee;
    Sym name = callee->kind == AST_NAME   ? callee->name
               : callee->kind == AST_ATTR ? callee->attr.name
                                          : "";
    const Ast *first = a->call.args.len == 1 ? a->call.args.at[0] : NULL;
    bool many = first && (first->kind == AST_GENEXP || first->kind == AST_LISTCOMP);
    for (uint32_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) != 0)
            continue;
        if (many && functions[i].many)
            return pure_aggregate(pc, a, first, (PureKind)functions[i].many);
        if (!functions[i].one)
            return pure_error(pc, a, "type",
                              pure_text(pc, "%s takes `value for name in range(...)`", name));
        return pure_values(pc, a, (PureKind)functions[i].one);
    }
    return pure_error(pc, a, "name",
                      pure_text(pc,
                                "init and golden functions know no %s; there are abs exp log "
                                "sqrt sin cos float int min max sum prod all any randn "
                                "uniform",
                                *name ? name : "such call"));
}

static uint32_t pure_cond(PureCode *pc, const Ast *a)
{
    uint32_t cond = pure_expr(pc, a->cond.cond), then = pure_expr(pc, a->cond.then);
    return pure_op(pc, a, PURE_COND, cond, then, pure_expr(pc, a->cond.otherwise));
}

static uint32_t pure_kind(PureCode *pc, const Ast *a)
{
    uint32_t left;
    switch (a->kind) {
    case AST_INT: return add_int(pc, a, a->integer.value);
    case AST_TRUE: return add_int(pc, a, 1);
    case AST_FALSE: return add_int(pc, a, 0);
    case AST_FLOAT: return pure_node(pc, a, (BcPureNode){.kind = PURE_FLOAT, .fval = a->real});
    case AST_NAME: return pure_name(pc, a);
    case AST_UNARY: return pure_unary(pc, a);
    case AST_BINARY:
        left = pure_expr(pc, a->binary.left);
        return pure_code_binary(pc, a, a->binary.op, left, pure_expr(pc, a->binary.right));
    case AST_COMPARE: return pure_compare(pc, a);
    case AST_AND: return pure_logic(pc, a, PURE_AND);
    case AST_OR: return pure_logic(pc, a, PURE_OR);
    case AST_COND: return pure_cond(pc, a);
    case AST_CALL: return pure_call(pc, a);
    case AST_SUBSCRIPT: return pure_subscript(pc, a);
    default:
        return pure_error(
            pc, a, "syntax",
            pure_text(pc, "no %s in an init or golden function", ast_kind_name(a->kind)));
    }
}

uint32_t pure_expr(PureCode *pc, const Ast *a)
{
    if (pc->failed)
        return 0;
    if (pc->depth == BC_MAX_PURE_DEPTH / 2)
        return pure_error(pc, a, "syntax", "this expression is nested too deeply");
    pc->depth++;
    uint32_t node = pure_kind(pc, a);
    pc->depth--;
    return node;
}
