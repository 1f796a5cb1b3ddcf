/* Passes and their manager. */
#ifndef PLD_LOWER_PASS_H
#define PLD_LOWER_PASS_H

#include "ir/ir.h"
#include "ir/pass_table.h"
#include "ir/verify.h"

/* Called after each pass (also for p->stage as read, when a dump is continued), in order. false
 * stops. */
typedef bool PassHook(void *env, Program *p, PassId pass);

typedef struct {
    bool verify_each;
    PassId stop_after; /* PASS_FINAL for all */
    PassHook *hook;    /* may be NULL */
    void *env;
} PassOptions;

/* Runs the passes after p->stage. A pass that breaks what it promised is an internal error that
 * names the pass, the function and the op. false after errors. */
bool passes_run(Program *p, const PassOptions *options);

/* The passes, one file each (lower/<name>.c). false after reported errors. */
bool pass_inline_unroll(Program *p);
bool pass_convert_to_ssa(Program *p);
bool pass_outline_scopes(Program *p);
bool pass_simplify(Program *p);
bool pass_flatten_calls(Program *p);
bool pass_lower_tensor_ops(Program *p);
bool pass_synthesize_signals(Program *p);
bool pass_lower_composite_ops(Program *p);
bool pass_lower_host_collectives(Program *p);
bool pass_lower_transfers(Program *p);
bool pass_infer_memory(Program *p);
bool pass_materialize_windows(Program *p);
bool pass_insert_fences(Program *p);
bool pass_allocate_memory(Program *p);
bool pass_final(Program *p);

#endif
