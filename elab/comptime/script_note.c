/* What became of a script, in one line. */
#include "base/buf.h"
#include "elab/comptime/script.h"

static const char *note(Arena *arena, const AstModule *m, bool all)
{
    uint32_t lines = 0;
    Buf b = {0};
    for (uint32_t i = 0; i < m->skipped.len; i++) {
        uint32_t first = source_line_col(m->src, m->skipped.at[i].span.begin).line;
        uint32_t last = source_line_col(m->src, m->skipped.at[i].span.end - 1).line;
        lines += last - first + 1;
        if (i >= 8 && !all)
            continue;
        buf_printf(&b, "%s%s %u", i ? ", " : "", m->skipped.at[i].what, first);
        if (last > first)
            buf_printf(&b, "-%u", last);
    }
    if (m->skipped.len > 8 && !all)
        buf_str(&b, ", ...");
    const char *text = arena_printf(
        arena, "took %u kernel%s and %u constant%s, skipped %u line%s%s%s%s", m->kernels,
        m->kernels == 1 ? "" : "s", m->constants, m->constants == 1 ? "" : "s", lines,
        lines == 1 ? "" : "s", lines ? " (" : "", b.at ? b.at : "", lines ? ")" : "");
    buf_free(&b);
    return text;
}

const char *script_note(Arena *arena, const AstModule *m, bool all)
{
    const char *text =
        m->script ? arena_printf(arena, "%s: note: %s\n", source_part(m->src, m->span.begin)->name,
                                 note(arena, m, all))
                  : "";
    for (uint32_t i = 0; i < m->scripts.len; i++)
        text = arena_printf(arena, "%s%s: note: %s\n", text,
                            source_part(m->src, m->scripts.at[i]->span.begin)->name,
                            note(arena, m->scripts.at[i], all));
    return *text ? text : NULL;
}
