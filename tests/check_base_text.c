/* Buffers, number printing, JSON, XML, CRC-32, UTF-8, source text. */
#include "base/buf.h"
#include "base/crc32.h"
#include "base/json.h"
#include "base/source.h"
#include "tests/support.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(buf_builds_text_and_integers)
{
    Buf b = {0};
    buf_str(&b, "ab");
    buf_char(&b, 'c');
    buf_fill(&b, '-', 3);
    buf_printf(&b, "%05d", 42);
    ck_assert_str_eq(b.at, "abc---00042");
    buf_clear(&b);
    ck_assert_str_eq(b.at, "");
    buf_printf(&b, "%*d", 5000, 1);
    ck_assert_uint_eq(b.len, 5000);
    buf_clear(&b);
    buf_u8(&b, 0x01);
    buf_u16(&b, 0x0302);
    buf_u32(&b, 0x07060504);
    buf_u64(&b, 0x0f0e0d0c0b0a0908);
    ck_assert_uint_eq(b.len, 15);
    for (int i = 0; i < 15; i++)
        ck_assert_int_eq(b.at[i], i + 1);
    buf_free(&b);
    ck_assert_ptr_null(b.at);
}
END_TEST

static void check_double(double v, const char *want)
{
    Buf b = {0};
    buf_double(&b, v);
    ck_assert_str_eq(b.at, want);
    buf_free(&b);
}

START_TEST(doubles_print_as_python_does)
{
    check_double(0.0, "0.0");
    check_double(-0.0, "-0.0");
    check_double(1, "1.0");
    check_double(-1.5, "-1.5");
    check_double(0.1, "0.1");
    check_double(0.1 + 0.2, "0.30000000000000004");
    check_double(1.0 / 3, "0.3333333333333333");
    check_double(123456789, "123456789.0");
    check_double(1e15, "1000000000000000.0");
    check_double(1e16, "1e+16");
    check_double(1.25e22, "1.25e+22");
    check_double(0.0001, "0.0001");
    check_double(0.00001, "1e-05");
    check_double(DBL_MAX, "1.7976931348623157e+308");
    check_double(DBL_MIN, "2.2250738585072014e-308");
    check_double(5e-324, "5e-324");
    check_double((double)FLT_MAX, "3.4028234663852886e+38");
    check_double(INFINITY, "inf");
    check_double(-INFINITY, "-inf");
    check_double(-(double)NAN, "nan");
    /* powers of two, where the nearest decimal of 16 digits is not the one that reads back */
    check_double(0x1p-1017, "7.120236347223045e-307");
    check_double(0x1p-44, "5.684341886080802e-14");
}
END_TEST

START_TEST(doubles_read_back)
{
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double v, back;
        uint64_t bits = state ^ state >> 32;
        memcpy(&v, &bits, sizeof v);
        if (isnan(v))
            continue;
        Buf b = {0};
        buf_double(&b, v);
        back = strtod(b.at, NULL);
        ck_assert_mem_eq(&back, &v, sizeof v);
        ck_assert_ptr_nonnull(strpbrk(b.at, ".eif"));
        buf_free(&b);
    }
}
END_TEST

START_TEST(json_places_commas_and_escapes)
{
    Buf b = {0};
    JsonWriter w;
    json_init(&w, &b);
    json_open(&w, '{');
    json_newline(&w);
    json_key(&w, "a\"b\\");
    json_str(&w, "tab\t nl\n bell\a \xc3\xa9 bad\xff");
    json_newline(&w);
    json_key(&w, "list");
    json_open(&w, '[');
    json_int(&w, INT64_MIN);
    json_bool(&w, true);
    json_open(&w, '[');
    json_close(&w);
    json_open(&w, '{');
    json_member_double(&w, "half", 0.5);
    json_member_double(&w, "all", INFINITY);
    json_member_str(&w, "none", NULL);
    json_close(&w);
    json_close(&w);
    json_member_bool(&w, "f", false);
    json_newline(&w);
    json_close(&w);
    json_newline(&w);
    json_int(&w, 1);
    ck_assert_str_eq(b.at,
                     "{\n\"a\\\"b\\\\\":\"tab\\t nl\\n bell\\u0007 \xc3\xa9 bad\xef\xbf\xbd\",\n"
                     "\"list\":[-9223372036854775808,true,[],{\"half\":0.5,\"all\":\"inf\"}],"
                     "\"f\":false\n}\n1");
    buf_free(&b);
}
END_TEST

