#include "cli/compile.h"

#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static CompileStatus say(const char *tool, const Compilation *c, const CompileOptions *o,
                         CompileStatus status)
{
    bool colour = isatty(STDERR_FILENO) && !getenv("NO_COLOR");
    terminal_text(stderr, c->times_text.at, c->times_text.len);
    if (c->note && !o->quiet && o->diag_format == DIAG_TEXT)
        terminal_text(stderr, c->note, strlen(c->note));
    diags_print(&c->diags, stderr, o->diag_format, colour);
    if (c->why && c->usage)
        (void)usage_error(tool, "%s", c->why);
    else if (c->why)
        terminal_line(stderr, "%s: error: %s", tool, c->why);
    return status;
}

CompileStatus tool_compile(const char *tool, Compilation *c, const CompileOptions *options)
{
    return say(tool, c, options, compile(c, options));
}

CompileStatus tool_parse(const char *tool, Compilation *c, const CompileOptions *options)
{
    return say(tool, c, options, compile_parse(c, options));
}
