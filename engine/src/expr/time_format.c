/* DATE_FORMAT with a literal pattern, and TO_TIMESTAMP(text).
 *
 * The pattern is a java.time.format.DateTimeFormatter's. Letters that print numbers are known here; text, zones and the
 * rest are the host's. */
#include <stdlib.h>

#include "expr/text.h"
#include "expr/time_text.h"
#include "expr/times.h"

/* One piece of a pattern: a run of a letter, or literal text (letter 0). */
typedef struct piece {
  char letter;
  uint8_t count;
  uint32_t from, size; /* literal text, in format->text */
} piece;

typedef struct format {
  int32_t n_pieces;
  bool dated;      /* prints year, month or day */
  size_t room;     /* bytes that a result takes at most */
  piece *pieces;
  char *text;
} format;

/* Year of era, proleptic year, month, day, hours of both kinds, minute, second, fraction. */
static bool known_run(char letter, uint32_t count) {
  switch (letter) {
    case 'y':
    case 'u':
    case 'S': return count <= 9;
    case 'M':
    case 'd':
    case 'H':
    case 'h':
    case 'm':
    case 's': return count <= 2;
    default: return false;
  }
}

static bool is_letter(uint8_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static void add_literal(format *f, uint32_t from, uint32_t size) {
  if (size == 0) return;
  if (f->n_pieces > 0 && f->pieces[f->n_pieces - 1].letter == 0) {
    f->pieces[f->n_pieces - 1].size += size;
  } else {
    f->pieces[f->n_pieces++] = (piece){.from = from, .size = size};
  }
  f->room += size;
}

/* Quoted text from pattern[i], the opening quote, on; *used receives how many bytes of f->text are taken. False: no end. */
static bool add_quoted(format *f, const sf_view *pattern, uint32_t *i, uint32_t *used) {
  const uint32_t start = *i, from = *used;
  for ((*i)++; *i < pattern->size; (*i)++) {
    if (pattern->data[*i] == '\'') {
      if (*i + 1 >= pattern->size || pattern->data[*i + 1] != '\'') break;
      (*i)++;
    }
    f->text[(*used)++] = (char)pattern->data[*i];
  }
  if (*i >= pattern->size) return false;
  if (*i == start + 1) f->text[(*used)++] = '\'';
  (*i)++;
  add_literal(f, from, *used - from);
  return true;
}

static bool add_run(format *f, const sf_view *pattern, uint32_t *i) {
  const uint8_t letter = pattern->data[*i];
  uint32_t count = 0;
  for (; *i < pattern->size && pattern->data[*i] == letter; (*i)++) count++;
  if (!known_run((char)letter, count)) return false;
  f->pieces[f->n_pieces++] = (piece){.letter = (char)letter, .count = (uint8_t)count};
  f->dated = f->dated || letter == 'y' || letter == 'u' || letter == 'M' || letter == 'd';
  f->room += 12;
  return true;
}

static void free_format(format *f) {
  if (f == NULL) return;
  free(f->pieces);
  free(f->text);
  free(f);
}

/* NULL: a pattern that is not known here, or no memory. */
static format *compile(const sf_view *pattern) {
  format *f = calloc(1, sizeof *f);
  if (f == NULL) return NULL;
  f->pieces = calloc(pattern->size + 1, sizeof *f->pieces);
  f->text = malloc(pattern->size + 1);
  bool fine = f->pieces != NULL && f->text != NULL;
  uint32_t used = 0;
  for (uint32_t i = 0; fine && i < pattern->size;) {
    const uint8_t c = pattern->data[i];
    if (is_letter(c)) {
      fine = add_run(f, pattern, &i);
    } else if (c == '\'') {
      fine = add_quoted(f, pattern, &i, &used);
    } else if (c == '[' || c == ']' || c == '{' || c == '}' || c == '#') {
      fine = false;
    } else {
      f->text[used] = (char)c;
      add_literal(f, used++, 1);
      i++;
    }
  }
  if (fine) return f;
  free_format(f);
  return NULL;
}

/* A local time taken apart; the date is kept from row to row, since neighbours tend to share it. */
typedef struct local {
  int64_t days, year;
  int32_t month, day, in_day, nanos;
} local;

static char *print_year(int64_t year, int count, char *to) {
  if (count == 2) return sfi_print_two((int32_t)((year < 0 ? -year : year) % 100), to);
  const uint64_t magnitude = (uint64_t)(year < 0 ? -year : year);
  uint64_t limit = 1;
  for (int i = 0; i < count; i++) limit *= 10;
  if (year < 0) {
    *to++ = '-';
  } else if (count >= 4 && magnitude >= limit) {
    *to++ = '+';
  }
  return to + sfi_print_padded(magnitude, count, to);
}

static char *print_small(int32_t value, int count, char *to) {
  if (count == 1 && value < 10) {
    *to = (char)('0' + value);
    return to + 1;
  }
  return sfi_print_two(value, to);
}

static char *print_piece(const piece *p, const local *t, char *to) {
  char fraction[9];
  switch (p->letter) {
    case 'y': return print_year(t->year > 0 ? t->year : 1 - t->year, p->count, to);
    case 'u': return print_year(t->year, p->count, to);
    case 'M': return print_small(t->month, p->count, to);
    case 'd': return print_small(t->day, p->count, to);
    case 'H': return print_small(t->in_day / 3600000, p->count, to);
    case 'h': return print_small((t->in_day / 3600000 + 11) % 12 + 1, p->count, to);
    case 'm': return print_small(t->in_day / 60000 % 60, p->count, to);
    case 's': return print_small(t->in_day / 1000 % 60, p->count, to);
    default:
      sfi_print_padded((uint64_t)(t->in_day % 1000 * 1000000 + t->nanos), 9, fraction);
      memcpy(to, fraction, p->count);
      return to + p->count;
  }
}

static size_t print_local(const format *f, local *t, int64_t millis, int32_t nanos, char *to) {
  const int64_t days = sfi_floor_div(millis, SFI_MILLIS_PER_DAY);
  t->in_day = (int32_t)(millis - days * SFI_MILLIS_PER_DAY);
  t->nanos = nanos;
  if (f->dated && days != t->days) {
    sfi_local_date(days, &t->year, &t->month, &t->day);
    t->days = days;
  }
  char *p = to;
  for (int32_t i = 0; i < f->n_pieces; i++) {
    const piece *part = &f->pieces[i];
    if (part->letter != 0) {
      p = print_piece(part, t, p);
    } else {
      memcpy(p, f->text + part->from, part->size);
      p += part->size;
    }
  }
  return (size_t)(p - to);
}

static bool accepts_date_format(const sfi_call *call) {
  if (call->n_args != 2 || !sfi_is_text(call->type) || !sfi_is_text(call->arg_types[1])) return false;
  if (!sfi_is_timestamp(call->arg_types[0]) && !sfi_is_ltz(call->arg_types[0])) return false;
  if (!sfi_is_literal(call, 1)) return false;
  format *f = compile(sfi_const_arg(call, 1)->values);
  free_format(f);
  return f != NULL;
}

static sf_status prepare_date_format(sfi_call *call, sfi_eval *ev, sf_error *err) {
  (void)ev;
  call->state = compile(sfi_const_arg(call, 1)->values);
  return call->state == NULL ? sf_fail(err, SF_NOMEM, "DATE_FORMAT") : SF_OK;
}

static void destroy_date_format(sfi_call *call) {
  free_format(call->state);
  call->state = NULL;
}

static sf_status run_date_format(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                 sf_error *err) {
  const format *f = call->state;
  sfi_text t;
  SF_TRY(sfi_text_begin(ev, &t, err));
  const sfi_times in = sfi_times_of(args[0]);
  const bool ltz = sfi_is_ltz(args[0]->type);
  local time = {.days = INT64_MIN};
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    int64_t millis = sfi_millis_at(in, i);
    if (ltz) millis += sfi_zone_offset_of_instant(ev->session, millis);
    uint8_t *to;
    st = sfi_text_room(&t, i, f->room, &to, err);
    if (st != SF_OK) break;
    const size_t size = print_local(f, &time, millis, sfi_nanos_at(in, i), (char *)to);
    t.views[i].size = (uint32_t)size;
    sfi_arena_trim(&t.arena, f->room, size);
  }
  return sfi_text_finish(call, ev, &t, NULL, st, out, err);
}

