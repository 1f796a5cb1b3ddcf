/* A growable byte buffer for building text and binary output. */
#ifndef PLD_BASE_BUF_H
#define PLD_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    char *at;   /* bytes; NUL-terminated whenever at != NULL */
    size_t len; /* bytes in use, without the NUL */
    size_t cap;
} Buf;

/* A zeroed Buf is empty and valid. */

void buf_bytes(Buf *buf, const void *bytes, size_t len);
void buf_str(Buf *buf, const char *text);
void buf_char(Buf *buf, char c);
/* Room for `more` bytes behind those in use; the caller writes them and adds to `len`. */
char *buf_room(Buf *buf, size_t more);
void buf_fill(Buf *buf, char c, size_t count);
void buf_printf(Buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(Buf *buf, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* Little-endian integers. */
void buf_u8(Buf *buf, uint8_t v);
void buf_u16(Buf *buf, uint16_t v);
void buf_u32(Buf *buf, uint32_t v);
void buf_u64(Buf *buf, uint64_t v);
/* The shortest decimal text that reads back as exactly `v`, in Python's repr form: always with a
 * '.', an 'e', or one of inf, -inf, nan. Locale-independent. */
void buf_double(Buf *buf, double v);
/* Empties the buffer and keeps its memory. */
void buf_clear(Buf *buf);
void buf_free(Buf *buf);

#endif
