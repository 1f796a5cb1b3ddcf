/* The pass manager: runs the pipeline, with property checks around each pass and the hook that
 * dumps and times them. */
#include "lower/pass.h"

/* The first two rows are made by the front end, not by a function on programs. */
#define pass_parsed NULL
#define pass_specialize NULL

static bool (*const runs[])(Program *p) = {
#define PLD_PASS(number, ENUM, name, requires, produces, breaks, levels, works_on, doc) pass_##name,
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

static bool works_on(const PassInfo *info, const Func *f)
{
    static const uint32_t levels[] = {
        [FN_HOST] = LEVEL_H, [FN_ORCH] = LEVEL_O, [FN_INCORE] = LEVEL_I, [FN_GOLDEN] = 0};
    return (info->levels & levels[f->kind]) &&
           (!info->works_on || func_may_hold(f, info->works_on));
}

/* A function that changed. From SSA on, memory must agree with the dump on what is a version of
 * what. */
static bool settle(Program *p, Func *f, const PassInfo *info, bool verify)
{
    f->lacks = f->verified = 0;
    if (p->properties & PROP_SSA)
        func_settle_names(p, f);
    return !verify || ir_verify_func(p, f, p->properties, info->name);
}

static bool run_one(Program *p, const PassInfo *info, bool verify)
{
    bool clean = true;
    for (uint32_t i = 0; i < p->funcs.len; i++)
        p->funcs.at[i]->untouched = !works_on(info, p->funcs.at[i]);
    if (!check_required(p, info) || !runs[info->id](p) || diags_failed(p->diags))
        return false;
    p->properties = (p->properties & ~info->breaks) | info->produces;
    p->stage = info->id;
    for (uint32_t i = 0; i < p->funcs.len; i++)
        if (!p->funcs.at[i]->untouched)
            clean = settle(p, p->funcs.at[i], info, verify) && clean;
    return clean;
}

/* A function that passes left alone has what they promise by the table of passes; in the end the
 * verifier looks whether it has. */
static bool verify_rest(Program *p)
{
    const char *last = pass_info((PassId)p->stage)->name;
    bool clean = true;
    for (uint32_t i = 0; i < p->funcs.len; i++)
        if (p->funcs.at[i]->verified != p->properties)
            clean = ir_verify_func(p, p->funcs.at[i], p->properties, last) && clean;
    return clean;
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
    return !options->verify_each || verify_rest(p);
}
