#include "tests/apitest.h"
#include "tests/support.h"

#include <string.h>

pld_program *sample_program(const char *path, const char *devices)
{
    pld_unit *u = pld_unit_new();
    pld_program *p = NULL;
    pld_unit_set(u, "devices", devices);
    pld_unit_file(u, path, PLD_BY_NAME);
    int status = pld_unit_compile(u, PLD_NO_DEF, &p);
    ck_assert_msg(status == PLD_OK, "%s: %s", path, pld_unit_diags_text(u, 0));
    pld_unit_free(u);
    return p;
}

pld_program *text_program(const char *text)
{
    pld_unit *u = pld_unit_new();
    pld_program *p = NULL;
    pld_unit_set(u, "devices", "0-1");
    pld_unit_text(u, "t.pld", text, strlen(text), PLD_STRICT, NULL);
    int status = pld_unit_compile(u, PLD_NO_DEF, &p);
    ck_assert_msg(status == PLD_OK, "%s", pld_unit_diags_text(u, 0));
    pld_unit_free(u);
    return p;
}
