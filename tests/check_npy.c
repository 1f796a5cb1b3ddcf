/* .npy files: what is read, what is refused and how, what is written. */
#include "base/file.h"
#include "sim/host/npy.h"
#include "tests/support.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Arena arena;
static NpyArray array;
static const char *why;

/* A file: version, header text, data. */
static Buf file_of(int version, const char *header, const void *data, size_t bytes)
{
    Buf file = {0};
    buf_bytes(&file, "\x93NUMPY", 6);
    buf_u8(&file, (uint8_t)version);
    buf_u8(&file, 0);
    if (version == 1)
        buf_u16(&file, (uint16_t)strlen(header));
    else
        buf_u32(&file, (uint32_t)strlen(header));
    buf_str(&file, header);
    buf_bytes(&file, data, bytes);
    return file;
}

static bool parse(int version, const char *header, const void *data, size_t bytes)
{
    Buf file = file_of(version, header, data, bytes);
    char *exact = malloc(file.len); /* so that a read past the end is seen */
    memcpy(exact, file.at, file.len);
    why = NULL;
    bool ok = npy_parse(&arena, "f.npy", exact, file.len, &array, &why);
    free(exact);
    buf_free(&file);
    ck_assert(ok == (why == NULL));
    return ok;
}

static void refused(const char *header, size_t bytes, const char *message)
{
    char data[256] = {0};
    ck_assert(!parse(1, header, data, bytes));
    ck_assert_str_eq(why, message);
}

START_TEST(reads_what_numpy_writes)
{
    const float data[] = {1, 2, 3, 4, 5, 6};
    for (int version = 1; version <= 3; version++) {
        ck_assert(parse(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n",
                        data, sizeof data));
        ck_assert(array.known && array.dtype == DT_FP32 && array.rank == 2);
        ck_assert(array.shape[0] == 2 && array.shape[1] == 3 && array.bytes == 24);
        ck_assert_mem_eq(array.data, data, sizeof data);
    }
}
END_TEST

START_TEST(reads_other_spellings)
{
    const int64_t data[] = {-5, 7};
    ck_assert(parse(1, "{\"shape\":(2L,),\"fortran_order\":False,\"descr\":\"<i8\"}", data, 16));
    ck_assert(array.dtype == DT_INT64 && array.rank == 1 && array.shape[0] == 2);
    ck_assert(parse(1, "{'descr': '<i8', 'fortran_order': False, 'shape': ()}", data, 8));
    ck_assert(array.rank == 0 && array.bytes == 8);
    ck_assert(parse(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", "\0\1\2", 3));
    ck_assert(array.dtype == DT_BOOL && array.data[2] == 1);
    ck_assert(parse(1, "{'descr': '>u1', 'fortran_order': False, 'shape': (1,)}", "\7", 1));
    ck_assert(array.dtype == DT_UINT8);
    ck_assert(parse(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (0, 5)}", "", 0));
    ck_assert(array.bytes == 0);
}
END_TEST

START_TEST(refuses_in_one_line)
{
    refused("{'descr': '<f4', 'fortran_order': True, 'shape': (2,)}", 8,
            "f.npy: it is in Fortran order, C order is needed: save numpy.ascontiguousarray(...)");
    refused("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", 8,
            "f.npy: it is big-endian ('>f4'), little-endian is needed: save a.astype('<f4')");
    refused(
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 20,
        "f.npy: it is truncated: shape (2, 3) of '<f4' takes 24 bytes, but 20 follow the header");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 9,
            "f.npy: it has bytes left over: shape (2,) of '<f4' takes 8 bytes, but 9 follow the "
            "header");
    refused("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)}", 8,
            "f.npy: it holds records, not numbers");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1)}", 4,
            "f.npy: it has more than 5 dimensions");
    refused("{'descr': '<f4', 'fortran_order': False}", 0, "f.npy: its header has no 'shape'");
    refused("{'descr': '<f4', 'descr': '<f4'}", 0, "f.npy: its header has 'descr' twice");
    refused("{'descr': '<f4', 'color': 3}", 0, "f.npy: its header has an unknown key 'color'");
    refused("[1, 2]", 0, "f.npy: its header is no dictionary");
    refused("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", 8,
            "f.npy: its header has no valid fortran_order");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", 8,
            "f.npy: its header has no valid shape");
    for (int i = 0; i < 4; i++) {
        static const char *const shapes[] = {"(02,)", "(2)", "(,)", "(00,)"};
        Buf text = {0};
        buf_printf(&text, "{'descr': '<f4', 'fortran_order': False, 'shape': %s}", shapes[i]);
        refused(text.at, 8, "f.npy: its header has no valid shape");
        buf_free(&text);
    }
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", 8,
            "f.npy: its header has more than a dictionary");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 8,
            "f.npy: an extent of its shape is larger than 2^63");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 8,
            "f.npy: FP32 of shape [4294967296, 4294967296] is larger than 16 GiB");
}
END_TEST

