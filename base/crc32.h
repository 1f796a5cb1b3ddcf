/* CRC-32 (ISO-HDLC, polynomial 0xEDB88320, as in zlib and PNG) and FNV-1a-64. */
#ifndef PLD_BASE_CRC32_H
#define PLD_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_bytes(uint32_t crc, const void *bytes, size_t len); /* start with crc 0 */

#define HASH64_INIT 0xcbf29ce484222325u
/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
uint64_t hash64(uint64_t hash, const void *bytes, size_t len);

#endif
