/* SPDX-License-Identifier: Apache-2.0
 * strips.c -- loops of the user's own, as NumPy has them: a C function goes along strips of operands and results. */
#include "numpy/ufunc/own.h"
#include <string.h>

/* ---- Which loop, and what comes out. */

static const kn_ufunc_loop *loop_of(const kn_primitive_call *c)
{
    const knn_own *o = c->env;
    for (int l = 0; l < o->o.loops.n; l++) {
        const char *types = o->o.loops.at[l].types;
        bool same = true;
        for (int i = 0; same && i < c->n_in; i++)
            same = knn_dtype_of_letter(types[i]) == c->in[i].dtype;
        if (same)
            return &o->o.loops.at[l];
    }
    return NULL;
}

static void core_of(const kn_primitive_call *c, kna_op *op, kni_builder *b, knn_core *core)
{
    const knn_own *o = c->env;
    kni_type in[KNN_MOST_OPERANDS] = {0};
    knb_init(b);
    *op = (kna_op){.b = b};
    for (int i = 0; i < c->n_in; i++)
        in[i] = kni_type_of(c->in[i].dtype, c->in[i].shape.ndim, c->in[i].shape.dim);
    if (o->u.signature) {
        knn_core_fit(op, &o->u, in, core);
        return;
    }
    memset(core, 0, sizeof *core);
    core->s.n_in = c->n_in;
    core->s.n_out = c->n_out;
    for (int i = 0; i < c->n_in; i++)
        for (int d = 0; d < in[i].ndim; d++) {
            core->loop.dim[d] = i && core->loop.dim[d] != 1 ? core->loop.dim[d] : in[i].dim[d];
            core->loop.ndim = in[i].ndim;
        }
}

static int end(kna_op *op, kni_builder *b)
{
    int status = op->error ? (kn_primitive_error)(op->error->kind, op->error->message) : 0;
    knx_error_release(op->error);
    knb_free(b);
    return status;
}

int knn_strips_shape(const kn_primitive_call *c, kn_aval *out)
{
    const knn_own *o = c->env;
    const kn_ufunc_loop *loop = loop_of(c);
    kna_op op;
    kni_builder b;
    knn_core core;
    if (!loop)
        return (kn_primitive_error)(KN_ERROR_TYPE, "has no loop for these dtypes");
    core_of(c, &op, &b, &core);
    for (int k = 0; k < c->n_out && !op.error; k++) {
        out[k].dtype = knn_dtype_of_letter(loop->types[c->n_in + 2 + k]);
        out[k].shape = core.loop;
        for (int i = 0; i < core.s.core[c->n_in + k].n; i++) {
            int64_t extent = core.extent[core.s.core[c->n_in + k].dim[i]];
            if (extent < 0) {
                kna_fail(&op, KN_ERROR_VALUE,
                         "Output operand %d has core dimension %d unspecified, with gufunc signature %s", k, i,
                         o->u.signature);
                break;
            }
            out[k].shape.dim[out[k].shape.ndim++] = extent;
        }
    }
    return end(&op, &b);
}

/* ---- Running. */

enum { MOST_STEPS = KNN_MOST_OPERANDS * (1 + KNN_MOST_CORE) };
typedef struct walk {
    int n, ndim; /* operands and results; loop axes */
    int64_t extent[KN_MAX_NDIM], stride[KNN_MOST_OPERANDS][KN_MAX_NDIM];
    char *at[KNN_MOST_OPERANDS];
    int64_t dimensions[1 + KNN_MOST_DIMS], steps[MOST_STEPS];
} walk;

/* Strides in bytes of operand i, whose elements lie in C order: 0 along axes of extent 1. */
static void describe(walk *w, int i, const kn_aval *v, int n_core)
{
    int64_t step = v->dtype->size;
    int loops = v->shape.ndim - n_core, missing = w->ndim - loops;
    for (int d = v->shape.ndim; d-- > loops;)
        step *= v->shape.dim[d];
    for (int d = w->ndim; d-- > 0;) {
        int64_t extent = d < missing ? 1 : v->shape.dim[d - missing];
        w->stride[i][d] = extent == 1 ? 0 : step;
        step *= extent;
    }
}