START_TEST(refuses_what_is_no_npy)
{
    const char *cases[][2] = {
        {"", "f.npy: it is no .npy file"},
        {"PK\3\4 a zip file of arrays", "f.npy: it is no .npy file"},
        {"\x93NUMPY\x04\x01\x01\x01",
         "f.npy: its format is version 4.1, known are 1.0, 2.0 and 3.0"},
    };
    for (int i = 0; i < 3; i++) {
        ck_assert(!npy_parse(&arena, "f.npy", cases[i][0], strlen(cases[i][0]), &array, &why));
        ck_assert_str_eq(why, cases[i][1]);
    }
    ck_assert(!npy_parse(&arena, "f.npy", "\x93NUMPY\x01\0\x40\0{'", 12, &array, &why));
    ck_assert_str_eq(why, "f.npy: it is truncated inside the header");
    ck_assert(!npy_parse(&arena, "f.npy", "\x93NUMPY\x02\0\xff\xff\xff\xff{'", 14, &array, &why));
    ck_assert_str_eq(why, "f.npy: its header is said to be 4294967295 bytes long");
    ck_assert(!npy_read(&arena, "/nonexistent/f.npy", &array, &why));
    ck_assert(strstr(why, "/nonexistent/f.npy") != NULL);
}
END_TEST

