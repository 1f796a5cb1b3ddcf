#include "base/terminal.h"

#include "base/buf.h"
#include "base/source.h"

#include <stdarg.h>
#include <string.h>

bool code_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

static bool reorders(uint32_t code)
{
    return (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

void terminal_escape(char escape[TERMINAL_ESCAPE], const char *bytes, uint32_t n, uint32_t code)
{
    bool bad_byte = code == 0xfffd && n == 1;
    if (bad_byte || (code_is_control(code) && code < 0x80))
        snprintf(escape, TERMINAL_ESCAPE, "\\x%02x", (unsigned char)bytes[0]);
    else if (code_is_control(code) || reorders(code))
        snprintf(escape, TERMINAL_ESCAPE, "\\u%04x", code);
    else
        escape[0] = '\0';
}

static void put(Buf *out, const char *text, size_t len, bool lines)
{
    for (size_t i = 0; i < len;) {
        uint32_t code, n = utf8_decode(text + i, len - i, &code);
        char escape[TERMINAL_ESCAPE] = "";
        if (!lines || (code != '\n' && code != '\t'))
            terminal_escape(escape, text + i, n, code);
        if (escape[0])
            buf_str(out, escape);
        else
            buf_bytes(out, text + i, n);
        i += n;
    }
}

void terminal_line(FILE *out, const char *fmt, ...)
{
    Buf text = {0}, safe = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&text, fmt, ap);
    va_end(ap);
    put(&safe, text.at, text.len, false);
    buf_char(&safe, '\n');
    fwrite(safe.at, 1, safe.len, out);
    buf_free(&text);
    buf_free(&safe);
}

void terminal_text(FILE *out, const char *text, size_t len)
{
    Buf safe = {0};
    put(&safe, text, len, true);
    if (safe.len)
        fwrite(safe.at, 1, safe.len, out);
    buf_free(&safe);
}
