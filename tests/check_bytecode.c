#include "tests/bcprog.h"
#include "tests/pldb_fix.h"
#include "tests/support.h"
#include <stdlib.h>
#include <string.h>

static BcProg t;
static const char *why;

static void setup(void)
{
    bcprog_new(&t);
    why = NULL;
}

static void teardown(void)
{
    bcprog_free(&t);
}

static BcProgram *decode(Arena *arena, const Buf *bytes)
{
    return bc_decode(arena, bytes->at, bytes->len, &why);
}

START_TEST(sample_is_accepted_and_has_every_instruction)
{
    bool seen[BC_OPCODE_COUNT] = {0};
    ck_assert_msg(bc_verify(&t.p, &why), "%s", why);
    for (uint32_t i = 0; i < t.p.n_funcs; i++)
        for (uint32_t k = 0; k < t.funcs[i].n_insns; k++)
            seen[t.funcs[i].insns[k].op] = true;
    for (uint32_t i = 0; i < t.p.n_element_funcs; i++)
        for (uint32_t k = 0; k < t.elements[i].func.n_insns; k++)
            seen[t.elements[i].func.insns[k].op] = true;
    for (uint32_t op = 0; op < BC_OPCODE_COUNT; op++)
        ck_assert_msg(seen[op] || op == BC_ROW, "%s is not covered", bc_op_name((BcOp)op));
}
END_TEST

/* Decoding and encoding again gives the same bytes and the same text. */
START_TEST(decoding_mirrors_encoding)
{
    bool strip = _i == 1;
    Buf bytes = {0}, again = {0}, text = {0}, text_again = {0};
    Arena arena = {0};
    bc_encode(&t.p, strip, &bytes);
    BcProgram *p = decode(&arena, &bytes);
    ck_assert_msg(p != NULL, "%s", why);
    ck_assert_int_eq(p->stripped, strip);
    ck_assert(p->hash == t.p.hash && p->hash != 0);
    bc_encode(p, strip, &again);
    ck_assert_uint_eq(bytes.len, again.len);
    ck_assert_mem_eq(bytes.at, again.at, bytes.len);
    bc_disassemble(&t.p, &text);
    bc_disassemble(p, &text_again);
    if (!strip)
        ck_assert_str_eq(text.at, text_again.at);
    else
        ck_assert(strstr(text_again.at, "a.pld") == NULL && strstr(text_again.at, "(acc)") == NULL);
    buf_free(&bytes), buf_free(&again), buf_free(&text), buf_free(&text_again);
    arena_free(&arena);
}
END_TEST

START_TEST(stripped_bytes_do_not_depend_on_places)
{
    Buf a = {0}, b = {0};
    bc_encode(&t.p, true, &a);
    uint64_t hash = t.p.hash;
    t.locs[0].line = 99;
    t.locs[1].pc = 16;
    t.windows[0].line = 42;
    t.element_locs[0].line = 1;
    t.tiles[0].name = 0;
    bc_encode(&t.p, true, &b);
    ck_assert_uint_eq(a.len, b.len);
    ck_assert_mem_eq(a.at, b.at, a.len);
    buf_clear(&b);
    bc_encode(&t.p, false, &b);
    ck_assert(t.p.hash == hash);
    t.incore[3].imm++;
    bc_hash(&t.p);
    ck_assert(t.p.hash != hash);
    buf_free(&a), buf_free(&b);
}
END_TEST

START_TEST(source_map_lookup)
{
    const BcFunc *f = &t.funcs[2];
    ck_assert_ptr_eq(bc_loc(f, 0), &t.locs[0]);
    ck_assert_ptr_eq(bc_loc(f, 14), &t.locs[0]);
    ck_assert_ptr_eq(bc_loc(f, 15), &t.locs[1]);
    ck_assert_ptr_eq(bc_loc(f, 999), &t.locs[1]);
    ck_assert_ptr_null(bc_loc(&t.funcs[0], 0));
}
END_TEST

