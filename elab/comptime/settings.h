/* What is said from outside about a program that is elaborated. */
#ifndef PLD_ELAB_SETTINGS_H
#define PLD_ELAB_SETTINGS_H

#include "ir/ir.h"

/* A setting of a compile-time parameter, -D NAME=VALUE, or, for the name "tensor:x", the dtype and
 * extents of the entry's tensor x: "FP32[64,64]". */
typedef struct {
    const char *name, *value;
    bool aside; /* said by the way: may be of no use, and gives way to others */
} Define;

typedef struct {
    const Define *defines;
    uint32_t n_defines;
    uint32_t ranks;              /* devices; 0: unsaid, two (or what a dump's first line says) */
    const Platform *platform;    /* NULL: unsaid, a2a3sim (or what the first line says) */
    const char *program, *entry; /* NULL: unsaid */
    bool no_print;               /* leaves out what pl.debug_print shows */
} SpecializeOptions;

#endif
