/* SPDX-License-Identifier: Apache-2.0
 * linear.c -- a call that is linear in some operands, with a transpose and derivatives of its own: a primitive of the
 * library for each number of linear operands and results, whose functions are methods of an object of JavaScript. */
#include "export.h"
#include "kiln/kiln.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 32 }; /* linear operands, results */
typedef struct linear {
    int n_linear, n_out;
    kn_primitive primitive;
} linear;
typedef struct params {
    int64_t serial; /* of the object */
} params;
enum { COMPUTE, TRANSPOSE, JVP };
/* What is asked for: operands are the linear ones (of a transposition the cotangents), and the others. i, results and
 * tangent: of JVP. 0, and n_out arrays, or NULLs, in out[]; not 0: it failed. */
KJS_IMPORT(linear)
int kjs_linear(uint32_t serial, int what, int n_first, const kn_array *first, int n_second, const kn_array *second,
               int i, const kn_array *results, kn_array tangent, int n_out, kn_array *out);

static uint32_t serial_of(const kn_primitive_call *c) { return (uint32_t)((const params *)c->params)->serial; }
static int ended(int failed)
{
    return failed ? kn_primitive_error(KN_ERROR_RUNTIME, "a JavaScript function failed") : 0;
}

static int compute(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    const linear *l = c->env;
    int n = l->n_linear;
    return ended(kjs_linear(serial_of(c), COMPUTE, n, x, c->n_in - n, x + n, 0, NULL, NULL, l->n_out, y));
}

static int transpose(const kn_primitive_call *c, const kn_array *x, int i, const kn_array *ct, kn_array *ct_x)
{
    const linear *l = c->env;
    int n = l->n_linear;
    kn_array back[MOST] = {NULL};
    if (kjs_linear(serial_of(c), TRANSPOSE, l->n_out, ct, c->n_in - n, x + n, 0, NULL, NULL, n, back) != 0)
        return ended(1);
    *ct_x = back[i];
    return 0;
}

static int jvp(const kn_primitive_call *c, const kn_array *x, const kn_array *y, int i, kn_array t, kn_array *ty)
{
    const linear *l = c->env;
    int n = l->n_linear;
    return ended(kjs_linear(serial_of(c), JVP, n, x, c->n_in - n, x + n, i - n, y, t, l->n_out, ty));
}

static linear *linear_of(int n_linear, int n_out)
{
    static linear *all[MOST + 1][MOST + 1];
    linear *l = all[n_linear][n_out];
    if (l || !(l = calloc(1, sizeof *l)))
        return l;
    *l = (linear){.n_linear = n_linear, .n_out = n_out};
    static const kn_param param = {"serial", KN_PARAM_INT, offsetof(params, serial)};
    kn_primitive_opts opts = {.size_ = sizeof opts,
                              .n_in = -1,
                              .n_out = n_out,
                              .compute = compute,
                              .linear_in = (uint32_t)((1ull << n_linear) - 1),
                              .transpose = transpose,
                              .jvp = jvp,
                              .params = {sizeof(params), 1, &param},
                              .env = l};
    char name[48];
    snprintf(name, sizeof name, "linear_call_%d_%d", n_linear, n_out);
    l->primitive = kn_primitive_new(name, &opts);
    if (kn_error_pending()) {
        free(l);
        return NULL;
    }
    return all[n_linear][n_out] = l;
}

/* A list of n_out results; operands: first the linear ones, 1 to 32. NULL with an error, or without memory. */
KJS_EXPORT(kn_list, kjs_linear_call, uint32_t serial, kn_list operands, int n_linear, int n_out)
{
    linear *l = linear_of(n_linear, n_out);
    params p = {serial};
    return l ? kn_bind_all(l->primitive, operands, &p) : NULL;
}
