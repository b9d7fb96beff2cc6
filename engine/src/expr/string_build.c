/* Functions that put together new strings.
 *
 * CONCAT and CONCAT_WS are BinaryStringDataUtil.concat and concatWs, REVERSE its reverse; LPAD, RPAD, REPEAT, REPLACE and
 * CHR are SqlFunctionUtils', which work on Java strings and so count UTF-16 units: half a surrogate pair is encoded as a
 * question mark. */
#include "expr/text.h"

/* --- CONCAT, CONCAT_WS */

#define MAX_PARTS 64

static bool accepts_texts(const sfi_call *call) {
  if (call->n_args < 1 || call->n_args > MAX_PARTS || !sfi_is_text(call->type)) return false;
  for (int32_t i = 0; i < call->n_args; i++) {
    if (!sfi_is_text(call->arg_types[i])) return false;
  }
  return true;
}

static sf_status run_concat(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                            sf_error *err) {
  sfi_text t;
  SF_TRY(sfi_text_begin(ev, &t, err));
  const int32_t n = call->n_args;
  sfi_views parts[MAX_PARTS];
  for (int32_t p = 0; p < n; p++) parts[p] = sfi_views_of(args[p]);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    size_t size = 0;
    for (int32_t p = 0; p < n; p++) size += sfi_view_at(parts[p], i)->size;
    uint8_t *to;
    st = sfi_text_room(&t, i, size, &to, err);
    for (int32_t p = 0; p < n && st == SF_OK; p++) {
      const sf_view *v = sfi_view_at(parts[p], i);
      if (v->size > 0) memcpy(to, v->data, v->size);
      to += v->size;
    }
  }
  return sfi_text_finish(call, ev, &t, NULL, st, out, err);
}

/* NULL arguments are left out; only a NULL separator makes the result NULL. */
static sf_status concat_ws_row(const sf_column *const *args, int32_t n, const sfi_views *views, int64_t i, sfi_text *t,
                               sf_error *err) {
  const sf_view *separator = sfi_view_at(views[0], i);
  size_t size = 0;
  int32_t present = 0;
  for (int32_t p = 1; p < n; p++) {
    if (sf_column_is_null(args[p], i)) continue;
    size += sfi_view_at(views[p], i)->size + (present++ > 0 ? separator->size : 0);
  }
  uint8_t *to;
  SF_TRY(sfi_text_room(t, i, size, &to, err));
  for (int32_t p = 1, done = 0; p < n; p++) {
    if (sf_column_is_null(args[p], i)) continue;
    if (done++ > 0 && separator->size > 0) {
      memcpy(to, separator->data, separator->size);
      to += separator->size;
    }
    const sf_view *v = sfi_view_at(views[p], i);
    if (v->size > 0) memcpy(to, v->data, v->size);
    to += v->size;
  }
  return SF_OK;
}

static sf_status run_concat_ws(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                               sf_error *err) {
  sfi_text t;
  SF_TRY(sfi_text_begin(ev, &t, err));
  sfi_views views[MAX_PARTS];
  for (int32_t p = 0; p < call->n_args; p++) views[p] = sfi_views_of(args[p]);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    st = sf_column_is_null(args[0], i) ? sfi_text_null(ev, &t, i, err)
                                       : concat_ws_row(args, call->n_args, views, i, &t, err);
  }
  return sfi_text_finish(call, ev, &t, NULL, st, out, err);
}

/* --- LPAD, RPAD */

static int64_t utf16_length(const sf_view *v) {
  if (sfi_is_ascii(v->data, v->size)) return v->size;
  int64_t n = 0;
  for (uint32_t i = 0; i < v->size;) {
    const uint32_t width = sfi_utf8_width(v->data[i]);
    n += width == 4 ? 2 : 1;
    i += width;
  }
  return n;
}

/* Copies the first `units` UTF-16 units of v, or measures them when `to` is NULL. */
static size_t copy_units(const sf_view *v, int64_t units, uint8_t *to) {
  size_t n = 0;
  for (uint32_t i = 0; i < v->size && units > 0;) {
    uint32_t width = sfi_utf8_width(v->data[i]);
    if (width > v->size - i) width = v->size - i;
    if (width == 4 && units == 1) {
      if (to != NULL) to[n] = '?';
      return n + 1;
    }
    if (to != NULL) memcpy(to + n, v->data + i, width);
    n += width;
    units -= width == 4 ? 2 : 1;
    i += width;
  }
  return n;
}

