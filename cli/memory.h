/* pldc --memory: what lies where, for people. */
#ifndef PLD_CLI_MEMORY_H
#define PLD_CLI_MEMORY_H

#include "base/buf.h"
#include "ir/ir.h"

/* Says what is wrong with the name of a picture. */
bool memory_file_ok(const char *tool, const char *file);
/* The map of a program after its last pass: a table, or a picture in SVG. */
void memory_map(Program *p, const Source *src, bool picture, Buf *out);
void memory_svg(Program *p, const Source *src, Buf *out);

#endif
