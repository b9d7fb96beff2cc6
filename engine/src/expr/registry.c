/* The list of kernel families and the search for the kernel of a call. */
#include <string.h>

#include "expr/node.h"

static const sfi_function *const tables[] = {
    sfi_logic_functions,
    sfi_branch_functions,
    sfi_compare_functions,
    sfi_extreme_functions,
    sfi_arith_functions,
    sfi_decimal_functions,
    sfi_round_functions,
    sfi_cast_functions,
    sfi_real_text_functions,
    sfi_string_slice_functions,
    sfi_string_search_functions,
    sfi_string_build_functions,
    sfi_like_functions,
    sfi_regex_functions,
    sfi_time_field_functions,
    sfi_time_arith_functions,
    sfi_time_format_functions,
    sfi_time_parse_functions,
    sfi_cast_time_functions,
    sfi_cast_to_text_functions,
    sfi_cast_from_text_functions,
};
static const size_t n_tables = sizeof(tables) / sizeof(tables[0]);

const sfi_function *sfi_find_function(const char *name, const sfi_call *call) {
  for (size_t t = 0; t < n_tables; t++) {
    for (const sfi_function *f = tables[t]; f->name != NULL; f++) {
      if (strcmp(f->name, name) == 0 && f->accepts(call)) return f;
    }
  }
  return NULL;
}

bool sf_expr_function(int32_t i, const char **name_out, const char **signature_out) {
  for (size_t t = 0; t < n_tables; t++) {
    for (const sfi_function *f = tables[t]; f->name != NULL; f++) {
      if (i-- == 0) {
        *name_out = f->name;
        *signature_out = f->signature;
        return true;
      }
    }
  }
  return false;
}
