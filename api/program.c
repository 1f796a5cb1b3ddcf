/* A program is what its bytes say: it shares nothing with the unit that compiled it, so that a
 * failed compilation or run can take nothing away from it. */
#include "api/border.h"
#include "base/json.h"
#include "sim/machine/bind.h"
#include "sim/sched/replay.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

_Static_assert(BC_MAX_RANK <= sizeof((pld_param *)0)->dims / sizeof(int64_t), "dims of pld_param");

struct pld_program {
    atomic_uint refs;
    Heap heap;
    Arena arena;
    BcProgram *code;
    char *bytes;
    size_t len;
    const char **dims; /* text per parameter of the host function */
    pthread_mutex_t lock;
    Buf disassembly, json; /* made when first asked for, under the lock */
};

typedef struct {
    pld_program *p;
    const void *bytes;
    size_t len;
    const char *why;
} Decode;

static const BcFunc *host(const pld_program *p)
{
    return &p->code->funcs[p->code->entry];
}

static const char *text(const pld_program *p, uint32_t string)
{
    return string < p->code->n_strings ? p->code->strings[string] : "";
}

static const char *dims_text(pld_program *p, const BcParam *param)
{
    Buf out = {0};
    buf_char(&out, '[');
    for (uint32_t i = 0; i < param->rank; i++) {
        buf_str(&out, i ? ", " : "");
        bc_dim_text(p->code, &param->dims[i], &out);
    }
    buf_char(&out, ']');
    const char *copy = arena_strndup(&p->arena, out.at, out.len);
    buf_free(&out);
    return copy;
}

static int decode(void *env)
{
    Decode *d = env;
    pld_program *p = d->p;
    p->bytes = arena_strndup(&p->arena, d->bytes, d->len);
    p->len = d->len;
    p->code = bc_decode(&p->arena, p->bytes, d->len, &d->why);
    if (!p->code)
        return PLD_USAGE;
    p->dims = arena_array(&p->arena, host(p)->n_params + 1, sizeof *p->dims);
    for (uint32_t i = 0; i < host(p)->n_params; i++)
        p->dims[i] = dims_text(p, &host(p)->params[i]);
    return PLD_OK;
}

static void destroy(pld_program *p)
{
    pthread_mutex_destroy(&p->lock);
    heap_free(&p->heap);
    xfree(p);
}

int program_from_bytes(const void *bytes, size_t len, pld_program **out, char *why, size_t size)
{
    Decode d = {.p = heap_try(sizeof *d.p), .bytes = bytes, .len = len, .why = ""};
    *out = NULL;
    if (!d.p)
        return PLD_NO_MEMORY;
    atomic_init(&d.p->refs, 1);
    pthread_mutex_init(&d.p->lock, NULL);
    int status = border(&d.p->heap, decode, &d);
    if (why && size)
        snprintf(why, size, "%s", status == PLD_USAGE ? d.why : "");
    if (status == PLD_OK)
        *out = d.p;
    else
        destroy(d.p);
    return status;
}

const BcProgram *program_code(const pld_program *program)
{
    return program->code;
}

int pld_program_decode(const void *bytes, size_t len, pld_program **program, char *why,
                       size_t why_size)
{
    return program_from_bytes(bytes, len, program, why, why_size);
}

const void *pld_program_encode(const pld_program *program, size_t *len)
{
    *len = program->len;
    return program->bytes;
}

pld_program *pld_program_ref(pld_program *program)
{
    atomic_fetch_add_explicit(&program->refs, 1, memory_order_relaxed);
    return program;
}

void pld_program_free(pld_program *program)
{
    if (program && atomic_fetch_sub_explicit(&program->refs, 1, memory_order_acq_rel) == 1)
        destroy(program);
}

uint64_t pld_program_hash(const pld_program *program)
{
    return program->code->hash;
}

uint64_t pld_token_hash(const char *token)
{
    return replay_program(token);
}

/* ---- texts ---- */

