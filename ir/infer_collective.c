/* What the collectives require of their operands, InCore and on the host.
 *
 * The rank count nr is known only when a parameter is bound to pld.world_size(); and even then a
 * call may serve a smaller group of devices. So a static count that says one smaller group
 * throughout is left to the check at start, and so is everything when nr is unknown. On the host a
 * plain tensor carries one slice per rank: its leading dimension is dropped before the rules apply.
 */
#include "ir/infer.h"
#include <string.h>

/* Type of memory operand `slot` as one rank sees it. */
static const Type *rank_view(const Infer *in, int slot)
{
    const Type *t = in->op->args[slot]->type;
    if (in->level != FN_HOST || t->kind != TY_TENSOR || t->rank < 2)
        return t;
    return type_shaped(in->p->types, TY_TENSOR, t->dtype, t->rank - 1u, t->dims + 1);
}

static bool fail_shape(const Infer *in, int slot, const char *wanted)
{
    return infer_fail(in, slot, "shape", "needs %s for %s, got %s", wanted,
                      in->info->slots[slot].name, infer_shape_text(in, in->op->args[slot]->type));
}

/* Whether a dim may be the rank count. */
static bool may_be_ranks(const Infer *in, const Dim *d)
{
    int64_t v;
    if (!dim_is_const(d, &v))
        return true;
    return v >= 1 && (!in->p->ranks_bound || v <= in->p->ranks);
}

/* "[nr, 1]", with its value where nr is known: "[nr, 1] = [4, 1]". */
static const char *nr_text(const Infer *in, const char *formula, long long rows, long long cols)
{
    if (!in->p->ranks_bound)
        return formula;
    return arena_printf(in->p->arena, "%s = [%lld, %lld]", formula, rows, cols);
}

static const char *column_text(const Infer *in)
{
    const char *shape = nr_text(in, "[nr, 1]", in->p->ranks, 1);
    return arena_printf(in->p->arena, "one column, %s,", shape);
}

/* The signal of all but ring: one cell per rank in one column. `lanes`: columns wanted (host
 * core_num). */
static bool check_column(const Infer *in, int slot, int64_t lanes)
{
    const Type *t = in->op->args[slot]->type;
    int64_t cols = 1;
    if (t->rank > 2)
        return fail_shape(in, slot, column_text(in));
    if (t->rank == 1 && lanes == 1)
        return true;
    if (t->rank == 1 || (dim_is_const(t->dims[1], &cols) && cols != lanes)) {
        if (lanes == 1)
            return fail_shape(in, slot, column_text(in));
        return fail_shape(in, slot,
                          arena_printf(in->p->arena, "a signal [nr, %lld], one column per core,",
                                       (long long)lanes));
    }
    return true;
}

static bool check_rows(const Infer *in, int slot)
{
    if (may_be_ranks(in, in->op->args[slot]->type->dims[0]))
        return true;
    return fail_shape(in, slot, column_text(in));
}

static const char *ring_text(const Infer *in, bool host)
{
    long long nr = in->p->ranks, rows = 2 * (nr - 1) + (host ? 1 : 0);
    return nr_text(in, host ? "a signal [2*(nr-1) + 1, nr]" : "a signal [2*(nr-1), nr]", rows, nr);
}

static bool fail_ring(const Infer *in, int slot)
{
    const char *hint = in->level == FN_HOST ? " on the host" : "";
    return infer_fail(in, slot, "shape", "mode=\"ring\"%s needs %s, got %s", hint,
                      ring_text(in, in->level == FN_HOST),
                      infer_shape_text(in, in->op->args[slot]->type));
}

/* rows must be 2*(cols-1), and one more on the host, where the closing barrier has a row of its
 * own. */
