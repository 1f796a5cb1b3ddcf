/* The layout of a .pldb file: one description, by which it is written and read. */
#ifndef PLD_CODEGEN_LAYOUT_H
#define PLD_CODEGEN_LAYOUT_H

#include "codegen/bytecode.h"
#include "codegen/reader.h"

typedef enum {
#define PLD_SECTION(ENUM, name, doc) SEC_##ENUM,
#include "codegen/section.def"
    SEC_COUNT
} Section;

/* Header: magic, then u32 version, flags, number of sections, CRC-32 of header and section table
 * (with this field 0), u64 file size, u64 hash. */
enum { HEADER_BYTES = 40, HEADER_CRC = 20 };
/* Section table entry: u32 id, u32 CRC-32, u64 offset, u64 size. */
enum { SECTION_ENTRY_BYTES = 24 };
enum { FLAG_STRIPPED = 1 };

/* A program between memory and bytes. */
typedef struct {
    bool writing;
    /* Writing: fields go to `out`. Strings are numbered by first use, so that a stripped file holds
     * none of the source map's. */
    Buf *out;
    const char *const *strings;
    uint32_t *number; /* new number of each string, or BC_NO_INDEX */
    Buf texts;        /* those that have one, in order */
    uint32_t n_texts;
    /* Reading: fields come from `in`, tables go to the arena. */
    Reader *in;
    Arena *arena;
} Layout;

/* One section of the program. Writing leaves the program as it is; reading fills it in, the
 * sections in order, and sets in->bad on any defect. SEC_STRINGS is written last. */
void layout_section(Layout *l, Section s, BcProgram *p);

#endif
