/* Files: reading, writing all or nothing; platforms. */
#include "base/file.h"
#include "base/platform.h"
#include "base/source.h"
#include "cli/tool.h"
#include "tests/support.h"
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/check_file_XXXXXX";
static char path[64];

static void set_up(void)
{
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/out.pldb", dir);
}

/* Removes the directory and says how many files were in it. */
static int tear_down(void)
{
    int n = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        char name[400];
        snprintf(name, sizeof name, "%s/%s", dir, e->d_name);
        unlink(name);
        n++;
    }
    closedir(d);
    rmdir(dir);
    return n;
}

static void check_contents(const char *want)
{
    Buf buf = {0};
    char *why = NULL;
    ck_assert_msg(file_read(path, &buf, 1000, &why), "%s", why ? why : "");
    ck_assert_str_eq(buf.at, want);
    buf_free(&buf);
}

START_TEST(writes_and_replaces)
{
    char *why = NULL;
    set_up();
    ck_assert(file_write_atomic(path, "one", 3, &why));
    check_contents("one");
    chmod(path, 0640);
    ck_assert(file_write_atomic(path, "", 0, &why));
    check_contents("");
    struct stat st;
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0640);
    ck_assert_ptr_null(why);
    ck_assert_int_eq(tear_down(), 1);
}
END_TEST

START_TEST(keeps_a_symbolic_link)
{
    char *why = NULL, link_name[64];
    set_up();
    snprintf(link_name, sizeof link_name, "%s/link", dir);
    ck_assert(file_write_atomic(path, "one", 3, &why));
    ck_assert_int_eq(symlink("out.pldb", link_name), 0);
    ck_assert(file_write_atomic(link_name, "two", 3, &why));
    check_contents("two");
    struct stat st;
    ck_assert_int_eq(lstat(link_name, &st), 0);
    ck_assert(S_ISLNK(st.st_mode));
    ck_assert_int_eq(tear_down(), 2);
}
END_TEST

/* A file size limit stands for a full disk: the old file stays and nothing is left behind. */
START_TEST(full_disk_leaves_the_old_file)
{
    char *why = NULL;
    static char big[100000];
    set_up();
    ck_assert(file_write_atomic(path, "old", 3, &why));
    struct rlimit limit = {4096, 4096};
    signal(SIGXFSZ, SIG_IGN); /* as the tools do */
    setrlimit(RLIMIT_FSIZE, &limit);
    ck_assert(!file_write_atomic(path, big, sizeof big, &why));
    ck_assert_ptr_nonnull(strstr(why, "out.pldb: File too large"));
    check_contents("old");
    ck_assert_int_eq(tear_down(), 1);
    xfree(why);
}
END_TEST

START_TEST(devices_are_written_directly)
{
    char *why = NULL;
    ck_assert(file_write_atomic("/dev/null", "x", 1, &why));
    ck_assert(!file_write_atomic("/dev/full", "x", 1, &why));
    ck_assert_str_eq(why, "cannot write /dev/full: No space left on device");
    struct stat st;
    ck_assert_int_eq(stat("/dev/full", &st), 0);
    ck_assert(S_ISCHR(st.st_mode));
    xfree(why);
}
END_TEST

START_TEST(places_that_cannot_be_written)
{
    static const char *const bad[] = {"/nonexistent/x.pldb", "/proc/x.pldb", "/proc/self", "", "/"};
    char *why = NULL;
    ck_assert(!file_write_atomic(bad[_i], "x", 1, &why));
    ck_assert_int_eq(strncmp(why, "cannot write ", 13), 0);
    xfree(why);
}
END_TEST

START_TEST(unwritable_directory)
{
    char *why = NULL;
    set_up();
    ck_assert(file_write_atomic(path, "old", 3, &why));
    chmod(dir, 0555);
    /* root may write everywhere */
    bool wrote = file_write_atomic(path, "new", 3, &why);
    ck_assert(wrote == (geteuid() == 0));
    check_contents(wrote ? "new" : "old");
    chmod(dir, 0755);
    ck_assert_int_eq(tear_down(), 1);
    xfree(why);
}
END_TEST

START_TEST(read_errors_name_the_file)
{
    Buf buf = {0};
    char *why = NULL;
    ck_assert(!file_read("/nonexistent.pld", &buf, 100, &why));
    ck_assert_str_eq(why, "cannot read /nonexistent.pld: No such file or directory");
    xfree(why);
    ck_assert(!file_read("/tmp", &buf, 100, &why));
    ck_assert_str_eq(why, "cannot read /tmp: Is a directory");
    xfree(why);
    ck_assert(!file_read("/dev/zero", &buf, 100000, &why));
    ck_assert_str_eq(why, "cannot read /dev/zero: File too large");
    xfree(why);
    buf_free(&buf);
}
END_TEST

