/* Values of tensors in parts: what is held of one, and what is looked at of the rest. */
#include "sim/host/parts.h"

#include "tests/support.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4096, COLUMNS = 2048, COUNT = ROWS * COLUMNS };

static World w;
static RunConfig config;
static HostTensor tensors[2];
static NpyArray file;
static int32_t *values; /* 32 MiB: four times what lines may take */
static const char *why;

static void measure(HostTensor *t, Dtype dtype, int64_t rows, int64_t columns)
{
    *t = (HostTensor){.name = "x", .dtype = (uint8_t)dtype, .rank = 2, .shape = {rows, columns}};
    ck_assert(tensor_measure(&w.arena, t, &why));
}

static void setup(void)
{
    w = (World){.tensors = tensors, .n_tensors = 2, .config = &config};
    values = malloc(COUNT * sizeof *values);
    for (int32_t i = 0; i < COUNT; i++)
        values[i] = i;
    measure(&tensors[0], DT_INT32, ROWS, COLUMNS);
    measure(&tensors[1], DT_INT8, 3, 5);
    tensor_hold(&tensors[0], NULL, 0);
    tensor_hold(&tensors[1], NULL, 0);
    file = (NpyArray){.data = (const char *)values};
}

static void teardown(void)
{
    arena_free(&w.arena);
    free(values);
}

static const char *look_at(Parts *p, uint32_t tensor, int64_t offset)
{
    return parts_env(p).look(p, tensor, offset, &why);
}

static int32_t look(Parts *p, int64_t i)
{
    int32_t v;
    const char *at = look_at(p, 0, i * 4);
    ck_assert_ptr_nonnull(at);
    memcpy(&v, at, sizeof v);
    return v;
}

START_TEST(any_element_in_any_order)
{
    Parts *p = parts_new(&w);
    parts_from_file(p, 0, &file, "x.npy");
    for (int64_t i = 0; i < COUNT; i += 1009)
        ck_assert_int_eq(look(p, i), i);
    for (int64_t i = COUNT - 1; i >= 0; i -= 61)
        ck_assert_int_eq(look(p, i), i);
    for (uint64_t k = 0, i = 1; k < 20000; k++) {
        i = i * UINT64_C(6364136223846793005) + 1442695040888963407u;
        ck_assert_int_eq(look(p, (int64_t)((i >> 33) % COUNT)), (int64_t)((i >> 33) % COUNT));
    }
}
END_TEST

/* Columns of a matrix whose rows are more than there are lines, so that these become shorter. */
START_TEST(columns_of_a_matrix)
{
    Parts *p = parts_new(&w);
    parts_from_file(p, 0, &file, "x.npy");
    for (int64_t column = 0; column < 64; column++)
        for (int64_t row = 0; row < ROWS; row++)
            ck_assert_int_eq(look(p, row * COLUMNS + column), row * COLUMNS + column);
}
END_TEST

START_TEST(nothing_is_zeros)
{
    Parts *p = parts_new(&w);
    char bytes[15];
    memset(bytes, 1, sizeof bytes);
    ck_assert(parts_are_zero(p, 1));
    for (int64_t i = 0; i < 15; i++)
        ck_assert_int_eq(*look_at(p, 1, i), 0);
    ck_assert(parts_make(p, 1, (TensorSpan){3, 7, 0}, bytes, &why));
    for (int i = 0; i < 15; i++)
        ck_assert_int_eq(bytes[i], i >= 7);
}
END_TEST

START_TEST(a_file_that_is_gone)
{
    Parts *p = parts_new(&w);
    NpyArray gone = {.start = 128};
    parts_from_file(p, 0, &gone, "nowhere.npy");
    ck_assert_ptr_null(look_at(p, 0, 4));
    ck_assert_str_eq(why, "nowhere.npy: No such file or directory");
    ck_assert_ptr_null(look_at(p, 0, 4));
}
END_TEST

START_TEST(what_is_held)
{
    TensorSpan spans[] = {{2, 3, 0}, {8, 1, 0}, {12, 3, 0}};
    char memory[7];
    HostTensor *t = &tensors[1];
    static const int at[] = {-1, -1, 0, 1, 2, -1, -1, -1, 3, -1, -1, -1, 4, 5, 6};
    static const int next[] = {2, 2, 5, 5, 5, 8, 8, 8, 9, 12, 12, 12, 15, 15, 15};
    tensor_hold(t, spans, 3);
    ck_assert_int_eq(t->held, 7);
    for (int i = 0; i < 15; i++) {
        char *found = tensor_at(t, memory, i);
        ck_assert(at[i] < 0 ? !found : found == memory + at[i]);
        ck_assert_int_eq(tensor_next_bound(t, i), next[i]);
    }
    tensor_hold(t, NULL, 0);
    ck_assert_ptr_null(tensor_at(t, memory, 0));
    ck_assert_int_eq(tensor_next_bound(t, 4), 15);
    t->partial = false;
    ck_assert_ptr_eq(tensor_at(t, memory, 4), memory + 4);
    ck_assert_int_eq(tensor_next_bound(t, 4), 15);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("parts");
    TCase *c = tcase_create("parts");
    tcase_set_timeout(c, 0);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, any_element_in_any_order);
    tcase_add_test(c, columns_of_a_matrix);
    tcase_add_test(c, nothing_is_zeros);
    tcase_add_test(c, a_file_that_is_gone);
    tcase_add_test(c, what_is_held);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
