/* The map of pldc --memory as a table. */
#include "cli/memory.h"
#include "cli/options.h"
#include "ir/print.h"
#include "lower/memory_map.h"

#include <stdio.h>
#include <string.h>

static void put_memory(const FuncMap *m, const Program *p, MemSpace memory, Buf *out)
{
    const MapMemory *of = &m->of[memory];
    buf_printf(out,
               "  %s: %lld of %lld bytes, at most %lld alive at once (line %u); every tile by "
               "itself: %lld, reuse saves %lld\n",
               mem_kind_name(memory), (long long)of->used,
               (long long)mem_kind_bytes(p->platform, memory), (long long)of->alive,
               m->lines[of->peak / 2], (long long)of->separate,
               (long long)(of->separate - of->used));
    buf_printf(out, "    %9s %9s  %-11s  %s\n", "address", "bytes", "lines", "tile");
    for (uint32_t i = 0; i < m->tiles.len; i++) {
        const MapTile *t = &m->tiles.at[i];
        char lines[32];
        if (t->type->mem != memory)
            continue;
        snprintf(lines, sizeof lines, t->to > t->from ? "%u-%u" : "%u", t->from, t->to);
        buf_printf(out, "    %9lld %9lld  %-11s  %s ", (long long)t->addr, (long long)t->bytes,
                   lines, t->name);
        tile_shape_print(out, t->type);
        buf_char(out, '\n');
    }
}

static void put_func(Program *p, const Source *src, Func *f, Buf *out)
{
    FuncMap *m = func_map_new(p, src, f);
    buf_printf(out, "%s\n", f->name);
    if (!m->tiles.len)
        buf_str(out, "  no tiles\n");
    for (MemSpace memory = MEM_VEC; memory < MEM_KINDS; memory++)
        if (m->of[memory].separate)
            put_memory(m, p, memory, out);
    func_map_free(m);
}

static void put_number(Program *p, const MapWindow *w, const Expr *e, int64_t value, Buf *out)
{
    if (value >= 0)
        buf_printf(out, "%9lld ", (long long)value);
    else {
        ir_print_expr(out, p, w->f, e);
        buf_str(out, "  ");
    }
}

static void put_windows(Program *p, const MapWindows *windows, Buf *out)
{
    int64_t end = 0;
    for (uint32_t i = 0; i < windows->len; i++) {
        const MapWindow *w = &windows->at[i];
        end = end < 0 || w->at < 0 || w->size < 0 ? -1 : w->at + w->size;
    }
    buf_str(out, "symmetric heap, on every device");
    if (end >= 0)
        buf_printf(out, ": %lld bytes", (long long)end);
    buf_printf(out, "\n    %9s %9s  %s\n", "offset", "bytes", "window");
    for (uint32_t i = 0; i < windows->len; i++) {
        const MapWindow *w = &windows->at[i];
        buf_str(out, "    ");
        put_number(p, w, w->offset, w->at, out);
        put_number(p, w, w->bytes, w->size, out);
        buf_printf(out, " %s %s\n", w->name, w->type);
    }
}

bool memory_file_ok(const char *tool, const char *file)
{
    size_t len = strlen(file);
    if (len > 4 && strcmp(file + len - 4, ".svg") == 0)
        return true;
    usage_error(tool, "--memory draws into a file .svg, not '%s'", file);
    return false;
}

static void memory_text(Program *p, const Source *src, Buf *out)
{
    MapWindows windows = {0};
    buf_printf(out, "memory of %s on %s\n", p->name, p->platform->name);
    for (uint32_t i = 0; i < p->funcs.len; i++)
        if (p->funcs.at[i]->kind == FN_INCORE)
            put_func(p, src, p->funcs.at[i], out);
    map_windows(p, &windows);
    if (windows.len)
        put_windows(p, &windows, out);
    vec_free(&windows);
}

void memory_map(Program *p, const Source *src, bool picture, Buf *out)
{
    if (picture)
        memory_svg(p, src, out);
    else
        memory_text(p, src, out);
}
