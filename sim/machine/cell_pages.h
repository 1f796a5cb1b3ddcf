/* Something about signal cells: a table of elements of one size, found by the address of a cell,
 * in pages, since neighbours are used together. What has not been used is zero and takes no
 * memory. */
#ifndef PLD_SIM_MACHINE_CELL_PAGES_H
#define PLD_SIM_MACHINE_CELL_PAGES_H

#include "base/map.h"
#include "base/vec.h"
#include "sim/machine/fabric.h"

enum { CELL_PAGE = 64 }; /* cells */

typedef struct {
    uint64_t key;
    char *at;
} CellPage;

/* Zeroed but for `size` and `n_ranks`: empty. */
typedef struct {
    size_t size; /* of an element */
    uint32_t n_ranks;
    Map index; /* key of a page -> position in `pages` */
    VEC(CellPage) pages;
    VEC(uint32_t) last; /* window * n_ranks + rank: position + 1 of the page found last */
} CellPages;

/* A number for each cell of windows on n_ranks ranks; those of a page follow each other. */
uint64_t cell_key(uint32_t n_ranks, FabAddr cell);
/* The element of a cell; NULL: its page is not there and not to be made. */
void *cell_pages_find(CellPages *p, FabAddr cell, bool create);
/* Element `k` of page `i`, and the cell that it is about. */
void *cell_pages_at(const CellPages *p, uint32_t i, uint32_t k);
FabAddr cell_pages_address(const CellPages *p, uint32_t i, uint32_t k);
/* Of a key in `pages`. */
void *cell_pages_page(CellPages *p, uint64_t key, bool create);
void cell_pages_free(CellPages *p);

#endif
