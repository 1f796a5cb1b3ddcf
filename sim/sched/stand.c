/* What somebody asks who stopped a run that did not end: where does it hang, and in which loop? */
#include "sim/sched/stand.h"

#include "sim/machine/element_text.h"
#include "sim/machine/report_item.h"

enum { SHOWN = 16 };

/* The innermost loop around an instruction: its FORLOOP; NULL: none. */
static const BcInsn *loop_around(const BcFunc *f, uint32_t pc)
{
    for (uint32_t i = pc; i < f->n_insns; i++)
        if (f->insns[i].op == BC_FORLOOP && (uint32_t)f->insns[i].imm <= pc)
            return &f->insns[i];
    return NULL;
}

static void loop_text(const World *w, const Lane *lane, Buf *out)
{
    const Frame *top = &lane->frames.at[lane->frames.len - 1];
    const BcInsn *loop = loop_around(top->f, top->pc);
    CodePlace at = lane_place(lane);
    if (!loop || loop->imm == 0)
        return;
    at.pc = (uint32_t)loop->imm - 1; /* its FORPREP */
    buf_str(out, ", in the loop at ");
    place_text(w, out, at);
    buf_printf(out, ", whose index is %lld", (long long)top->regs[loop->a]);
}

void stand_lane_text(const World *w, const Lane *lane, Buf *out)
{
    buf_str(out, "\n  ");
    elements_who(w, out, lane_place(lane));
    buf_printf(out, ": %llu instructions, ", (unsigned long long)lane->insns);
    if (lane->frames.len == 0) {
        buf_str(out, "not in a function");
        return;
    }
    buf_str(out, lane->state == LANE_BLOCKED ? "blocked at " : "at ");
    place_text(w, out, lane_place(lane));
    loop_text(w, lane, out);
}

/* The lanes that have not ended, in order; `each` is called with all of them. */
static void each_lane(const World *w, void (*each)(void *env, const Lane *lane), void *env)
{
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++) {
            const Lane *lane = &w->ranks[i].lanes[k];
            bool ended = lane->state == LANE_IDLE || lane->state == LANE_EXITED;
            if (!ended && w->ranks[i].busy)
                each(env, lane);
        }
}

typedef struct {
    const World *w;
    Buf *out;
    uint32_t n;
} Lines;

static void add_line(void *env, const Lane *lane)
{
    Lines *l = env;
    if (l->n++ < SHOWN)
        stand_lane_text(l->w, lane, l->out);
}

void stand_text(const World *w, Buf *out)
{
    Lines l = {w, out, 0};
    each_lane(w, add_line, &l);
    if (l.n > SHOWN)
        buf_printf(out, "\n  and %u more", l.n - SHOWN);
}

static void add_item(void *env, const Lane *lane)
{
    report_item_lane(env, lane->state == LANE_BLOCKED ? "blocked" : "stopped", lane);
}

void stand_items(World *w)
{
    each_lane(w, add_item, w);
}
