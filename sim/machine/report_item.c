#include "sim/machine/report_item.h"

#include "sim/machine/element_text.h"
#include "sim/machine/window_names.h"

#include <string.h>

static ReportItem *new_item(World *w)
{
    static _Thread_local ReportItem spare;
    RunResult *r = w->result;
    Report *report = &r->reports[r->n_reports - 1];
    uint32_t n = report->n_items;
    if (n == REPORT_ITEMS)
        return &spare;
    if ((n & (n - 1)) == 0) { /* as many as fit are there */
        ReportItem *more = arena_array(&r->arena, n ? 2 * n : 1, sizeof *more);
        if (n)
            memcpy(more, report->items, n * sizeof *more);
        report->items = more;
    }
    report->n_items++;
    return (ReportItem *)&report->items[n];
}

ReportItem *report_item(World *w, const char *role, CodePlace at)
{
    ReportItem *item = new_item(w);
    const BcFunc *f = at.func < w->program->n_funcs ? &w->program->funcs[at.func] : NULL;
    const BcLoc *loc = place_loc(w, at);
    *item = (ReportItem){.role = role, .rank = at.rank, .core = at.core};
    if (f && f->insns && at.pc < f->n_insns)
        item->op = elements_op_name(f->insns[at.pc].op);
    if (loc) {
        item->file = arena_printf(&w->result->arena, "%s", world_string(w, loc->file));
        item->line = loc->line;
        item->col = loc->col;
    }
    return item;
}

void report_item_window(World *w, ReportItem *item, FabAddr at, int64_t end, uint8_t dtype)
{
    Buf text = {0};
    elements_window(w, &text, at.window, dtype, at.offset, end);
    item->window = w->windows.at[at.window].name;
    item->owner = at.rank;
    item->elements = arena_strndup(&w->result->arena, text.at, text.len);
    buf_free(&text);
}

static void about_cell(World *w, ReportItem *item, FabAddr cell)
{
    report_item_window(w, item, cell, cell.offset + 4, DT_INT32);
}

void report_item_cell(World *w, const char *role, CodePlace at, FabAddr cell)
{
    about_cell(w, report_item(w, role, at), cell);
}

void report_item_lane(World *w, const char *role, const Lane *lane)
{
    CodePlace at = lane->frames.len ? lane_place(lane) : (CodePlace){.rank = lane->rank};
    ReportItem *item = report_item(w, role, at);
    const Pending *p = &lane->pending;
    if (lane->state != LANE_BLOCKED || p->kind != PEND_WAIT)
        return;
    about_cell(w, item, p->rect.at);
    item->parameter = window_param(w, at, p->rect.at.window);
    item->cmp = p->op == WAIT_GE ? ">=" : "==";
    item->wanted = p->value;
    (void)w->fabric->ops->cell(w->fabric, p->rect.at, &item->value);
}
