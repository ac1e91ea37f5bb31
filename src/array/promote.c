/* SPDX-License-Identifier: Apache-2.0
 * promote.c -- the common dtype of arrays and numbers, by NumPy's rules. */
#include "array/op.h"

static const char weak_order[] = "bifc";
enum { WEAK_FLOAT = 2 };

/* bool, integers, floats, complex numbers; keys last. */
static int category(kn_dtype d)
{
    int c = 0;
    for (char kind = d->kind == 'u' ? 'i' : d->kind; weak_order[c] && weak_order[c] != kind;)
        c++;
    return c;
}

/* What x[i] brings to the common dtype: a dtype, or a number that waits for one. */
typedef struct promotion {
    kn_dtype strong;
    int weak;        /* the highest category of numbers; -1: none */
    bool big;        /* some integer needs uint64 */
    kn_dtype number; /* of floating numbers: what all of them are, else float64 */
} promotion;

static void promote(kna_op *op, promotion *p, kn_dtype d)
{
    if (!p->strong) {
        p->strong = d;
        return;
    }
    kn_dtype both = knx_promote(p->strong, d);
    if (both)
        p->strong = both;
    else
        kna_fail(op, KN_ERROR_TYPE, "the dtypes %s and %s do not promote to a common dtype", p->strong->name, d->name);
}

/* Integers beside floats become floats one by one, so that the order of operands does not count: what is of the highest
 * category comes first, then each of the others meets that. */
static void promote_all(kna_op *op, promotion *p, int n, const kni_type *t)
{
    int highest = -1;
    for (int i = 0; i < n && !op->error; i++) {
        int c = t[i].weak ? -1 : category(t[i].dtype);
        if (c > highest)
            p->strong = NULL;
        highest = c > highest ? c : highest;
        if (!t[i].weak && c == highest)
            promote(op, p, t[i].dtype);
    }
    promotion all = *p;
    for (int i = 0; i < n && !op->error; i++) {
        promotion one = {.strong = p->strong};
        if (t[i].weak)
            continue;
        promote(op, &one, t[i].dtype);
        if (!op->error)
            promote(op, &all, one.strong);
    }
    *p = all;
}

/* What the types bring together. All arrays usually have one dtype. */
static promotion promotion_of(kna_op *op, int n, const kni_type *t)
{
    promotion p = {.weak = -1};
    bool same = true, any = false;
    for (int i = 0; i < n; i++) {
        if (t[i].weak) {
            int c = category(t[i].dtype);
            if (c == WEAK_FLOAT)
                p.number = p.weak < c || p.number == t[i].dtype ? t[i].dtype : KN_DT(F64);
            p.weak = c > p.weak ? c : p.weak;
            p.big = p.big || t[i].dtype == KN_DT(U64);
            continue;
        }
        same = same && (!any || p.strong == t[i].dtype);
        p.strong = t[i].dtype;
        any = true;
    }
    if (!same)
        promote_all(op, &p, n, t);
    return p;
}

KNX_HOT kn_dtype kna_result_type_of(kna_op *op, int n, const kni_type *t)
{
    promotion p = promotion_of(op, n, t);
    if (op->error)
        return NULL;
    if (p.weak < 0 && !p.strong) /* none was given */
        kna_null(op, "array");
    if (p.weak < 0)
        return p.strong;
    KN_KNOWN(p.weak < (int)sizeof weak_order);
    if (p.strong) {
        kn_dtype d = knx_promote_weak(p.strong, weak_order[p.weak], kna_default_float());
        if (!d)
            kna_fail(op, KN_ERROR_TYPE, "%s does not mix with numbers", p.strong->name);
        return d;
    }
    kni_type of = kni_scalar_type(p.weak == 0            ? KN_DT(BOOL)
                                  : p.weak == 1          ? (p.big ? KN_DT(U64) : KN_DT(I64))
                                  : p.weak == WEAK_FLOAT ? p.number
                                                         : KN_DT(C128));
    of.weak = true;
    return kna_strong_dtype(of);
}

KNX_HOT int kna_types(kna_op *op, int n, const kn_array *x, kni_type few[KNA_FEW_TYPES], kni_type **t)
{
    int known = 0;
    *t = n <= KNA_FEW_TYPES ? few : knx_arena_alloc(&op->b->arena, (size_t)n * sizeof **t);
    if (!*t)
        kna_fail_with(op, knx_error_nomem());
    for (int i = 0; i < n && !op->error; i++)
        if (x[i])
            (*t)[known++] = kna_type(op, x[i]);
    return known;
}

KNX_HOT kn_dtype kna_result_type(kna_op *op, int n, const kn_array *x)
{
    kni_type few[KNA_FEW_TYPES], *t;
    int known = kna_types(op, n, x, few, &t);
    return op->error ? NULL : kna_result_type_of(op, known, t);
}
