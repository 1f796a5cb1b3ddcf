#include "api/skeleton.h"

#include "api/skeleton_guess.h"
#include <string.h>

typedef enum { ROLE_NONE, ROLE_INCORE, ROLE_ORCH, ROLE_HOST } Role;

typedef struct {
    Arena *arena;
    Buf *out;
    VEC(const Ast *) defs;      /* functions of the program, in order */
    VEC(const Ast *) constants; /* NAME = value at the top */
    bool host;
} Skeleton;

/* Appends the text of an expression for a look at its words. */
static bool mentions(const Ast *e, const char *word)
{
    Buf text = {0};
    ast_print_expr(&text, e);
    bool yes = text.at && strstr(text.at, word);
    buf_free(&text);
    return yes;
}

static Role role_of(const Ast *def)
{
    for (uint32_t i = 0; i < def->def.decorators.len; i++) {
        const Ast *d = def->def.decorators.at[i];
        if (mentions(d, "Level.HOST") || mentions(d, "jit.host"))
            return ROLE_HOST;
        if (mentions(d, "InCore") || mentions(d, "jit.incore"))
            return ROLE_INCORE;
        if (mentions(d, "Orchestration") || mentions(d, ".jit"))
            return ROLE_ORCH;
    }
    return ROLE_NONE;
}

static void collect(Skeleton *s, const AstList *body, uint32_t depth)
{
    for (uint32_t i = 0; i < body->len && depth < 4; i++) {
        const Ast *a = body->at[i];
        if (a->kind == AST_CLASS) {
            collect(s, &a->class_.body, depth + 1);
        } else if (a->kind == AST_DEF) {
            Role role = role_of(a);
            s->host |= role == ROLE_HOST;
            if (role == ROLE_NONE)
                collect(s, &a->def.body, depth + 1);
            else
                avec_push(s->arena, &s->defs, a);
        } else if (a->kind == AST_ASSIGN && depth == 0) {
            avec_push(s->arena, &s->constants, a);
        }
    }
}

/* ---- names that nothing defines ---- */

typedef VEC(Sym) Names;

/* A constant by convention: capital letters, digits, underscores. */
static bool looks_constant(Sym name)
{
    return *name >= 'A' && *name <= 'Z' &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(name);
}

static bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Collects the words in capitals of a text that stand alone (no dot before them). */
static void capital_words(Arena *arena, const Buf *text, Names *out)
{
    for (size_t i = 0; i < text->len;) {
        size_t start = i;
        while (i < text->len && word_char(text->at[i]))
            i++;
        if (i == start) {
            i++;
            continue;
        }
        const char *word = arena_strndup(arena, text->at + start, i - start);
        bool known = start > 0 && text->at[start - 1] == '.';
        for (uint32_t k = 0; k < out->len && !known; k++)
            known = strcmp(out->at[k], word) == 0;
        if (!known && looks_constant(word))
            avec_push(arena, out, word);
    }
}

static bool defined(const Skeleton *s, const char *name)
{
    for (uint32_t i = 0; i < s->constants.len; i++) {
        const AstList *targets = &s->constants.at[i]->assign.targets;
        for (uint32_t k = 0; k < targets->len; k++)
            if (targets->at[k]->kind == AST_NAME && strcmp(targets->at[k]->name, name) == 0)
                return true;
    }
    return false;
}

/* ---- printing ---- */

static void print_constants(Skeleton *s, const Buf *body)
{
    Names words = {0};
    for (uint32_t i = 0; i < s->constants.len; i++)
        ast_print_stmt(s->out, s->constants.at[i], 0);
    capital_words(s->arena, body, &words);
    for (uint32_t i = 0; i < words.len; i++)
        if (!defined(s, words.at[i]))
            buf_printf(s->out, "%s = 64\n", words.at[i]);
}

static void print_type(Buf *out, const ParamGuess *p)
{
    if (p->annotation) {
        ast_print_expr(out, p->annotation);
        return;
    }
    if (p->scalar) {
        buf_str(out, "pl.Scalar[pl.INDEX]");
        return;
    }
    const char *direction = !p->written ? NULL : p->window || p->read ? "pl.InOut" : "pl.Out";
    if (direction)
        buf_printf(out, "%s[", direction);
    buf_str(out, p->window ? "pld.DistributedTensor[" : "pl.Tensor[");
    guess_print_dims(out, p, NULL);
    buf_str(out, ", ");
    guess_print_dtype(out, p);
    buf_str(out, direction ? "]]" : "]");
}

static void print_kernel(Buf *out, const KernelGuess *k)
{
    buf_str(out, "        @pl.function(type=pl.FunctionType.InCore)\n");
    buf_printf(out, "        def %s(\n            self,\n", k->def->def.name);
    for (uint32_t i = 0; i < k->params.len; i++) {
        buf_printf(out, "            %s: ", k->params.at[i].name);
        print_type(out, &k->params.at[i]);
        buf_str(out, ",\n");
    }
    buf_str(out, "        ):\n");
    for (uint32_t i = 0; i < k->def->def.body.len; i++)
        ast_print_stmt(out, k->def->def.body.at[i], 3);
    buf_char(out, '\n');
}

static void print_names(Buf *out, const KernelGuess *k)
{
    for (uint32_t i = 0; i < k->params.len; i++)
        buf_printf(out, "%s%s", i ? ", " : "", k->params.at[i].name);
}

static void print_per_device(Buf *out, const KernelGuess *k)
{
    buf_str(out, "        @pl.function(type=pl.FunctionType.Orchestration)\n");
    buf_str(out, "        def per_device(self, ");
    print_names(out, k);
    buf_printf(out, "):\n            return self.%s(", k->def->def.name);
    print_names(out, k);
    buf_str(out, ")\n\n");
}

