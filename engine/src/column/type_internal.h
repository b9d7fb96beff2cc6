/* Types from messages that are already unpacked (operators and expressions embed them). */
#ifndef SFI_COLUMN_TYPE_INTERNAL_H
#define SFI_COLUMN_TYPE_INTERNAL_H

#include "plan.pb-c.h"
#include "streamfusion/type.h"

/* NULL is SF_INVALID. Depth is bounded by sfi_wire_unpack and by SFI_TYPE_MAX_DEPTH. */
SF_MUST_CHECK sf_status sfi_type_from_message(const Streamfusion__Plan__Type *message, sf_type **out, sf_error *err);

#define SFI_TYPE_MAX_DEPTH 100
#define SFI_TYPE_MAX_CHILDREN 65536

/* Same kinds and layouts throughout, nullability, names and lengths aside: what code needs that reads one as the other. */
bool sfi_type_same_layout(const sf_type *a, const sf_type *b);

#endif
