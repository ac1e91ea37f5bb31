/* SPDX-License-Identifier: Apache-2.0
 * primitives.c -- oneDNN 3 through its C functions, found at run time; types come from its header where it is there
 * (that of the wheel in build/venv, or the system's). */
#include "primitives.h"
#include "libraries.h"
#include <stdlib.h>

#if __has_include(<oneapi/dnnl/dnnl.h>)
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_version.h>
#endif
#if defined(DNNL_VERSION_MAJOR) && DNNL_VERSION_MAJOR == 3

#define FUNCTIONS(X)                                        \
    X(dnnl_engine_create)                                   \
    X(dnnl_engine_destroy)                                  \
    X(dnnl_stream_create)                                   \
    X(dnnl_stream_destroy)                                  \
    X(dnnl_stream_wait)                                     \
    X(dnnl_memory_desc_create_with_tag)                     \
    X(dnnl_memory_desc_destroy)                             \
    X(dnnl_memory_desc_equal)                               \
    X(dnnl_memory_create)                                   \
    X(dnnl_memory_destroy)                                  \
    X(dnnl_matmul_primitive_desc_create)                    \
    X(dnnl_post_ops_create)                                 \
    X(dnnl_post_ops_append_eltwise)                         \
    X(dnnl_post_ops_destroy)                                \
    X(dnnl_primitive_attr_create)                           \
    X(dnnl_primitive_attr_set_post_ops)                     \
    X(dnnl_primitive_attr_destroy)                          \
    X(dnnl_primitive_desc_destroy)                          \
    X(dnnl_primitive_desc_query_md)                         \
    X(dnnl_reorder_primitive_desc_create)                   \
    X(dnnl_primitive_create)                                \
    X(dnnl_primitive_destroy)                               \
    X(dnnl_primitive_execute)                               \
    X(dnnl_convolution_forward_primitive_desc_create)       \
    X(dnnl_convolution_backward_data_primitive_desc_create) \
    X(dnnl_convolution_backward_weights_primitive_desc_create)
#define DECLARE(f) __typeof__(f) *f;
static struct {
    FUNCTIONS(DECLARE)
} dnnl;

static bool find_functions(void)
{
    bool all = true;
#define FIND(f) all = (dnnl.f = (__typeof__(dnnl.f))library_find(LIB_ONEDNN, #f)) != NULL && all;
    FUNCTIONS(FIND)
    return all;
}

/* An operand, plain and as the primitive wants it: the same memory, or one turned into the other. */
typedef struct operand {
    int arg;
    bool written;
    dnnl_memory_desc_t plain_desc;
    dnnl_memory_t plain, own;
    dnnl_primitive_t reorder;
} operand;
enum { OPERANDS = 4 };
struct primitive {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t desc, forward; /* forward: a hint for the others */
    dnnl_primitive_t main;
    operand o[OPERANDS];
    int n;
};

void primitive_free(primitive *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->n; i++) {
        operand *o = &p->o[i];
        dnnl.dnnl_memory_destroy(o->plain);
        if (o->own != o->plain)
            dnnl.dnnl_memory_destroy(o->own);
        dnnl.dnnl_primitive_destroy(o->reorder);
        dnnl.dnnl_memory_desc_destroy(o->plain_desc);
    }
    dnnl.dnnl_primitive_destroy(p->main);
    dnnl.dnnl_primitive_desc_destroy(p->desc);
    dnnl.dnnl_primitive_desc_destroy(p->forward);
    dnnl.dnnl_stream_destroy(p->stream);
    dnnl.dnnl_engine_destroy(p->engine);
    free(p);
}

static primitive *begin(void)
{
    primitive *p = find_functions() ? calloc(1, sizeof *p) : NULL;
    if (p && (dnnl.dnnl_engine_create(&p->engine, dnnl_cpu, 0) ||
              dnnl.dnnl_stream_create(&p->stream, p->engine, dnnl_stream_default_flags))) {
        primitive_free(p);
        return NULL;
    }
    return p;
}

