/* Records to and from the bytes of Flink's serializers: RowDataSerializer over accumulator types, LongSerializer,
 * ArrayDataSerializer; or whatever bytes these are. */
#include "state/cell.h"

sf_status sfi_bytes_extend(sfi_bytes *b, size_t more, sf_error *err) {
  if (b->size + more > b->room) {
    size_t room = b->room < 256 ? 512 : 2 * b->room;
    if (room < b->size + more) room = b->size + more;
    void *moved = NULL;
    SF_TRY(sf_pool_realloc(b->pool, b->data, room, &moved, err));
    b->data = moved;
    b->room = room;
  }
  if (more > 0) memset(b->data + b->size, 0, more);
  b->size += more;
  return SF_OK;
}

/* --- to bytes */

/* Zeroed room in the variable part, whole words; `slot` refers to it. */
static sf_status part(sfi_bytes *out, size_t row, size_t slot, size_t size, uint32_t low, size_t *at, sf_error *err) {
  *at = out->size;
  SF_TRY(sfi_bytes_extend(out, (size + 7) / 8 * 8, err));
  sfi_store64(out->data + slot, (int64_t)((uint64_t)(*at - row) << 32 | low));
  return SF_OK;
}

static sf_status encode_view(sfi_bytes *out, size_t row, size_t slot, const uint8_t *cell, sf_error *err) {
  sf_view view;
  memcpy(&view, cell, sizeof view);
  if (view.size <= 7) {
    if (view.size > 0) memcpy(out->data + slot, view.data, view.size);
    out->data[slot + 7] = (uint8_t)(0x80 | view.size);
    return SF_OK;
  }
  size_t at;
  SF_TRY(part(out, row, slot, view.size, view.size, &at, err));
  memcpy(out->data + at, view.data, view.size);
  return SF_OK;
}

sf_status sfi_cell_encode(sfi_bytes *out, size_t row, size_t slot, sf_layout layout, const uint8_t *cell, sf_error *err) {
  size_t at;
  switch (layout) {
    case SF_LAYOUT_INT128: {
      __int128 value;
      uint8_t bytes[16];
      memcpy(&value, cell, sizeof value);
      size_t n = sfi_decimal_to_bytes(value, bytes);
      SF_TRY(part(out, row, slot, 16, (uint32_t)n, &at, err));
      memcpy(out->data + at, bytes, n);
      return SF_OK;
    }
    case SF_LAYOUT_TIMESTAMP: {
      sfi_timestamp value;
      memcpy(&value, cell, sizeof value);
      SF_TRY(part(out, row, slot, 8, (uint32_t)value.nanos, &at, err));
      sfi_store64(out->data + at, value.millis);
      return SF_OK;
    }
    case SF_LAYOUT_VIEW: return encode_view(out, row, slot, cell, err);
    default: memcpy(out->data + slot, cell, sf_layout_width(layout)); return SF_OK;
  }
}

/* n fields from *fields on, with their children; *fields moves behind them. */
static sf_status encode_row(const sfi_record_type *type, const sfi_field **fields, int32_t n, const uint8_t *record,
                            sfi_bytes *out, sf_error *err) {
  size_t row = out->size;
  SF_TRY(sfi_bytes_extend(out, sfi_row_fixed_size(n), err));
  size_t slot = row + sfi_row_bits_size(n), at;
  for (int32_t i = 0; i < n; i++, slot += 8) {
    const sfi_field *field = (*fields)++;
    switch (field->kind) {
      case SFI_FIELD_CELL:
        if (sfi_cell_null(record, field->cell)) sf_bit_set(out->data + row, (int64_t)i + SFI_ROW_HEADER_BITS);
        else SF_TRY(sfi_cell_encode(out, row, slot, field->layout, record + type->offsets[field->cell], err));
        break;
      case SFI_FIELD_VIEW: SF_TRY(part(out, row, slot, 1, 1, &at, err)); break;
      case SFI_FIELD_ROW: {
        size_t begin = out->size;
        SF_TRY(encode_row(type, fields, field->n_children, record, out, err));
        sfi_store64(out->data + slot, (int64_t)((uint64_t)(begin - row) << 32 | (uint32_t)(out->size - begin)));
        break;
      }
    }
  }
  return SF_OK;
}

