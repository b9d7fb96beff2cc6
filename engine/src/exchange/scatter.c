/* Rows by channel. Each batch is brought into the order of the channels with one gather per column; a channel then is a run of
 * consecutive rows, and a record is written from runs of several batches without another copy. */
#include "column/column_internal.h"
#include "exchange/record_parts.h"
#include "streamfusion/exchange.h"

/* Consecutive rows of one channel. */
typedef struct run {
  sf_batch *batch; /* retained */
  int64_t from, n;
  int64_t row_bytes; /* of a row in a record, on average over the batch */
} run;

typedef struct channel {
  run *runs;
  int32_t n_runs, room;
  int64_t rows, bytes;
} channel;

struct sf_scatter {
  sf_pool *pool;       /* retained */
  const sf_type *type; /* retained */
  sf_key_hasher *hasher;
  int32_t channels, max_parallelism;
  int64_t record_rows, record_bytes;
  int64_t waiting;
  int32_t next; /* channels below have no whole record */
  /* scratch, of the longest batch so far */
  int64_t scratch_rows;
  int32_t *targets, *order;
  /* what sf_scatter_next has announced */
  sfi_record_part *parts;
  int32_t n_parts, parts_room;
  int32_t *starts; /* channels + 1: where each begins in `order` */
  channel at[];
};

static sf_status check(const sf_scatter_spec *spec, sf_error *err) {
  if (spec->channels < 1 || spec->max_parallelism < spec->channels || spec->max_parallelism > 1 << 15) {
    return sf_fail(err, SF_INVALID, "Rows cannot be scattered to %d channels with maximum parallelism %d", spec->channels,
                   spec->max_parallelism);
  }
  if (spec->record_rows < 1 || spec->record_bytes < 1) return sf_fail(err, SF_INVALID, "A record needs room for a row");
  return SF_OK;
}

sf_status sf_scatter_create(sf_pool *pool, const sf_scatter_spec *spec, sf_scatter **out, sf_error *err) {
  *out = NULL;
  SF_TRY(check(spec, err));
  void *memory = NULL;
  size_t size = sizeof(sf_scatter) + (size_t)spec->channels * sizeof(channel);
  SF_TRY(sf_pool_alloc(pool, size, &memory, err));
  memset(memory, 0, size);
  sf_scatter *s = memory;
  s->pool = sf_pool_retain(pool);
  s->type = sf_type_retain(spec->row_type);
  s->channels = spec->channels;
  s->max_parallelism = spec->max_parallelism;
  s->record_rows = spec->record_rows;
  s->record_bytes = spec->record_bytes;
  void *starts = NULL;
  sf_status st = sf_pool_alloc(pool, ((size_t)spec->channels + 1) * sizeof(int32_t), &starts, err);
  s->starts = starts;
  if (st == SF_OK) st = sf_key_hasher_create(pool, spec->row_type, spec->keys, spec->n_keys, &s->hasher, err);
  if (st != SF_OK) {
    sf_scatter_destroy(s);
    return st;
  }
  *out = s;
  return SF_OK;
}

void sf_scatter_destroy(sf_scatter *s) {
  if (s == NULL) return;
  sf_pool *pool = s->pool;
  for (int32_t c = 0; c < s->channels; c++) {
    for (int32_t i = 0; i < s->at[c].n_runs; i++) sf_batch_release(s->at[c].runs[i].batch);
    sf_pool_free(pool, s->at[c].runs);
  }
  sf_key_hasher_destroy(s->hasher);
  sf_pool_free(pool, s->targets);
  sf_pool_free(pool, s->order);
  sf_pool_free(pool, s->parts);
  sf_pool_free(pool, s->starts);
  sf_type_release(s->type);
  sf_pool_free(pool, s);
  sf_pool_release(pool);
}

int64_t sf_scatter_waiting(const sf_scatter *s) { return s->waiting; }

/* --- adding */

static sf_status grow(sf_pool *pool, void **at, size_t size, sf_error *err) {
  void *moved = NULL;
  SF_TRY(sf_pool_realloc(pool, *at, size, &moved, err));
  *at = moved;
  return SF_OK;
}

static sf_status reserve_scratch(sf_scatter *s, int64_t rows, sf_error *err) {
  if (rows <= s->scratch_rows) return SF_OK;
  void *targets = s->targets, *order = s->order;
  sf_status st = grow(s->pool, &targets, (size_t)rows * sizeof(int32_t), err);
  s->targets = targets;
  if (st == SF_OK) st = grow(s->pool, &order, (size_t)rows * sizeof(int32_t), err);
  s->order = order;
  if (st == SF_OK) s->scratch_rows = rows;
  return st;
}