static bool check_ring_signal(const Infer *in, int slot)
{
    const Type *t = in->op->args[slot]->type;
    TypeTable *tt = in->p->types;
    if (t->rank != 2 || !may_be_ranks(in, t->dims[1]))
        return fail_ring(in, slot);
    const Dim *rows = dim_sub(tt, t->dims[1], dim_const(tt, 1));
    rows = rows ? dim_mul(tt, rows, dim_const(tt, 2)) : NULL;
    if (rows && in->level == FN_HOST)
        rows = dim_add(tt, rows, dim_const(tt, 1));
    return rows == t->dims[0] || fail_ring(in, slot);
}

/* `slot` must be [nr, SIZE]. */
static bool check_matrix(const Infer *in, int slot, const Type *t)
{
    int64_t cols;
    bool good = t->rank == 2 && may_be_ranks(in, t->dims[0]) &&
                !(dim_is_const(t->dims[1], &cols) && cols < 1);
    long long nr = in->p->ranks;
    return good || fail_shape(in, slot,
                              in->p->ranks_bound
                                  ? arena_printf(in->p->arena, "[nr, SIZE] = [%lld, SIZE]", nr)
                                  : "[nr, SIZE]");
}

static bool check_dtype(const Infer *in, int slot, bool half)
{
    Dtype d = in->op->args[slot]->type->dtype;
    if (d == DT_FP32 || (half && d == DT_FP16))
        return true;
    return infer_fail(in, slot, "type", "needs %s for %s%s, got %s", half ? "FP32 or FP16" : "FP32",
                      in->info->slots[slot].name, in->level == FN_HOST ? " on the host" : "",
                      type_text(in->p->arena, in->op->args[slot]->type));
}

/* src and target of one dtype, different memory; on the host FP32. */
static bool check_pair(const Infer *in, const Type *src, const Type *target)
{
    const Expr *a = in->op->args[0], *b = in->op->args[1];
    if (src->dtype != target->dtype)
        return infer_fail(in, 0, "type", "needs src and target of one dtype, got %s and %s",
                          type_text(in->p->arena, src), type_text(in->p->arena, target));
    if (a->kind == EX_VAR && b->kind == EX_VAR && a->var == b->var)
        return infer_fail(in, 0, "value", "needs different buffers for src and target");
    return in->level != FN_HOST || check_dtype(in, 1, false);
}

/* Leading dimensions of operands `slot` (as one rank sees it) and `other` count the same ranks. */
static bool check_same_ranks(const Infer *in, int slot, int other)
{
    const Dim *a = rank_view(in, slot)->dims[0], *b = rank_view(in, other)->dims[0];
    int64_t v;
    if (a == b || !dim_is_const(a, &v) || !dim_is_const(b, &v))
        return true;
    return infer_fail(in, slot, "shape",
                      "needs one row per rank everywhere, got %s rows of %s and %s of %s",
                      dim_text(in->p->arena, a), in->info->slots[slot].name,
                      dim_text(in->p->arena, b), in->info->slots[other].name);
}

static bool barrier_ok(const Infer *in)
{
    return check_column(in, 0, 1) && check_rows(in, 0);
}

static bool broadcast_ok(const Infer *in)
{
    int64_t root = 0;
    if (in->level == FN_HOST && !check_dtype(in, 0, false))
        return false;
    expr_is_int(in->op->args[2], &root);
    if (root < 0 || root > INT32_MAX)
        return infer_fail(in, 2, "value", "needs a root from 0 up, got %lld", (long long)root);
    if (in->p->ranks_bound && root >= in->p->ranks)
        return infer_fail(in, 2, "value", "needs a root below the rank count %u, got %lld",
                          in->p->ranks, (long long)root);
    return check_column(in, 1, 1) && check_rows(in, 1);
}

enum { AR_TARGET, AR_SIGNAL, AR_OP, AR_MODE, AR_CORES };

