/* Settings of compilations and runs as texts: what the command line says after a long name, and
 * what pld.h takes in pairs. */
#ifndef PLD_API_SETTINGS_H
#define PLD_API_SETTINGS_H

#include "base/arena.h"
#include "base/vec.h"
#include "elab/specialize.h"
#include "lower/pass.h"
#include "sim/explore/explore.h"
#include <stdbool.h>
#include <stdint.h>

#define DEFAULT_RANKS 2

/* Compile-time parameters in the order given. */
typedef VEC(Define) Defines;

/* Splits NAME=VALUE; false when there is no `=` or no name. Text is owned by the arena. */
bool defines_add(Arena *arena, Defines *defines, const char *assignment);

/* A device list "0,1,2,3", "0-3" or a mixture; ids in the order given. On a mistake returns false
 * with *why set (arena): empty, not a number, negative, descending range, duplicate, more than
 * 4096. */
typedef VEC(uint32_t) Devices;
bool devices_parse(Arena *arena, const char *text, Devices *out, const char **why);

/* What --max-memory takes: a number of bytes from 1, or one of K, M, G or T; false when malformed.
 */
bool size_parse(const char *text, size_t *bytes);
#define SIZE_FORM "a number of bytes, or one with K, M, G or T"

/* A positive or non-negative integer option value; false when malformed or out of [lo, hi]. */
bool parse_int(const char *text, int64_t lo, int64_t hi, int64_t *out);

/* ---- of a run ---- */

typedef VEC(NamedText) NamedTexts;
typedef VEC(const char *) Texts;

typedef struct {
    Arena arena;   /* owns what the settings made */
    RunConfig run; /* complete after run_settings_finish */
    ExploreOptions explore;
    Devices devices;
    Defines defines; /* -D: compile-time parameters, dynamic extents */
    NamedTexts inputs, goldens, outputs, extents;
    Texts platform_sets;
    const Platform *platform; /* NULL: unsaid */
    Platform changed;         /* the program's, with platform_sets applied */
    double time_limit;        /* seconds; 0: none */
    size_t max_memory;        /* bytes; 0: unsaid */
    const char *idle;         /* ids of devices that a program for one leaves alone, or NULL */
    const char *why;          /* what the last setting was refused for */
} RunSettings;

typedef enum { SETTING_OK, SETTING_BAD, SETTING_UNKNOWN } SettingResult;

void run_settings_init(RunSettings *s);
/* One setting by its long name without dashes. `value` must live as long as the settings. BAD:
 * s->why is a message; UNKNOWN: no setting of a run has this name. */
SettingResult run_setting(RunSettings *s, const char *name, const char *value);
/* Fills s->run from the lists. */
void run_settings_finish(RunSettings *s);
/* Holds the settings against the program: devices, extents, platform. `path` names it in messages;
 * `from_text`: it has just been compiled with the parameters among the defines. False: s->why. */
bool run_settings_bind(RunSettings *s, const BcProgram *program, const char *path, bool from_text);

#endif
