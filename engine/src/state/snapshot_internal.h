/* Views of the state at one moment. */
#ifndef SFI_STATE_SNAPSHOT_INTERNAL_H
#define SFI_STATE_SNAPSHOT_INTERNAL_H

#include "state/state_internal.h"

/* A table as it was. */
typedef struct sfi_table_view {
  sfi_page **pages; /* borrowed from the snapshot's array */
  uint32_t used;
} sfi_table_view;

struct sf_snapshot {
  sf_state *state;    /* retained */
  sf_snapshot *older; /* in the state's list, newest first; guarded by the state's lock */
  int64_t epoch;
  sfi_page **pages;       /* of all tables */
  sfi_table_view *tables; /* as the state's */
  sfi_bytes bytes;        /* what the last read has returned */
  int32_t group;          /* the next entry to be read */
  int32_t index;          /* of the state */
  uint32_t id;
};

/* Drops one reference; the last one destroys the state. Any thread. */
void sfi_state_release(sf_state *state);

#endif