/* The channel of each row, into `targets`. */
static sf_status find_targets(sf_scatter *s, const sf_batch *batch, int64_t from, int64_t n, sf_error *err) {
  SF_TRY(sf_key_hasher_hash(s->hasher, batch, from, n, s->targets, err));
  for (int64_t i = 0; i < n; i++) {
    s->targets[i] = sf_key_group_owner(sf_key_group(s->targets[i], s->max_parallelism), s->max_parallelism, s->channels);
  }
  return SF_OK;
}

/* Rows in the order of their channels, and where each channel begins. */
static void sort_rows(sf_scatter *s, int64_t from, int64_t n) {
  memset(s->starts, 0, ((size_t)s->channels + 1) * sizeof(int32_t));
  for (int64_t i = 0; i < n; i++) s->starts[s->targets[i] + 1]++;
  for (int32_t c = 0; c < s->channels; c++) s->starts[c + 1] += s->starts[c];
  for (int64_t i = 0; i < n; i++) s->order[s->starts[s->targets[i]]++] = (int32_t)(from + i);
  for (int32_t c = s->channels; c > 0; c--) s->starts[c] = s->starts[c - 1];
  s->starts[0] = 0;
}

static sf_status gather(sf_pool *pool, const sf_batch *batch, const int32_t *rows, int64_t n, sf_batch **out,
                        sf_error *err) {
  sf_buffer *kinds = NULL;
  if (batch->row_kinds != NULL) {
    SF_TRY(sf_buffer_create(pool, (size_t)n, &kinds, err));
    uint8_t *to = sf_buffer_data(kinds);
    for (int64_t i = 0; i < n; i++) to[i] = batch->row_kinds[rows[i]];
  }
  void *memory = NULL;
  sf_status st = sf_pool_alloc(pool, (size_t)batch->n_columns * sizeof(sf_column *), &memory, err);
  sf_column **columns = memory;
  int32_t made = 0;
  while (st == SF_OK && made < batch->n_columns) {
    st = sf_column_gather(pool, batch->columns[made], rows, n, &columns[made], err);
    if (st == SF_OK) made++;
  }
  if (st == SF_OK) st = sf_batch_create(batch->type, n, columns, kinds, NULL, 0, out, err);
  else sf_buffer_release(kinds);
  for (int32_t i = 0; i < made; i++) sf_column_release(columns[i]);
  sf_pool_free(pool, columns);
  return st;
}

/* Room for one more run; nothing else of the channel changes. */
static sf_status reserve_run(sf_scatter *s, channel *c, sf_error *err) {
  if (c->n_runs < c->room) return SF_OK;
  int32_t room_wanted = c->room == 0 ? 4 : 2 * c->room;
  void *runs = c->runs;
  SF_TRY(grow(s->pool, &runs, (size_t)room_wanted * sizeof(run), err));
  c->runs = runs;
  c->room = room_wanted;
  return SF_OK;
}

static void append(sf_scatter *s, channel *c, run added) {
  sf_batch_retain(added.batch);
  c->runs[c->n_runs++] = added;
  c->rows += added.n;
  c->bytes += added.n * added.row_bytes;
  s->waiting += added.n;
}

static sf_status row_bytes(const sf_batch *batch, int64_t from, int64_t n, int64_t *out, sf_error *err) {
  size_t size = 0;
  SF_TRY(sf_record_size(batch, (sf_record_range){from, n, false}, &size, err));
  *out = (int64_t)size / n + 1;
  return SF_OK;
}

static sf_status add_sorted(sf_scatter *s, sf_batch *sorted, sf_error *err) {
  run added = {.batch = sorted};
  SF_TRY(row_bytes(sorted, 0, sorted->length, &added.row_bytes, err));
  for (int32_t c = 0; c < s->channels; c++) { /* all or nothing */
    if (s->starts[c] < s->starts[c + 1]) SF_TRY(reserve_run(s, &s->at[c], err));
  }
  for (int32_t c = 0; c < s->channels; c++) {
    added.from = s->starts[c];
    added.n = s->starts[c + 1] - s->starts[c];
    if (added.n > 0) append(s, &s->at[c], added);
  }
  return SF_OK;
}

sf_status sf_scatter_add(sf_scatter *s, const sf_batch *batch, int64_t from, int64_t n, sf_error *err) {
  if (from < 0 || n < 0 || from > batch->length - n) {
    return sf_fail(err, SF_INVALID, "A batch of %lld rows has no rows %lld to %lld", (long long)batch->length,
                   (long long)from, (long long)(from + n));
  }
  if (n == 0) return SF_OK;
  s->next = 0;
  if (s->channels == 1) {
    run all = {.batch = (sf_batch *)(uintptr_t)batch, .from = from, .n = n};
    SF_TRY(row_bytes(batch, from, n, &all.row_bytes, err));
    SF_TRY(reserve_run(s, &s->at[0], err));
    append(s, &s->at[0], all);
    return SF_OK;
  }
  SF_TRY(reserve_scratch(s, n, err));
  SF_TRY(find_targets(s, batch, from, n, err));
  sort_rows(s, from, n);
  sf_batch *sorted = NULL;
  SF_TRY(gather(s->pool, batch, s->order, n, &sorted, err));
  sf_status st = add_sorted(s, sorted, err);
  sf_batch_release(sorted);
  return st;
}

