/* From java.util.regex.Pattern's syntax to PCRE2's. */
#include "expr/regex_syntax.h"

#include <string.h>

#include "expr/text.h"

enum { MAX_NESTING = 50, MAX_REPEAT = 1000 };

typedef struct translation {
  const uint8_t *p;
  uint32_t size, at;
  uint8_t *to;
  uint64_t used;
  int32_t groups, nesting;
} translation;

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static bool is_letter(uint8_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool more(const translation *t) { return t->at < t->size; }
static uint8_t here(const translation *t) { return t->p[t->at]; }
static bool next_is(const translation *t, uint32_t ahead, uint8_t c) {
  return t->size - t->at > ahead && t->p[t->at + ahead] == c;
}

static void put(translation *t, const char *text) {
  const size_t n = strlen(text);
  memcpy(t->to + t->used, text, n);
  t->used += n;
}

/* One character at p that stands for itself. */
static bool put_literal(translation *t, const uint8_t *p, uint32_t left) {
  const uint32_t width = sfi_utf8_width(*p);
  if (width > left || *p == 0) return false;
  if (*p < 0x80 && !is_digit(*p) && !is_letter(*p)) t->to[t->used++] = '\\';
  /* PCRE2 takes a backslash in front of a control character for that character, too. */
  memcpy(t->to + t->used, p, width);
  t->used += width;
  return true;
}

/* The escape at the position, inside a class or not. *set: it stands for several characters. */
static bool escape(translation *t, bool *set) {
  if (t->size - t->at < 2) return false;
  const uint8_t c = t->p[t->at + 1];
  *set = c != 0 && strchr("dDwWsS", c) != NULL;
  if (*set || (c != 0 && strchr("tnrf", c) != NULL)) {
    t->to[t->used++] = '\\';
    t->to[t->used++] = c;
  } else if (c >= 0x80 || is_digit(c) || is_letter(c) || !put_literal(t, t->p + t->at + 1, 1)) {
    return false;
  }
  t->at += 2;
  return true;
}

/* A character of a class; *code: for comparing the ends of a range, which must be ASCII. */
static bool class_item(translation *t, bool *set, uint8_t *code) {
  *set = false;
  *code = here(t);
  if (*code == '\\') {
    /* What the escapes of control characters stand for is no end of a range here. */
    *code = t->size - t->at >= 2 && !is_letter(t->p[t->at + 1]) ? t->p[t->at + 1] : 0;
    return escape(t, set);
  }
  if (*code == '[' || (*code == '&' && next_is(t, 1, '&'))) return false;
  if (!put_literal(t, t->p + t->at, t->size - t->at)) return false;
  t->at += sfi_utf8_width(*code);
  return true;
}

static bool char_class(translation *t) {
  t->at++;
  put(t, "[");
  if (more(t) && here(t) == '^') {
    t->at++;
    put(t, "^");
  }
  for (uint32_t items = 0; more(t); items++) {
    if (here(t) == ']') {
      t->at++;
      put(t, "]");
      return items > 0;
    }
    /* Elsewhere than first and last a hyphen is a matter of each engine's opinion. */
    if (here(t) == '-' && items > 0 && !next_is(t, 1, ']')) return false;
    if (here(t) == '-' && next_is(t, 1, '-')) return false;
    bool set;
    uint8_t from, to;
    if (!class_item(t, &set, &from)) return false;
    if (!next_is(t, 0, '-') || next_is(t, 1, ']')) continue;
    put(t, "-");
    t->at++;
    if (set || !more(t) || !class_item(t, &set, &to)) return false;
    if (set || from == 0 || to < from || to >= 0x80) return false;
  }
  return false;
}

static bool number(translation *t, uint32_t *out) {
  const uint32_t start = t->at;
  for (*out = 0; more(t) && is_digit(here(t)); t->at++) {
    *out = *out * 10 + (here(t) - '0');
    if (*out > MAX_REPEAT) return false;
  }
  return t->at > start;
}

static bool repeat_range(translation *t) {
  uint32_t least, most;
  t->at++;
  if (!number(t, &least)) return false;
  if (next_is(t, 0, ',')) {
    t->at++;
    if (!next_is(t, 0, '}') && (!number(t, &most) || most < least)) return false;
  }
  if (!next_is(t, 0, '}')) return false;
  t->at++;
  return true;
}

static bool is_quantifier(uint8_t c) { return c == '?' || c == '*' || c == '+' || c == '{'; }

/* The quantifier at the position, if there is one. It reads the same in both syntaxes. */
static bool quantifier(translation *t) {
  if (!more(t) || !is_quantifier(here(t))) return true;
  const uint32_t start = t->at;
  if (here(t) != '{') {
    t->at++;
  } else if (!repeat_range(t)) {
    return false;
  }
  if (more(t) && (here(t) == '?' || here(t) == '+')) t->at++;
  memcpy(t->to + t->used, t->p + start, t->at - start);
  t->used += t->at - start;
  return !more(t) || !is_quantifier(here(t));
}

static bool alternatives(translation *t);

/* Repeated groups are left to Java: which text a group keeps after backtracking differs. */
static bool group(translation *t) {
  t->at++;
  if (next_is(t, 0, '?')) {
    if (!next_is(t, 1, ':')) return false;
    t->at += 2;
    put(t, "(?:");
  } else {
    t->groups++;
    put(t, "(");
  }
  if (++t->nesting > MAX_NESTING || !alternatives(t) || !more(t)) return false;
  t->nesting--;
  t->at++;
  put(t, ")");
  return !more(t) || !is_quantifier(here(t));
}

static bool element(translation *t) {
  bool set;
  switch (here(t)) {
    case '(': return group(t);
    case '^':
      t->at++;
      put(t, "\\A");
      return !more(t) || !is_quantifier(here(t));
    case '.':
      t->at++;
      put(t, "[^\\n\\r\\x{85}\\x{2028}\\x{2029}]");
      return quantifier(t);
    case '[': return char_class(t) && quantifier(t);
    case '\\': return escape(t, &set) && quantifier(t);
    case '$': case '?': case '*': case '+': case '{': return false;
    default: {
      const uint32_t width = sfi_utf8_width(here(t));
      if (!put_literal(t, t->p + t->at, t->size - t->at)) return false;
      t->at += width;
      return quantifier(t);
    }
  }
}

/* Up to the end or an unmatched ")". No alternative may be empty. */
static bool alternatives(translation *t) {
  uint32_t elements = 0;
  while (more(t) && here(t) != ')') {
    if (here(t) == '|') {
      if (elements == 0) return false;
      elements = 0;
      t->at++;
      put(t, "|");
    } else {
      if (!element(t)) return false;
      elements++;
    }
  }
  return elements > 0;
}

int64_t sfi_regex_translate(const uint8_t *pattern, uint32_t size, uint8_t *to, int32_t *groups) {
  translation t = {.p = pattern, .size = size, .to = to};
  if (!alternatives(&t) || more(&t)) return -1;
  *groups = t.groups;
  return (int64_t)t.used;
}