static int disassemble(void *env)
{
    pld_program *p = env;
    bc_disassemble(p->code, &p->disassembly);
    return PLD_OK;
}

static void json_params(JsonWriter *w, const pld_program *p)
{
    static const char *const dirs[] = {"in", "out", "inout"};
    json_member_open(w, "parameters", '[');
    for (uint32_t i = 0; i < host(p)->n_params; i++) {
        const BcParam *param = &host(p)->params[i];
        json_open(w, '{');
        json_member_str(w, "name", text(p, param->name));
        json_member_str(w, "kind", param->kind == BCP_SCALAR ? "scalar" : "tensor");
        json_member_str(w, "dtype", dtype_name(param->dtype));
        json_member_str(w, "direction", dirs[param->dir]);
        json_member_str(w, "shape", p->dims[i]);
        json_close(w);
    }
    json_close(w);
}

static void json_functions(JsonWriter *w, const pld_program *p)
{
    static const char *const kinds[] = {"host", "orchestration", "InCore", "element"};
    json_member_open(w, "functions", '[');
    for (uint32_t i = 0; i < p->code->n_funcs; i++) {
        const BcFunc *f = &p->code->funcs[i];
        json_open(w, '{');
        json_member_str(w, "name", text(p, f->name));
        json_member_str(w, "kind", kinds[f->kind]);
        json_member_bool(w, "generated", f->generated);
        json_member_bool(w, "subworker", bc_is_outside(f));
        json_member_open(w, "params", '[');
        for (uint32_t k = 0; k < f->n_params; k++)
            json_str(w, text(p, f->params[k].name));
        json_close(w);
        json_close(w);
    }
    json_close(w);
}

static int describe(void *env)
{
    pld_program *p = env;
    JsonWriter w;
    Buf out = {0};
    json_init(&w, &out);
    json_open(&w, '{');
    json_member_str(&w, "name", text(p, p->code->program_name));
    json_member_str(&w, "entry", text(p, host(p)->name));
    json_member_str(&w, "platform", platforms[p->code->platform].name);
    json_member_int(&w, "devices", p->code->compiled_ranks);
    json_member_bool(&w, "prints", bc_prints(p->code));
    json_member_open(&w, "extents", '[');
    for (uint32_t i = 0; i < p->code->n_extents; i++)
        json_str(&w, text(p, p->code->extents[i]));
    json_close(&w);
    json_params(&w, p);
    json_functions(&w, p);
    json_close(&w);
    p->json = out;
    return PLD_OK;
}

/* A text that did not become whole is thrown away with the heap; the program stays what it was. */
static const char *made(pld_program *p, Buf *out, int (*make)(void *env))
{
    pthread_mutex_lock(&p->lock);
    if (!out->at && border(&p->heap, make, p) != PLD_OK)
        *out = (Buf){0};
    const char *text = out->at;
    pthread_mutex_unlock(&p->lock);
    return text;
}

const char *pld_program_disassemble(pld_program *program)
{
    return made(program, &program->disassembly, disassemble);
}

const char *pld_program_json(pld_program *program)
{
    return made(program, &program->json, describe);
}

/* ---- parameters ---- */

size_t pld_program_param_count(const pld_program *program)
{
    return host(program)->n_params;
}

int pld_program_param(const pld_program *program, size_t index, pld_param *out)
{
    if (index >= host(program)->n_params)
        return PLD_USAGE;
    const BcParam *from = &host(program)->params[index];
    pld_param param = {.name = text(program, from->name),
                       .kind = from->kind == BCP_SCALAR ? PLD_SCALAR : PLD_TENSOR,
                       .dtype = from->dtype,
                       .dir = from->dir,
                       .rank = from->rank,
                       .dims_text = program->dims[index]};
    for (uint32_t i = 0; i < from->rank; i++) {
        const BcDim d = from->dims[i];
        const BcDimStep *step = &program->code->dim_steps[d.first];
        param.dims[i] = d.n == 1 && step->op == BCD_CONST ? step->value : -1;
    }
    return border_copy_out(out, &param, sizeof param);
}
