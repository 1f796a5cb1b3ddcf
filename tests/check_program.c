/* Programs as a whole: which one is compiled, its compile-time code and parameters, calls between
 * its functions, init and golden functions, dumps. */
#include "tests/spectest.h"
#include "tests/support.h"
#include <string.h>

#define HOST(NAME, BODY)                                                                           \
    "    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"                           \
    "    def " NAME "(self, x: pl.Tensor[[2, 4], pl.FP32]):\n" BODY

static const char two_programs[] =
    "@pl.program\nclass A:\n" HOST("host", "        return x\n") "@pl.program\nclass B:\n" HOST(
        "host", "        return x\n") HOST("other", "        return x\n");

START_TEST(one_of_several_programs)
{
    SpecializeOptions o = {0};
    expect_program_messages(two_programs, NULL,
                            "this file holds several programs: A, B; choose one with --program "
                            "NAME\n");
    o.program = "C";
    expect_program_messages(two_programs, &o, "no program C in this file; it has: A, B\n");
    o.program = "B";
    expect_program_messages(two_programs, &o,
                            "several host functions: host, other; choose one with "
                            "--entry NAME\n");
    o.entry = "hst";
    expect_program_messages(two_programs, &o, "no host function hst; there is: host, other\n");
    o.entry = "other";
    expect_program_has(two_programs, &o, "program=B entry=other\n@pl.program\nclass B:\n");
}
END_TEST

START_TEST(a_program_needs_a_host_function)
{
    expect_program_messages(
        "SIZE = 4\n", NULL,
        "no program in this file: it needs functions with @pl.jit decorators, a "
        "@pl.program class, or a factory def that returns one\n");
    expect_program_messages("@pl.jit.incore\ndef step(x, y):\n    pass\n", NULL,
                            "2:5: this program has kernels and no host function to start them: "
                            "`pldc --skeleton FILE` prints one that fits\n");
}
END_TEST

START_TEST(import_aliases)
{
    expect_program_has(
        "import pypto.language as q\nimport pypto.language.distributed as d\n"
        "@q.jit.host\ndef host(x: q.Tensor[[2, 4], q.FP32]):\n    n = d.world_size()\n",
        NULL, "n: pl.Scalar[pl.INDEX] = pld.system.world_size()\n");
}
END_TEST

START_TEST(what_a_script_has_around_is_to_be_deleted)
{
    expect_program_messages(
        "import torch\nfrom os import path\nSIZE = 64\ndev = torch.device('cpu')\n"
        "torch.manual_seed(0)\n@pl.jit.host\ndef host(x: pl.Tensor[[SIZE], pl.FP32]):\n    pass\n"
        "def main():\n    print(dev)\nif __name__ == '__main__':\n    main()\n",
        NULL,
        "1:1: delete `import torch`: a program uses pypto.language and pypto.language.distributed "
        "only, and pldrun does what a script's main part does\n"
        "2:1: delete this import: a program says `import pypto.language as pl` and `import "
        "pypto.language.distributed as pld`, or nothing\n"
        "4:1: delete this statement: torch is nothing that a program knows, pldc and pldrun build "
        "and start programs themselves\n"
        "5:1: delete this statement: at module level a program has constants, functions and "
        "classes\n"
        "9:5: delete the function main: pldrun starts the program, @pld.init and @pld.golden give "
        "its inputs and check its outputs\n"
        "11:1: delete this block: pldrun is what starts a program\n");
}
END_TEST

/* ---- compile-time code */

#define MODULE(CODE) CODE "@pl.jit.host\ndef host(x: pl.Tensor[[2, 4], pl.FP32]):\n    pass\n"

START_TEST(python_semantics)
{
    expect_program_has(
        MODULE("L = -7 // 2\nM = -7 % 3\nP = 2 ** 3 ** 2\nF = 7 / 2\nC = 1 < 2 < 3 and not 1 == 2\n"
               "S = 'a' if L > 0 else 'b' + \"c\"\nN = len([1, 2]) + max(1, 4) + abs(-3)\n"
               "B = pl.FP16.get_byte()\nA, Z = (1, 2)\nK = [3, 5][-1]\n"),
        NULL,
        "ranks=2 L=-4 M=2 P=512 F=3.5 C=True S=\"bc\" N=9 B=2 K=5 platform=a2a3sim program=Program "
        "entry=host\n");
}
END_TEST

