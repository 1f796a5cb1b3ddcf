/* Warnings that elaboration gives only when asked. */
#include "tests/spectest.h"
#include "tests/support.h"

START_TEST(warnings_that_are_off_until_asked_for)
{
    Spec s;
    static const char text[] =
        "@pl.jit.host\ndef host(x: pl.Out[pl.Tensor[[2, 4], pl.FP32]]):\n    a = 3\n    b = a\n";
    spec_run(&s, text, NULL);
    ck_assert_str_eq(spec_messages(&s), "");
    spec_free(&s);
    spec_run_warned(&s, text, NULL, "unused-variable", "unchecked-output");
    ck_assert_str_eq(spec_messages(&s), "4:5: b is bound and never read\n"
                                        "2:10: the output x has no @pld.golden\n");
    spec_free(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("specialize");
    TCase *tc = tcase_create("bodies");
    tcase_add_test(tc, warnings_that_are_off_until_asked_for);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