/* Repeats `pad` to fill `units` units; each repetition starts afresh. */
static size_t fill_units(const sf_view *pad, int64_t pad_units, int64_t units, uint8_t *to) {
  const int64_t whole = units / pad_units;
  size_t n = 0;
  if (to == NULL) {
    n = (size_t)whole * pad->size;
  } else {
    for (int64_t i = 0; i < whole; i++, n += pad->size) memcpy(to + n, pad->data, pad->size);
  }
  return n + copy_units(pad, units % pad_units, to == NULL ? NULL : to + n);
}

static sf_status pad_row(const sf_view *s, int64_t length, const sf_view *pad, bool left, int64_t i, sfi_text *t,
                         sf_error *err) {
  const int64_t units = utf16_length(s), pad_units = utf16_length(pad);
  const int64_t missing = length > units ? length - units : 0;
  const size_t kept = copy_units(s, length, NULL);
  const size_t filled = fill_units(pad, pad_units, missing, NULL);
  uint8_t *to;
  SF_TRY(sfi_text_room(t, i, kept + filled, &to, err));
  if (left) {
    fill_units(pad, pad_units, missing, to);
    copy_units(s, length, to + filled);
  } else {
    copy_units(s, length, to);
    fill_units(pad, pad_units, missing, to + kept);
  }
  return SF_OK;
}

static bool accepts_pad(const sfi_call *call) {
  return call->n_args == 3 && sfi_is_text(call->type) && sfi_is_text(call->arg_types[0]) &&
         sfi_is_int(call->arg_types[1]) && sfi_is_text(call->arg_types[2]);
}

static sf_status run_pad(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, bool left, sf_column **out,
                         sf_error *err) {
  sfi_text t;
  SF_TRY(sfi_text_begin(ev, &t, err));
  const sfi_views s = sfi_views_of(args[0]), pads = sfi_views_of(args[2]);
  const sfi_ints lengths = sfi_ints_of(args[1]);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    const int64_t length = sfi_int_at(lengths, i);
    const sf_view *pad = sfi_view_at(pads, i);
    st = length < 0 || pad->size == 0 ? sfi_text_null(ev, &t, i, err)
                                      : pad_row(sfi_view_at(s, i), length, pad, left, i, &t, err);
  }
  return sfi_text_finish(call, ev, &t, NULL, st, out, err);
}

static sf_status run_lpad(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                          sf_error *err) {
  return run_pad(call, ev, args, true, out, err);
}

static sf_status run_rpad(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                          sf_error *err) {
  return run_pad(call, ev, args, false, out, err);
}

/* --- REPEAT */

static bool accepts_repeat(const sfi_call *call) {
  return call->n_args == 2 && sfi_is_text(call->type) && sfi_is_text(call->arg_types[0]) && sfi_is_int(call->arg_types[1]);
}

static sf_status run_repeat(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                            sf_error *err) {
  sfi_text t;
  SF_TRY(sfi_text_begin(ev, &t, err));
  const sfi_views s = sfi_views_of(args[0]);
  const sfi_ints counts = sfi_ints_of(args[1]);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    const sf_view *v = sfi_view_at(s, i);
    int64_t count = sfi_int_at(counts, i);
    if (count < 0 || v->size == 0) count = 0;
    uint8_t *to;
    st = sfi_text_room(&t, i, v->size * (size_t)count, &to, err);
    for (; st == SF_OK && count > 0; count--, to += v->size) memcpy(to, v->data, v->size);
  }
  return sfi_text_finish(call, ev, &t, NULL, st, out, err);
}

/* --- REVERSE */

static bool accepts_text(const sfi_call *call) {
  return call->n_args == 1 && sfi_is_text(call->type) && sfi_is_text(call->arg_types[0]);
}

static sf_status run_reverse(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                             sf_error *err) {
  sfi_text t;
  SF_TRY(sfi_text_begin(ev, &t, err));
  const sfi_views s = sfi_views_of(args[0]);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    const sf_view *v = sfi_view_at(s, i);
    uint8_t *to;
    st = sfi_text_room(&t, i, v->size, &to, err);
    for (uint32_t from = 0; st == SF_OK && from < v->size;) {
      uint32_t width = sfi_utf8_width(v->data[from]);
      if (width > v->size - from) width = v->size - from;
      memcpy(to + v->size - from - width, v->data + from, width);
      from += width;
    }
  }
  return sfi_text_finish(call, ev, &t, NULL, st, out, err);
}

