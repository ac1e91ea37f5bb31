/* SPDX-License-Identifier: Apache-2.0
 * events.c -- the floating-point events of an equation, from the values of its operands and results alone: so they are
 * the same for every generator, instruction set and number of threads. docs/error-state.md has the rules. */
#include "ir/params.h"
#include "numpy/error_state/error_state.h"
#include <math.h>
#include <string.h>

/* What an element is; bits, so that those of several elements come together. */
enum { IS_NAN = 1, IS_INF = 2, IS_ZERO = 4, IS_SMALL = 8 };

/* Real numbers in memory: those of complex arrays one after the other. */
typedef struct numbers {
    const unsigned char *at;
    kn_dtype part;
    int parts;       /* of an element */
    int64_t n;       /* elements */
    double smallest; /* normal number; 0: the dtype has no floats */
} numbers;

static double smallest_of(kn_dtype part)
{
    switch ((knx_dtype_id)part->id) {
    case KN_ID_F16: return 0x1p-14;
    case KN_ID_BF16:
    case KN_ID_F32: return 0x1p-126;
    case KN_ID_F64: return 0x1p-1022;
    default: return 0;
    }
}

static numbers numbers_of(const void *at, kni_type t)
{
    kn_dtype part = knx_component(t.dtype);
    return (numbers){at, part, (int)(t.dtype->size / part->size), kni_type_size(t), smallest_of(part)};
}

/* Part k of all parts, in order. */
static double number(const numbers *x, int64_t k)
{
    const unsigned char *at = x->at + (size_t)k * x->part->size;
    if (x->part->id == KN_ID_F64) {
        double v;
        memcpy(&v, at, sizeof v);
        return v;
    }
    knx_scalar_bits bits = {{0}};
    memcpy(&bits, at, x->part->size);
    return knx_scalar_to_double(x->part, bits);
}

static unsigned class_of(double v, double smallest)
{
    if (isnan(v))
        return IS_NAN;
    if (isinf(v))
        return IS_INF;
    double size = fabs(v);
    return size == 0 ? IS_ZERO : size < smallest ? IS_SMALL : 0;
}

/* A complex number is zero if both parts are. */
static unsigned element_class(const numbers *x, int64_t i)
{
    unsigned all = 0, both = IS_ZERO;
    for (int k = 0; k < x->parts; k++) {
        unsigned one = class_of(number(x, i * x->parts + k), x->smallest);
        all |= one;
        both &= one;
    }
    return (all & ~(unsigned)IS_ZERO) | both;
}

/* ---- Exactness of tiny results. */

/* x * y == r, to the last bit, wherever the numbers lie. None is 0. */
static bool is_product(double x, double y, double r)
{
    int ex, ey;
    double mx = frexp(x, &ex), my = frexp(y, &ey), p = mx * my;
    return fma(mx, my, -p) == 0 && ldexp(r, -(ex + ey)) == p;
}

typedef struct equation {
    uint8_t how;
    unsigned wanted;
    int n_in;
    numbers x[3], y;
} equation;

static double operand(const equation *e, int k, int64_t i) { return number(&e->x[k], e->x[k].n == 1 ? 0 : i); }

/* The result i of real numbers is 0 or below the normal ones, of operands that are finite and not 0. */
static bool is_rounded(const equation *e, int64_t i, double y)
{
    if (e->how & KN_EVENTS_PRODUCT)
        return y == 0 || !is_product(operand(e, 0, i), operand(e, e->n_in - 1, i), y);
    if (e->how & KN_EVENTS_QUOTIENT)
        return y == 0 || !is_product(operand(e, 1, i), y, operand(e, 0, i));
    return e->how & KN_EVENTS_ROUNDS;
}

/* A cast made a part of element i 0 or tiny, and another number. */
static bool part_is_lost(const equation *e, int64_t i)
{
    const numbers *x = &e->x[0], *y = &e->y;
    for (int k = 0; k < x->parts && k < y->parts; k++) {
        double from = number(x, i * x->parts + k), to = number(y, i * y->parts + k);
        if (fabs(to) < y->smallest && to != from)
            return true;
    }
    return false;
}

/* ---- From classes to events. before: of all that the result is made of. */

