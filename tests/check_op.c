#include "ir/op.h"
#include "tests/support.h"
#include <stdlib.h>
#include <string.h>

START_TEST(a_row_says_it_all)
{
    const OpInfo *op = op_info(OP_NOTIFY);
    ck_assert_str_eq(op->full, "pld.system.notify");
    ck_assert_uint_eq(op->n_slots, 5);
    ck_assert_uint_eq(op->levels, LEVEL_I);
    const OpSlot *signal = &op->slots[OPND(NOTIFY, signal)];
    ck_assert_int_eq(signal->kind, SLOT_SIGNAL);
    ck_assert_uint_eq(signal->effects, EFFECT_ATOMIC);
    ck_assert_uint_eq(op->effects, EFFECT_ATOMIC);
    const OpSlot *how = &op->slots[OPND(NOTIFY, op)];
    ck_assert_int_eq(how->kind, SLOT_ENUM);
    ck_assert_int_eq(how->enum_type, ENUM_NotifyOp);
    ck_assert(how->flags & OPND_KEYWORD);
    const OpSlot *pipeline = &op_info(OP_PUT)->slots[OPND(PUT, pipeline)];
    ck_assert((pipeline->flags & OPND_DEFAULT) && pipeline->value == 0);
    ck_assert_str_eq(op_info(OP_ALLREDUCE)->slots[OPND(ALLREDUCE, mode)].text, "mesh");
    ck_assert_uint_eq(op_info(OP_BROADCAST)->effects,
                      EFFECT_PEER_READ | EFFECT_WRITE | EFFECT_ATOMIC);
    ck_assert_uint_eq(op_info(OP_READ)->levels, LEVEL_O | LEVEL_I);
}
END_TEST

START_TEST(operands_are_found_by_every_name)
{
    ck_assert_int_eq(op_slot(OP_NOTIFY, "peer"), OPND(NOTIFY, peer));
    ck_assert_int_eq(op_slot(OP_NOTIFY, "target"), OPND(NOTIFY, signal));
    ck_assert_int_eq(op_slot(OP_TILE_LOAD, "shapes"), OPND(TILE_LOAD, shape));
    ck_assert_int_eq(op_slot(OP_TILE_NEG, "tile"), 0);
    ck_assert_int_eq(op_slot(OP_TILE_NEG, "til"), -1);
    ck_assert_int_eq(op_slot(OP_TILE_NEG, "tile tensor"), -1);
    ck_assert_int_eq(op_slot(OP_TILE_NEG, ""), -1);
    ck_assert_int_eq(op_slot(OP_NOTIFY, "nothing"), -1);
    ck_assert_int_eq(op_slot_of_kind(OP_ALLGATHER, SLOT_SIGNAL), OPND(ALLGATHER, signal));
    ck_assert_int_eq(op_slot_of_kind(OP_RANK, SLOT_SIGNAL), -1);
    ck_assert_int_eq(op_in_place(OP_TILE_STORE), OPND(TILE_STORE, output_tensor));
    ck_assert_int_eq(op_in_place(OP_TILE_LOAD), -1);
}
END_TEST

START_TEST(names_find_ops_in_both_spellings)
{
    OpId found[4];
    ck_assert_uint_eq(op_find("pl.tile.load", found, 4), 1);
    ck_assert_int_eq(found[0], OP_TILE_LOAD);
    ck_assert_uint_eq(op_find("pl.load", found, 4), 1);
    ck_assert_int_eq(found[0], OP_TILE_LOAD);
    ck_assert_uint_eq(op_find("pl.adds", found, 4), 1);
    ck_assert_int_eq(found[0], OP_TILE_ADD);
    ck_assert_uint_eq(op_find("pl.tensor.muls", found, 4), 1);
    ck_assert_int_eq(found[0], OP_TENSOR_MUL);
    ck_assert_uint_eq(op_find("pl.lod", found, 4), 0);
    ck_assert_uint_eq(op_find("", found, 4), 0);
}
END_TEST

START_TEST(names_are_unique)
{
    OpId found[4];
    for (int id = 0; id < OPCODE_COUNT; id++) {
        const OpInfo *op = op_info((OpId)id);
        ck_assert_uint_eq(op_find(op->full, found, 4), 1);
        ck_assert_int_eq(found[0], id);
        ck_assert_uint_eq(op_find(op->shorter, found, 4), *op->shorter ? 1 : 0);
    }
}
END_TEST

/* Names of the operands of one row, other names among them: each means one operand. */
static void check_names(OpId id)
{
    const OpInfo *op = op_info(id);
    for (int i = 0; i < op->n_slots; i++) {
        ck_assert_int_eq(op_slot(id, op->slots[i].name), i);
        char others[128];
        snprintf(others, sizeof others, "%s", op->slots[i].others);
        for (char *word = strtok(others, " "); word; word = strtok(NULL, " "))
            ck_assert_msg(op_slot(id, word) == i, "%s: %s is twice", op->full, word);
    }
}

static bool is_memory(SlotKind kind)
{
    return kind == SLOT_MEM || kind == SLOT_TENSOR || kind == SLOT_DIST || kind == SLOT_SIGNAL ||
           kind == SLOT_NUM;
}

