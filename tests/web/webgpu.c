/* SPDX-License-Identifier: Apache-2.0
 * webgpu.c -- what webgpu.mjs beside it calls: arrays on webgpu:0, made, read ahead and looked at by single calls, as a
 * page makes them. Arrays are numbered places here. */
#include "base/context.h"
#include "kiln/kiln.h"
#include "webgpu/gpu.h"
#include <stdio.h>

#define EXPORT(name) __attribute__((export_name(#name)))
enum { PLACES = 16 };
static kn_array place[PLACES];
static char message[1024];

/* The error that is pending, which is read by that; "" if there is none. */
EXPORT(error) const char *error(void);
const char *error(void)
{
    message[0] = 0;
    if (kn_error_pending()) {
        snprintf(message, sizeof message, "%s: %s", kn_error_kind_name(), kn_error_message());
        kn_error_clear();
    }
    return message;
}

static void put(int i, kn_array x)
{
    if (place[i])
        kn_release(place[i]);
    place[i] = kn_retain(x);
}

EXPORT(use) int use(void);
int use(void)
{
    kn_device d = kn_find_device("webgpu:0");
    if (d)
        kn_set_default_device(d);
    return d != NULL;
}

/* place[i] = 0, 1, ..., n - 1 */
EXPORT(range) void range(int i, int n);
void range(int i, int n)
{
    KN_SCOPE;
    put(i, kn_device_put(kn_arange(0, n, 1, KN_F32), kn_find_device("webgpu:0")));
}

static kn_array polynomial(const kn_array *x) { return kn_add(kn_mul(kn_mul(*x, *x), 3), 1); }
KN_FUNCTION(polynomial, kn_array, kn_array)

EXPORT(compute) void compute(int to, int from);
void compute(int to, int from)
{
    KN_SCOPE;
    kn_array y;
    kn_call(kn_jit(KN_FN(polynomial)), &y, &place[from]);
    put(to, y);
}

EXPORT(take) void take(int to, int from, int index);
void take(int to, int from, int index)
{
    KN_SCOPE;
    int32_t i[64] = {index}; /* more than what goes by value */
    put(to, kn_take(place[from], kn_device_put(kn_from(i, KN_SHAPE(64)), kn_find_device("webgpu:0"))));
}

/* The device has no float64: somebody waits at each turn. */
static kn_array below(const kn_array *x) { return kn_less(kn_sum(kn_astype(*x, KN_F64)), 1000); }
KN_FUNCTION(below, kn_array, kn_array)
static kn_array twice(const kn_array *x) { return kn_mul(*x, 2); }
KN_FUNCTION(twice, kn_array, kn_array)

EXPORT(loop) void loop(int to, int from);
void loop(int to, int from)
{
    KN_SCOPE;
    kn_array y;
    kn_while_loop(KN_FN(below), KN_FN(twice), &y, &place[from]);
    kn_eval(y);
    put(to, y);
}

EXPORT(begin) void begin(int i);
void begin(int i) { kn_copy_to_host_async(place[i]); }

EXPORT(await_ready) void await_ready(int i);
void await_ready(int i) { kn_block_until_ready(place[i]); }

/* Element k; NaN after an error. */
EXPORT(look) double look(int i, int k);
double look(int i, int k)
{
    KN_SCOPE;
    const float *x = kn_data(kn_copy(place[i]), float);
    return x ? x[k] : __builtin_nan("");
}

EXPORT(drop) void drop(int i);
void drop(int i)
{
    if (place[i])
        kn_release(place[i]);
    place[i] = NULL;
}

/* A text that no engine takes, and a launch of it. */
EXPORT(mistake) void mistake(void);
void mistake(void)
{
    kng_gpu *g = kng_gpu_at(0);
    kng_pipeline *p = NULL;
    kng_bound slot[KNG_SLOTS] = {0};
    knd_lock();
    knx_error *e = kng_alloc(g, 256, &slot[0].memory);
    if (!e)
        e = kng_pipeline_for(g,
                             "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n"
                             "@compute @workgroup_size(1) fn main() { y[0] = nothing; }\n",
                             &p);
    if (!e)
        e = kng_dispatch_text(g, p, slot, NULL, 0, (uint32_t[]){1, 1, 1}, NULL, 0);
    kng_pipeline_release(g, p);
    if (slot[0].memory)
        kng_free(g, slot[0].memory);
    knd_unlock();
    knx_report(e);
    knx_error_release(e);
}
