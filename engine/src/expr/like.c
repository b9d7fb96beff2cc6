/* LIKE with a literal pattern, and optionally a literal escape character: LikeCallGen.
 *
 * Flink compares bytes where the pattern has no single-character wildcard (SqlLikeChainChecker among others) and uses a
 * regular expression otherwise, in which "_" stands for any character but a line terminator. Invalid escapes fail at Flink's
 * compile time, so they are left to it. */
#include <stdlib.h>

#include "expr/text.h"

/* A pattern taken apart at its "%": the pieces have to occur one after the other, the first one at the very beginning
 * when anchored there, the last one at the very end. In a piece, ANY marks a "_". */
#define ANY 0xff /* no byte of UTF-8 */

typedef struct piece {
  const uint8_t *bytes; /* in like->bytes */
  uint32_t size;
  bool wild; /* has ANY inside */
} piece;

typedef struct like {
  int32_t n_pieces;
  bool left, right; /* anchored */
  piece *pieces;
  uint8_t *bytes;
} like;

/* First byte past a line terminator of a Java regular expression, else p itself. */
static bool is_terminator(const uint8_t *p, uint32_t left) {
  if (*p == '\n' || *p == '\r') return true;
  if (*p == 0xc2) return left >= 2 && p[1] == 0x85;
  return *p == 0xe2 && left >= 3 && p[1] == 0x80 && (p[2] == 0xa8 || p[2] == 0xa9);
}

/* Bytes that the piece takes at s, or -1. */
static int64_t match_here(const piece *p, const uint8_t *s, uint32_t left) {
  if (!p->wild) return p->size <= left && memcmp(s, p->bytes, p->size) == 0 ? (int64_t)p->size : -1;
  uint32_t used = 0;
  for (uint32_t i = 0; i < p->size; i++) {
    if (used >= left) return -1;
    if (p->bytes[i] != ANY) {
      if (s[used] != p->bytes[i]) return -1;
      used++;
    } else {
      const uint32_t width = sfi_utf8_width(s[used]);
      if (width > left - used || is_terminator(s + used, left - used)) return -1;
      used += width;
    }
  }
  return used;
}

/* The piece right at the end of s: the start has to be found by stepping back one character for each of the piece. */
static int64_t match_end(const piece *p, const uint8_t *s, uint32_t size) {
  if (!p->wild) {
    return p->size <= size && memcmp(s + size - p->size, p->bytes, p->size) == 0 ? (int64_t)p->size : -1;
  }
  uint32_t from = size;
  for (uint32_t i = p->size; i > 0; i--) {
    if (from == 0) return -1;
    from--;
    if (p->bytes[i - 1] == ANY) {
      while (from > 0 && (s[from] & 0xc0) == 0x80) from--;
    }
  }
  return match_here(p, s + from, size - from) == (int64_t)(size - from) ? (int64_t)(size - from) : -1;
}

/* Leftmost occurrence at or behind `from`; *used receives its size. */
static int64_t find_piece(const piece *p, const uint8_t *s, uint32_t size, uint32_t from, int64_t *used) {
  if (!p->wild) {
    *used = p->size;
    return sfi_find(s, size, from, p->bytes, p->size);
  }
  while (from < size) {
    *used = match_here(p, s + from, size - from);
    if (*used >= 0) return from;
    from += sfi_utf8_width(s[from]);
  }
  return -1;
}

static bool matches(const like *l, const sf_view *v) {
  const uint8_t *s = v->size > 0 ? v->data : (const uint8_t *)"";
  uint32_t from = 0, size = v->size;
  int32_t first = 0, last = l->n_pieces;
  if (l->left && l->right && last <= 1) {
    return last == 0 ? size == 0 : match_here(&l->pieces[0], s, size) == (int64_t)size;
  }
  if (l->left) {
    const int64_t used = match_here(&l->pieces[first++], s, size);
    if (used < 0) return false;
    from = (uint32_t)used;
  }
  if (l->right) {
    const int64_t used = match_end(&l->pieces[--last], s + from, size - from);
    if (used < 0) return false;
    size -= (uint32_t)used;
  }
  for (; first < last; first++) {
    int64_t used = 0;
    const int64_t at = find_piece(&l->pieces[first], s, size, from, &used);
    if (at < 0) return false;
    from = (uint32_t)(at + used);
  }
  return true;
}

/* --- compiling */

/* The escape character's bytes; *size 0: none. False where Flink refuses it: more than one UTF-16 unit, NUL, or an empty
 * one next to a "_". */
static bool escape_of(const sfi_call *call, const uint8_t **bytes, uint32_t *size) {
  *size = 0;
  if (call->n_args == 2) return true;
  const sf_view *v = sfi_const_arg(call, 2)->values, *p = sfi_const_arg(call, 1)->values;
  if (v->size == 0) return sfi_find(p->data, p->size, 0, (const uint8_t *)"_", 1) < 0;
  *bytes = v->data;
  *size = v->size;
  return sfi_utf8_length(v->data, v->size) == 1 && v->size < 4 && v->data[0] != 0;
}

