/* The map of pldc --memory as a picture: for each memory of a core a panel, statements of the
 * function to the right and addresses upward, so that a tile is a rectangle of its life and its
 * place; below, the windows of the symmetric heap. */
#include "base/json.h"
#include "cli/memory.h"
#include "ir/print.h"
#include "lower/memory_map.h"

#include <string.h>

enum { LEFT = 132, WIDTH = 960, RIGHT = 28, LEAST = 64, MOST = 240, ROW = 22 };

static const char style[] =
    "text{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;font-size:12px;"
    "fill:#1f2933}\n"
    ".t{font-size:18px;font-weight:600}.f{font-size:14px;font-weight:600}.s{fill:#52606d}"
    ".n{font-size:10.5px;fill:#52606d}.in{font-size:10.5px;pointer-events:none}\n"
    ".panel{fill:#f5f7fa;stroke:#cbd2d9}.peak{stroke:#b83b5e;stroke-width:1;stroke-dasharray:4 3}"
    ".loop{fill:none;stroke:#7b8794}\n"
    ".c0{fill:#8fb8de}.c1{fill:#9fd3c7}.c2{fill:#f3c583}.c3{fill:#d5b4e0}.c4{fill:#b9d48b}"
    ".c5{fill:#f2a7a0}.c6{fill:#c9c2a5}.c7{fill:#a9c5d8}\n"
    ".thin{stroke:none}.tile{stroke:#3e4c59;stroke-width:.7}.tile:hover{stroke-width:2}\n";

typedef struct {
    Program *p;
    const Source *src;
    Buf *out;
    double y; /* where the next thing goes */
} Picture;

/* Escaped text between what stands before and after it. */
static void put_text(Picture *x, const char *before, const char *text, const char *after)
{
    buf_str(x->out, before);
    xml_escape(x->out, text);
    buf_str(x->out, after);
}

static double across(const FuncMap *m, uint32_t position)
{
    return LEFT + (double)position * WIDTH / (2.0 * m->live->n_positions + 2);
}

typedef struct {
    double y, height; /* of the panel */
    int64_t bytes;    /* that its height stands for */
} Panel;

static void put_segment(Picture *x, const FuncMap *m, const Panel *panel, const MapTile *t,
                        Segment s)
{
    double scale = panel->height / (double)panel->bytes, height = (double)t->bytes * scale;
    double left = across(m, s.from), width = across(m, s.to + 1) - left;
    double top = panel->y + panel->height - (double)t->addr * scale - height;
    buf_printf(x->out,
               "<rect class=\"%s c%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">"
               "<title>",
               height < 3 ? "thin" : "tile", t->order % 8, left, top, width,
               height < 1 ? 1 : height);
    xml_escape(x->out, t->name);
    buf_char(x->out, ' ');
    tile_shape_print(x->out, t->type);
    buf_printf(x->out, ", %lld bytes at %lld, lines %u to %u</title></rect>\n", (long long)t->bytes,
               (long long)t->addr, t->from, t->to);
    if (height >= 13 && width >= 6.5 * (double)strlen(t->name) + 6) {
        buf_printf(x->out, "<text class=\"in\" x=\"%.1f\" y=\"%.1f\">", left + 4,
                   top + height / 2 + 4);
        put_text(x, "", t->name, "</text>\n");
    }
}

/* Segments that follow each other are one rectangle. */
static void put_tile(Picture *x, const FuncMap *m, const Panel *panel, const MapTile *t)
{
    for (uint32_t i = 0; i < t->segments.len; i++) {
        Segment s = t->segments.at[i];
        while (i + 1 < t->segments.len && t->segments.at[i + 1].from <= s.to + 1)
            s.to = t->segments.at[++i].to;
        put_segment(x, m, panel, t, s);
    }
}

/* The numbers beside a panel. */
static void put_numbers(Picture *x, const FuncMap *m, MemSpace memory, const Panel *panel)
{
    const MapMemory *of = &m->of[memory];
    buf_printf(x->out, "<text x=\"16\" y=\"%.1f\">%s</text>\n", panel->y + 14,
               mem_kind_name(memory));
    buf_printf(x->out, "<text class=\"n\" x=\"16\" y=\"%.1f\">%lld of %lld</text>\n", panel->y + 29,
               (long long)of->used, (long long)mem_kind_bytes(x->p->platform, memory));
    buf_printf(x->out, "<text class=\"n\" x=\"16\" y=\"%.1f\">reuse saves %lld</text>\n",
               panel->y + 43, (long long)(of->separate - of->used));
    double peak = across(m, of->peak);
    buf_printf(
        x->out,
        "<line class=\"peak\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"><title>most is "
        "alive here: %lld bytes</title></line>\n",
        peak, panel->y, peak, panel->y + panel->height, (long long)of->alive);
}

static void put_panel(Picture *x, const FuncMap *m, MemSpace memory)
{
    uint32_t tiles = 0;
    for (uint32_t i = 0; i < m->tiles.len; i++)
        tiles += m->tiles.at[i].type->mem == memory;
    double height = LEAST + 16.0 * tiles;
    Panel panel = {x->y, height > MOST ? MOST : height, m->of[memory].used};
    buf_printf(x->out, "<rect class=\"panel\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>\n",
               LEFT, panel.y, WIDTH, panel.height);
    for (uint32_t i = 0; i < m->tiles.len; i++)
        if (m->tiles.at[i].type->mem == memory)
            put_tile(x, m, &panel, &m->tiles.at[i]);
    put_numbers(x, m, memory, &panel);
    x->y += panel.height + 10;
}