/* Core dimensions as the signature has them, also those that the operands lack: these have extent 1. */
static void describe_core(walk *w, const knn_own *o, const knn_core *core, const kn_primitive_call *c)
{
    knn_signature whole;
    int at, n = w->n;
    knn_parse_signature(o->u.signature, o->u.n_in, o->u.n_out, &whole, &at);
    for (int d = 0; d < whole.n_dim; d++)
        w->dimensions[1 + d] = core->extent[d] < 0 ? 1 : core->extent[d];
    for (int i = 0; i < w->n; i++) {
        int64_t steps[KNN_MOST_CORE], step = (i < c->n_in ? &c->in[i] : &c->out[i - c->n_in])->dtype->size;
        for (int k = whole.core[i].n; k-- > 0;) {
            int d = whole.core[i].dim[k];
            bool there = false;
            for (int j = 0; j < core->s.core[i].n; j++)
                there = there || core->s.core[i].dim[j] == d;
            steps[k] = there ? step : 0;
            step *= there ? core->extent[d] : 1;
        }
        for (int k = 0; k < whole.core[i].n; k++)
            w->steps[n++] = steps[k];
    }
}

/* Neighbouring axes that all operands go along as along one. */
static void merge(walk *w)
{
    int n = 0;
    for (int d = 0; d < w->ndim; d++) {
        if (w->extent[d] == 1)
            continue;
        bool one = n > 0;
        for (int i = 0; one && i < w->n; i++)
            one = w->stride[i][n - 1] == w->stride[i][d] * w->extent[d];
        n += !one;
        w->extent[n - 1] = one ? w->extent[n - 1] * w->extent[d] : w->extent[d];
        for (int i = 0; i < w->n; i++)
            w->stride[i][n - 1] = w->stride[i][d];
    }
    w->ndim = n;
}

static void go(walk *w, const kn_ufunc_loop *loop)
{
    int64_t index[KN_MAX_NDIM] = {0};
    int inner = w->ndim - 1;
    w->dimensions[0] = w->ndim ? w->extent[inner] : 1;
    for (int i = 0; i < w->n; i++)
        w->steps[i] = w->ndim ? w->stride[i][inner] : 0;
    for (int d = 0; d < w->ndim; d++)
        if (!w->extent[d])
            return;
    for (;;) {
        char *args[KNN_MOST_OPERANDS];
        memcpy(args, w->at, sizeof args); /* which the strip may change */
        loop->strip(args, w->dimensions, w->steps, loop->data);
        int d = inner - 1;
        for (; d >= 0; d--) {
            for (int i = 0; i < w->n; i++)
                w->at[i] += w->stride[i][d];
            if (++index[d] < w->extent[d])
                break;
            for (int i = 0; i < w->n; i++)
                w->at[i] -= w->stride[i][d] * w->extent[d];
            index[d] = 0;
        }
        if (d < 0)
            return;
    }
}

/* Room for results that no one reads; false without memory. */
static bool find_room(const kn_primitive_call *c, walk *w, void *const *y, void **room)
{
    bool ok = true;
    for (int k = 0; k < c->n_out; k++) {
        size_t bytes = c->out[k].dtype->size;
        for (int d = 0; d < c->out[k].shape.ndim; d++)
            bytes *= (size_t)c->out[k].shape.dim[d];
        room[k] = y[k] ? NULL : knx_alloc(bytes + 1);
        w->at[c->n_in + k] = y[k] ? y[k] : room[k];
        ok = ok && w->at[c->n_in + k];
    }
    return ok;
}

int knn_strips_run(const kn_primitive_call *c, const void *const *x, void *const *y)
{
    const knn_own *o = c->env;
    const kn_ufunc_loop *loop = loop_of(c);
    kna_op op;
    kni_builder b;
    knn_core core;
    void *room[KNN_MOST_OPERANDS] = {NULL};
    core_of(c, &op, &b, &core);
    walk *w = loop && !op.error ? knx_alloc_zero(sizeof *w) : NULL;
    if (!w && !op.error)
        kna_fail_with(&op, knx_error_nomem());
    if (w) {
        w->n = c->n_in + c->n_out;
        w->ndim = core.loop.ndim;
        memcpy(w->extent, core.loop.dim, sizeof w->extent);
        for (int i = 0; i < w->n; i++)
            describe(w, i, i < c->n_in ? &c->in[i] : &c->out[i - c->n_in], core.s.core[i].n);
        for (int i = 0; i < c->n_in; i++)
            w->at[i] = (char *)(uintptr_t)x[i];
        if (o->u.signature)
            describe_core(w, o, &core, c);
        merge(w);
        if (find_room(c, w, y, room))
            go(w, loop);
        else
            kna_fail_with(&op, knx_error_nomem());
    }
    for (int k = 0; k < c->n_out; k++)
        knx_free(room[k]);
    knx_free(w);
    return end(&op, &b);
}