/* --- taking */

static bool is_whole(const sf_scatter *s, const channel *c) {
  return c->rows >= s->record_rows || c->bytes >= s->record_bytes;
}

/* The parts of the channel's next record; returns its number of rows. */
static sf_status choose_parts(sf_scatter *s, const channel *c, int64_t *rows_out, sf_error *err) {
  if (c->n_runs > s->parts_room) {
    void *parts = s->parts;
    SF_TRY(grow(s->pool, &parts, (size_t)c->n_runs * sizeof(sfi_record_part), err));
    s->parts = parts;
    s->parts_room = c->n_runs;
  }
  int64_t rows = 0, bytes = 0;
  s->n_parts = 0;
  for (int32_t i = 0; i < c->n_runs && rows < s->record_rows && bytes < s->record_bytes; i++) {
    const run *r = &c->runs[i];
    int64_t n = (s->record_bytes - bytes + r->row_bytes - 1) / r->row_bytes; /* at least 1 */
    if (n > r->n) n = r->n;
    if (n > s->record_rows - rows) n = s->record_rows - rows;
    s->parts[s->n_parts++] = (sfi_record_part){r->batch, r->from, n};
    rows += n;
    bytes += n * r->row_bytes;
  }
  *rows_out = rows;
  return SF_OK;
}

sf_status sf_scatter_next(sf_scatter *s, bool all, sf_scatter_record *out, sf_error *err) {
  *out = (sf_scatter_record){0};
  s->n_parts = 0;
  int32_t c = all ? 0 : s->next;
  while (c < s->channels && !(all ? s->at[c].rows > 0 : is_whole(s, &s->at[c]))) c++;
  if (!all) s->next = c;
  if (c == s->channels) return SF_OK;
  int64_t rows = 0;
  SF_TRY(choose_parts(s, &s->at[c], &rows, err));
  SF_TRY(sfi_record_parts_size(&(sfi_record_parts){s->parts, s->n_parts, false}, &out->size, err));
  out->channel = c;
  out->rows = rows;
  return SF_OK;
}

/* Drops the first rows, those of the announced parts. */
static void forget(sf_scatter *s, channel *c) {
  int32_t gone = 0;
  for (int32_t i = 0; i < s->n_parts; i++) {
    run *r = &c->runs[i];
    int64_t n = s->parts[i].n;
    c->rows -= n;
    c->bytes -= n * r->row_bytes;
    s->waiting -= n;
    r->from += n;
    r->n -= n;
    if (r->n > 0) break; /* the last part */
    sf_batch_release(r->batch);
    gone++;
  }
  c->n_runs -= gone;
  if (gone > 0) memmove(c->runs, c->runs + gone, (size_t)c->n_runs * sizeof(run));
  s->n_parts = 0;
}

sf_status sf_scatter_take(sf_scatter *s, const sf_scatter_record *record, uint8_t *out, sf_error *err) {
  if (s->n_parts == 0) return sf_fail(err, SF_INVALID, "There is no record to take");
  SF_TRY(sfi_record_parts_write(&(sfi_record_parts){s->parts, s->n_parts, false}, out, record->size, err));
  forget(s, &s->at[record->channel]);
  return SF_OK;
}

/* --- selecting */

static sf_status select_rows(sf_scatter *s, const sf_batch *batch, int32_t subtask, sf_batch **out, sf_error *err) {
  SF_TRY(reserve_scratch(s, batch->length, err));
  SF_TRY(find_targets(s, batch, 0, batch->length, err));
  int64_t n = 0;
  for (int64_t i = 0; i < batch->length; i++) {
    s->order[n] = (int32_t)i;
    n += s->targets[i] == subtask;
  }
  return sf_batch_filter(s->pool, batch, s->order, n, out, err);
}

sf_status sf_scatter_select(sf_pool *pool, const sf_scatter_spec *spec, const sf_batch *batch, int32_t subtask,
                            sf_batch **out, sf_error *err) {
  *out = NULL;
  sf_scatter *s = NULL;
  SF_TRY(sf_scatter_create(pool, spec, &s, err));
  sf_status st = select_rows(s, batch, subtask, out, err);
  sf_scatter_destroy(s);
  return st;
}
