/* Command-line scanning for pldc and pldrun: GNU long options, short options, and the tools' own
 * rule that after the file name an unknown `--NAME VALUE` sets a compile-time parameter. */
#ifndef PLD_CLI_OPTIONS_H
#define PLD_CLI_OPTIONS_H

#include "api/settings.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum {
    ARG_NONE,     /* --strip */
    ARG_REQUIRED, /* -o FILE, --output FILE, --output=FILE */
    ARG_OPTIONAL, /* --dump-passes, --dump-passes=DIR */
    ARG_GLUED,    /* -W<name>: the rest of the word */
} OptArg;

typedef struct {
    const char *name; /* long name without dashes, or NULL */
    char letter;      /* short name, or 0 */
    OptArg arg;
    const char *metavar; /* "FILE"; NULL for ARG_NONE */
    const char *help;    /* one line for --help; NULL hides it */
} OptSpec;

typedef struct {
    const OptSpec *specs;
    uint32_t n_specs;
    int argc;
    char **argv;
    int at;               /* next word */
    bool only_positional; /* after `--` */
    const char *cluster;  /* rest of a group of short flags (-qv) */
    const char *name;     /* option as written, for messages */
    const char *value;    /* its argument, or the positional word; NULL when none */
} OptScan;

enum {
    OPT_END = -1,
    OPT_POSITIONAL = -2,
    OPT_UNKNOWN = -3,
    OPT_BAD = -4,
    OPT_SEPARATOR = -5,
    OPT_UNKNOWN_LETTER = -6
};

/* Starts at argv[1]. */
void opt_init(OptScan *scan, const OptSpec *specs, uint32_t n_specs, int argc, char **argv);

/* The next option's index in specs, or one of OPT_*. OPT_UNKNOWN: `name` is the word without
 * dashes, `value` what follows `=` or NULL. OPT_BAD: a missing or unexpected argument; `name` tells
 * which. OPT_SEPARATOR: a bare `--`; the words after it are positional unless the caller goes on
 * itself. */
int opt_next(OptScan *scan);

/* Prints "Usage: ..." lines and the table of options, at most 80 columns wide. */
void opt_print_help(FILE *out, const char *usage, const OptSpec *specs, uint32_t n_specs,
                    const char *tail);

/* Prints `tool: error: message` and `Try 'tool --help'.` on standard error; returns 2. */
int usage_error(const char *tool, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The usage error of OPT_BAD or OPT_UNKNOWN_LETTER; returns 2. */
int opt_usage_error(const char *tool, const OptScan *scan, int id);

/* `--NAME VALUE` or `--NAME=VALUE` after the file `path`: the scan stands at an OPT_UNKNOWN. False
 * after a usage error (no file yet, no value). */
bool defines_take(const char *tool, Arena *arena, Defines *defines, OptScan *scan,
                  const char *path);

#endif