START_TEST(xml_escapes)
{
    Buf b = {0};
    xml_escape(&b, "a<b> & \"c\" 'd'\n\t\x01\x1b[0m \xe4\xb8\xad \xc0 \xef\xbf\xbf");
    ck_assert_str_eq(b.at, "a&lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;&#10;&#9;[0m \xe4\xb8\xad "
                           "\xef\xbf\xbd \xef\xbf\xbd");
    buf_free(&b);
}
END_TEST

START_TEST(checksums)
{
    ck_assert_uint_eq(crc32_bytes(0, "123456789", 9), 0xcbf43926);
    ck_assert_uint_eq(crc32_bytes(crc32_bytes(0, "1234", 4), "56789", 5), 0xcbf43926);
    ck_assert_uint_eq(crc32_bytes(0, "", 0), 0);
    ck_assert(hash64(HASH64_INIT, "", 0) == 0xcbf29ce484222325u);
    ck_assert(hash64(HASH64_INIT, "a", 1) == 0xaf63dc4c8601ec8cu);
    ck_assert(hash64(HASH64_INIT, "foobar", 6) == 0x85944171f73967e8u);
}
END_TEST

/* Each text is valid up to the given offset. */
static const struct {
    const char *text;
    size_t valid;
} utf8_cases[] = {
    {"plain", 5},
    {"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80", 9},
    {"a\x80", 1},        /* a continuation byte alone */
    {"a\xc0\x80", 1},    /* overlong NUL */
    {"\xc1\xbf", 0},     /* overlong, two bytes */
    {"\xe0\x9f\xbf", 0}, /* overlong, three bytes */
    {"\xe0\xa0\x80", 3},
    {"\xed\x9f\xbf", 3},
    {"\xed\xa0\x80", 0},     /* a surrogate */
    {"\xf0\x8f\xbf\xbf", 0}, /* overlong, four bytes */
    {"\xf4\x8f\xbf\xbf", 4}, /* U+10FFFF */
    {"\xf4\x90\x80\x80", 0}, /* beyond */
    {"\xf5\x80\x80\x80", 0},
    {"ab\xe4\xb8", 2}, /* cut short */
    {"ab\xe4\xb8z", 2},
    {"\xff", 0},
};

START_TEST(utf8_validity)
{
    const char *text = utf8_cases[_i].text;
    ck_assert_uint_eq(utf8_check(text, strlen(text)), utf8_cases[_i].valid);
}
END_TEST

START_TEST(utf8_decoding_and_width)
{
    uint32_t code;
    ck_assert_uint_eq(utf8_decode("\xe2\x82\xac", 3, &code), 3);
    ck_assert_uint_eq(code, 0x20ac);
    ck_assert_uint_eq(utf8_decode("\xf0\x9f\x98\x80", 4, &code), 4);
    ck_assert_uint_eq(code, 0x1f600);
    ck_assert_uint_eq(utf8_decode("\xe2\x82", 2, &code), 1);
    ck_assert_uint_eq(code, 0xfffd);
}
END_TEST

static Source *source(Arena *arena, const char *text)
{
    return source_from_bytes(arena, "t.pld", text, strlen(text));
}

START_TEST(source_is_made_canonical)
{
    Arena arena = {0};
    ck_assert_str_eq(source(&arena, "\xef\xbb\xbf"
                                    "a\r\nb")
                         ->text,
                     "a\nb\n");
    ck_assert_str_eq(source(&arena, "")->text, "\n");
    ck_assert_str_eq(source(&arena, "a\n")->text, "a\n");
    ck_assert_str_eq(source(&arena, "a\rb\r")->text, "a\rb\r\n");
    ck_assert_str_eq(source(&arena, "a\r\r\n")->text, "a\r\n");
    ck_assert_uint_eq(source(&arena, "\n\n")->n_lines, 2);
    ck_assert_uint_eq(source(&arena, "x")->n_lines, 1);
    Source *nul = source_from_bytes(&arena, "n", "a\0b", 3);
    ck_assert_uint_eq(nul->len, 4);
    arena_free(&arena);
}
END_TEST