START_TEST(compile_time_mistakes)
{
    expect_program_messages(
        MODULE("A = 2 ** 63\nB = 1 // 0\nC = \"a\" + 1\nD = [1, 2][5]\nE = pl.load(1)\nF, G = 1, "
               "2, 3\n"
               "H = undefined\nI = -9223372036854775807 - 2\nJ = A + B\n"),
        NULL,
        "1:5: the result of ** leaves 64 bits\n2:5: division by zero in //\n"
        "3:5: unsupported operands of +: str 'a' and int 1\n"
        "4:12: index 5 is outside a list of 2 items\n"
        "5:5: pl.load runs on the devices: it cannot stand in compile-time code\n"
        "6:1: cannot unpack 3 values into 2 names\n7:5: unknown name undefined\n"
        "8:5: the result of - leaves 64 bits\n");
}
END_TEST

START_TEST(raise_and_assert_carry_their_message)
{
    expect_program_messages(
        MODULE("S = 64\nif S % 3 != 0:\n    raise ValueError(f\"{S} by {3}: {S=} "
               "{'a'!r} {S:x} {{}}\")\n"),
        NULL, "3:5: 64 by 3: S=64 'a' 40 {}\n");
    expect_program_messages(MODULE("assert 1 == 2, \"no\"\n"), NULL, "1:1: no\n");
    expect_program_messages(MODULE("assert 1 == 2\n"), NULL, "1:1: assertion failed\n");
}
END_TEST

static const char factory[] =
    "SIZE = 8\n"
    "def build(nr: int = pld.world_size(), mode: Literal[\"a\", \"b\"] = \"a\", *, f: float = 1,\n"
    "          flag: bool = True, dt=pl.FP32, op=pld.ReduceOp.Sum):\n"
    "    if SIZE % nr != 0:\n"
    "        raise ValueError(f\"SIZE={SIZE} must be divisible by {nr}\")\n"
    "    rows = nr if mode == \"a\" else SIZE // nr\n"
    "    @pl.program\n"
    "    class P:\n"
    "        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
    "        def host(self, x: pl.Tensor[[rows, SIZE], dt]):\n"
    "            return x\n"
    "    return P\n";

START_TEST(parameters_are_set)
{
    Define d[] = {{"mode", "b"},     {"dt", "pl.FP16"}, {"op", "pld.ReduceOp.Max"},
                  {"flag", "False"}, {"f", "2"},        {"SIZE", "4 * 4"}};
    SpecializeOptions o = {.ranks = 8};
    expect_program_has(factory, &o,
                       "ranks=8 SIZE=8 nr=ranks mode=\"a\" f=1.0 flag=True dt=pl.FP32 "
                       "op=pld.ReduceOp.Sum platform=a2a3sim program=P entry=host\n");
    o = (SpecializeOptions){.ranks = 4, .defines = d, .n_defines = 6};
    expect_program_has(factory, &o,
                       "ranks=4 SIZE=16 nr=ranks mode=\"b\" f=2.0 flag=False dt=pl.FP16 "
                       "op=pld.ReduceOp.Max platform");
    expect_program_has(factory, &o, "x: pl.Tensor[[4, 16], pl.FP16]");
}
END_TEST

static void expect_refused(const char *name, const char *value, uint32_t ranks,
                           const char *messages)
{
    Define d = {name, value};
    SpecializeOptions o = {.ranks = ranks, .defines = &d, .n_defines = 1};
    expect_program_messages(factory, &o, messages);
}

