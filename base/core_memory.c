#include "base/core_memory.h"
#include "base/checked.h"
#include <stddef.h>

typedef struct {
    size_t size; /* offset of its field in Platform */
    uint32_t targets;
} MemRow;

static const MemRow rows[MEM_KINDS] = {
#define PLD_MEMORY(ENUM, field, to, doc)                                                           \
    [MEM_##ENUM] = {.size = offsetof(Platform, field), .targets = to},
#include "base/memory.def"
};

static MemSpace settled(MemSpace kind)
{
    return kind == MEM_UNSET ? MEM_VEC : kind;
}

const char *mem_kind_name(MemSpace kind)
{
    return enum_value_name(ENUM_Mem, settled(kind));
}

int64_t mem_kind_bytes(const Platform *platform, MemSpace kind)
{
    return *(const int64_t *)(const void *)((const char *)platform + rows[settled(kind)].size);
}

bool mem_can_move(MemSpace from, MemSpace to)
{
    return (rows[settled(from)].targets & 1u << settled(to)) != 0;
}

/* No way is longer than two moves: what leads anywhere leads to Vec or Mat. */
MemSpace mem_next(MemSpace from, MemSpace to)
{
    if (mem_can_move(from, to))
        return settled(to);
    for (MemSpace by = MEM_VEC; by < MEM_KINDS; by++)
        if (mem_can_move(from, by) && mem_can_move(by, to))
            return by;
    return MEM_UNSET;
}

static bool round_up(int64_t v, int64_t to, int64_t *out)
{
    if (!checked_add(v, to - 1, out))
        return false;
    *out = *out / to * to;
    return true;
}

static int64_t rows_of_box(MemSpace kind, int64_t count)
{
    bool boxes = kind == MEM_ACC || (kind != MEM_VEC && kind != MEM_BIAS && count > 1);
    return boxes && count <= INT64_MAX - 15 ? (count + 15) / 16 * 16 : count;
}

bool core_layout(MemSpace kind, int64_t size, uint32_t rank, const int64_t *shape, int64_t align,
                 CoreLayout *out)
{
    int64_t cols = shape[rank - 1], bytes = 1;
    kind = settled(kind);
    bool column = kind == MEM_VEC && cols == 1;
    if (kind == MEM_ACC && !round_up(cols, 16, &cols))
        return false;
    if (!checked_mul(cols, size, &out->pitch) ||
        (!column && !round_up(out->pitch, align, &out->pitch)))
        return false;
    for (uint32_t i = 0; i + 1 < rank; i++)
        if (!checked_mul(bytes, i + 2 == rank ? rows_of_box(kind, shape[i]) : shape[i], &bytes))
            return false;
    if (rank == 1)
        bytes = rows_of_box(kind, 1);
    return checked_mul(bytes, out->pitch, &bytes) && round_up(bytes, align, &out->bytes);
}