static dnnl_memory_desc_t describe(int n, const int64_t *dims, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t d = NULL;
    dnnl_dims_t all = {0};
    for (int i = 0; i < n; i++)
        all[i] = dims[i];
    dnnl.dnnl_memory_desc_create_with_tag(&d, n, all, dnnl_f32, tag);
    return d;
}

/* The operand `arg`, at `data` in its plain layout, which it keeps. */
static bool add(primitive *p, int arg, bool written, dnnl_memory_desc_t plain, const float *data)
{
    operand *o = &p->o[p->n++];
    *o = (operand){.arg = arg, .written = written, .plain_desc = plain};
    const_dnnl_memory_desc_t own = dnnl.dnnl_primitive_desc_query_md(p->desc, dnnl_query_exec_arg_md, arg);
    if (dnnl.dnnl_memory_create(&o->plain, plain, p->engine, (void *)(uintptr_t)data))
        return false;
    o->own = o->plain;
    if (dnnl.dnnl_memory_desc_equal(plain, own))
        return true;
    dnnl_primitive_desc_t d = NULL;
    const_dnnl_memory_desc_t from = written ? own : plain, to = written ? plain : own;
    bool good = !dnnl.dnnl_memory_create(&o->own, own, p->engine, DNNL_MEMORY_ALLOCATE) &&
                !dnnl.dnnl_reorder_primitive_desc_create(&d, from, p->engine, to, p->engine, NULL) &&
                !dnnl.dnnl_primitive_create(&o->reorder, d);
    dnnl.dnnl_primitive_desc_destroy(d);
    return good;
}

static bool reorder(const primitive *p, bool written)
{
    for (int i = 0; i < p->n; i++) {
        const operand *o = &p->o[i];
        if (!o->reorder || o->written != written)
            continue;
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, written ? o->own : o->plain},
                                        {DNNL_ARG_TO, written ? o->plain : o->own}};
        if (dnnl.dnnl_primitive_execute(o->reorder, p->stream, 2, args))
            return false;
    }
    return true;
}

bool primitive_run(primitive *p, bool reorders)
{
    dnnl_exec_arg_t args[OPERANDS];
    if (!p || (reorders && !reorder(p, false)))
        return false;
    for (int i = 0; i < p->n; i++)
        args[i] = (dnnl_exec_arg_t){p->o[i].arg, p->o[i].own};
    return !dnnl.dnnl_primitive_execute(p->main, p->stream, p->n, args) && (!reorders || reorder(p, true)) &&
           !dnnl.dnnl_stream_wait(p->stream);
}

static primitive *good_or_free(primitive *p, bool good)
{
    if (good)
        return p;
    primitive_free(p);
    return NULL;
}

primitive *primitive_matmul(int64_t batch, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
                            const float *bias, float *c)
{
    primitive *p = begin();
    if (!p)
        return NULL;
    const int64_t at = batch == 1, sizes[][3] = {{batch, m, k}, {batch, k, n}, {batch, m, n}, {1, 1, n}};
    const int dims = batch == 1 ? 2 : 3;
    const dnnl_format_tag_t tag = batch == 1 ? dnnl_ab : dnnl_abc;
    dnnl_memory_desc_t d[4];
    for (int i = 0; i < 4; i++)
        d[i] = describe(dims, sizes[i] + at, tag);
    dnnl_post_ops_t after = NULL;
    dnnl_primitive_attr_t attr = NULL;
    bool good = !dnnl.dnnl_post_ops_create(&after) && !dnnl.dnnl_primitive_attr_create(&attr);
    if (good && bias)
        good = !dnnl.dnnl_post_ops_append_eltwise(after, dnnl_eltwise_relu, 0, 0) &&
               !dnnl.dnnl_primitive_attr_set_post_ops(attr, after);
    good = good &&
           !dnnl.dnnl_matmul_primitive_desc_create(&p->desc, p->engine, d[0], d[1], bias ? d[3] : NULL, d[2], attr) &&
           !dnnl.dnnl_primitive_create(&p->main, p->desc) && add(p, DNNL_ARG_SRC, false, d[0], a) &&
           add(p, DNNL_ARG_WEIGHTS, false, d[1], b) && add(p, DNNL_ARG_DST, true, d[2], c) &&
           (!bias || add(p, DNNL_ARG_BIAS, false, d[3], bias));
    if (!bias)
        dnnl.dnnl_memory_desc_destroy(d[3]);
    dnnl.dnnl_post_ops_destroy(after);
    dnnl.dnnl_primitive_attr_destroy(attr);
    return good_or_free(p, good);
}

