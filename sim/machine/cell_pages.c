#include "sim/machine/cell_pages.h"

#include <string.h>

enum { SLICE_BITS = 35 }; /* windows are below 2^37 bytes (sim/fabric/local.c) */

uint64_t cell_key(uint32_t n_ranks, FabAddr c)
{
    return ((uint64_t)c.window * n_ranks + c.rank) << SLICE_BITS | (uint64_t)c.offset / 4;
}

void *cell_pages_page(CellPages *p, uint64_t key, bool create)
{
    uint64_t at;
    if (map_get(&p->index, key, &at))
        return p->pages.at[at].at;
    if (!create)
        return NULL;
    map_set(&p->index, key, p->pages.len);
    vec_push(&p->pages, (CellPage){key, xcalloc(CELL_PAGE, p->size)});
    return vec_last(&p->pages).at;
}

static uint32_t *last_of(CellPages *p, FabAddr cell)
{
    uint64_t i = (uint64_t)cell.window * p->n_ranks + cell.rank;
    while (p->last.len <= i)
        vec_push(&p->last, 0);
    return &p->last.at[i];
}

void *cell_pages_find(CellPages *p, FabAddr cell, bool create)
{
    uint64_t key = cell_key(p->n_ranks, cell) / CELL_PAGE, at;
    uint32_t *last = last_of(p, cell);
    char *page;
    if (*last && p->pages.at[*last - 1].key == key) {
        page = p->pages.at[*last - 1].at;
    } else {
        page = cell_pages_page(p, key, create);
        if (page && map_get(&p->index, key, &at))
            *last = (uint32_t)at + 1;
    }
    return page ? page + (uint64_t)cell.offset / 4 % CELL_PAGE * p->size : NULL;
}

void *cell_pages_at(const CellPages *p, uint32_t i, uint32_t k)
{
    return p->pages.at[i].at + k * p->size;
}

FabAddr cell_pages_address(const CellPages *p, uint32_t i, uint32_t k)
{
    uint64_t key = p->pages.at[i].key * CELL_PAGE + k, slice = key >> SLICE_BITS;
    uint64_t cell = key & ((UINT64_C(1) << SLICE_BITS) - 1);
    return (FabAddr){.window = (uint32_t)(slice / p->n_ranks),
                     .rank = (uint32_t)(slice % p->n_ranks),
                     .offset = (int64_t)cell * 4};
}

void cell_pages_free(CellPages *p)
{
    for (uint32_t i = 0; i < p->pages.len; i++)
        xfree(p->pages.at[i].at);
    vec_free(&p->pages);
    vec_free(&p->last);
    map_free(&p->index);
}