static sf_status encode_longs(const sfi_record_type *type, const uint8_t *record, sfi_bytes *out, sf_error *err) {
  size_t header = sfi_array_header_size(type->n_cells), size = header + 8 * (size_t)type->n_cells;
  size_t padded = (size + 7) / 8 * 8, at = out->size;
  SF_TRY(sfi_bytes_extend(out, 4 + padded, err));
  sfi_put32(out->data + at, (uint32_t)padded);
  sfi_store32(out->data + at + 4, type->n_cells);
  for (int32_t i = 0; i < type->n_cells; i++) {
    memcpy(out->data + at + 4 + header + 8 * (size_t)i, record + type->offsets[i], 8);
  }
  return SF_OK;
}

sf_status sfi_record_encode(const sfi_record_type *type, const uint8_t *record, sfi_bytes *out, sf_error *err) {
  size_t at = out->size;
  if (type->stamp != 0) { /* TtlSerializer */
    SF_TRY(sfi_bytes_extend(out, 8, err));
    sfi_put64(out->data + at, (uint64_t)sfi_load64(record + type->stamp));
    at = out->size;
  }
  switch (type->form) {
    case SFI_VALUE_LONG: {
      uint64_t value;
      memcpy(&value, record + type->offsets[0], sizeof value);
      SF_TRY(sfi_bytes_extend(out, 8, err));
      sfi_put64(out->data + at, value);
      return SF_OK;
    }
    case SFI_VALUE_LONG_ARRAY: return encode_longs(type, record, out, err);
    case SFI_VALUE_BYTES: {
      sf_view bytes;
      memcpy(&bytes, record + type->offsets[0], sizeof bytes);
      SF_TRY(sfi_bytes_extend(out, bytes.size, err));
      if (bytes.size > 0) memcpy(out->data + at, bytes.data, bytes.size);
      return SF_OK;
    }
    case SFI_VALUE_ROW: {
      const sfi_field *fields = type->fields;
      SF_TRY(sfi_bytes_extend(out, 4, err));
      SF_TRY(encode_row(type, &fields, type->n_top, record, out, err));
      sfi_put32(out->data + at, (uint32_t)(out->size - at - 4));
      return SF_OK;
    }
  }
  return sf_fail(err, SF_INTERNAL, "Unknown form of a value %d", (int)type->form);
}

/* --- from bytes */

static sf_status damaged(sf_error *err) {
  return sf_fail(err, SF_CORRUPT, "Restored state is damaged, or of another type than this operator's");
}

sf_status sfi_cell_decode(sfi_region row, const uint8_t *slot, sf_layout layout, uint8_t *cell, sf_error *err) {
  sfi_region region;
  switch (layout) {
    case SF_LAYOUT_BOOL: sfi_store64(cell, *slot != 0); return SF_OK;
    case SF_LAYOUT_INT8: sfi_store64(cell, *(const int8_t *)slot); return SF_OK;
    case SF_LAYOUT_INT16: {
      int16_t v;
      memcpy(&v, slot, sizeof v);
      sfi_store64(cell, v);
      return SF_OK;
    }
    case SF_LAYOUT_INT32: sfi_store64(cell, sfi_load32(slot)); return SF_OK;
    case SF_LAYOUT_FLOAT: memcpy(cell, slot, 4); return SF_OK;
    case SF_LAYOUT_INT64:
    case SF_LAYOUT_DOUBLE: memcpy(cell, slot, 8); return SF_OK;
    case SF_LAYOUT_INT128: {
      if (!sfi_region_part(row, slot, &region) || region.size > 16) return damaged(err);
      __int128 v = sfi_decimal_from_bytes(region.data, region.size);
      memcpy(cell, &v, sizeof v);
      return SF_OK;
    }
    case SF_LAYOUT_TIMESTAMP: {
      uint64_t word = (uint64_t)sfi_load64(slot), offset = word >> 32;
      if (row.size < 8 || offset > row.size - 8) return damaged(err);
      sfi_timestamp v = {sfi_load64(row.data + offset), (int64_t)(word & 0xffffffffu)};
      memcpy(cell, &v, sizeof v);
      return SF_OK;
    }
    case SF_LAYOUT_VIEW: {
      if (!sfi_region_bytes(row, slot, &region)) return damaged(err);
      sf_view v = {region.data, (uint32_t)region.size, 0};
      memcpy(cell, &v, sizeof v);
      return SF_OK;
    }
    default: return damaged(err);
  }
}