static bool host_ring_ok(const Infer *in)
{
    const Type *target = in->op->args[AR_TARGET]->type;
    int64_t n, ranks = in->p->ranks_bound ? in->p->ranks : 0;
    if (in->op->args[AR_OP]->ival != REDUCE_SUM)
        return infer_fail(in, AR_OP, "value",
                          "mode=\"ring\" on the host needs ReduceOp.Sum, got %s",
                          infer_text(in, in->op->args[AR_OP]));
    if (target->dtype != DT_FP32)
        return infer_fail(in, AR_TARGET, "type", "mode=\"ring\" on the host needs FP32, got %s",
                          type_text(in->p->arena, target));
    if (ranks > HOST_RING_RANKS)
        return infer_fail(in, -1, "value",
                          "mode=\"ring\" on the host needs at most %d ranks, got %lld",
                          HOST_RING_RANKS, (long long)ranks);
    if (ranks && type_elements(target, &n) && n % ranks != 0)
        return infer_fail(in, AR_TARGET, "shape",
                          "mode=\"ring\" on the host needs an element count divisible by the %lld "
                          "ranks, got %lld",
                          (long long)ranks, (long long)n);
    return true;
}

/* core_num=, 1 when left out; 0 after a reported mistake. */
static int64_t lane_count(const Infer *in)
{
    int64_t lanes = 1, most = in->p->platform ? in->p->platform->vector_cores : INT32_MAX;
    if (!in->op->args[AR_CORES])
        return 1;
    expr_is_int(in->op->args[AR_CORES], &lanes);
    if (in->level != FN_HOST) {
        infer_fail(in, AR_CORES, "level", "needs a host function for core_num=: leave it out here");
        return 0;
    }
    if (lanes < 1 || lanes > most) {
        infer_fail(in, AR_CORES, "value",
                   "needs core_num from 1 to the platform's %lld vector cores, got %lld",
                   (long long)most, (long long)lanes);
        return 0;
    }
    return lanes;
}

static bool allreduce_ok(const Infer *in)
{
    const Expr *mode = in->op->args[AR_MODE];
    bool ring = strcmp(mode->sym, "ring") == 0;
    int64_t n, lanes = lane_count(in);
    if (!lanes)
        return false;
    if (!ring && strcmp(mode->sym, "mesh") != 0)
        return infer_fail(in, AR_MODE, "value", "needs mode=\"mesh\" or mode=\"ring\", got \"%s\"",
                          mode->sym);
    if (!check_dtype(in, AR_TARGET, true))
        return false;
    if (type_elements(in->op->args[AR_TARGET]->type, &n) && n < 1)
        return infer_fail(in, AR_TARGET, "shape", "needs one element or more, got %s",
                          type_text(in->p->arena, in->op->args[AR_TARGET]->type));
    if (ring && in->level == FN_HOST && !host_ring_ok(in))
        return false;
    if (ring && lanes != 1)
        return infer_fail(in, AR_CORES, "value", "needs mode=\"mesh\" for core_num above 1");
    if (!in->op->args[AR_SIGNAL])
        return in->level == FN_HOST ||
               infer_fail(in, -1, "type", "needs the operand signal in an InCore function");
    return ring ? check_ring_signal(in, AR_SIGNAL) : check_column(in, AR_SIGNAL, lanes);
}

static bool reduce_scatter_ok(const Infer *in)
{
    const Type *target = in->op->args[0]->type;
    long long op = in->op->args[2]->ival;
    if (op != REDUCE_SUM)
        return infer_fail(
            in, 2, "value",
            "op must be ReduceOp.Sum (got int %lld); Max / Min / Prod lowerings are not yet "
            "implemented",
            op);
    return check_dtype(in, 0, in->level != FN_HOST) && check_matrix(in, 0, target) &&
           check_column(in, 1, 1) && check_rows(in, 1) && check_same_ranks(in, 0, 1);
}