/* Its descriptor, and that of the forward convolution, both with layouts of the library's choice. */
static bool make_conv(primitive *p, conv_part part, const dnnl_memory_desc_t any[3], int64_t padding)
{
    const dnnl_dims_t one = {1, 1}, none = {0, 0}, pad = {padding, padding};
    const dnnl_alg_kind_t how = dnnl_convolution_auto;
    bool forward = part == CONV_FORWARD;
    if (dnnl.dnnl_convolution_forward_primitive_desc_create(
            forward ? &p->desc : &p->forward, p->engine, forward ? dnnl_forward_inference : dnnl_forward_training, how,
            any[0], any[1], NULL, any[2], one, none, pad, pad, NULL))
        return false;
    if (part == CONV_DATA)
        return !dnnl.dnnl_convolution_backward_data_primitive_desc_create(
            &p->desc, p->engine, how, any[0], any[1], any[2], one, none, pad, pad, p->forward, NULL);
    return forward ||
           !dnnl.dnnl_convolution_backward_weights_primitive_desc_create(&p->desc, p->engine, how, any[0], any[1], NULL,
                                                                         any[2], one, none, pad, pad, p->forward, NULL);
}

primitive *primitive_conv(conv_part part, const convolution *c, float *image, float *weights, float *result)
{
    static const int args[3][3] = {[CONV_FORWARD] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
                                   [CONV_DATA] = {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
                                   [CONV_WEIGHTS] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST}};
    static const int written[] = {[CONV_FORWARD] = 2, [CONV_DATA] = 0, [CONV_WEIGHTS] = 1};
    static const dnnl_format_tag_t tags[] = {dnnl_nhwc, dnnl_hwio, dnnl_nhwc};
    const int64_t sizes[][4] = {{c->batch, c->in, c->height, c->width},
                                {c->out, c->in, c->kernel, c->kernel},
                                {c->batch, c->out, c->height, c->width}};
    float *data[] = {image, weights, result};
    primitive *p = begin();
    if (!p)
        return NULL;
    dnnl_memory_desc_t any[3], plain[3];
    for (int i = 0; i < 3; i++) {
        any[i] = describe(4, sizes[i], dnnl_format_tag_any);
        plain[i] = describe(4, sizes[i], tags[i]);
    }
    bool good = make_conv(p, part, any, c->kernel / 2) && !dnnl.dnnl_primitive_create(&p->main, p->desc);
    for (int i = 0; i < 3; i++)
        dnnl.dnnl_memory_desc_destroy(any[i]);
    for (int i = 0; i < 3 && good; i++)
        good = add(p, args[part][i], i == written[part], plain[i], data[i]);
    return good_or_free(p, good);
}
#else
struct primitive {
    char none;
};
primitive *primitive_matmul(int64_t batch, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
                            const float *bias, float *c)
{
    (void)batch, (void)m, (void)n, (void)k, (void)a, (void)b, (void)bias, (void)c;
    return NULL;
}
primitive *primitive_conv(conv_part part, const convolution *c, float *image, float *weights, float *result)
{
    (void)part, (void)c, (void)image, (void)weights, (void)result;
    return NULL;
}
bool primitive_run(primitive *p, bool reorders)
{
    (void)p, (void)reorders;
    return false;
}
void primitive_free(primitive *p) { (void)p; }
#endif
