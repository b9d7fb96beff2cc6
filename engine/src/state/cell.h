/* Cells of records to and from the slots of binary rows and arrays. */
#ifndef SFI_STATE_CELL_H
#define SFI_STATE_CELL_H

#include "row/binary_format.h"
#include "state/state_internal.h"

/* Fills the slot at `slot` in `out` (zeroed), of a row or array that begins at `row`; what has no room there is appended. */
SF_MUST_CHECK sf_status sfi_cell_encode(sfi_bytes *out, size_t row, size_t slot, sf_layout layout, const uint8_t *cell,
                                        sf_error *err);
/* Views refer to the row or array. SF_CORRUPT: what the slot says is outside of it. */
SF_MUST_CHECK sf_status sfi_cell_decode(sfi_region row, const uint8_t *slot, sf_layout layout, uint8_t *cell, sf_error *err);

#endif
