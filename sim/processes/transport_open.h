/* Finding the plug-in of the message-passing library that started this process. */
#ifndef PLD_SIM_PROCESSES_TRANSPORT_OPEN_H
#define PLD_SIM_PROCESSES_TRANSPORT_OPEN_H

#include "base/arena.h"
#include "sim/processes/transport.h"

/* Opens `path`, or when that is NULL the plug-in that the launcher's environment asks for, from
 * the program's folder or ../lib/pld; it stays open. NULL: *why says what is missing, in the arena.
 */
const PldTransport *transport_open(Arena *arena, const char *path, const char **why);
/* Is a started transport alone, though a launcher has started several processes that look like it?
 * *why then says what to do, in the arena. */
bool transport_is_lost(Arena *arena, const PldTransport *t, const char **why);

#endif
