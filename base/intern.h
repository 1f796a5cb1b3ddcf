/* Interned strings: one address per distinct text, so that equality is pointer equality. */
#ifndef PLD_BASE_INTERN_H
#define PLD_BASE_INTERN_H

#include "base/arena.h"
#include <stdint.h>

/* An interned, NUL-terminated string; owned by its Interner. Compare with ==. Never order output
 * by address. */
typedef const char *Sym;

typedef struct {
    Arena arena;  /* owns the texts */
    Sym *slots;   /* open-addressing table */
    uint32_t cap; /* power of two, or 0 */
    uint32_t len;
} Interner;

/* A zeroed Interner is empty and valid. */

/* Returns the one Sym for these `len` bytes (which hold no NUL). */
Sym intern_n(Interner *in, const char *text, size_t len);
Sym intern(Interner *in, const char *text);
/* printf, then intern. */
Sym internf(Interner *in, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void interner_free(Interner *in);

#endif