/* One defect each; the text is part of the message. */
enum { NO_OP = 0xffff };
static const struct {
    int func; /* whose code is changed; -1: see special() */
    uint32_t pc;
    BcInsn insn; /* op NO_OP: not an instruction */
    const char *message;
} defects[] = {
    {2, 2, {200, 0, 0, 0, 0, 0, 0}, "unknown opcode"},
    {2, 2, {BC_LDI, 8, 0, 0, 0, 0, 0}, "field a"},
    {2, 2, {BC_LDI, 2, 1, 0, 0, 0, 0}, "field b"},
    {2, 2, {BC_LDK, 2, 0, 0, 0, 0, 3}, "imm"},
    {2, 4, {BC_BIN, 4, 2, 3, DT_COUNT, 0, SC_ADD}, "field d"},
    {2, 4, {BC_BIN, 4, 2, 3, DT_FP32, 0, SC_FLOORDIV}, "no such operator"},
    {2, 4, {BC_BIN, 4, 2, 3, DT_INT32, 0, SC_DIV}, "no such operator"},
    {2, 4, {BC_BIN, 4, 2, 3, DT_INT32, 0, SC_POW}, "imm"},
    {2, 5, {BC_UN, 4, 4, 0, DT_FP32, 0, SC_INVERT}, "no such operator"},
    {2, 5, {BC_UN, 4, 4, 0, DT_INT32, 0, SC_CAST}, "imm"},
    {2, 5, {BC_CAST, 4, 4, 0, DT_INT32, DT_COUNT, 0}, "field e"},
    {2, 5, {BC_FIT, 4, 4, 0, DT_FP32, 0, 0}, "no integer dtype"},
    {2, 5, {BC_FIT, 4, 4, 0, DT_INT8, 0, 99}, "imm"},
    {2, 5, {BC_SHAPE, 2, 1, 2, 2, 0, 0}, "do not fit"},
    {2, 5, {BC_SHAPE, 0, 1, 2, 3, 0, 0}, "do not fit"},
    {2, 4, {BC_BIN, 4, 2, 3, DT_INT32, 0, SC_NEG}, "imm"},
    {2, 4, {BC_BIN, 4, 2, 3, DT_INT32, 0, SC_SELECT}, "imm"},
    {2, 5, {BC_UN, 4, 4, 0, DT_INT32, 0, SC_ADD}, "imm"},
    {2, 8, {BC_JMP, 0, 0, 0, 0, 0, 999}, "imm"},
    {2, 8, {BC_JMP, 0, 0, 0, 0, 0, -1}, "imm"},
    {2, 8, {BC_JMP, 0, 0, 0, 0, 0, 8}, "goes back"},
    {0, 9, {BC_FORLOOP, 3, 2, 4, 0, 0, 10}, "goes forward"},
    {1, 12, {BC_NOP, 0, 0, 0, 0, 0, 0}, "does not end with ret"},
    {2, 12, {BC_OUTSIDE, 0, 0, 0, 0, 0, 0}, "not at this level"},
    {2, 1, {BC_CHECK, 1, 0, 0, 0, 0, 99}, "imm"},
    {2, 15, {BC_LOAD, 99, 0, 2, 2, BC_NONE, 0}, "field a"},
    {2, 15, {BC_LOAD, 0, 3, 2, 2, BC_NONE, 0}, "field b"},
    {2, 15, {BC_LOAD, 0, 0, 7, 2, BC_NONE, 0}, "field c"},
    {2, 15, {BC_LOAD, 0, 0, 2, 6, BC_NONE, 0}, "field d"},
    {2, 15, {BC_LOAD, 0, 0, 2, 2, 7, 0}, "field e"},
    {2, 15, {BC_LOAD, 0, 0, 2, 3, BC_NONE, 0}, "differ in dtype or rank"},
    {2, 15, {BC_LOAD, 0, 2, 2, 2, BC_NONE, 0}, "differ in dtype or rank"},
    {2, 25, {BC_STORE, 2, 1, 2, 2, 0, 0}, "differ in dtype or rank"},
    {2, 26, {BC_RLOAD, 0, 0, 4, 2, 3, 2}, "no window"},
    {2, 27, {BC_RSTORE, 2, 2, 4, 2, 2, 2}, "imm"},
    {2, 20, {BC_TBIN, 0, 0, 3, 0, 0, TOP_ADD}, "different types"},
    {2, 20, {BC_TBIN, 5, 0, 1, 0, 0, TOP_ADD}, "do not broadcast"},
    {2, 20, {BC_TBIN, 0, 0, 1, 0, 0, TOP_NEG}, "imm"},
    {2, 23, {BC_TUN, 2, 1, 0, 0, 0, TOP_ABS}, "different types"},
    {2, 23, {BC_TUN, 0, 1, 0, 0, 0, TOP_ADD}, "imm"},
    {2, 24, {BC_TCAST, 3, 0, 0, 0, 0, CAST_ROUND}, "different shapes"},
    {2, 24, {BC_TCAST, 2, 0, 0, 0, 0, 9}, "imm"},
    {2, 48, {BC_TMATMUL, 0, 10, 11, 0, 0, 0}, "wrong memory"},
    {2, 48, {BC_TMATMUL, 9, 11, 10, 0, 0, 0}, "wrong memory"},
    {2, 49, {BC_TMATACC, 9, 10, 11, 12, 4, 0}, "accumulator of another type"},
    {2, 49, {BC_TMATACC, 9, 10, 11, 9, 8, 0}, "field e"},
    {2, 50, {BC_TMATBIAS, 9, 10, 11, 9, 0, 0}, "bias of another type"},
    {2, 51, {BC_TTURN, 11, 10, 0, 0, 0, 0}, "turned"},
    {2, 28, {BC_PUT, 0, 4, 0, 0, 0, 0}, "wrong kind"},
    {2, 28, {BC_PUT, 2, 4, 0, 0, 0, 0}, "differ in dtype or rank"},
    {2, 28, {BC_PUT, 2, 4, 2, 2, 0, 0}, "field d"},
    {2, 29, {BC_GET, 2, 4, 2, 0, 0, 0}, "no atomic add"},
    {2, 31, {BC_NOTIFY, 0, 4, 2, 2, 5, 0}, "not a cell"},
    {2, 32, {BC_WAIT, 2, 2, 1, 5, 0, WAIT_GE}, "not a cell"},
    {2, 9, {BC_MMOV, 0, 2, 0, 0, 0, 0}, "different types"},
    {2, 10, {BC_FLATTEN, 0, 2, 0, 0, 0, 0}, "do not fit"},
    {2, 11, {BC_DIM, 4, 0, 0, 0, 0, 2}, "no such axis"},
    {2, 12, {BC_RANK, 4, 0, 0, 0, 0, 0}, "not a window"},
    {2, 12, {BC_WORLD, 4, 0, 0, 0, 0, 0}, "not at this level"},
    {0, 2, {BC_CORE, 4, 0, 0, 0, 0, 0}, "not at this level"},
    {0, 3, {BC_ALLOC, 3, 3, 4, 0, 0, 0}, "not a buffer"},
    {0, 3, {BC_ALLOC, 2, 3, 4, 0, 0, 1}, "imm"},
    {0, 4, {BC_VIEW, 3, 2, 3, 1, DT_INT32, 0}, "not a view"},
    {0, 4, {BC_VIEW, 3, 2, 3, 2, DT_FP32, 0}, "not a view"},
    {0, 4, {BC_ROW, 1, 0, 2, 0, 0, 0}, "not a row"},
    {0, 8, {BC_DISPATCH, 1, 3, 4, 0, 0, 0}, "field a"},
    {1, 2, {BC_READ, 4, 0, 2, 1, 0, 0}, "not an element"},
    {1, 3, {BC_WRITE, 1, 2, 2, 4, DT_COUNT, 0}, "field e"},
    {2, 34, {BC_RET, 7, 2, 0, 0, 0, 0}, "results"},
    {2, 4, {BC_PBIN, 4, 2, 3, 0, 0, SC_ADD}, "not at this level"},
    {2, 4, {BC_LOOP, 4, 0, 0, 0, 0, 4}, "not at this level"},
    {3, 7, {BC_BIN, 4, 4, 7, DT_INT32, 0, SC_ADD}, "not at this level"},
    {3, 7, {BC_WRITE, 0, 7, 2, 4, DT_FP32, 0}, "not at this level"},
    {3, 7, {BC_PBIN, 4, 4, 9, 0, 0, SC_ADD}, "field c"},
    {3, 7, {BC_PBIN, 4, 4, 7, 0, 0, SC_AND}, "imm"},
    {3, 7, {BC_PBIN, 4, 4, 7, 0, 0, SC_ABS}, "imm"},
    {3, 7, {BC_PBIN, 4, 4, 7, 0, 0, SC_COUNT}, "imm"},
    {3, 9, {BC_PUN, 7, 4, 0, 0, 0, SC_ADD}, "imm"},
    {3, 9, {BC_PUN, 7, 4, 0, 0, 0, SC_CAST}, "imm"},
    {3, 9, {BC_LDF, 7, 0, 0, 0, 0, 3}, "imm"},
    {3, 6, {BC_READ, 7, 0, 7, 1, 0, 0}, "not an element"},
    {3, 6, {BC_READ, 7, 1, 7, 2, 0, 0}, "field b"},
    {3, 13, {BC_LOOP, 8, 0, 0, 0, 0, 14}, "goes forward"},
    {3, 13, {BC_JNZ, 8, 0, 0, 0, 0, 13}, "goes back"},
    {3, 15, {BC_RET, 0, 0, 0, 0, 0, 0}, "returns no number"},
    {2, 34, {BC_TRED, 0, 1, 0, 0, 0, RED_ROW_SUM}, "wrong shape"},
    {2, 34, {BC_TRED, 5, 0, 0, 0, 0, RED_ROW_ARGMAX}, "wrong type"},
    {2, 34, {BC_TRED, 5, 0, 0, 0, 0, RED_COUNT}, "imm"},
    {2, 34, {BC_TSLICE, 6, 0, 2, 2, BC_NONE, 0}, "not a part"},
    {2, 34, {BC_TSLICE, 5, 0, 2, 1, BC_NONE, 0}, "not a part"},
    {2, 34, {BC_TPASTE, 1, 0, 6, 2, 2, 0}, "do not fit"},
    {2, 34, {BC_TPASTE, 1, 0, 2, 2, 2, 0}, "do not fit"},
    {2, 34, {BC_TCONCAT, 1, 0, 1, 0, 0, 0}, "do not fit"},
    {2, 34, {BC_TRESHAPE, 6, 0, 0, 0, 0, 0}, "other sizes"},
    {2, 34, {BC_TSWAP, 1, 0, 0, 0, 0, 1}, "wrong shape"},
    {2, 34, {BC_TSWAP, 8, 0, 0, 0, 0, 2}, "different types"},
    {2, 34, {BC_TSWAP, 8, 0, 0, 0, 0, -1}, "different types"},
    {2, 34, {BC_TPAD, 5, 0, 0, 0, 0, 1}, "do not fit"},
    {2, 34, {BC_TPAD, 6, 0, 0, 0, 0, 77}, "imm"},
    {2, 34, {BC_TVALID, 1, 0, 2, 1, 0, 0}, "different types"},
    {2, 34, {BC_TBYTES, 7, 0, 0, 0, 0, 0}, "other sizes"},
    {2, 34, {BC_TREAD, 4, 0, 2, 1, 0, 0}, "not an element"},
    {2, 34, {BC_TWRITE, 1, 0, 2, 2, 4, -1}, "imm"},
    {2, 15, {BC_LOAD, 0, 0, 2, 2, BC_NONE, 2}, "imm"},
};

