/* Which devices the views of each window buffer are dispatched to by a host function: the
 * communication domain of the buffer. */
#ifndef PLD_LOWER_HOST_DOMAIN_H
#define PLD_LOWER_HOST_DOMAIN_H

#include "ir/ir.h"

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
    VarId *buffer; /* per variable: the buffer variable that its memory is a view of, or VAR_NONE */
    const Expr **value;  /* per variable: the value it is bound to, or NULL */
    const Stmt **loop;   /* per variable: the loop that it is the index of, or NULL */
    DeviceSet **devices; /* per variable that is a buffer */
    uint32_t n_vars;
} HostDomains;

/* Everything lives in the program's arena; `f` is in flat SSA form. */
void host_domains(HostDomains *d, Program *p, Func *f);
/* Domain of the buffer behind a view; with no dispatch at all, all devices. Never DEVICES_NONE. */
DeviceSet host_domain_of(const HostDomains *d, VarId view);
/* Whether all buffers of the program that are dispatched at all go to the same devices, so that
 * every context means one group. */
bool host_single_domain(Program *p);

#endif