START_TEST(source_lines_and_columns)
{
    Arena arena = {0};
    Source *src = source(&arena, "ab\n\n\xc3\xa9\xc3\xa9x\nlast");
    static const struct {
        uint32_t offset, line, col;
    } want[] = {{0, 1, 1}, {1, 1, 2}, {2, 1, 3},  {3, 2, 1},  {4, 3, 1},  {6, 3, 2},
                {8, 3, 3}, {9, 3, 4}, {10, 4, 1}, {14, 4, 5}, {15, 4, 5}, {99, 4, 5}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        LineCol at = source_line_col(src, want[i].offset);
        ck_assert_uint_eq(at.line, want[i].line);
        ck_assert_uint_eq(at.col, want[i].col);
    }
    uint32_t len;
    ck_assert_int_eq(strncmp(source_line(src, 12, &len), "last", 4), 0);
    ck_assert_uint_eq(len, 4);
    source_line(src, 3, &len);
    ck_assert_uint_eq(len, 0);
    ck_assert_int_eq(strncmp(source_line(src, 99, &len), "last", 4), 0);
    arena_free(&arena);
}
END_TEST

START_TEST(a_source_may_hold_several_files)
{
    Arena arena = {0};
    Source *src = source(&arena, "ab\ncd\n");
    uint32_t second = source_append(&arena, src, "second", "x\r\nyz", 5);
    uint32_t third = source_append(&arena, src, "third", "", 0), len;
    ck_assert_str_eq(source_part(src, second - 1)->name, src->name);
    ck_assert_str_eq(source_part(src, second)->name, "second");
    ck_assert_str_eq(source_part(src, third)->name, "third");
    ck_assert_str_eq(src->text + second, "x\nyz\n\n\n");
    LineCol end = source_line_col(src, second - 1), z = source_line_col(src, second + 3),
            last = source_line_col(src, source_part(src, second)->end),
            start = source_line_col(src, third);
    ck_assert(end.line == 2 && end.col == 3 && z.line == 2 && z.col == 2);
    ck_assert(last.line == 2 && last.col == 3 && start.line == 1 && start.col == 1);
    ck_assert_int_eq(strncmp(source_line(src, second + 2, &len), "yz", 2), 0);
    ck_assert_uint_eq(len, 2);
    ck_assert_int_eq(strncmp(source_line(src, second - 1, &len), "cd", 2), 0);
    ck_assert_uint_eq(len, 2);
    arena_free(&arena);
}
END_TEST

START_TEST(spans_join)
{
    Span a = span_join((Span){5, 7}, (Span){1, 2});
    ck_assert_uint_eq(a.begin, 1);
    ck_assert_uint_eq(a.end, 7);
    a = span_join((Span){0, 0}, (Span){3, 4});
    ck_assert_uint_eq(a.begin, 3);
    a = span_join((Span){3, 4}, (Span){0, 0});
    ck_assert_uint_eq(a.begin, 3);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("text");
    TCase *tc = tcase_create("text");
    tcase_add_test(tc, buf_builds_text_and_integers);
    tcase_add_test(tc, doubles_print_as_python_does);
    tcase_add_test(tc, doubles_read_back);
    tcase_add_test(tc, json_places_commas_and_escapes);
    tcase_add_test(tc, xml_escapes);
    tcase_add_test(tc, checksums);
    tcase_add_loop_test(tc, utf8_validity, 0, sizeof utf8_cases / sizeof utf8_cases[0]);
    tcase_add_test(tc, utf8_decoding_and_width);
    tcase_add_test(tc, source_is_made_canonical);
    tcase_add_test(tc, source_lines_and_columns);
    tcase_add_test(tc, a_source_may_hold_several_files);
    tcase_add_test(tc, spans_join);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