START_TEST(bad_instructions_are_rejected)
{
    BcInsn *code[] = {t.host, t.orch, t.incore, t.golden};
    code[defects[_i].func][defects[_i].pc] = defects[_i].insn;
    ck_assert(!bc_verify(&t.p, &why));
    ck_assert_msg(strstr(why, defects[_i].message) != NULL, "case %d: %s", _i, why);
}
END_TEST

/* A value of a field that is out of range, whatever the other fields are; -1: there is none. */
static int64_t out_of_range(const BcFunc *f, char letter, bool imm)
{
    switch (letter) {
    case '-': return 1;
    case 'r':
    case 'w':
    case 'x':
    case 'v': return f->n_regs;
    case 'p': return f->n_regs + 1;
    case 'm':
    case 'M': return f->n_mregs;
    case 't':
    case 'T': return f->n_tiles;
    case 'n': return BC_MAX_RANK + 1;
    case 'y': return DT_COUNT;
    case 'k': return t.p.n_consts;
    case 's': return t.p.n_strings;
    case 'j': return f->n_insns;
    case 'c': return f->n_calls;
    case 'f': return f->n_xfers;
    case 'b': return t.p.n_windows;
    case 'o': return imm ? -7 : 999;
    default: return -1;
    }
}

/* No operand of any instruction is free: the sample has each opcode. */
START_TEST(every_operand_is_held_in_range)
{
    BcInsn *code[] = {t.host, t.orch, t.incore};
    for (uint32_t i = 0; i < t.p.n_funcs; i++)
        for (uint32_t k = 0; k < t.funcs[i].n_insns; k++) {
            BcInsn *in = &code[i][k], saved = *in;
            uint16_t *const fields[] = {&in->a, &in->b, &in->c, &in->d, &in->e};
            const char *letters = bc_op_fields((BcOp)in->op);
            for (uint32_t n = 0; n < 6; n++) {
                int64_t bad = out_of_range(&t.funcs[i], letters[n], n == 5);
                if (bad == -1)
                    continue;
                if (n < 5)
                    *fields[n] = (uint16_t)bad;
                else
                    in->imm = (int32_t)bad;
                ck_assert_msg(!bc_verify(&t.p, &why), "%s: field %u is not held in its range",
                              bc_op_name((BcOp)in->op), n);
                *in = saved;
            }
        }
}
END_TEST

