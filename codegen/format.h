/* What the encoder and the decoder agree on besides bytecode.h. */
#ifndef PLD_CODEGEN_FORMAT_H
#define PLD_CODEGEN_FORMAT_H

typedef enum {
#define PLD_SECTION(ENUM, name, doc) SEC_##ENUM,
#include "codegen/section.def"
    SEC_COUNT
} Section;

/* Header: magic, then u32 version, flags, number of sections, CRC-32 of header and section table
 * (with this field 0), u64 file size, u64 hash. */
enum { HEADER_BYTES = 40, HEADER_CRC = 20, HEADER_HASH = 32 };
/* Section table entry: u32 id, u32 CRC-32, u64 offset, u64 size. */
enum { SECTION_ENTRY_BYTES = 24 };
enum { FLAG_STRIPPED = 1 };

#endif
