#include "ir/op.h"
#include "tests/support.h"
#include <stdlib.h>
#include <string.h>

START_TEST(signatures_are_taken_apart)
{
    const OpInfo *op = op_info(OP_NOTIFY);
    ck_assert_str_eq(op->full, "pld.system.notify");
    ck_assert_uint_eq(op->n_slots, 5);
    ck_assert_uint_eq(op->levels, LEVEL_I);
    ck_assert_int_eq(op->slots[0].kind, SLOT_SIGNAL);
    ck_assert_uint_eq(op->slots[0].effects, EFFECT_ATOMIC);
    ck_assert(!op->slots[0].keyword_only && op->slots[1].keyword_only);
    int at = op_slot(OP_NOTIFY, "op");
    ck_assert_int_eq(at, 4);
    ck_assert_int_eq(op->slots[at].kind, SLOT_ENUM);
    ck_assert_int_eq(op->slots[at].enum_type, ENUM_NotifyOp);
    ck_assert_str_eq(op->slots[at].default_text, "AtomicAdd");
    ck_assert_int_eq(op_slot(OP_NOTIFY, "nothing"), -1);
}
END_TEST

START_TEST(flags)
{
    const OpInfo *op = op_info(OP_PUT);
    const OpSlot *stage = &op->slots[op_slot(OP_PUT, "stage")];
    ck_assert(stage->keyword_only && stage->ir_only && stage->optional);
    ck_assert_int_eq(stage->kind, SLOT_TILES);
    const OpSlot *dst = &op->slots[op_slot(OP_PUT, "dst")];
    ck_assert_uint_eq(dst->effects, EFFECT_PEER_WRITE);
    ck_assert_str_eq(dst->default_text, "");
    ck_assert_uint_eq(op_info(OP_BROADCAST)->slots[0].effects, EFFECT_PEER_READ | EFFECT_WRITE);
    ck_assert_uint_eq(op_info(OP_DIM)->slots[0].effects, 0);
    ck_assert(op_info(OP_FENCE)->ir_only && !op_info(OP_WAIT)->ir_only);
    ck_assert_uint_eq(op_info(OP_READ)->levels, LEVEL_O | LEVEL_I);
}
END_TEST

START_TEST(names_find_ops_in_both_spellings)
{
    OpId found[4];
    ck_assert_uint_eq(op_find("pl.tile.load", found, 4), 1);
    ck_assert_int_eq(found[0], OP_TILE_LOAD);
    ck_assert_uint_eq(op_find("pl.load", found, 4), 1);
    ck_assert_int_eq(found[0], OP_TILE_LOAD);
    ck_assert_uint_eq(op_find("pl.lod", found, 4), 0);
    ck_assert_uint_eq(op_find("", found, 4), 0);
}
END_TEST

START_TEST(full_names_are_unique)
{
    for (int a = 0; a < OPCODE_COUNT; a++)
        for (int b = 0; b < a; b++)
            ck_assert_str_ne(op_info((OpId)a)->full, op_info((OpId)b)->full);
}
END_TEST

START_TEST(defaults_name_members_of_their_kind)
{
    for (int id = 0; id < OPCODE_COUNT; id++) {
        const OpInfo *op = op_info((OpId)id);
        for (int i = 0; i < op->n_slots; i++) {
            const OpSlot *slot = &op->slots[i];
            int64_t v;
            if (slot->kind == SLOT_ENUM && *slot->default_text)
                ck_assert(enum_value_from_name(slot->enum_type, slot->default_text, &v));
            ck_assert(slot->effects == 0 || slot->kind != SLOT_INT);
        }
    }
}
END_TEST

START_TEST(effects)
{
    ck_assert(op_has_effect(OP_TILE_STORE));
    ck_assert(op_has_effect(OP_WAIT));
    ck_assert(op_has_effect(OP_FENCE));
    ck_assert(op_has_effect(OP_TILE_LOAD));
    ck_assert(op_has_effect(OP_ALLOC_WINDOW_BUFFER));
    ck_assert(!op_has_effect(OP_TILE_ADD));
    ck_assert(!op_has_effect(OP_RANK));
    ck_assert(!op_has_effect(OP_DIM));
}
END_TEST

START_TEST(the_table_lists_every_op)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    op_print_table(out);
    fclose(out);
    for (int id = 0; id < OPCODE_COUNT; id++) {
        ck_assert_ptr_nonnull(strstr(text, op_info((OpId)id)->full));
        ck_assert_ptr_nonnull(strstr(text, op_info((OpId)id)->doc));
    }
    ck_assert_ptr_nonnull(strstr(
        text, "pld.system.wait(signal: signal, offsets=idx, expected=i32, [cmp=WaitCmp Ge])\n"
              "    result: none; level: InCore\n"));
    ck_assert_ptr_nonnull(strstr(text, "level: orchestration, InCore; also pl.read\n"));
    free(text);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("op");
    tcase_add_test(tc, signatures_are_taken_apart);
    tcase_add_test(tc, flags);
    tcase_add_test(tc, names_find_ops_in_both_spellings);
    tcase_add_test(tc, full_names_are_unique);
    tcase_add_test(tc, defaults_name_members_of_their_kind);
    tcase_add_test(tc, effects);
    tcase_add_test(tc, the_table_lists_every_op);
    Suite *suite = suite_create("op");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