/* Operands that have a type are held against the others. */
START_TEST(every_typed_operand_has_a_rule)
{
    enum {
        RULES_BEGIN = -1,
#define PLD_RULE(NAME, doc) IS_##NAME,
#include "codegen/verify.def"
    };
    static const int rule_of[] = {
#define PLD_VERIFY(ENUM, levels, code, rule) [BC_##ENUM] = IS_##rule,
#include "codegen/verify.def"
    };
    for (uint32_t op = 0; op < BC_OPCODE_COUNT; op++)
        if (strpbrk(bc_op_fields((BcOp)op), "mMtTcfj"))
            ck_assert_msg(rule_of[op] != IS_NONE, "%s has no rule", bc_op_name((BcOp)op));
}
END_TEST

/* Defects of tables, by number; returns what the message must hold, NULL after the last. */
static const char *break_table(int i)
{
    switch (i) {
    case 0: t.p.entry = 1; return "entry";
    case 1: t.p.platform = 7; return "platform";
    case 2: t.p.ranks = 3; return "compiled for";
    case 3: t.p.program_name = 99; return "string";
    case 4: t.windows[0].align = 500; return "alignment";
    case 5: t.steps[4].op = 99; return "shape expression";
    case 6: t.steps[3].op = BCD_MUL; return "shape expression";
    case 7: t.steps[0].value = 1; return "nothing binds";
    case 8: t.host_params[0].rank = 6; return "rank";
    case 9: t.host_params[0].dtype = DT_COUNT; return "parameter";
    case 10: t.host_params[0].kind = BCP_SCALAR; return "parameter";
    case 11: t.host_params[1].signal = true; return "signal";
    case 12: t.incore_mregs[0].dtype = DT_FP16; return "does not fit";
    case 13: t.host_mregs[3].rank = 0; return "memory register";
    case 14: t.funcs[0].n_regs = 1; return "registers";
    case 15: t.binds[0].axis = 2; return "binding";
    case 16: t.binds[0].mul = 0; return "factor";
    case 17: t.tiles[0].shape[0] = 0; return "tile t0";
    case 18: t.tiles[0].shape[1] = INT64_MAX; return "tile t0";
    case 19: t.tiles[0].addr = 16; return "outside";
    case 20: t.tiles[3].addr = 8192; return "outside";
    case 21: t.tiles[3].bytes = 128; return "tile t3";
    case 22: t.call.func = 0; return "level";
    case 23: t.dispatch.func = 0; return "level";
    case 24: t.call.n_mem = 2; return "number of arguments";
    case 25: t.regs[6] = 1; return "wrong type";
    case 26: t.regs[3] = 5; return "register";
    case 27: t.call.n_results = 0; return "results";
    case 28: t.xfers[0].run = 3; return "transfer";
    case 29: t.xfers[0].stages[1] = 9; return "transfer";
    case 30: t.xfers[0].n_stages = 1; return "transfer";
    case 31: t.xfers[1].stages[0] = 0; return "another dtype";
    case 32: t.locs[1].pc = 0; return "source map";
    case 33: t.locs[0].file = 99; return "source map";
    case 34: t.elements[0].param = 3; return "parameter";
    case 35: t.elements[0].n_index = 1; return "malformed";
    case 36: t.elements[0].n_index = 3; return "malformed";
    case 37: t.elements[1].param = 2; return "malformed";
    case 38: t.elements[0].func.kind = BCF_INCORE; return "malformed";
    case 39: t.elements[0].func.name = 99; return "string";
    case 40: t.elements[0].func.n_tiles = 1; return "tiles, calls or transfers";
    case 41: t.golden_params[0].name = t.init_params[0].name; return "none of the host function";
    case 42: t.golden_params[1].dtype = DT_INT64; return "none of the host function";
    case 43: t.golden_params[2].kind = BCP_TENSOR; return "none of the host function";
    case 44: t.elements[1].func.n_mregs = 0; return "memory that is no parameter";
    case 45: t.funcs[2].kind = 9; return "malformed function";
    case 46: t.funcs[2].core_bytes[MEM_VEC] = INT64_MAX; return "memory";
    case 47: t.golden_mregs[0].rank = 1; return "does not fit its parameter";
    case 48: t.xfers[0].stages[1] = 3; return "staging tiles";
    case 49: t.xfers[0].pipeline = false; return "transfer";
    case 50: t.sites[0] = BUILTIN_COUNT; return "builtin";
    case 51: t.regions[0].site = 1; return "no builtin call";
    case 52: t.regions[0].phase = PHASE_COUNT; return "no builtin call";
    case 53: t.regions[1].phase = PHASE_MOVE; return "no builtin call";
    case 54: t.regions[1].pc = 15; return "out of order";
    case 55: t.regions[1].pc = t.funcs[2].n_insns; return "out of order";
    case 56: t.funcs[1].sites = t.sites, t.funcs[1].n_sites = 1; return "level";
    default: return NULL;
    }
}