/* --- REPLACE */

/* An empty search string matches in front of every UTF-16 unit and at the end. */
static size_t insert_everywhere(const sf_view *s, const sf_view *by, uint8_t *to) {
  size_t n = 0;
  for (uint32_t i = 0; i < s->size;) {
    uint32_t width = sfi_utf8_width(s->data[i]);
    if (width > s->size - i) width = s->size - i;
    const int units = width == 4 ? 2 : 1;
    for (int u = 0; u < units; u++) {
      if (to != NULL) memcpy(to + n, by->data, by->size);
      n += by->size;
      if (units == 2) {
        if (to != NULL) to[n] = '?';
        n++;
      } else {
        if (to != NULL) memcpy(to + n, s->data + i, width);
        n += width;
      }
    }
    i += width;
  }
  if (to != NULL) memcpy(to + n, by->data, by->size);
  return n + by->size;
}

static size_t replace_all(const sf_view *s, const sf_view *what, const sf_view *by, uint8_t *to) {
  uint32_t from = 0;
  size_t n = 0;
  for (;;) {
    const int64_t at = sfi_find(s->data, s->size, from, what->data, what->size);
    const uint32_t until = at < 0 ? s->size : (uint32_t)at;
    if (to != NULL && until > from) memcpy(to + n, s->data + from, until - from);
    n += until - from;
    if (at < 0) return n;
    if (to != NULL && by->size > 0) memcpy(to + n, by->data, by->size);
    n += by->size;
    from = until + what->size;
  }
}

static sf_status replace_row(const sf_view *s, const sf_view *what, const sf_view *by, int64_t i, sfi_text *t,
                             sf_error *err) {
  if (what->size == 0 && by->size > 0) {
    uint8_t *to;
    SF_TRY(sfi_text_room(t, i, insert_everywhere(s, by, NULL), &to, err));
    insert_everywhere(s, by, to);
    return SF_OK;
  }
  if (what->size == 0 || sfi_find(s->data, s->size, 0, what->data, what->size) < 0) {
    t->views[i] = *s;
    return SF_OK;
  }
  uint8_t *to;
  SF_TRY(sfi_text_room(t, i, replace_all(s, what, by, NULL), &to, err));
  replace_all(s, what, by, to);
  return SF_OK;
}

static bool accepts_replace(const sfi_call *call) { return call->n_args == 3 && accepts_texts(call); }

static sf_status run_replace(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                             sf_error *err) {
  sfi_text t;
  SF_TRY(sfi_text_begin(ev, &t, err));
  const sfi_views s = sfi_views_of(args[0]), what = sfi_views_of(args[1]), by = sfi_views_of(args[2]);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    if (sfi_strict_valid(ev, i)) {
      st = replace_row(sfi_view_at(s, i), sfi_view_at(what, i), sfi_view_at(by, i), i, &t, err);
    }
  }
  return sfi_text_finish(call, ev, &t, args[0], st, out, err);
}

/* --- CHR */

static bool accepts_chr(const sfi_call *call) {
  return call->n_args == 1 && sfi_is_text(call->type) && sfi_is_integer(call->arg_types[0]);
}

static sf_status run_chr(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                         sf_error *err) {
  sfi_text t;
  SF_TRY(sfi_text_begin(ev, &t, err));
  const sfi_ints codes = sfi_ints_of(args[0]);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    const int64_t code = sfi_int_at(codes, i);
    const uint8_t unit = (uint8_t)code;
    uint8_t *to;
    st = sfi_text_room(&t, i, code < 0 ? 0 : unit < 0x80 ? 1 : 2, &to, err);
    if (st != SF_OK || code < 0) continue;
    to[0] = unit;
    if (unit >= 0x80) {
      to[0] = (uint8_t)(0xc0 | unit >> 6);
      to[1] = (uint8_t)(0x80 | (unit & 0x3f));
    }
  }
  return sfi_text_finish(call, ev, &t, NULL, st, out, err);
}

/* --- case mapping of ASCII. What lies outside depends on the JVM's Unicode version and default locale, so the planner
 * sends those rows to the host: CASE(IS_ASCII(x), LOWER_ASCII(x), host). */

