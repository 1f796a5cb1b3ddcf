/* Whole-file input and atomic output. */
#ifndef PLD_BASE_FILE_H
#define PLD_BASE_FILE_H

#include "base/buf.h"
#include <stdbool.h>

/* Reads a regular file, pipe or "-" (standard input) into `out`. false: *why holds a message with
 * the name and the reason, to be freed by the caller. */
bool file_read(const char *path, Buf *out, size_t max_bytes, char **why);

/* Given the first bytes of a file: how many of all its bytes are worth reading. */
typedef size_t FileExtent(void *env, const Buf *head);

/* As file_read, for a file that tells its own size in its first `head` bytes: what lies behind the
 * extent is left unread, however long the file is. */
bool file_read_extent(const char *path, Buf *out, size_t head, FileExtent *extent, void *env,
                      char **why);

/* Writes to a temporary name in the same directory, syncs, and renames over `path`; on any failure
 * removes the temporary file, leaves the old file as it was, and sets *why (caller frees). A path
 * that exists and is not a regular file (/dev/stdout, a pipe) is written directly. Where SIGXFSZ is
 * ignored, a limit of file sizes is such a failure. SIGINT, SIGTERM and their like wait until there
 * is no temporary file any more. */
bool file_write_atomic(const char *path, const void *bytes, size_t len, char **why);

#endif
