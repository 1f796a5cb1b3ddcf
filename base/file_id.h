/* Which file a name means, whatever the name. */
#ifndef PLD_BASE_FILE_ID_H
#define PLD_BASE_FILE_ID_H

#include "base/arena.h"
#include <stdbool.h>
#include <sys/types.h>

/* A file, or one that is still to be made: the nearest folder that exists, and the names from
 * there. */
typedef struct {
    bool known; /* false: a terminal, a pipe, a device, a name that cannot be looked up */
    dev_t dev;
    ino_t ino;
    const char *rest; /* "": the file itself; else "name" or "folder/name" below it */
} FileId;

/* The file that `path` names now, with symbolic links followed; "-": standard input. `rest` is in
 * the arena. */
FileId file_id(Arena *arena, const char *path);
/* false when either is not known. */
bool file_id_same(const FileId *a, const FileId *b);

#endif