START_TEST(bad_tables_are_rejected)
{
    const char *expected = break_table(_i);
    ck_assert_ptr_nonnull(expected);
    ck_assert_msg(!bc_verify(&t.p, &why), "case %d is accepted", _i);
    ck_assert_msg(strstr(why, expected) != NULL, "case %d: %s", _i, why);
}
END_TEST

START_TEST(bad_texts_are_rejected)
{
    static const char *const texts[] = {"a\x1b[31m", "\xc3", "a\x7f",
                                        ("a\xc2\x9b"
                                         "31m")};
    const char *strings[32];
    memcpy(strings, t.p.strings, t.p.n_strings * sizeof *strings);
    strings[4] = texts[_i];
    t.p.strings = strings;
    ck_assert(!bc_verify(&t.p, &why));
    ck_assert_msg(strstr(why, "string 4") != NULL, "%s", why);
}
END_TEST

START_TEST(truncated_files_are_rejected)
{
    Buf bytes = {0};
    bc_encode(&t.p, false, &bytes);
    for (size_t len = 0; len < bytes.len; len++) {
        Arena arena = {0};
        char *part = malloc(len + 1); /* its own block, so that reading past it is seen */
        memcpy(part, bytes.at, len);
        why = NULL;
        ck_assert_ptr_null(bc_decode(&arena, part, len, &why));
        ck_assert_ptr_nonnull(why);
        free(part);
        arena_free(&arena);
    }
    buf_free(&bytes);
}
END_TEST

