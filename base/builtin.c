#include "base/builtin.h"

#include <string.h>

static const BuiltinInfo infos[BUILTIN_COUNT] = {
#define PLD_BUILTIN(ENUM, name, op, mode) {name, op, mode},
#include "base/builtin.def"
};

static const struct {
    const char *text;
    uint8_t barrier;
} phases[PHASE_COUNT] = {
#define PLD_PHASE(ENUM, text, barrier) {text, barrier},
#include "base/phase.def"
};

const BuiltinInfo *builtin_info(Builtin builtin)
{
    return &infos[builtin];
}

bool builtin_from_name(const char *name, Builtin *out)
{
    for (unsigned i = 0; i < BUILTIN_COUNT; i++) {
        if (strcmp(infos[i].name, name) != 0)
            continue;
        *out = (Builtin)i;
        return true;
    }
    return false;
}

bool builtin_from_call(const char *op, const char *mode, Builtin *out)
{
    for (unsigned i = 0; i < BUILTIN_COUNT; i++) {
        if (strcmp(infos[i].op, op) != 0 || strcmp(infos[i].mode, mode) != 0)
            continue;
        *out = (Builtin)i;
        return true;
    }
    return false;
}

const char *phase_text(Phase phase)
{
    return phases[phase].text;
}

bool phase_from_text(const char *text, Phase *out)
{
    for (unsigned i = 0; i < PHASE_COUNT; i++) {
        if (strcmp(phases[i].text, text) != 0)
            continue;
        *out = (Phase)i;
        return true;
    }
    return false;
}

bool phase_is_barrier(Phase phase)
{
    return phases[phase].barrier != 0;
}

bool phase_is_once(Phase phase)
{
    return phases[phase].barrier == 2;
}
