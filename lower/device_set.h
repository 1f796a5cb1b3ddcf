/* Which devices the views of each window buffer are dispatched to by a host function: the
 * communication domain of the buffer. */
#ifndef PLD_LOWER_DEVICE_SET_H
#define PLD_LOWER_DEVICE_SET_H

#include "ir/alias.h"

#define HOST_MAX_DEVICES 1024 /* the most that a run takes */

typedef enum {
    DEVICES_NONE,    /* dispatched nowhere */
    DEVICES_LIST,    /* positions in -d, known at compile time */
    DEVICES_WORLD,   /* all of them, however many there are */
    DEVICES_RANGE,   /* a range of dynamic extents */
    DEVICES_UNKNOWN, /* computed at run time */
} DevicesKind;

typedef struct {
    DevicesKind kind;
    const Expr *lo, *hi;        /* RANGE, step 1; constants and extents only */
    bool has[HOST_MAX_DEVICES]; /* LIST */
    uint32_t count;             /* LIST: how many; not 0 */
} DeviceSet;

typedef struct {
    const Program *p;
    const Func *f;
    FuncAlias *memory;
    const Expr **value;  /* per variable: the value it is bound to, or NULL */
    const Stmt **loop;   /* per variable: the loop that it is the index of, or NULL */
    DeviceSet **devices; /* per node of `memory` that is a buffer */
    uint32_t n_vars;
    AliasNodes sources; /* of the view at hand */
} DeviceSets;

/* `f` is in flat SSA form. Freed with the program's arena, but for device_sets_free. */
void device_sets(DeviceSets *d, Program *p, Func *f);
void device_sets_free(DeviceSets *d);
/* The devices of the buffer behind a view; with no dispatch at all, all devices; UNKNOWN where it
 * is one of several buffers that differ in this. Never DEVICES_NONE. */
DeviceSet device_set_of(DeviceSets *d, VarId view);
/* Whether all buffers of the program that are dispatched at all go to the same devices, so that
 * every context means one group. */
bool device_sets_agree(Program *p);

#endif