/* What can be given by position stands before what cannot, and what may be left out last. */
static void check_operands(OpId id)
{
    const OpInfo *op = op_info(id);
    int in_place = 0;
    for (int i = 0; i < op->n_slots; i++) {
        const OpSlot *slot = &op->slots[i], *before = i ? slot - 1 : NULL;
        ck_assert(slot->effects == 0 || is_memory(slot->kind));
        if (slot->kind == SLOT_ENUM && (slot->flags & OPND_DEFAULT))
            ck_assert_ptr_nonnull(enum_value_name(slot->enum_type, slot->value));
        if (slot->kind == SLOT_STR && (slot->flags & OPND_DEFAULT))
            ck_assert_ptr_nonnull(slot->text);
        bool late = before && !(slot->flags & OPND_KEYWORD) &&
                    ((before->flags & OPND_KEYWORD) || opnd_may_be_left_out(before));
        ck_assert_msg(!late || opnd_may_be_left_out(slot), "%s: %s stands late", op->full,
                      slot->name);
        in_place += (slot->flags & OPND_IN_PLACE) != 0;
    }
    ck_assert_int_le(in_place, 1);
    bool names_operand = op->result >= RES_ARG0 && op->result <= RES_ARG2;
    int result = (int)op->result - RES_ARG0;
    if (names_operand && is_memory(op->slots[result].kind))
        ck_assert_int_eq(op_in_place(id), result);
}

/* Operands in front of those that change nothing, which stand last. */
static int n_kept(const OpInfo *op)
{
    int n = 0;
    while (n < op->n_slots && !(op->slots[n].flags & OPND_DROPPED))
        n++;
    for (int i = n; i < op->n_slots; i++)
        ck_assert(op->slots[i].flags & OPND_DROPPED);
    return n;
}

/* Twins name each other. */
static void check_links(OpId id)
{
    const OpInfo *op = op_info(id);
    ck_assert_int_eq(op->tile == OP_NONE, op->tensor == OP_NONE);
    if (op->tile != OP_NONE) {
        ck_assert(op->tile == id || op->tensor == id);
        const OpInfo *tile = op_info(op->tile), *tensor = op_info(op->tensor);
        ck_assert(tile->tensor == op->tensor && tensor->tile == op->tile);
        /* an op on memory may take more: pl.assemble is a store there */
        if (tensor->family == FAMILY_TENSOR)
            ck_assert_int_eq(n_kept(tile), n_kept(tensor));
        ck_assert_int_le(n_kept(tile), n_kept(tensor));
        for (int i = 0; i < n_kept(tile); i++)
            ck_assert_str_eq(tile->slots[i].name, tensor->slots[i].name);
        ck_assert_str_eq(op_word(op->tile), op_word(op->tensor));
    }
    if (op->reversed != OP_NONE)
        ck_assert_int_eq(op_info(op->reversed)->reversed, id);
    if (op->traits & TRAIT_COMMUTES)
        ck_assert_int_eq(op->reversed, id);
    ck_assert_int_eq(op->emit == EMIT_TILE_OP, op->tile_op != TOP_NONE);
    if (op->family == FAMILY_TENSOR)
        ck_assert(op->tile != OP_NONE && op->emit == EMIT_LOWERED);
}

START_TEST(every_row_is_sound)
{
    check_names((OpId)_i);
    check_operands((OpId)_i);
    check_links((OpId)_i);
}
END_TEST

START_TEST(signatures_show_how_to_call)
{
    Arena arena = {0};
    ck_assert_str_eq(
        op_signature(&arena, OP_TILE_LOAD, false),
        "pl.tile.load(tensor, offsets, shape, [valid_shape], [clamp], [target_memory])");
    ck_assert_str_eq(op_signature(&arena, OP_REMOTE_STORE, false),
                     "pld.tile.remote_store(src_tile, target, peer, offsets, *, [atomic=])");
    ck_assert_str_eq(op_signature(&arena, OP_ALLOC_WINDOW_BUFFER, false),
                     "pld.tensor.alloc_window_buffer(size, [dtype])");
    ck_assert_str_eq(op_signature(&arena, OP_WORLD_SIZE, true), "pld.system.world_size()");
    arena_free(&arena);
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
        text, "pld.system.wait(signal: signal:r, offsets: idx, expected: i32, [cmp=WaitCmp Ge])\n"
              "    result: none; level: InCore\n"));
    ck_assert_ptr_nonnull(strstr(text, "level: InCore; also pl.read\n"));
    free(text);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("op");
    tcase_add_test(tc, a_row_says_it_all);
    tcase_add_test(tc, operands_are_found_by_every_name);
    tcase_add_test(tc, names_find_ops_in_both_spellings);
    tcase_add_test(tc, names_are_unique);
    tcase_add_loop_test(tc, every_row_is_sound, 0, OPCODE_COUNT);
    tcase_add_test(tc, signatures_show_how_to_call);
    tcase_add_test(tc, effects);
    tcase_add_test(tc, the_table_lists_every_op);
    Suite *suite = suite_create("op");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
