#include "cli/claims.h"

#include "cli/options.h"

void claims_input(Claims *claims, const char *what, const char *path)
{
    Claim c = {file_id(claims->arena, path), what, path};
    avec_push(claims->arena, &claims->list, c);
}

bool claims_output(Claims *claims, const char *what, const char *path)
{
    Claim c = {file_id(claims->arena, path), what, path};
    for (uint32_t i = 0; i < claims->list.len; i++) {
        const Claim *other = &claims->list.at[i];
        if (!file_id_same(&c.id, &other->id))
            continue;
        usage_error(claims->tool, "%s: %s is the file of %s (%s) as well", what, path, other->what,
                    other->path);
        return false;
    }
    avec_push(claims->arena, &claims->list, c);
    return true;
}