/* Tensors get a leading dimension, one slice a rank; windows are no parameters of the host. */
static void print_host_params(Buf *out, const KernelGuess *k)
{
    for (uint32_t i = 0; i < k->params.len; i++) {
        const ParamGuess *p = &k->params.at[i];
        if (p->window)
            continue;
        const char *direction = !p->written ? "" : p->read ? "pl.InOut[" : "pl.Out[";
        buf_printf(out, "            %s: ", p->name);
        if (p->scalar) {
            buf_str(out, "pl.Scalar[");
            guess_print_dtype(out, p);
            buf_str(out, "],\n");
            continue;
        }
        buf_printf(out, "%spl.Tensor[", direction);
        guess_print_dims(out, p, "nr");
        buf_str(out, ", ");
        guess_print_dtype(out, p);
        buf_str(out, *direction ? "]],\n" : "],\n");
    }
}

static void print_window(Buf *out, const ParamGuess *p, const char *indent, bool view)
{
    buf_printf(out, view ? "%s%s = pld.window(%s_buf, " : "%s%s_buf = pld.alloc_window_buffer(",
               indent, p->name, p->name);
    guess_print_dims(out, p, NULL);
    buf_str(out, ", dtype=");
    guess_print_dtype(out, p);
    buf_str(out, ")\n");
}

static void print_dispatch(Buf *out, const KernelGuess *k, const char *callee)
{
    buf_printf(out, "                self.%s(", callee);
    for (uint32_t i = 0; i < k->params.len; i++) {
        const ParamGuess *p = &k->params.at[i];
        buf_printf(out, p->window || p->scalar ? "%s, " : "%s[r], ", p->name);
    }
    buf_str(out, "device=r)\n");
}

static void print_host(Buf *out, const KernelGuess *k, const char *callee)
{
    buf_str(out, "        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
                 "        def host(\n            self,\n");
    print_host_params(out, k);
    buf_str(out, "        ):\n");
    for (uint32_t i = 0; i < k->params.len; i++)
        if (k->params.at[i].window)
            print_window(out, &k->params.at[i], "            ", false);
    buf_str(out, "            for r in pl.range(pld.world_size()):\n");
    for (uint32_t i = 0; i < k->params.len; i++)
        if (k->params.at[i].window)
            print_window(out, &k->params.at[i], "                ", true);
    print_dispatch(out, k, callee);
}

/* A starting point for what the run needs besides: data, and what must come out. */
static void print_inits(Buf *out, const KernelGuess *k)
{
    for (uint32_t i = 0; i < k->params.len; i++) {
        const ParamGuess *p = &k->params.at[i];
        if (p->window || (p->written && !p->read))
            continue;
        uint32_t rank = p->scalar ? 0 : (p->rank ? p->rank : 2) + 1;
        buf_printf(out, "    @pld.init\n    def %s(", p->name);
        for (uint32_t d = 0; d < rank; d++)
            buf_printf(out, d ? ", i%u" : "r", d);
        if (rank)
            buf_printf(out, "):\n        return r * 100 + i%u\n\n", rank - 1);
        else
            buf_str(out, "):\n        return 1\n\n");
    }
}

/* The function that the host starts: the last orchestration function, else the last kernel. */
static const Ast *entry(const Skeleton *s)
{
    for (uint32_t i = s->defs.len; i-- > 0;)
        if (role_of(s->defs.at[i]) == ROLE_ORCH)
            return s->defs.at[i];
    return s->defs.at[s->defs.len - 1];
}

/* An orchestration function's parameters are the kernel's that it hands them to: by name. */
static void borrow(KernelGuess *orch, const KernelGuess *kernel)
{
    for (uint32_t i = 0; i < orch->params.len; i++)
        for (uint32_t k = 0; k < kernel->params.len; k++)
            if (!orch->params.at[i].annotation &&
                orch->params.at[i].name == kernel->params.at[k].name)
                orch->params.at[i] = kernel->params.at[k];
}

static void print_orch(Buf *out, const Ast *def)
{
    ast_print_stmt(out, def, 2);
    buf_char(out, '\n');
}

static void print_body(Skeleton *s, Buf *out)
{
    const Ast *start = entry(s);
    bool has_orch = role_of(start) == ROLE_ORCH;
    KernelGuess first = {0}, k;
    kernel_guess(s->arena, start, &first);
    Buf functions = {0};
    for (uint32_t i = 0; i < s->defs.len; i++) {
        if (role_of(s->defs.at[i]) == ROLE_ORCH) {
            print_orch(&functions, s->defs.at[i]);
            continue;
        }
        kernel_guess(s->arena, s->defs.at[i], &k);
        print_kernel(&functions, &k);
        if (has_orch)
            borrow(&first, &k);
    }
    buf_str(out, "def build(nr: int = pld.world_size()):\n");
    print_inits(out, &first);
    buf_str(out, "    @pl.program\n    class Program:\n");
    buf_bytes(out, functions.at, functions.len);
    buf_free(&functions);
    if (!has_orch)
        print_per_device(out, &first);
    print_host(out, &first, has_orch ? start->def.name : "per_device");
    buf_str(out, "\n    return Program\n");
}

const char *skeleton_print(Arena *arena, const AstModule *module, Buf *out)
{
    Skeleton s = {.arena = arena, .out = out};
    Buf body = {0};
    collect(&s, &module->body, 0);
    if (s.host)
        return "the file has a host function already";
    if (!s.defs.len)
        return "the file has no kernel: a function with @pl.function(type=pl.FunctionType.InCore)";
    print_body(&s, &body);
    print_constants(&s, &body);
    buf_str(out, out->len ? "\n\n" : "");
    buf_bytes(out, body.at, body.len);
    buf_free(&body);
    return NULL;
}
