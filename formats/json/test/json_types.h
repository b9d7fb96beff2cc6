/* A small notation for types, for tests, fuzzers and benchmarks: b i1 i2 i4 i8 f4 f8 s y (binary) d (date) t (time) n (null
 * type) D<p>.<s> T<p> (timestamp) L<p> (timestamp with local zone), r(name:type,...) a(type) m(type,type) u(type). */
#ifndef SF_JSON_TYPES_H
#define SF_JSON_TYPES_H

#include <stdlib.h>
#include <string.h>

#include "streamfusion/type.h"

static sf_type *json_type(const char **at);

static inline sf_type *json_scalar(sf_type_kind kind, int32_t precision, int32_t scale, int32_t length) {
  sf_type *type = NULL;
  return sf_type_scalar(kind, true, precision, scale, length, &type, NULL) == SF_OK ? type : NULL;
}

static inline sf_type *json_sized(const char **at, sf_type_kind kind) {
  char *rest;
  int32_t precision = (int32_t)strtol(*at, &rest, 10), scale = 0;
  if (*rest == '.') scale = (int32_t)strtol(rest + 1, &rest, 10);
  *at = rest;
  return json_scalar(kind, precision, scale, 0);
}

static inline sf_type *json_nested(const char **at, sf_type_kind kind) {
  sf_type *children[128] = {NULL};
  char names[128][40];
  const char *name_list[128] = {NULL};
  int32_t n = 0;
  (*at)++; /* opening bracket */
  while (**at != ')' && n < 128) {
    if (kind == SF_TYPE_ROW) {
      size_t size = strcspn(*at, ":");
      memcpy(names[n], *at, size);
      names[n][size] = 0;
      *at += size + 1;
    }
    name_list[n] = names[n];
    children[n++] = json_type(at);
    if (**at == ',') (*at)++;
  }
  (*at)++;
  sf_type *type = NULL;
  sf_status st = sf_type_nested(kind, true, n, children, kind == SF_TYPE_ROW ? name_list : NULL, &type, NULL);
  for (int32_t i = 0; i < n; i++) sf_type_release(children[i]);
  return st == SF_OK ? type : NULL;
}

/* Parses one type at *at and moves behind it. */
static sf_type *json_type(const char **at) {
  switch (*(*at)++) {
    case 'b': return json_scalar(SF_TYPE_BOOLEAN, 0, 0, 0);
    case 'i':
      switch (*(*at)++) {
        case '1': return json_scalar(SF_TYPE_TINYINT, 0, 0, 0);
        case '2': return json_scalar(SF_TYPE_SMALLINT, 0, 0, 0);
        case '4': return json_scalar(SF_TYPE_INTEGER, 0, 0, 0);
        default: return json_scalar(SF_TYPE_BIGINT, 0, 0, 0);
      }
    case 'f': return json_scalar(*(*at)++ == '4' ? SF_TYPE_FLOAT : SF_TYPE_DOUBLE, 0, 0, 0);
    case 's': return json_scalar(SF_TYPE_VARCHAR, 0, 0, 2147483647);
    case 'y': return json_scalar(SF_TYPE_VARBINARY, 0, 0, 2147483647);
    case 'd': return json_scalar(SF_TYPE_DATE, 0, 0, 0);
    case 't': return json_scalar(SF_TYPE_TIME, 0, 0, 0);
    case 'n': return json_scalar(SF_TYPE_NULL, 0, 0, 0);
    case 'D': return json_sized(at, SF_TYPE_DECIMAL);
    case 'T': return json_sized(at, SF_TYPE_TIMESTAMP);
    case 'L': return json_sized(at, SF_TYPE_TIMESTAMP_LTZ);
    case 'r': return json_nested(at, SF_TYPE_ROW);
    case 'a': return json_nested(at, SF_TYPE_ARRAY);
    case 'm': return json_nested(at, SF_TYPE_MAP);
    default: return json_nested(at, SF_TYPE_MULTISET);
  }
}

static inline sf_type *json_type_of(const char *text) { return json_type(&text); }

#define NEXMARK_TYPE                                                                                               \
  "r(event_type:i4,person:r(id:i8,name:s,emailAddress:s,creditCard:s,city:s,state:s,dateTime:T3,extra:s),"         \
  "auction:r(id:i8,itemName:s,description:s,initialBid:i8,reserve:i8,dateTime:T3,expires:T3,seller:i8,"            \
  "category:i8,extra:s),bid:r(auction:i8,bidder:i8,price:i8,channel:s,url:s,dateTime:T3,extra:s))"

#endif