START_TEST(parameters_are_checked)
{
    expect_refused("mode", "c", 0, "2:39: -D mode=c: wanted \"a\" or \"b\", got str 'c'\n");
    expect_refused("flag", "3", 0, "3:11: -D flag=3: wanted True or False, got int 3\n");
    expect_refused("dt", "3", 0, "3:30: -D dt=3: wanted a value like pl.FP32, got int 3\n");
    expect_refused("SIZE", "big", 0, "1:1: -D SIZE=big: not a value; wanted a value like 8\n");
    expect_refused("Mode", "a", 0,
                   "-D Mode=a: the program has no parameter Mode; did you mean mode? "
                   "it has: SIZE, nr, mode, f, flag, dt, op\n");
    expect_refused("nr", "4", 2, "2:11: -D nr=4, but the program is compiled for 2 devices\n");
    expect_refused("nr", "3", 0, "5:9: SIZE=8 must be divisible by 3\n");
}
END_TEST

/* ---- calls */

START_TEST(calls_say_their_level_and_device)
{
    expect_program_messages(
        "@pl.jit.host\ndef host(x: pl.Tensor[[2, 4], pl.FP32]):\n    k(x)\n    orch(x)\n"
        "    orch(x, device=-1)\n    orch(x, device=0, foo=1)\n    orch(device=0)\n    z = x[0, "
        "1]\n"
        "    for i in pl.range(2):\n        b = pld.alloc_window_buffer(64)\n"
        "@pl.jit\ndef orch(a):\n    k(a)\n"
        "@pl.jit.incore\ndef k(a):\n    pl.load(a, [0, 0], [1, 4])\n",
        NULL,
        "3:5: k is an InCore function and this is a host function: a host function calls "
        "orchestration functions\n  15:5: k is declared here\n"
        "4:5: a call from the host needs device=, the index of the device that runs orch\n"
        "5:20: device= is an index into the devices of the run, got -1\n"
        "6:23: orch has no parameter foo\n"
        "7:5: the call of orch lacks its parameter a\n  12:5: orch is here\n"
        "8:9: a host function cannot read elements of a tensor: x[r] gives one slice of the "
        "leading "
        "dimension, kernels read the rest\n"
        "10:13: pld.tensor.alloc_window_buffer in a loop: reserve the window before the loop\n");
}
END_TEST

START_TEST(unannotated_parameters_take_the_first_type)
{
    expect_program_messages(
        "@pl.jit.host\ndef host(x: pl.Tensor[[2, 4], pl.FP32], y: pl.Tensor[[2, 3], pl.FP32]):\n"
        "    orch(x, device=0)\n    orch(y, device=0)\n"
        "@pl.jit\ndef orch(a):\n    pass\n",
        NULL,
        "4:10: a of orch is pl.Tensor[[2, 3], pl.FP32] in this call and pl.Tensor[[2, 4], pl.FP32] "
        "in "
        "another: annotate it, or write two functions\n  3:5: the other call is here\n");
}
END_TEST

START_TEST(directions_are_found)
{
    expect_program_has(
        "@pl.jit.host\ndef host(x: pl.Tensor[[1, 4], pl.FP32], y: pl.Out[pl.Tensor[[1, 4], "
        "pl.FP32]], "
        "z: pl.InOut[pl.Tensor[[1, 4], pl.FP32]]):\n    orch(x, y, z, device=0)\n"
        "@pl.jit\ndef orch(x, y, z):\n    a = y\n    k(x, a, z)\n"
        "@pl.jit.incore\ndef k(x, y, z):\n"
        "    pl.store(pl.load(x, [0, 0], [1, 4]) + pl.load(z, [0, 0], [1, 4]), [0, 0], y)\n"
        "    pl.store(pl.load(y, [0, 0], [1, 4]), [0, 0], z)\n",
        NULL,
        "def orch(self, x: pl.Tensor[[1, 4], pl.FP32], y: pl.Out[pl.Tensor[[1, 4], pl.FP32]], "
        "z: pl.InOut[pl.Tensor[[1, 4], pl.FP32]]):");
    expect_program_messages(
        "@pl.jit.host\ndef host(y: pl.Out[pl.Tensor[[1, 4], pl.FP32]]):\n    orch(y, device=0)\n"
        "@pl.jit\ndef orch(y):\n    k(y)\n"
        "@pl.jit.incore\ndef k(y):\n    pl.store(pl.load(y, [0, 0], [1, 4]), [0, 0], y)\n",
        NULL,
        "3:10: y is an Out of host, and orch reads it: write pl.InOut[...]\n"
        "  2:10: y is declared here\n");
}
END_TEST

