/* Output files of a run over processes. */
#ifndef PLD_SIM_PROCESSES_FILES_H
#define PLD_SIM_PROCESSES_FILES_H

#include "sim/processes/conclude.h"

/* Writes the --output files; every process calls it. False after an error report of some process;
 * then no file is there, or the old one as it was. */
bool files_write(Team *t, World *w);

/* Removes what is not finished when this process ends on the spot: may be called by a handler of
 * signals. */
void files_abandon(void);

#endif
