/* The pass manager: the table of passes.def, property checks around each pass, and the hook that
 * dumps and times them. */
#include "lower/pass.h"
#include <stdio.h>
#include <string.h>

/* The first two rows are made by the front end, not by a function on programs. */
#define pass_parsed NULL
#define pass_specialize NULL

static PassInfo infos[] = {
#define PLD_PASS(ENUM, name_, requires_, produces_, breaks_, doc_)                                 \
    {.id = PASS_##ENUM, .name = #name_, .doc = doc_, .requires = requires_,                        \
     .produces = produces_, .breaks = breaks_, .run = pass_##name_},
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

static bool check_required(Program *p, const PassInfo *info)
{
    uint32_t missing = info->requires & ~p->properties;
    for (uint32_t bit = 1; bit && bit <= missing; bit <<= 1)
        if (missing & bit)
            diag_internal(p->diags, (Span){0, 0}, "pass %s needs the property %s, which %s does not leave",
                          info->name, property_name((Property)bit), pass_info((PassId)p->stage)->name);
    return !missing;
}

static bool run_one(Program *p, const PassInfo *info, bool verify)
{
    if (!check_required(p, info) || !info->run(p) || diags_failed(p->diags))
        return false;
    p->properties = (p->properties & ~info->breaks) | info->produces;
    p->stage = info->id;
    return !verify || ir_verify(p, p->properties, info->name);
}

bool passes_run(Program *p, const PassOptions *options)
{
    if (options->verify_each && !ir_verify(p, p->properties, pass_info((PassId)p->stage)->name))
        return false;
    if (options->hook && !options->hook(options->env, p, (PassId)p->stage))
        return false;
    while (p->stage < (uint32_t)options->stop_after) {
        PassId next = (PassId)(p->stage + 1);
        if (!run_one(p, pass_info(next), options->verify_each))
            return false;
        if (options->hook && !options->hook(options->env, p, next))
            return false;
    }
    return true;
}
