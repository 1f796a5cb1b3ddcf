#include "ir/pass_table.h"
#include "ir/verify.h"
#include <stdio.h>
#include <string.h>

static const PassInfo infos[] = {
#define PLD_PASS(number, ENUM, name_, requires_, produces_, breaks_, levels_, works_on_, doc_)     \
    {.id = PASS_##ENUM,                                                                            \
     .file = #number "_" #name_,                                                                   \
     .name = #name_,                                                                               \
     .doc = doc_,                                                                                  \
     .requires = requires_,                                                                        \
     .produces = produces_,                                                                        \
     .breaks = breaks_,                                                                            \
     .levels = levels_,                                                                            \
     .works_on = works_on_},
#include "ir/passes.def"
};

_Static_assert(sizeof infos / sizeof *infos == PASS_COUNT, "one row a pass");
_Static_assert(PASS_COUNT <= 100, "dump file names have two digits");

/* Dump files sort as the passes run. */
#define PLD_PASS(number, ENUM, name, requires, produces, breaks, levels, works_on, doc)            \
    _Static_assert(PASS_##ENUM == 1##number - 100, "the number of " #name " is not its position");
#include "ir/passes.def"

const PassInfo *pass_info(PassId id)
{
    return &infos[id];
}

bool pass_from_name(const char *name, PassId *id)
{
    /* The number in front says where the pass stood when the dump was made. */
    if (name[0] >= '0' && name[0] <= '9' && name[1] >= '0' && name[1] <= '9' && name[2] == '_')
        name += 3;
    for (int i = 0; i < PASS_COUNT; i++) {
        const PassInfo *info = pass_info((PassId)i);
        if (!strcmp(name, info->name) || !strcmp(name, info->file)) {
            *id = info->id;
            return true;
        }
    }
    return false;
}

static void print_properties(FILE *out, const char *label, uint32_t properties)
{
    if (!properties)
        return;
    fprintf(out, "%28s %s", "", label);
    for (uint32_t bit = 1; bit && bit <= properties; bit <<= 1)
        if (properties & bit)
            fprintf(out, " %s", property_name((Property)bit));
    fputc('\n', out);
}

void pass_print_table(FILE *out)
{
    for (int i = 0; i < PASS_COUNT; i++) {
        const PassInfo *info = pass_info((PassId)i);
        fprintf(out, "%-28s %s\n", info->file, info->doc);
        print_properties(out, "requires", info->requires);
        print_properties(out, "produces", info->produces);
        print_properties(out, "breaks", info->breaks);
    }
}
