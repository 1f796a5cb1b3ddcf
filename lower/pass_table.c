/* The table of passes: names, dump file names, properties. Apart from the manager, so that reading
 * a dump's first line does not bring every pass along. */
#include "lower/pass.h"
#include <stdio.h>
#include <string.h>

static PassInfo infos[] = {
#define PLD_PASS(ENUM, name_, requires_, produces_, breaks_, doc_)                                 \
    {.id = PASS_##ENUM,                                                                            \
     .name = #name_,                                                                               \
     .doc = doc_,                                                                                  \
     .requires = requires_,                                                                        \
     .produces = produces_,                                                                        \
     .breaks = breaks_},
#include "lower/passes.def"
};

_Static_assert(sizeof infos / sizeof *infos == PASS_COUNT, "one row a pass");
_Static_assert(PASS_COUNT <= 100, "dump file names have two digits");

const PassInfo *pass_info(PassId id)
{
    static char files[PASS_COUNT][48];
    if (!infos[id].file) {
        snprintf(files[id], sizeof files[id], "%02u_%s", (unsigned)id, infos[id].name);
        infos[id].file = files[id];
    }
    return &infos[id];
}

bool pass_from_name(const char *name, PassId *id)
{
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
