/* SPDX-License-Identifier: Apache-2.0
 * npy_sharded.c -- npy files of which each device's part is read alone. */
#include "base/options.h"
#include "face/sharding.h"
#include "io/npy.h"
#include "io/spread.h"
#include "kiln/checkpoint.h"

typedef struct opened {
    knio_source source;
    knio_npy_header header;
} opened;

static knx_error *read_box(void *env, const knio_box *box, char *to, size_t bytes, const int64_t *stride)
{
    opened *f = env;
    const knio_npy_header *h = &f->header;
    KN_TRY(knio_read_box(&f->source, &(knio_block){h->start, h->dtype->size, h->ndim, h->dim, h->fortran}, box, to,
                         stride));
    knio_npy_settle(h, to, bytes);
    return NULL;
}

/* What lies behind the header is looked for before memory is asked for. */
static knx_error *open_npy(const char *path, int64_t most, opened *f)
{
    KN_TRY(knio_source_open(path, &f->source));
    KN_TRY(knio_npy_read_header(&f->source, 0, most, &f->header));
    uint64_t size = f->source.size, left = size > f->header.start ? size - f->header.start : 0;
    return left < f->header.bytes ? knio_npy_too_short(&f->source, &f->header, (size_t)left) : NULL;
}

kn_array kn_load_npy_sharded(const char *path, kn_sharding sharding, const kn_load_npy_sharded_opts *opts)
{
    KNX_OPTS(kn_load_npy_sharded_opts, o, opts);
    kna_op op;
    opened f = {0};
    kni_atom y = KN_ATOM_NONE;
    kna_begin(&op, "load_npy_sharded");
    if (!path)
        kna_null(&op, "path");
    if (knface_takes_sharding(&op, sharding) && !kna_failed(&op)) {
        knx_error *e = open_npy(path, o.max_header_size, &f);
        kni_type t = kni_type_of(f.header.dtype, f.header.ndim, f.header.dim);
        if (!e)
            e = knio_read_array(&op, t, sharding, read_box, &f, &y);
        knio_source_close(&f.source);
        if (e)
            kna_fail_with(&op, e);
    }
    return kna_end(&op, y);
}