START_TEST(sources_load)
{
    Arena arena = {0};
    char *why = NULL;
    const char *reason = NULL;
    set_up();
    ck_assert(file_write_atomic(path, "\xef\xbb\xbfx\r\n", 6, &why));
    Source *src = source_load(&arena, path, &reason);
    ck_assert_str_eq(src->text, "x\n");
    ck_assert_str_eq(src->name, path);
    ck_assert_ptr_null(source_load(&arena, "/nonexistent.pld", &reason));
    ck_assert_str_eq(reason, "cannot read /nonexistent.pld: No such file or directory");
    ck_assert_int_eq(tear_down(), 1);
    arena_free(&arena);
}
END_TEST

START_TEST(standard_input)
{
    Arena arena = {0};
    const char *reason = NULL;
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    ck_assert_int_eq(write(ends[1], "from a pipe", 11), 11);
    close(ends[1]);
    Source *src = source_load(&arena, "-", &reason);
    ck_assert_str_eq(src->name, "<stdin>");
    ck_assert_str_eq(src->text, "from a pipe\n");
    arena_free(&arena);
}
END_TEST

START_TEST(standard_output_errors_are_seen)
{
    char *why = NULL;
    ck_assert(stdout_finish(&why));
    ck_assert_ptr_nonnull(freopen("/dev/full", "w", stdout));
    fputs("text", stdout);
    ck_assert(!stdout_finish(&why));
    ck_assert_str_eq(why, "cannot write standard output: No space left on device");
    xfree(why);
}
END_TEST

START_TEST(platform_names)
{
    const char *why = NULL;
    ck_assert_ptr_eq(platform_from_name("a5sim", &why), &platforms[PLATFORM_A5SIM]);
    ck_assert_int_eq(platforms[PLATFORM_A2A3SIM].vec_bytes, 184 * 1024);
    ck_assert_ptr_null(platform_from_name("a2a3", &why));
    ck_assert_ptr_nonnull(strstr(why, "no hardware backend"));
    ck_assert_ptr_nonnull(strstr(why, "a2a3sim"));
    ck_assert_ptr_null(platform_from_name("a5", &why));
    ck_assert_ptr_nonnull(strstr(why, "a5sim"));
    ck_assert_ptr_null(platform_from_name("gpu", &why));
    for (int i = 0; i < PLATFORM_COUNT; i++)
        ck_assert_ptr_nonnull(strstr(why, platforms[i].name));
}
END_TEST

START_TEST(platform_fields)
{
    const char *why = NULL;
    Platform p = platforms[PLATFORM_A2A3SIM];
    ck_assert(platform_set(&p, "vec_bytes", 4096, &why));
    ck_assert_int_eq(p.vec_bytes, 4096);
    ck_assert_int_eq(p.mat_bytes, platforms[PLATFORM_A2A3SIM].mat_bytes);
    ck_assert(platform_set(&p, "link_latency", 0, &why));
    ck_assert(!platform_set(&p, "vec_bytes", -1, &why));
    ck_assert(!platform_set(&p, "vec_bytes", INT64_MAX, &why));
    ck_assert(!platform_set(&p, "row_align", 33, &why));
    ck_assert(!platform_set(&p, "vector_cores", 0, &why));
    ck_assert(!platform_set(&p, "name", 1, &why));
    ck_assert_ptr_nonnull(strstr(why, "unknown platform field"));
    ck_assert_int_eq(p.vec_bytes, 4096);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    platform_print_table(out);
    fclose(out);
    ck_assert_ptr_nonnull(
        strstr(text, "\nvec_bytes              188416     245760  bytes   usable"));
    free(text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("file");
    TCase *tc = tcase_create("file");
    tcase_add_test(tc, writes_and_replaces);
    tcase_add_test(tc, keeps_a_symbolic_link);
    tcase_add_test(tc, full_disk_leaves_the_old_file);
    tcase_add_test(tc, devices_are_written_directly);
    tcase_add_loop_test(tc, places_that_cannot_be_written, 0, 5);
    tcase_add_test(tc, unwritable_directory);
    tcase_add_test(tc, read_errors_name_the_file);
    tcase_add_test(tc, sources_load);
    tcase_add_test(tc, standard_input);
    tcase_add_test(tc, standard_output_errors_are_seen);
    tcase_add_test(tc, platform_names);
    tcase_add_test(tc, platform_fields);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
