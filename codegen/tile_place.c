/* Where the tiles of a function lie on the core, from what the file says of them. */
#include "codegen/bytecode.h"
#include "codegen/verify.h"

CoreLayout bc_tile_layout(const BcTile *t, int64_t align)
{
    static const CoreLayout malformed = {0, 0};
    CoreLayout layout;
    if (t->dtype >= DT_COUNT || t->rank < 1 || t->rank > BC_MAX_RANK || t->memory == MEM_UNSET ||
        t->memory >= MEM_KINDS)
        return malformed;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->shape[i] < 1 || t->shape[i] > BC_MAX_CORE_BYTES)
            return malformed;
    if (!core_layout(t->memory, dtype_bytes(t->dtype), t->rank, t->shape, align, &layout) ||
        layout.bytes > BC_MAX_CORE_BYTES)
        return malformed;
    return layout;
}

int64_t bc_core_bytes(const BcFunc *f)
{
    int64_t bytes = 0;
    for (MemSpace m = MEM_VEC; m < MEM_KINDS; m++)
        bytes += f->core_bytes[m];
    return bytes;
}

bool bc_place_tiles(BcFunc *f, BcTile *tiles, int64_t align)
{
    int64_t base[MEM_KINDS] = {0};
    for (MemSpace m = MEM_MAT; m < MEM_KINDS; m++)
        base[m] = base[m - 1] + f->core_bytes[m - 1];
    for (uint32_t i = 0; i < f->n_tiles; i++) {
        CoreLayout layout = bc_tile_layout(&tiles[i], align);
        if (!layout.bytes)
            return false;
        tiles[i].pitch = layout.pitch;
        tiles[i].at = base[tiles[i].memory] + tiles[i].addr;
    }
    return true;
}