/* One element of the pattern at *i: a wildcard or the bytes of a literal character. False for a bad escape. */
static bool next_element(const sf_view *p, uint32_t *i, const uint8_t *escape, uint32_t escape_size, bool *wildcard,
                         const uint8_t **from, uint32_t *width) {
  *from = p->data + *i;
  *width = sfi_utf8_width(**from);
  *wildcard = false;
  if (*width > p->size - *i) return false;
  if (escape_size > 0 && *width == escape_size && memcmp(*from, escape, escape_size) == 0) {
    *i += *width;
    if (*i >= p->size) return false;
    *from = p->data + *i;
    *width = sfi_utf8_width(**from);
    const bool itself = *width == escape_size && *width <= p->size - *i && memcmp(*from, escape, escape_size) == 0;
    if (**from != '_' && **from != '%' && !itself) return false;
  } else {
    *wildcard = **from == '_' || **from == '%';
  }
  *i += *width;
  return true;
}

static bool accepts_like(const sfi_call *call) {
  if (call->n_args < 2 || call->n_args > 3 || call->type->kind != SF_TYPE_BOOLEAN) return false;
  for (int32_t i = 0; i < call->n_args; i++) {
    if (!sfi_is_text(call->arg_types[i]) || (i > 0 && !sfi_is_literal(call, i))) return false;
  }
  const uint8_t *escape = NULL;
  uint32_t escape_size;
  if (!escape_of(call, &escape, &escape_size)) return false;
  const sf_view *p = sfi_const_arg(call, 1)->values;
  for (uint32_t i = 0; i < p->size;) {
    bool wildcard;
    const uint8_t *from;
    uint32_t width;
    if (!next_element(p, &i, escape, escape_size, &wildcard, &from, &width)) return false;
  }
  return true;
}

static void destroy_like(sfi_call *call) {
  like *l = call->state;
  if (l == NULL) return;
  free(l->pieces);
  free(l->bytes);
  free(l);
  call->state = NULL;
}

static sf_status prepare_like(sfi_call *call, sfi_eval *ev, sf_error *err) {
  (void)ev;
  const sf_view *p = sfi_const_arg(call, 1)->values;
  like *l = calloc(1, sizeof *l);
  if (l == NULL) return sf_fail(err, SF_NOMEM, "LIKE");
  call->state = l;
  l->pieces = calloc(p->size / 2 + 2, sizeof *l->pieces);
  l->bytes = malloc(p->size + 1);
  if (l->pieces == NULL || l->bytes == NULL) {
    destroy_like(call);
    return sf_fail(err, SF_NOMEM, "LIKE");
  }
  const uint8_t *escape = NULL;
  uint32_t escape_size, used = 0;
  escape_of(call, &escape, &escape_size);
  l->left = l->right = true;
  piece current = {l->bytes, 0, false};
  for (uint32_t i = 0; i < p->size;) {
    const bool at_start = i == 0;
    bool wildcard;
    const uint8_t *from;
    uint32_t width;
    next_element(p, &i, escape, escape_size, &wildcard, &from, &width);
    const bool percent = wildcard && *from == '%';
    l->right = !percent;
    if (percent) {
      if (at_start) l->left = false;
      if (current.size > 0) l->pieces[l->n_pieces++] = current;
      current = (piece){l->bytes + used, 0, false};
    } else {
      if (wildcard) {
        l->bytes[used++] = ANY;
        current.wild = true;
        width = 1;
      } else {
        memcpy(l->bytes + used, from, width);
        used += width;
      }
      current.size += width;
    }
  }
  if (current.size > 0) l->pieces[l->n_pieces++] = current;
  return SF_OK;
}

static sf_status run_like(const sfi_call *call, sfi_eval *ev, const sf_column *const *args, sf_column **out,
                          sf_error *err) {
  const like *l = call->state;
  sf_buffer *values;
  SF_TRY(sfi_values_create(ev, SF_LAYOUT_BOOL, &values, err));
  uint8_t *to = sf_buffer_data(values);
  const sfi_views s = sfi_views_of(args[0]);
  for (int64_t k = 0, i; sfi_row(ev, k, &i); k++) to[i] = matches(l, sfi_view_at(s, i));
  return sfi_finish_strict(call, ev, values, NULL, out, err);
}

const sfi_function sfi_like_functions[] = {
    {.name = "LIKE", .signature = "(VARCHAR, literal VARCHAR[, literal VARCHAR]) -> BOOLEAN", .flags = SFI_STRICT,
     .accepts = accepts_like, .kernel = run_like, .prepare = prepare_like, .destroy = destroy_like},
    {.name = NULL},
};
