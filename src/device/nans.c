/* SPDX-License-Identifier: Apache-2.0
 * nans.c -- an observer that finds the equation where the first NaN or infinity comes from. */
#include "ir/prim.h"
#include "device/device.h"

typedef struct wanted {
    bool nans, infs;
} wanted;

/* The bits of infinity; NaNs are above them. 0: the dtype has neither. */
static uint64_t infinity(kn_dtype part)
{
    switch ((knx_dtype_id)part->id) {
    case KN_ID_F16: return 0x7c00;
    case KN_ID_BF16: return 0x7f80;
    case KN_ID_F32: return 0x7f800000;
    case KN_ID_F64: return UINT64_C(0x7ff) << 52;
    default: return 0;
    }
}

#define LOOK(type)                                                         \
    for (int64_t i = 0; i < n; i++) {                                      \
        uint64_t bits = ((const type *)at)[i] & (uint64_t)((type)-1 >> 1); \
        found.nans |= bits > inf;                                          \
        found.infs |= bits == inf;                                         \
    }                                                                      \
    break;

static wanted look(const void *at, kni_type t)
{
    wanted found = {false, false};
    kn_dtype part = knx_component(t.dtype);
    uint64_t inf = knx_is_inexact(t.dtype) ? infinity(part) : 0;
    int64_t n = kni_type_size(t) * (int64_t)(t.dtype->size / part->size);
    if (!inf || !at)
        return found;
    switch (part->size) {
    case 2: LOOK(uint16_t)
    case 4: LOOK(uint32_t)
    default: LOOK(uint64_t)
    }
    return found;
}

static wanted look_at_all(int n, const void *const *at, const kni_type *t)
{
    wanted found = {false, false};
    for (int i = 0; i < n; i++) {
        wanted one = look(at[i], t[i]);
        found.nans |= one.nans;
        found.infs |= one.infs;
    }
    return found;
}

static knx_error *after(void *env, const kni_eqn *e, int n_in, const void *const *x, const kni_type *xt, int n_out,
                        const void *const *y, const kni_type *yt)
{
    const wanted *what = env;
    wanted found = look_at_all(n_out, y, yt);
    found.nans &= what->nans;
    found.infs &= what->infs;
    if (!found.nans && !found.infs)
        return NULL;
    wanted before = look_at_all(n_in, x, xt);
    if (found.nans && !before.nans)
        return knx_error_new(KN_ERROR_VALUE, "nan encountered in %s", e->prim->name);
    if (found.infs && !before.infs)
        return knx_error_new(KN_ERROR_VALUE, "inf encountered in %s", e->prim->name);
    return NULL;
}

const knd_observer *knd_nan_observer(bool nans, bool infs)
{
    static wanted what[4] = {{false, false}, {true, false}, {false, true}, {true, true}};
    static const knd_observer observer[4] = {
        {after, &what[0]}, {after, &what[1]}, {after, &what[2]}, {after, &what[3]}};
    return nans || infs ? &observer[nans + 2 * infs] : NULL;
}
