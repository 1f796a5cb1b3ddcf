/* The table of passes: names, dump file names, properties. In ir/, so that reading a dump's first
 * line does not bring every pass along. */
#ifndef PLD_IR_PASS_TABLE_H
#define PLD_IR_PASS_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum {
#define PLD_PASS(number, ENUM, name, requires, produces, breaks, levels, works_on, doc) PASS_##ENUM,
#include "ir/passes.def"
    PASS_COUNT
} PassId;

typedef struct {
    PassId id;
    const char *name; /* "lower_composite_ops" */
    const char *file; /* "09_lower_composite_ops" */
    const char *doc;
    uint32_t requires, produces, breaks;
    uint32_t levels, works_on;
} PassInfo;

const PassInfo *pass_info(PassId id);
/* By name, with or without number ("lower_composite_ops", "09_lower_composite_ops"); false if
 * unknown. */
bool pass_from_name(const char *name, PassId *id);
void pass_print_table(FILE *out);

#endif