/* A file cut anywhere is refused, and no byte past its end is looked at. */
START_TEST(truncation_anywhere_is_refused)
{
    float data[] = {1, 2};
    Buf file = file_of(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", data, 8);
    for (size_t len = 0; len < file.len; len++) {
        char *cut = malloc(len + 1);
        memcpy(cut, file.at, len);
        char *exact = realloc(cut, len ? len : 1);
        ck_assert(!npy_parse(&arena, "f.npy", exact, len, &array, &why));
        free(exact);
    }
    buf_free(&file);
}
END_TEST

/* A parameter or array of that type; `data` is only read. */
static const HostTensor *typed(const char *name, uint8_t dtype, uint32_t rank, const int64_t *shape,
                               const void *data)
{
    static HostTensor t;
    t = (HostTensor){
        .name = name, .dtype = dtype, .rank = (uint8_t)rank, .data = (char *)(uintptr_t)data};
    memcpy(t.shape, shape, rank * sizeof *shape);
    return &t;
}

static void misfit(uint8_t dtype, uint32_t rank, const int64_t *shape, const char *message)
{
    ck_assert(!npy_fits(&arena, "f.npy", &array, typed("x", dtype, rank, shape, NULL), &why));
    ck_assert_str_eq(why, message);
}

START_TEST(fits_names_both_sides)
{
    char data[24] = {0};
    const int64_t right[] = {2, 3}, open[] = {-1, 3}, wrong[] = {4, -1};
    ck_assert(parse(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", data, 24));
    ck_assert(npy_fits(&arena, "f.npy", &array, typed("x", DT_FP32, 2, right, NULL), &why));
    ck_assert(npy_fits(&arena, "f.npy", &array, typed("x", DT_FP32, 2, open, NULL), &why));
    misfit(DT_FP16, 2, right, "f.npy: it holds '<f4', but x is FP16 ('<f2')");
    misfit(DT_INT8, 2, right, "f.npy: it holds '<f4', but x is INT8 ('|i1')");
    misfit(DT_BF16, 2, right, "f.npy: x is BF16, for which NumPy has no type");
    misfit(DT_FP32, 2, wrong, "f.npy: its shape is (2, 3), but that of x is [4, ?]");
    misfit(DT_FP32, 1, right, "f.npy: its shape is (2, 3), but that of x is [2]");
    ck_assert(parse(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", data, 24));
    misfit(DT_FP32, 1, right, "f.npy: it holds '<f8', but x is FP32 ('<f4')");
    ck_assert(parse(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (3,)}", data, 24));
    ck_assert(npy_fits(&arena, "f.npy", &array, typed("x", DT_INDEX, 1, open + 1, NULL), &why));
}
END_TEST

static void written(uint8_t dtype, uint32_t rank, const int64_t *shape, const void *data,
                    size_t bytes, const char *header)
{
    char path[] = "/tmp/check_npy_XXXXXX";
    close(mkstemp(path));
    ck_assert(npy_write(&arena, path, typed("y", dtype, rank, shape, data), &why));
    Buf file = {0};
    char *reason;
    ck_assert(file_read(path, &file, 1 << 20, &reason));
    ck_assert_uint_eq((file.len - bytes) % 64, 0);
    ck_assert_uint_eq(file.len - bytes, 10 + (size_t)(uint8_t)file.at[8]);
    ck_assert_mem_eq(file.at, "\x93NUMPY\x01\0", 8);
    size_t text = strlen(header);
    ck_assert_mem_eq(file.at + 10, header, text);
    for (size_t i = 10 + text; i + 1 < file.len - bytes; i++)
        ck_assert_int_eq(file.at[i], ' ');
    ck_assert_int_eq(file.at[file.len - bytes - 1], '\n');
    ck_assert_mem_eq(file.at + file.len - bytes, data, bytes);
    ck_assert(npy_read(&arena, path, &array, &why));
    ck_assert(npy_fits(&arena, path, &array, typed("y", dtype, rank, shape, NULL), &why));
    buf_free(&file);
    unlink(path);
}

/* Headers as numpy.save writes them. */
START_TEST(writes_what_numpy_writes)
{
    const int64_t shape[] = {2, 3}, long_shape[] = {100000000, 0, 1000000000, 1, 10};
    const float data[6] = {1, 2, 3, 4, 5, 6};
    written(DT_FP32, 2, shape, data, 24,
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
    written(DT_INT8, 1, shape, data, 2,
            "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }");
    written(DT_BOOL, 0, shape, "\1", 1, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }");
    written(DT_INDEX, 1, shape, data, 16,
            "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }");
    written(DT_FP32, 5, long_shape, data, 0,
            "{'descr': '<f4', 'fortran_order': False, 'shape': "
            "(100000000, 0, 1000000000, 1, 10), }");
}
END_TEST

/* 4 GiB of nothing behind two elements: only so much is read as it takes to refuse them. */
START_TEST(what_lies_behind_the_data_is_not_read)
{
    char path[] = "/tmp/check_npy_XXXXXX";
    int fd = mkstemp(path);
    Buf file = file_of(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "12345678", 8);
    ck_assert_int_eq(write(fd, file.at, file.len), (ssize_t)file.len);
    ck_assert_int_eq(ftruncate(fd, (off_t)1 << 32), 0);
    close(fd);
    ck_assert(!npy_read(&arena, path, &array, &why));
    ck_assert_ptr_nonnull(strstr(why,
                                 ": it has bytes left over: shape (2,) of '<f4' takes 8 bytes, "
                                 "but at least 1048584 follow the header"));
    buf_free(&file);
    unlink(path);
}
END_TEST

START_TEST(writing_fails_in_one_line)
{
    const int64_t shape[] = {1};
    ck_assert(!npy_write(&arena, "y.npy", typed("y", DT_BF16, 1, shape, "\0\0"), &why));
    ck_assert_str_eq(why, "y.npy: NumPy has no type for BF16");
    ck_assert(
        !npy_write(&arena, "/nonexistent/y.npy", typed("y", DT_FP32, 1, shape, "\0\0\0"), &why));
    ck_assert(strstr(why, "/nonexistent/y.npy") != NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("npy");
    TCase *tc = tcase_create("npy");
    tcase_add_test(tc, reads_what_numpy_writes);
    tcase_add_test(tc, reads_other_spellings);
    tcase_add_test(tc, refuses_in_one_line);
    tcase_add_test(tc, refuses_what_is_no_npy);
    tcase_add_test(tc, truncation_anywhere_is_refused);
    tcase_add_test(tc, fits_names_both_sides);
    tcase_add_test(tc, writes_what_numpy_writes);
    tcase_add_test(tc, what_lies_behind_the_data_is_not_read);
    tcase_add_test(tc, writing_fails_in_one_line);
    suite_add_tcase(suite, tc);
    int status = run_suite(suite);
    arena_free(&arena);
    return status;
}
