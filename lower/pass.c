/* The pass manager: runs the pipeline, with property checks around each pass and the hook that
 * dumps and times them. */
#include "lower/pass.h"

/* The first two rows are made by the front end, not by a function on programs. */
#define pass_parsed NULL
#define pass_specialize NULL

static bool (*const runs[])(Program *p) = {
#define PLD_PASS(number, ENUM, name, requires, produces, breaks, doc) pass_##name,
#include "ir/passes.def"
};

_Static_assert(sizeof runs / sizeof *runs == PASS_COUNT, "one function a pass");

static bool check_required(Program *p, const PassInfo *info)
{
    uint32_t missing = info->requires & ~p->properties;
    for (uint32_t bit = 1; bit && bit <= missing; bit <<= 1)
        if (missing & bit)
            diag_internal(p->diags, (Span){0, 0},
                          "pass %s needs the property %s, which %s does not leave", info->name,
                          property_name((Property)bit), pass_info((PassId)p->stage)->name);
    return !missing;
}

/* From SSA on, memory must agree with the dump on what is a version of what. */
static void settle_names(Program *p)
{
    for (uint32_t i = 0; i < p->funcs.len && (p->properties & PROP_SSA); i++)
        func_settle_names(p, p->funcs.at[i]);
}

static bool run_one(Program *p, const PassInfo *info, bool verify)
{
    if (!check_required(p, info) || !runs[info->id](p) || diags_failed(p->diags))
        return false;
    p->properties = (p->properties & ~info->breaks) | info->produces;
    p->stage = info->id;
    settle_names(p);
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
