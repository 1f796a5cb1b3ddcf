/* The state of something as bytes, to be gone back to: what writes them reads them, in the same
 * order, in the same process. */
#ifndef PLD_BASE_SAVE_H
#define PLD_BASE_SAVE_H

#include "base/buf.h"
#include "base/map.h"

/* What is read next. */
typedef struct {
    const char *at;
} SaveReader;

void save_bytes(Buf *out, const void *bytes, size_t n);
void load_bytes(SaveReader *in, void *to, size_t n);
#define save_value(out, x) save_bytes((out), &(x), sizeof(x))
#define load_value(in, x) load_bytes((in), &(x), sizeof(x))

void save_map(Buf *out, const Map *map);
void load_map(SaveReader *in, Map *map);

/* Elements as they are: what they point to is somebody else's business. */
void save_array(Buf *out, const void *at, uint32_t n, size_t size);
void *load_array(SaveReader *in, void *old, uint32_t *n, uint32_t *cap, size_t size);
#define save_vec(out, v) save_array((out), (v)->at, (v)->len, sizeof *(v)->at)
#define load_vec(in, v)                                                                            \
    ((void)((v)->at = load_array((in), (v)->at, &(v)->len, &(v)->cap, sizeof *(v)->at)))

#endif