/* Brackets over the statements of loops, inner ones below outer ones. */
static void put_loops(Picture *x, const FuncMap *m)
{
    const Segments *loops = &m->live->loops;
    double lowest = x->y;
    for (uint32_t i = 0; i < loops->len; i++) {
        uint32_t depth = 0;
        for (uint32_t k = 0; k < loops->len; k++)
            depth += k != i && loops->at[k].from <= loops->at[i].from &&
                     loops->at[k].to >= loops->at[i].to;
        double y = x->y + 7.0 * depth, from = across(m, loops->at[i].from),
               to = across(m, loops->at[i].to + 1);
        buf_printf(x->out,
                   "<path class=\"loop\" d=\"M%.1f,%.1f v-5 H%.1f v5\"><title>loop, line %u"
                   "</title></path>\n",
                   from, y + 5, to, m->lines[loops->at[i].from / 2]);
        lowest = y + 9 > lowest ? y + 9 : lowest;
    }
    x->y = lowest;
}

/* Lines of the source below the panels, as many as there is room for. */
static void put_lines(Picture *x, const FuncMap *m)
{
    double last = 0;
    uint32_t line = 0;
    buf_printf(x->out, "<text class=\"n\" x=\"16\" y=\"%.1f\">line</text>\n", x->y + 6);
    for (uint32_t i = 1; i <= m->live->n_positions; i++) {
        double at = across(m, 2 * i);
        if (m->lines[i] == line || at < last + 30)
            continue;
        line = m->lines[i];
        last = at;
        buf_printf(x->out, "<text class=\"n\" x=\"%.1f\" y=\"%.1f\">%u</text>\n", at, x->y + 6,
                   line);
    }
    x->y += 20;
}

static void put_func(Picture *x, Func *f)
{
    FuncMap *m = func_map_new(x->p, x->src, f);
    if (m->tiles.len) {
        buf_printf(x->out, "<text class=\"f\" x=\"16\" y=\"%.1f\">", x->y + 14);
        put_text(x, "", f->name, "</text>\n");
        x->y += 20;
        put_loops(x, m);
        for (MemSpace memory = MEM_VEC; memory < MEM_KINDS; memory++)
            if (m->of[memory].separate)
                put_panel(x, m, memory);
        put_lines(x, m);
        x->y += 14;
    }
    func_map_free(m);
}

/* A row for each window; a bar where its place is known. */
static void put_window(Picture *x, const MapWindow *w, int64_t end)
{
    Buf what = {0};
    buf_printf(&what, "%s, ", w->type);
    if (w->size >= 0)
        buf_printf(&what, "%lld bytes at %lld", (long long)w->size, (long long)w->at);
    else {
        ir_print_expr(&what, x->p, w->f, w->bytes);
        buf_str(&what, " bytes");
    }
    buf_printf(x->out, "<text x=\"16\" y=\"%.1f\">", x->y + 14);
    put_text(x, "", w->name, "</text>\n");
    double from = LEFT, width = 0;
    if (w->at >= 0 && w->size >= 0 && end > 0) {
        from = LEFT + (double)w->at * WIDTH / (double)end;
        width = (double)w->size * WIDTH / (double)end;
        buf_printf(x->out,
                   "<rect class=\"tile c0\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"16\"/>\n",
                   from, x->y + 2, width);
    }
    bool inside = width > WIDTH / 2.0, before = from > LEFT + WIDTH / 2.0;
    double at = inside ? from + 6 : before ? from - 6 : from + width + 6;
    buf_printf(x->out, "<text class=\"n\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", at, x->y + 14,
               before && !inside ? "end" : "start");
    put_text(x, "", what.at, "</text>\n");
    buf_free(&what);
    x->y += ROW;
}

static void put_windows(Picture *x, const MapWindows *windows)
{
    int64_t end = 0;
    for (uint32_t i = 0; i < windows->len; i++) {
        const MapWindow *w = &windows->at[i];
        end = w->at >= 0 && w->size >= 0 && w->at + w->size > end ? w->at + w->size : end;
    }
    buf_printf(x->out,
               "<text class=\"f\" x=\"16\" y=\"%.1f\">symmetric heap, on every device</text>\n",
               x->y + 14);
    x->y += 26;
    for (uint32_t i = 0; i < windows->len; i++)
        put_window(x, &windows->at[i], end);
}

void memory_svg(Program *p, const Source *src, Buf *out)
{
    Buf body = {0};
    MapWindows windows = {0};
    Picture x = {p, src, &body, 62};
    for (uint32_t i = 0; i < p->funcs.len; i++)
        if (p->funcs.at[i]->kind == FN_INCORE)
            put_func(&x, p->funcs.at[i]);
    map_windows(p, &windows);
    if (windows.len)
        put_windows(&x, &windows);
    int width = LEFT + WIDTH + RIGHT;
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
               "viewBox=\"0 0 %d %.0f\">\n<style>\n%s</style>\n"
               "<rect width=\"%d\" height=\"%.0f\" fill=\"#fff\"/>\n<text class=\"t\" x=\"16\" "
               "y=\"28\">Memory of ",
               width, x.y + 16, width, x.y + 16, style, width, x.y + 16);
    xml_escape(out, p->name);
    buf_printf(out,
               "</text>\n<text class=\"s\" x=\"16\" y=\"48\">%s; statements to the right, "
               "addresses upward; "
               "brackets: loops; dashed: where most is alive</text>\n",
               p->platform->name);
    buf_bytes(out, body.at, body.len);
    buf_str(out, "</svg>\n");
    buf_free(&body);
    vec_free(&windows);
}
