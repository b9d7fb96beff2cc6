/* The engine's functions as a table, for format libraries that link nothing of the engine. */
#include "streamfusion/format.h"

static const sf_format_host table = {
    .abi_version = SF_FORMAT_ABI_VERSION,
    .size = sizeof(sf_format_host),
    .pool_alloc = sf_pool_alloc,
    .pool_realloc = sf_pool_realloc,
    .pool_free = sf_pool_free,
    .live_add = sf_live_add,
    .buffer_create = sf_buffer_create,
    .buffer_resize = sf_buffer_resize,
    .buffer_retain = sf_buffer_retain,
    .buffer_release = sf_buffer_release,
    .buffer_data = sf_buffer_data,
    .buffer_size = sf_buffer_size,
    .column_create = sf_column_create,
    .column_create_null = sf_column_create_null,
    .column_release = sf_column_release,
    .pool_retain = sf_pool_retain,
    .pool_release = sf_pool_release,
    .type_retain = sf_type_retain,
    .type_release = sf_type_release,
};

const sf_format_host *sf_format_host_table(void) { return &table; }