START_TEST(arguments_fit_their_parameters)
{
    expect_program_messages(
        "@pl.jit.host\ndef host(x: pl.Tensor[[1, 4], pl.FP32]):\n"
        "    b = pld.alloc_window_buffer(64)\n    w = pld.window(b, [1, 4], dtype=pl.FP32)\n"
        "    orch(w, x, 2.5, device=0)\n    orch(x, x, 3, device=0)\n"
        "    orch(x, w, 3, device=0)\n"
        "@pl.jit\ndef orch(a: pl.Tensor[[1, 4], pl.FP32], "
        "b: pld.DistributedTensor[[1, 4], pl.FP32], n: pl.Scalar[pl.INT32]):\n    pass\n",
        NULL,
        "5:16: float 2.5 does not fit INT32, an integer is wanted\n"
        "6:13: b of orch is pld.DistributedTensor[[1, 4], pl.FP32], got pl.Tensor[[1, 4], "
        "pl.FP32]: a "
        "plain tensor is no window, make a view with pld.window\n  9:41: b is declared here\n");
}
END_TEST

START_TEST(dynamic_extents_bind_at_calls)
{
    static const char text[] =
        "NR = pl.dynamic(\"NR\")\nM = pl.dynamic(\"M\")\n"
        "@pl.jit.host\ndef host(x: pl.Tensor[[NR, 4], pl.FP32], y: pl.Tensor[[M, 3 * M], "
        "pl.FP32]):\n"
        "    %s(x, y, device=0)\n"
        "@pl.jit\ndef good(a: pl.Tensor[[M, 4], pl.FP32], b: pl.Tensor[[NR, 3 * NR], pl.FP32]):\n"
        "    n = NR + M\n"
        "@pl.jit\ndef same(a: pl.Tensor[[NR, 4], pl.FP32], b: pl.Tensor[[NR, 3 * NR], pl.FP32]):\n"
        "    pass\n"
        "@pl.jit\ndef other(a: pl.Tensor[[M, 4], pl.FP32], b: pl.Tensor[[NR, 3 * M], pl.FP32]):\n"
        "    pass\n";
    char buf[1024];
    snprintf(buf, sizeof buf, text, "same");
    Spec s;
    spec_run(&s, buf, NULL);
    ck_assert_ptr_nonnull(strstr(spec_messages(&s),
                                 "5:13: NR of same is M here, and NR in the argument a\n"
                                 "  5:10: that argument is here\n"));
    spec_free(&s);
    snprintf(buf, sizeof buf, text, "other");
    spec_run(&s, buf, NULL);
    ck_assert_ptr_nonnull(strstr(spec_messages(&s),
                                 "5:14: b of other is pl.Tensor[[M, 3 * NR], pl.FP32], "
                                 "got pl.Tensor[[M, 3 * M], pl.FP32]\n"));
    spec_free(&s);
    snprintf(buf, sizeof buf, text, "good");
    spec_run(&s, buf, NULL);
    ck_assert_ptr_nonnull(s.p);
    ck_assert_ptr_nonnull(strstr(spec_printed(&s), "n: pl.Scalar[pl.INDEX] = NR + M\n"));
    spec_free(&s);
}
END_TEST

START_TEST(scalars_come_last)
{
    expect_program_messages("@pl.jit.host\ndef host(n: pl.Scalar[pl.INT32], "
                            "x: pl.Tensor[[1, 4], pl.FP32]):\n    pass\n",
                            NULL,
                            "2:34: the tensor x comes after a scalar parameter of host: put the "
                            "scalars last\n");
}
END_TEST

START_TEST(uncalled_functions_are_looked_at)
{
    expect_program_messages(
        MODULE("") "@pl.jit.incore\ndef unused(a):\n    pl.lod(a, [0], [b])\n", NULL,
        "6:5: unknown operation pl.lod; did you mean pl.load?\n6:21: unknown name b\n"
        "5:5: nothing calls unused: it is dropped\n");
    expect_program_messages(
        "USE = False\n@pl.jit.host\ndef host(x: pl.Tensor[[2, 4], pl.FP32]):\n    if USE:\n"
        "        orch(x, device=0)\n@pl.jit\ndef orch(x):\n    pass\n",
        NULL, "");
}
END_TEST