static bool allgather_ok(const Infer *in)
{
    const Type *src = rank_view(in, 0), *target = in->op->args[1]->type;
    int64_t rows;
    if (!check_matrix(in, 1, target))
        return false;
    if (src->rank != 2 || !dim_is_const(src->dims[0], &rows) || rows != 1 ||
        src->dims[1] != target->dims[1])
        return fail_shape(
            in, 0,
            arena_printf(in->p->arena, "[%s1, %s]",
                         in->level == FN_HOST && src != in->op->args[0]->type ? "nr, " : "",
                         dim_text(in->p->arena, target->dims[1])));
    return check_pair(in, src, target) && check_column(in, 2, 1) && check_rows(in, 2) &&
           check_same_ranks(in, 2, 1);
}

static bool same_matrix(const Infer *in, const Type *src, const Type *target)
{
    if (src->rank == 2 && src->dims[0] == target->dims[0] && src->dims[1] == target->dims[1])
        return true;
    return infer_fail(in, 0, "shape", "needs src and target of one shape, got %s and %s",
                      infer_shape_text(in, src), infer_shape_text(in, target));
}

static bool all_to_all_ok(const Infer *in)
{
    const Type *src = rank_view(in, 0), *target = in->op->args[1]->type;
    return check_matrix(in, 1, target) && same_matrix(in, src, target) &&
           check_pair(in, src, target) && check_column(in, 2, 1) && check_rows(in, 2) &&
           check_same_ranks(in, 2, 1);
}

/* send_counts and recv_counts: INT32 [nr] or [nr, 1]. */
static bool check_counts(const Infer *in, int slot, const Type *t)
{
    int64_t cols = 1;
    bool shape = t->rank == 1 || (t->rank == 2 && (!dim_is_const(t->dims[1], &cols) || cols == 1));
    if (t->dtype != DT_INT32)
        return infer_fail(in, slot, "type", "needs INT32 for %s, got %s",
                          in->info->slots[slot].name, type_text(in->p->arena, t));
    return (shape && may_be_ranks(in, t->dims[0])) || fail_shape(in, slot, "[nr] or [nr, 1]");
}

static bool all_to_all_v_ok(const Infer *in)
{
    const Type *src = rank_view(in, 0), *target = in->op->args[1]->type;
    const Type *send = rank_view(in, 3), *recv = in->op->args[4]->type,
               *signal = in->op->args[2]->type;
    int64_t rows, nr;
    if (target->rank != 2)
        return fail_shape(in, 1, "[nr * capacity, SIZE]");
    const Type *counts = in->op->args[3]->type;
    if (in->level == FN_HOST && counts->kind == TY_TENSOR && counts->rank < 2)
        return fail_shape(in, 3, "one row of counts per rank, [nr, nr],");
    if (!same_matrix(in, src, target) || !check_pair(in, src, target) || !check_column(in, 2, 1) ||
        !check_rows(in, 2) || !check_counts(in, 3, send) || !check_counts(in, 4, recv) ||
        !check_same_ranks(in, 3, 2) || !check_same_ranks(in, 4, 2))
        return false;
    bool known = dim_is_const(target->dims[0], &rows) && dim_is_const(signal->dims[0], &nr);
    if (!known || rows % nr == 0)
        return true;
    return infer_fail(in, 1, "shape",
                      "needs a row count divisible by the %lld ranks for target, got %lld",
                      (long long)nr, (long long)rows);
}

/* By rule, from RULE_BARRIER on. */
static bool (*const checks[])(const Infer *) = {
    barrier_ok,   broadcast_ok,  allreduce_ok,    reduce_scatter_ok,
    allgather_ok, all_to_all_ok, all_to_all_v_ok,
};
_Static_assert(sizeof checks / sizeof *checks == RULE_COUNT - RULE_BARRIER,
               "a collective without a type rule");

const Type *infer_collective(const Infer *in)
{
    if (!checks[in->info->rule - RULE_BARRIER](in))
        return NULL;
    return in->op->args[in->info->result == RES_ARG1 ? 1 : 0]->type;
}