static unsigned events_of(const equation *e, unsigned before, unsigned y)
{
    unsigned events = 0;
    if ((y & IS_NAN) && !(before & IS_NAN))
        events |= KNN_INVALID;
    if ((y & IS_INF) && !(before & (IS_NAN | IS_INF))) {
        bool pole = (e->how & KN_EVENTS_POLES) || ((e->how & KN_EVENTS_BY_ZERO) && (before & IS_ZERO));
        events |= pole ? KNN_DIVIDE : KNN_OVER;
    }
    return events;
}

static bool may_underflow(const equation *e, unsigned before, unsigned y)
{
    return (y & (IS_ZERO | IS_SMALL)) && !(before & (IS_NAN | IS_INF | IS_ZERO)) && e->y.parts == 1 &&
           e->y.smallest > 0;
}

/* ---- By the form of the equation. */

static unsigned elementwise(const equation *e)
{
    unsigned events = 0;
    for (int64_t i = 0; i < e->y.n && (e->wanted & ~events); i++) {
        unsigned y = element_class(&e->y, i), before = 0;
        if (!y)
            continue;
        for (int k = 0; k < e->n_in; k++)
            before |= element_class(&e->x[k], e->x[k].n == 1 ? 0 : i);
        events |= events_of(e, before, y);
        if ((e->wanted & KNN_UNDER) && (e->how & KN_EVENTS_CAST) && part_is_lost(e, i))
            events |= KNN_UNDER;
        else if ((e->wanted & KNN_UNDER) && may_underflow(e, before, y) && is_rounded(e, i, number(&e->y, i)))
            events |= KNN_UNDER;
    }
    return events;
}

/* NumPy's loops convert in the processor's integers of 32 and 64 bits: what does not fit those is invalid. */
static unsigned cast_to_integers(const equation *e)
{
    kn_dtype d = e->y.part;
    double low = -0x1p63, high = d->id == KN_ID_U64 ? 0x1p64 : 0x1p63;
    if (d->size < 4 || d->id == KN_ID_I32) {
        low = -0x1p31;
        high = 0x1p31;
    }
    for (int64_t i = 0; i < e->x[0].n; i++) {
        double v = trunc(number(&e->x[0], i * e->x[0].parts));
        if (!(v >= low && v < high))
            return KNN_INVALID;
    }
    return 0;
}

/* Of each result: what all that it is made of has. results[k] of element i: k grows by step[d] along axis d. */
static unsigned joined(const equation *e, kni_type xt, const int64_t *step)
{
    unsigned char *before = knx_alloc_zero((size_t)e->y.n + 1);
    int64_t at[KN_MAX_NDIM] = {0}, result = 0;
    unsigned events = 0;
    if (!before)
        return 0;
    for (int64_t i = 0; i < e->x[0].n; i++) {
        before[result] |= (unsigned char)element_class(&e->x[0], i);
        for (int d = xt.ndim - 1; d >= 0; d--) {
            result += step[d];
            if (++at[d] < xt.dim[d])
                break;
            result -= step[d] * xt.dim[d];
            at[d] = 0;
        }
    }
    for (int64_t i = 0; i < e->y.n; i++) {
        unsigned y = element_class(&e->y, i);
        events |= events_of(e, before[i], y);
        if (may_underflow(e, before[i], y) && (e->how & KN_EVENTS_ROUNDS))
            events |= KNN_UNDER;
    }
    knx_free(before);
    return events;
}

static unsigned reduction(const equation *e, const kni_p_reduce *p, kni_type xt)
{
    int64_t step[KN_MAX_NDIM], size = 1;
    for (int d = xt.ndim - 1; d >= 0; d--) {
        bool goes = false;
        for (int k = 0; k < p->axes.n; k++)
            goes |= p->axes.v[k] == d;
        step[d] = goes ? 0 : size;
        size *= goes ? 1 : xt.dim[d];
    }
    return joined(e, xt, step);
}

static unsigned cumulation(const equation *e, const kni_p_cumulative *p, kni_type xt)
{
    int64_t inner = 1, n = xt.dim[p->axis];
    unsigned events = 0;
    for (int d = (int)p->axis + 1; d < xt.ndim; d++)
        inner *= xt.dim[d];
    for (int64_t lane = 0; n && lane < e->y.n / n; lane++) {
        unsigned before = 0;
        for (int64_t k = 0; k < n; k++) {
            int64_t i = (lane / inner * n + (p->reverse ? n - 1 - k : k)) * inner + lane % inner;
            unsigned y = element_class(&e->y, i);
            before |= element_class(&e->x[0], i);
            events |= events_of(e, before, y);
            if (may_underflow(e, before, y) && (e->how & KN_EVENTS_ROUNDS))
                events |= KNN_UNDER;
        }
    }
    return events;
}