/* What loads can be printed and written, and loads again. */
static void check_loaded(BcProgram *p)
{
    Buf text = {0}, again = {0};
    Arena arena = {0};
    bc_disassemble(p, &text);
    bc_encode(p, false, &again);
    ck_assert_msg(decode(&arena, &again) != NULL, "%s", why);
    buf_free(&text), buf_free(&again);
    arena_free(&arena);
}

/* No changed byte passes the checksums. With those put right too, the file is refused, or is
 * another program that is as good as this one. */
START_TEST(changed_bytes)
{
    static const unsigned char flips[] = {0x01, 0x02, 0x10, 0x80, 0xff};
    Buf bytes = {0};
    uint32_t loaded = 0, refused = 0;
    bc_encode(&t.p, _i == 1, &bytes);
    for (size_t i = 0; i < bytes.len * sizeof flips; i++) {
        Arena arena = {0};
        Buf copy = {0};
        buf_bytes(&copy, bytes.at, bytes.len);
        copy.at[i / sizeof flips] = (char)(copy.at[i / sizeof flips] ^ flips[i % sizeof flips]);
        ck_assert_msg(decode(&arena, &copy) == NULL, "byte %zu changed unseen", i / sizeof flips);
        pldb_fix_header(&copy);
        BcProgram *p = decode(&arena, &copy);
        if (p)
            check_loaded(p);
        loaded += p != NULL;
        refused += p == NULL;
        buf_free(&copy);
        arena_free(&arena);
    }
    ck_assert_uint_gt(loaded, 100);
    ck_assert_uint_gt(refused, 100);
    buf_free(&bytes);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("bytecode");
    TCase *tc = tcase_create("bytecode");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, sample_is_accepted_and_has_every_instruction);
    tcase_add_loop_test(tc, decoding_mirrors_encoding, 0, 2);
    tcase_add_test(tc, stripped_bytes_do_not_depend_on_places);
    tcase_add_test(tc, source_map_lookup);
    tcase_add_loop_test(tc, bad_instructions_are_rejected, 0, sizeof defects / sizeof *defects);
    tcase_add_test(tc, every_operand_is_held_in_range);
    tcase_add_test(tc, every_typed_operand_has_a_rule);
    tcase_add_loop_test(tc, bad_tables_are_rejected, 0, 57);
    tcase_add_loop_test(tc, bad_texts_are_rejected, 0, 4);
    tcase_add_test(tc, truncated_files_are_rejected);
    tcase_add_loop_test(tc, changed_bytes, 0, 2);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