static sf_status map_case(const sfi_call *call, sfi_eval *ev, const sf_column *text, uint8_t first, uint8_t flip,
                          sf_column **out, sf_error *err) {
  sfi_text t;
  SF_TRY(sfi_text_begin(ev, &t, err));
  const sfi_views s = sfi_views_of(text);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    const sf_view *v = sfi_view_at(s, i);
    uint8_t *to;
    st = sfi_text_room(&t, i, v->size, &to, err);
    if (st != SF_OK) break;
    for (uint32_t j = 0; j < v->size; j++) {
      const uint8_t c = v->data[j];
      to[j] = (uint8_t)(c ^ ((uint8_t)(c - first) < 26 ? flip : 0));
    }
  }
  return sfi_text_finish(call, ev, &t, NULL, st, out, err);
}

static sf_status run_lower(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                           sf_error *err) {
  return map_case(call, ev, args[0], 'A', 0x20, out, err);
}

static sf_status run_upper(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                           sf_error *err) {
  return map_case(call, ev, args[0], 'a', 0x20, out, err);
}

/* --- HEX of an integer, as Long.toHexString in upper case */

static bool accepts_hex(const sfi_call *call) {
  return call->n_args == 1 && sfi_is_text(call->type) && sfi_is_integer(call->arg_types[0]);
}

static sf_status run_hex(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                         sf_error *err) {
  sfi_text t;
  SF_TRY(sfi_text_begin(ev, &t, err));
  const sfi_ints in = sfi_ints_of(args[0]);
  sf_status st = SF_OK;
  for (int64_t k = 0, i; st == SF_OK && sfi_row(ev, k, &i); k++) {
    if (!sfi_strict_valid(ev, i)) continue;
    uint64_t v = (uint64_t)sfi_int_at(in, i);
    const uint32_t digits = v == 0 ? 1 : (uint32_t)(67 - __builtin_clzll(v)) / 4;
    uint8_t *to;
    st = sfi_text_room(&t, i, digits, &to, err);
    for (uint32_t j = digits; st == SF_OK && j > 0; j--, v >>= 4) to[j - 1] = (uint8_t)"0123456789ABCDEF"[v & 15];
  }
  return sfi_text_finish(call, ev, &t, NULL, st, out, err);
}

const sfi_function sfi_string_build_functions[] = {
    {.name = "CONCAT", .signature = "(VARCHAR...) -> VARCHAR", .flags = SFI_STRICT, .accepts = accepts_texts,
     .kernel = run_concat},
    {.name = "CONCAT_WS", .signature = "(VARCHAR, VARCHAR...) -> VARCHAR", .accepts = accepts_texts,
     .kernel = run_concat_ws},
    {.name = "LPAD", .signature = "(VARCHAR, INTEGER, VARCHAR) -> VARCHAR", .flags = SFI_STRICT,
     .accepts = accepts_pad, .kernel = run_lpad},
    {.name = "RPAD", .signature = "(VARCHAR, INTEGER, VARCHAR) -> VARCHAR", .flags = SFI_STRICT,
     .accepts = accepts_pad, .kernel = run_rpad},
    {.name = "REPEAT", .signature = "(VARCHAR, INTEGER) -> VARCHAR", .flags = SFI_STRICT, .accepts = accepts_repeat,
     .kernel = run_repeat},
    {.name = "REVERSE", .signature = "(VARCHAR) -> VARCHAR", .flags = SFI_STRICT, .accepts = accepts_text,
     .kernel = run_reverse},
    {.name = "REPLACE", .signature = "(VARCHAR, VARCHAR, VARCHAR) -> VARCHAR", .flags = SFI_STRICT,
     .accepts = accepts_replace, .kernel = run_replace},
    {.name = "CHR", .signature = "(integer) -> VARCHAR", .flags = SFI_STRICT, .accepts = accepts_chr, .kernel = run_chr},
    {.name = "HEX", .signature = "(integer) -> VARCHAR", .flags = SFI_STRICT, .accepts = accepts_hex, .kernel = run_hex},
    {.name = "LOWER_ASCII", .signature = "(VARCHAR) -> VARCHAR", .flags = SFI_STRICT, .accepts = accepts_text,
     .kernel = run_lower},
    {.name = "UPPER_ASCII", .signature = "(VARCHAR) -> VARCHAR", .flags = SFI_STRICT, .accepts = accepts_text,
     .kernel = run_upper},
    {.name = NULL},
};
