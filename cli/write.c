#include "cli/write.h"

#include "base/file.h"
#include "base/terminal.h"
#include "cli/compile.h"
#include "cli/tool.h"

#include <stdio.h>

int write_failed(char *why)
{
    terminal_line(stderr, "pldc: error: %s", why);
    xfree(why);
    return STATUS_USAGE;
}

int show_text(const Buf *text)
{
    char *why = NULL;
    terminal_text(stdout, text->at, text->len);
    return stdout_finish(&why) ? STATUS_OK : write_failed(why);
}

int print_text(const Buf *text)
{
    char *why = NULL;
    fwrite(text->at ? text->at : "", 1, text->len, stdout);
    return stdout_finish(&why) ? STATUS_OK : write_failed(why);
}

int write_output(const char *file, const Buf *bytes)
{
    char *why = NULL;
    if (file_write_atomic(file, bytes->at, bytes->len, &why))
        return STATUS_OK;
    return write_failed(why);
}
