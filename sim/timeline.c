#include "sim/timeline.h"
void timeline_print(const World *w, const Recorder *r, bool html, Buf *out)
{
    (void)w, (void)r, (void)html, (void)out;
}
