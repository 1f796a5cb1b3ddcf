/* Compiling with messages on standard error. */
#ifndef PLD_CLI_COMPILE_H
#define PLD_CLI_COMPILE_H

#include "api/compile.h"
#include "cli/options.h"

/* As compile and compile_parse of api/compile.h, printing what they leave to say. */
CompileStatus tool_compile(const char *tool, Compilation *c, const CompileOptions *options);
CompileStatus tool_parse(const char *tool, Compilation *c, const CompileOptions *options);

#endif