/* ---- init and golden */

#define PURE(CODE)                                                                                 \
    "K = 4\nMODE = \"a\"\n@pl.jit.host\ndef host(x: pl.Tensor[[2, 4], pl.FP32], "                  \
    "y: pl.InOut[pl.Tensor[[2, 4], pl.FP32]], n: pl.Scalar[pl.INT32]):\n    pass\n" CODE

START_TEST(pure_functions_are_folded)
{
    expect_program_has(
        PURE(
            "@pld.golden(rtol=0, atol=1e-3)\ndef y(i, j):\n    a = K * 2 - 3\n"
            "    if K > 3 and MODE == \"a\":\n        b = -a + 1\n    else:\n        b = nonsense\n"
            "    if i < j:\n        return exp(b) + y[i, 0]\n"
            "    c = randn(3) if MODE == \"b\" else uniform(K)\n"
            "    return sum(x[i, k] * q for k in range(K) for q in range(1, 4, 2) if k > q) + "
            "max(i, j, 3) + x.shape[1] + n * c\n"),
        NULL,
        "    @pld.golden(rtol=0.0, atol=0.001)\n    def y(i, j):\n        a = 5\n        b = -a + "
        "1\n"
        "        if i < j:\n            return exp(b) + y[i, 0]\n        c = uniform(4)\n"
        "        return sum(x[i, k] * q for k in range(4) for q in range(1, 4, 2) if k > q) + "
        "max(i, j, 3) + 4 + n * c\n");
}
END_TEST

START_TEST(pure_functions_are_checked)
{
    expect_program_messages(
        PURE("@pld.init\ndef x(i):\n    return i\n@pld.init\ndef z(i):\n    return i\n"
             "@pld.golden\ndef x(i, j):\n    return i\n"
             "@pld.golden(rtol=-1)\ndef y(i, j):\n    return i\n"
             "@pld.init\ndef n():\n    return K\n@pld.init\ndef n():\n    return 3\n"),
        NULL,
        "7:5: x takes 1 indices, pl.Tensor[[2, 4], pl.FP32] has 2 dimensions\n"
        "10:5: z is no parameter of the host function host\n"
        "13:5: x is an input of host: a golden is for pl.Out and pl.InOut tensors\n"
        "15:18: rtol= is not negative\n"
        "22:5: a second @pld.init of n\n  19:5: the first one is here\n");
    expect_program_messages(
        PURE("@pld.init\ndef y(i, j):\n    for k in range(3):\n        pass\n"
             "    return x + x[1] + z + foo(3) + sum(i) + pl.load(x)\n"),
        NULL,
        "8:5: init and golden functions have assignments, if and return, no for: write sum(value "
        "for "
        "k in range(n)) and the like\n"
        "10:12: x is a tensor: give it an index for each dimension\n"
        "10:16: x has 2 dimensions, got 1 index\n10:23: unknown name z\n"
        "10:27: init and golden functions have no foo: they have abs exp log sqrt sin cos float "
        "int "
        "randn uniform min max sum prod all any\n"
        "10:36: sum takes `value for k in range(n)`\n"
        "10:45: pl.load runs on the devices: it cannot stand in compile-time code\n");
}
END_TEST

/* ---- dumps */

START_TEST(options_may_not_contradict_a_dump)
{
    static const char dump[] =
        "# pld-ir 01_specialize ranks=4 SIZE=8 platform=a2a3sim program=P entry=host\n"
        "@pl.program\nclass P:\n" HOST("host", "        return x\n");
    Define d = {"SIZE", "9"};
    SpecializeOptions o = {.ranks = 2};
    expect_program_messages(dump, &o, "2 devices, but the first line of the dump has ranks=4\n");
    o = (SpecializeOptions){.defines = &d, .n_defines = 1};
    expect_program_messages(dump, &o,
                            "-D SIZE=9 contradicts the first line of the dump, which has "
                            "SIZE=8\n");
    o = (SpecializeOptions){.entry = "main"};
    expect_program_messages(dump, &o,
                            "--entry main, but the first line of the dump has "
                            "entry=host\n");
}
END_TEST