/* Of products and what else joins elements somehow: all operands together. */
static unsigned together(const equation *e)
{
    unsigned before = 0, y = 0;
    for (int k = 0; k < e->n_in; k++)
        for (int64_t i = 0; i < e->x[k].n; i++)
            before |= element_class(&e->x[k], i);
    for (int64_t i = 0; i < e->y.n; i++)
        y |= element_class(&e->y, i);
    return events_of(e, before, y);
}

/* Is there anything in the result that an event could have left there? */
static bool is_remarkable(const equation *e)
{
    unsigned any = IS_NAN | IS_INF | (e->wanted & KNN_UNDER ? IS_ZERO | IS_SMALL : 0);
    for (int64_t i = 0; i < e->y.n * e->y.parts; i++)
        if (class_of(number(&e->y, i), e->y.smallest) & any)
            return true;
    return false;
}

unsigned knn_events(const kni_eqn *q, uint8_t how, unsigned wanted, int n_in, const void *const *x, const kni_type *xt,
                    const void *y, const kni_type *yt)
{
    equation e = {.how = how, .wanted = wanted, .n_in = n_in};
    for (int i = 0; i < n_in; i++)
        e.x[i] = numbers_of(x[i], xt[i]);
    e.y = numbers_of(y, *yt);
    if ((how & KN_EVENTS_CAST) && knx_is_integer(yt->dtype))
        return knx_is_inexact(xt->dtype) && (wanted & KNN_INVALID) ? cast_to_integers(&e) : 0;
    if (!knx_is_inexact(yt->dtype) || !is_remarkable(&e))
        return 0;
    if (q->prim->bits & KN_ELEMENTWISE)
        return elementwise(&e) & wanted;
    if (q->prim->bits & KN_REDUCES)
        return reduction(&e, q->params, *xt) & wanted;
    if (q->prim->fields == kni_fields_cumulative)
        return cumulation(&e, q->params, *xt) & wanted;
    return together(&e) & wanted;
}

/* ---- nextafter, whose step to infinity or among the smallest numbers is an event by itself. */

unsigned knn_step_events(const void *const *x, const kni_type *xt, const void *y, const kni_type *yt)
{
    numbers from = numbers_of(x[0], xt[0]), to = numbers_of(y, *yt);
    unsigned events = 0;
    for (int64_t i = 0; i < to.n; i++) {
        double before = number(&from, from.n == 1 ? 0 : i), after = number(&to, i);
        if (isinf(after) && isfinite(before))
            events |= KNN_OVER;
        if (fabs(after) < to.smallest && after != before && to.part->size > 2) /* not of float16: it is no hardware's */
            events |= KNN_UNDER;
    }
    return events;
}

/* ---- Integers. */

static bool is_least(kn_dtype d, int64_t v)
{
    return d->kind == KN_KIND_INT && v == (int64_t)(UINT64_C(0xffffffffffffffff) << (8 * d->size - 1));
}

unsigned knn_integer_events(const char *ufunc, int n_in, const void *const *x, const kni_type *xt, int64_t n)
{
    bool whole = !strcmp(ufunc, "floor_divide") || !strcmp(ufunc, "divmod"), one = !strcmp(ufunc, "reciprocal");
    unsigned events = 0;
    if (!whole && !one && strcmp(ufunc, "remainder") && strcmp(ufunc, "fmod"))
        return 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t v[2] = {0, 0};
        for (int k = 0; k < n_in && k < 2; k++) {
            kn_dtype d = xt[k].dtype;
            const unsigned char *at = x[k];
            knx_convert(d, at + (kni_type_size(xt[k]) == 1 ? 0 : (size_t)i * d->size), KN_DT(I64), &v[k]);
        }
        if (!v[n_in - 1])
            events |= KNN_DIVIDE | (one ? KNN_INVALID : 0);
        else if (whole && v[1] == -1 && is_least(xt[0].dtype, v[0]))
            events |= KNN_OVER;
    }
    return events;
}
