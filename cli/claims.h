/* The files of a command: what is written is neither read by it nor written by it twice. */
#ifndef PLD_CLI_CLAIMS_H
#define PLD_CLI_CLAIMS_H

#include "base/file_id.h"
#include "base/vec.h"

typedef struct {
    FileId id;
    const char *what, *path;
} Claim;

/* Zeroed but for `arena`, which owns the list: empty and valid. Texts stay the caller's. */
typedef struct {
    Arena *arena;
    const char *tool; /* for messages */
    VEC(Claim) list;
} Claims;

/* A file that is read; `what` names it in messages: "the program", "--input x". Inputs come before
 * all outputs. */
void claims_input(Claims *claims, const char *what, const char *path);
/* A file that is to be written. False after a usage error: it is one of those before. */
bool claims_output(Claims *claims, const char *what, const char *path);

#endif