START_TEST(an_edited_dump_that_breaks_its_promise)
{
    expect_program_messages(
        "# pld-ir 03_convert_to_ssa ranks=4 platform=a2a3sim program=P entry=host\n"
        "@pl.program\nclass P:\n" HOST("host", "        a: pl.Scalar[pl.INDEX] = 1\n"
                                               "        a: pl.Scalar[pl.INDEX] = 2\n"),
        NULL,
        "7:9: not what its first line says, a dump of convert_to_ssa: in function host: variable "
        "a is bound twice\n");
    expect_program_messages(
        "# pld-ir 03_convert_to_ssa ranks=4 platform=a2a3sim program=P entry=host\n"
        "@pl.program\nclass P:\n" HOST("host", "        a: pl.Scalar[pl.INDEX] = 1\n"
                                               "        b: pl.Scalar[pl.INT32] = a\n"),
        NULL, "7:34: b is annotated pl.Scalar[pl.INT32], its value is pl.Scalar[pl.INDEX]\n");
}
END_TEST

START_TEST(what_only_dumps_may_say)
{
    expect_program_messages("@pl.jit.host\ndef host(x: pl.Tensor[[2, 4], pl.FP32]):\n"
                            "    b = pld.alloc_window_buffer([4], dtype=pl.FP32, name=\"b\")\n    "
                            "pld.loc(\"f\", 1, 2)\n",
                            NULL,
                            "3:53: pld.tensor.alloc_window_buffer: name= is for .ir files only\n"
                            "4:5: pld.loc is a statement of .ir files only\n");
}
END_TEST

START_TEST(the_first_line_of_a_parsed_dump)
{
    Spec s = {0};
    SpecializeOptions o = {.ranks = 4};
    spec_run(&s, factory, &o);
    ck_assert_ptr_nonnull(s.p);
    ck_assert_ptr_nonnull(
        strstr(spec_printed(&s), "# pld-ir 01_specialize ranks=4 SIZE=8 nr=ranks"));
    spec_free(&s);
    char text[1500];
    snprintf(text, sizeof text,
             "# pld-ir 00_parsed ranks=4 SIZE=16 nr=ranks mode=\"b\" f=1.0 flag=True "
             "dt=pl.FP16 op=pld.ReduceOp.Sum platform=a5sim program=P entry=host\n%s",
             factory);
    expect_program_has(text, NULL,
                       "# pld-ir 01_specialize ranks=4 SIZE=16 nr=ranks mode=\"b\" f=1.0 "
                       "flag=True dt=pl.FP16 op=pld.ReduceOp.Sum platform=a5sim");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("program");
    TCase *tc = tcase_create("programs");
    tcase_add_test(tc, one_of_several_programs);
    tcase_add_test(tc, a_program_needs_a_host_function);
    tcase_add_test(tc, import_aliases);
    tcase_add_test(tc, what_a_script_has_around_is_to_be_deleted);
    tcase_add_test(tc, python_semantics);
    tcase_add_test(tc, compile_time_mistakes);
    tcase_add_test(tc, raise_and_assert_carry_their_message);
    tcase_add_test(tc, parameters_are_set);
    tcase_add_test(tc, parameters_are_checked);
    tcase_add_test(tc, calls_say_their_level_and_device);
    tcase_add_test(tc, unannotated_parameters_take_the_first_type);
    tcase_add_test(tc, directions_are_found);
    tcase_add_test(tc, arguments_fit_their_parameters);
    tcase_add_test(tc, dynamic_extents_bind_at_calls);
    tcase_add_test(tc, scalars_come_last);
    tcase_add_test(tc, uncalled_functions_are_looked_at);
    tcase_add_test(tc, pure_functions_are_folded);
    tcase_add_test(tc, pure_functions_are_checked);
    tcase_add_test(tc, options_may_not_contradict_a_dump);
    tcase_add_test(tc, an_edited_dump_that_breaks_its_promise);
    tcase_add_test(tc, what_only_dumps_may_say);
    tcase_add_test(tc, the_first_line_of_a_parsed_dump);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