/* --- TO_TIMESTAMP(text): NULL for what does not parse */

static bool accepts_to_timestamp(const sfi_call *call) {
  return call->n_args == 1 && sfi_is_timestamp(call->type) && call->type->precision == 3 &&
         sfi_is_text(call->arg_types[0]);
}

static sf_status run_to_timestamp(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                                  sf_error *err) {
  sfi_times_out t;
  SF_TRY(sfi_times_begin(call, ev, &t, err));
  const sfi_views in = sfi_views_of(args[0]);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    int64_t millis = 0;
    int32_t nanos;
    if (!sfi_parse_timestamp(sfi_view_at(in, i), 3, &millis, &nanos)) st = sfi_times_null(ev, &t, i, err);
    t.millis[i] = millis;
  }
  return sfi_times_finish(call, ev, &t, st, out, err);
}

const sfi_function sfi_time_format_functions[] = {
    {.name = "DATE_FORMAT", .signature = "(TIMESTAMP or TIMESTAMP_LTZ, literal pattern of y u M d H h m s S) -> VARCHAR",
     .flags = SFI_STRICT, .accepts = accepts_date_format, .kernel = run_date_format, .prepare = prepare_date_format,
     .destroy = destroy_date_format},
    {.name = "TO_TIMESTAMP", .signature = "(VARCHAR) -> TIMESTAMP(3)", .flags = SFI_STRICT,
     .accepts = accepts_to_timestamp, .kernel = run_to_timestamp},
    {.name = NULL},
};