static sf_status decode_row(const sfi_record_type *type, const sfi_field **fields, int32_t n, sfi_region row,
                            uint8_t *record, sf_error *err) {
  if (row.size < sfi_row_fixed_size(n)) return damaged(err);
  const uint8_t *slot = row.data + sfi_row_bits_size(n);
  for (int32_t i = 0; i < n; i++, slot += 8) {
    const sfi_field *field = (*fields)++;
    bool null = sfi_row_null(row.data, i);
    sfi_region nested;
    switch (field->kind) {
      case SFI_FIELD_CELL:
        if (null) sfi_cell_set_null(record, field->cell, true);
        else SF_TRY(sfi_cell_decode(row, slot, field->layout, record + type->offsets[field->cell], err));
        break;
      case SFI_FIELD_VIEW: break;
      case SFI_FIELD_ROW:
        if (null || !sfi_region_part(row, slot, &nested)) return damaged(err);
        SF_TRY(decode_row(type, fields, field->n_children, nested, record, err));
        break;
    }
  }
  return SF_OK;
}

static sf_status decode_longs(const sfi_record_type *type, const uint8_t *bytes, size_t size, uint8_t *record,
                              sf_error *err) {
  size_t header = sfi_array_header_size(type->n_cells), need = header + 8 * (size_t)type->n_cells;
  if (size < 4 + need || sfi_get32(bytes) != size - 4 || sfi_load32(bytes + 4) != type->n_cells) return damaged(err);
  for (int32_t i = 0; i < type->n_cells; i++) {
    memcpy(record + type->offsets[i], bytes + 4 + header + 8 * (size_t)i, 8);
  }
  return SF_OK;
}

sf_status sfi_record_decode(const sfi_record_type *type, const uint8_t *bytes, size_t size, uint8_t *record,
                            sf_error *err) {
  if (type->stamp != 0) {
    if (size < 8) return damaged(err);
    sfi_record_stamp(type, record, (int64_t)sfi_get64(bytes));
    bytes += 8;
    size -= 8;
  }
  switch (type->form) {
    case SFI_VALUE_LONG:
      if (size != 8) return damaged(err);
      sfi_store64(record + type->offsets[0], (int64_t)sfi_get64(bytes));
      return SF_OK;
    case SFI_VALUE_LONG_ARRAY: return decode_longs(type, bytes, size, record, err);
    case SFI_VALUE_BYTES: {
      if (size > INT32_MAX) return damaged(err);
      sf_view whole = {bytes, (uint32_t)size, 0};
      memcpy(record + type->offsets[0], &whole, sizeof whole);
      return SF_OK;
    }
    case SFI_VALUE_ROW: {
      if (size < 4 || sfi_get32(bytes) != size - 4) return damaged(err);
      const sfi_field *fields = type->fields;
      return decode_row(type, &fields, type->n_top, (sfi_region){bytes + 4, size - 4}, record, err);
    }
  }
  return sf_fail(err, SF_INTERNAL, "Unknown form of a value %d", (int)type->form);
}
