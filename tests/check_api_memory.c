/* Memory that does not suffice, at every allocation in turn: a status, and nothing left behind.
 * This is linked with a copy of libpld.a that calls the four functions below in place of malloc's.
 */
#include "api/pld.h"
#include "tests/support.h"

#include <stdbool.h>
#include <stdlib.h>

void *test_malloc(size_t size);
void *test_calloc(size_t n, size_t size);
void *test_realloc(void *old, size_t size);
void test_free(void *block);

static long made, fail_at, blocks; /* fail_at: this one and all after it; 0: none */

static bool fails(void)
{
    return fail_at && ++made >= fail_at;
}

void *test_malloc(size_t size)
{
    void *p = fails() ? NULL : malloc(size);
    blocks += p != NULL;
    return p;
}

void *test_calloc(size_t n, size_t size)
{
    void *p = fails() ? NULL : calloc(n, size);
    blocks += p != NULL;
    return p;
}

void *test_realloc(void *old, size_t size)
{
    void *p = fails() ? NULL : realloc(old, size);
    blocks += p != NULL && old == NULL;
    return p;
}

void test_free(void *block)
{
    blocks -= block != NULL;
    free(block);
}

static int compile_sample(const char *path, pld_program **p)
{
    pld_unit *u = pld_unit_new();
    if (!u)
        return PLD_NO_MEMORY;
    int status = pld_unit_file(u, path, PLD_BY_NAME);
    if (status == PLD_OK)
        status = pld_unit_keep(u, "all");
    if (status == PLD_OK)
        status = pld_unit_compile(u, PLD_NO_DEF, p);
    pld_unit_free(u);
    return status;
}

static int run_program(pld_program *p)
{
    pld_run *r = pld_run_new(p);
    if (!r)
        return PLD_NO_MEMORY;
    int status = pld_run_set(r, "cost", NULL);
    if (status == PLD_OK)
        status = pld_run_set(r, "timeline", NULL);
    if (status == PLD_OK)
        status = pld_run_start(r);
    if (status == PLD_NO_MEMORY)
        ck_assert_int_eq(pld_run_start(r), PLD_NO_MEMORY); /* it may only be freed */
    pld_run_free(r);
    return status;
}

static pld_program *sample;

static int compile_one(void)
{
    pld_program *p = NULL;
    int status = compile_sample("samples/14_reduce_scatter.pld", &p);
    ck_assert((p != NULL) == (status == PLD_OK));
    pld_program_free(p);
    return status;
}

static int run_one(void)
{
    return run_program(sample);
}

static int describe_one(void)
{
    size_t len;
    pld_program *p = NULL;
    const void *bytes = pld_program_encode(sample, &len);
    int status = pld_program_decode(bytes, len, &p, NULL, 0);
    if (status != PLD_OK)
        return status;
    int ok = pld_program_json(p) && pld_program_disassemble(p);
    pld_program_free(p);
    return ok ? PLD_OK : PLD_NO_MEMORY;
}

/* Fails at the first, then ever later allocations, in steps that grow, until nothing fails. */
static void exhaust(int (*work)(void))
{
    int status = PLD_NO_MEMORY;
    long n = 0;
    fail_at = 0;
    ck_assert_int_eq(work(), PLD_OK);
    long before = blocks;
    for (long at = 1; status == PLD_NO_MEMORY; at += 1 + at / 200) {
        made = 0;
        fail_at = at;
        status = work();
        fail_at = 0;
        ck_assert_msg(blocks == before, "%ld blocks are left at %ld", blocks - before, at);
        n += status == PLD_NO_MEMORY;
    }
    ck_assert_int_eq(status, PLD_OK);
    ck_assert_int_gt(n, 20);
}

START_TEST(compiling)
{
    exhaust(compile_one);
}
END_TEST

START_TEST(running)
{
    ck_assert_int_eq(compile_sample("samples/14_reduce_scatter.pld", &sample), PLD_OK);
    exhaust(run_one);
    pld_program_free(sample);
}
END_TEST

START_TEST(describing)
{
    ck_assert_int_eq(compile_sample("samples/07_dynamic_rank_count.pld", &sample), PLD_OK);
    exhaust(describe_one);
    pld_program_free(sample);
}
END_TEST

START_TEST(many_compilations_and_runs_leave_nothing)
{
    long before = blocks;
    for (int i = 0; i < 300; i++) {
        ck_assert_int_eq(compile_sample("samples/01_hello_rank.pld", &sample), PLD_OK);
        ck_assert_int_eq(run_program(sample), PLD_OK);
        pld_program_free(sample);
        ck_assert_int_eq(blocks, before);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("api memory");
    TCase *tc = tcase_create("api memory");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, compiling);
    tcase_add_test(tc, running);
    tcase_add_test(tc, describing);
    tcase_add_test(tc, many_compilations_and_runs_leave_nothing);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
