/* SPDX-License-Identifier: Apache-2.0
 * spread.c -- the columns `spread`, `resize` and `local`, proved: operands are cut into parts along the axes of a factor,
 * the equation of one device is run for each part, and what they give is put together and compared with the equation as
 * a whole: to the bit, or of sums of floats within what another order of adding may change.
 *
 * Parts are even and uneven: behind the last element there is padding, of any content where the factor is parallel, of
 * what joining does not see where it is a reduction. */
#include "bench.h"
#include "ir/mesh.h"
#include "shard/factors.h"

#include <math.h>
#include <string.h>

enum { MOST_PARTS = 4 };

/* One equation of a case, the values of its operands and of its results. */
typedef struct whole {
    kni_rule r;
    const kni_jaxpr *j;
    const kni_eqn *e;
    kni_type xt[MAX_OPERANDS];
    tensor x[MAX_OPERANDS], y[MAX_VALUES];
    kni_spread s;
} whole;

/* The equation of the sample's row whose operands are inputs or literals. */
static bool find(bench *b, whole *w)
{
    tensor in[MAX_VALUES];
    w->j = b->j;
    for (uint32_t k = 0; k < w->j->n_eqn && !w->e; k++) {
        const kni_eqn *e = &w->j->eqn[k];
        bool fits = e->prim == b->s->prim && e->n_in <= MAX_OPERANDS && e->n_out <= MAX_VALUES;
        for (uint32_t i = 0; fits && i < e->n_in; i++)
            fits = kni_is_literal(e->in[i]) || e->in[i] < w->j->n_const + w->j->n_in;
        w->e = fits ? e : NULL;
    }
    if (!w->e)
        return false;
    bench_fill(b, false, 0, in);
    for (uint32_t i = 0; i < w->e->n_in; i++) {
        w->xt[i] = kni_atom_type(w->j, w->e->in[i]);
        if (!kni_is_literal(w->e->in[i]))
            w->x[i] = in[w->e->in[i]];
    }
    w->r = kni_rule_of(w->e, w->xt, &w->j->type[w->e->out]);
    return true;
}

/* The types of a part, extents in `dim`. */
static kni_type part_type(const kni_factor *f, int64_t parts, kni_type t, int axis, int64_t *dim)
{
    for (int d = 0; d < t.ndim; d++)
        dim[d] = d == axis ? knshard_part(f, parts, t.dim[d]) : t.dim[d];
    t.dim = dim;
    return t;
}

/* One device's equation as a program: operands that are no literals, and where the part begins. */
static kni_jaxpr *part_jaxpr(bench *b, const whole *w, int which, int64_t parts)
{
    const kni_factor *f = which < 0 ? NULL : &w->s.v[which];
    int64_t dim[MAX_RANK], ydim[MAX_VALUES][MAX_RANK];
    kni_builder k;
    kni_type xt[MAX_OPERANDS], yt[MAX_VALUES];
    kni_atom x[MAX_OPERANDS], y[MAX_VALUES], first;
    kni_jaxpr *j = NULL;
    knb_init(&k);
    for (int i = 0; i < w->r.n_in; i++) {
        const kni_literal *l = kni_is_literal(w->e->in[i]) ? &w->j->literal[w->e->in[i] & ~KN_LITERAL_BIT] : NULL;
        kni_type t = f ? part_type(f, parts, w->xt[i], f->in[i], dim) : w->xt[i];
        x[i] = l ? knb_literal(&k, l->type.dtype, l->type.weak, l->bits) : knb_invar(&k, t);
    }
    first = knb_invar(&k, kni_scalar_type(KN_DT(I64)));
    for (int i = 0; i < w->r.n_in; i++)
        xt[i] = knb_type(&k, x[i]);
    for (int o = 0; o < w->r.n_out; o++)
        yt[o] = f ? part_type(f, parts, w->r.yt[o], f->out[o], ydim[o]) : w->r.yt[o];
    if (!f) {
        knb_emit(&k, w->e->prim, w->e->params, w->r.n_in, x, y, w->r.n_out);
    } else if (!f->local) {
        knshard_emit(&k, &w->r, x, yt, y);
    } else {
        kni_cut *cut = tensor_alloc(&b->arena, (size_t)w->s.n * sizeof *cut);
        for (int i = 0; i < w->s.n; i++)
            cut[i] = (kni_cut){1, w->s.v[i].size, knb_integer(&k, KN_DT(I64), 0)};
        cut[which] = (kni_cut){parts, kni_part_extent(f->size, parts), first};
        kni_rule r = w->r;
        r.b = &k;
        r.arena = &k.arena;
        r.x = x;
        r.xt = xt;
        r.yt = yt;
        bench_ok(b, w->e->prim->local(&r, &(kni_local){&w->s, cut, w->r.xt, w->r.yt}, y), "local");
    }
    for (int o = 0; o < w->r.n_out && !k.error && !b->failed; o++)
        if (!kni_type_same_shape(knb_type(&k, y[o]), yt[o]) || knb_type(&k, y[o]).dtype != yt[o].dtype) {
            knx_text got = {0}, want = {0};
            bench_fail(b, "factor %d, %d parts: result %d has type %s, not %s", which, (int)parts, o,
                       kni_type_text(&got, knb_type(&k, y[o]), false), kni_type_text(&want, yt[o], false));
        }
    if (!b->failed)
        bench_ok(b, k.error ? knb_take_error(&k) : knb_finish(&k, w->r.n_out, y, "part", false, &j), "making a part");
    knb_free(&k);
    return j;
}

/* Elements of part number `number` of x; behind the end there is what `padding` says. */
enum { ANY, ZERO, ONE, AGAIN };
static int padding_of(const whole *w, const kni_factor *f)
{
    if (f->kind == KNI_SUM || f->kind == KNI_XOR)
        return ZERO;
    if (f->kind == KNI_PROD)
        return ONE;
    return kni_factor_joins(f->kind) || kni_can_fail(w->e->prim, w->e->params) ? AGAIN : ANY;
}

static tensor cut(bench *b, const tensor *x, int axis, int64_t extent, int64_t number, int padding)
{
    int64_t dim[MAX_RANK];
    memcpy(dim, x->dim, sizeof dim);
    dim[axis] = extent;
    tensor y = tensor_new(&b->arena, x->dtype, x->ndim, dim);
    uint64_t state = b->seed + (uint64_t)number;
    if (padding == ANY)
        tensor_fill(&y, 0, 1, 0, 0, &state);
    for (int64_t e = 0; e < y.n; e++) {
        int64_t index[MAX_RANK];
        tensor_index(&y, e, index);
        index[axis] += number * extent;
        bool inside = index[axis] < x->dim[axis];
        if (!inside && padding == AGAIN)
            index[axis] = x->dim[axis] - 1;
        if (inside || padding == AGAIN)
            memcpy(tensor_at(&y, e), tensor_at(x, tensor_offset(x, index)), x->dtype->size);
        else if (padding == ONE)
            tensor_store(y.dtype, (num){.re = 1, .bits = 1}, tensor_at(&y, e));
    }
    return y;
}

static void put(const tensor *part, int axis, int64_t number, tensor *y)
{
    for (int64_t e = 0; e < part->n; e++) {
        int64_t index[MAX_RANK];
        tensor_index(part, e, index);
        index[axis] += number * part->dim[axis];
        if (index[axis] < y->dim[axis])
            memcpy(tensor_at(y, tensor_offset(y, index)), tensor_at(part, e), part->dtype->size);
    }
}

/* x = x joined with y. */
static bool join(bench *b, kni_factor_kind kind, tensor *x, const tensor *y)
{
    kni_builder k;
    kni_jaxpr *j = NULL;
    tensor in[2] = {*x, *y};
    knb_init(&k);
    kni_atom u = knb_invar(&k, tensor_type(x)), v = knb_invar(&k, tensor_type(y));
    kni_atom z = kind == KNI_SUM    ? knb_add(&k, u, v)
                 : kind == KNI_PROD ? knb_mul(&k, u, v)
                 : kind == KNI_MAX  ? knb_max(&k, u, v)
                 : kind == KNI_MIN  ? knb_min(&k, u, v)
                 : kind == KNI_AND  ? knb_and(&k, u, v)
                 : kind == KNI_OR   ? knb_or(&k, u, v)
                                    : knb_xor(&k, u, v);
    bool ok = bench_ok(b, k.error ? knb_take_error(&k) : knb_finish(&k, 1, &z, "join", false, &j), "joining") &&
              bench_run(b, j, in, x);
    knb_free(&k);
    kni_release(j);
    return ok;
}

/* The largest element, if it is a float, or `least`. */
static long double largest(const tensor *t, long double least)
{
    for (int64_t e = 0; e < t->n && knx_is_inexact(t->dtype); e++) {
        num v = tensor_load(t->dtype, tensor_at(t, e));
        least = fmaxl(least, fmaxl(fabsl(v.re), fabsl(v.im)));
    }
    return least;
}

static bool near_enough(num a, num c, long double far)
{
    for (int part = 0; part < 2; part++) {
        long double x = part ? a.im : a.re, y = part ? c.im : c.re;
        if (!(isnan(x) && isnan(y)) && x != y && !(fabsl(x - y) <= far) && isfinite(far))
            return false;
    }
    return true;
}

/* Sums and products of floats: another order; the rest: the same bits, but for the sign of zeros of a maximum. */
static void compare(bench *b, const char *what, kni_factor_kind kind, const tensor *want, const tensor *got,
                    long double far)
{
    kn_dtype d = want->dtype;
    bool rounds = (kind == KNI_SUM || kind == KNI_PROD) && knx_is_inexact(d),
         extreme = kind == KNI_MAX || kind == KNI_MIN;
    for (int64_t e = 0; e < want->n; e++) {
        num a = tensor_load(d, tensor_at(want, e)), c = tensor_load(d, tensor_at(got, e));
        char s[96], t[96];
        bool same = tensor_close(d, a, c, 0, extreme);
        if (same || (rounds && near_enough(a, c, far)))
            continue;
        bench_fail(b, "%s: element %lld is %s, as a whole %s", what, (long long)e, tensor_show(d, c, s),
                   tensor_show(d, a, t));
        return;
    }
}

static void check_factor(bench *b, const whole *w, int which, int64_t parts)
{
    const kni_factor *f = &w->s.v[which];
    tensor in[MAX_OPERANDS + 1], y[MAX_VALUES], all[MAX_VALUES];
    int64_t one = 0, extent = kni_part_extent(f->size, parts);
    prog p = {{0}, 0, 0};
    int padding = padding_of(w, f);
    long double scale = 0;
    kni_jaxpr *j = part_jaxpr(b, w, which, parts);
    if (j && prog_open(b, j, &p))
        for (int64_t number = 0; number < parts && !b->failed; number++) {
            int n = 0;
            for (int i = 0; i < w->r.n_in; i++)
                if (!kni_is_literal(w->e->in[i]))
                    in[n++] = f->in[i] < 0 ? w->x[i]
                                           : cut(b, &w->x[i], f->in[i], knshard_part(f, parts, w->x[i].dim[f->in[i]]),
                                                 number, padding);
            in[n] = tensor_new(&b->arena, KN_DT(I64), 0, NULL);
            one = number * extent;
            memcpy(in[n].data, &one, sizeof one);
            if (!prog_run(b, &p, in, y))
                break;
            for (int o = 0; o < w->r.n_out; o++) {
                scale = largest(&y[o], scale);
                if (number == 0)
                    all[o] = f->out[o] < 0 ? y[o] : tensor_new(&b->arena, w->y[o].dtype, w->y[o].ndim, w->y[o].dim);
                if (f->out[o] >= 0)
                    put(&y[o], f->out[o], number, &all[o]);
                else if (number && kni_factor_joins(f->kind))
                    join(b, f->kind, &all[o], &y[o]);
                else
                    all[o] = y[o];
            }
        }
    for (int o = 0; o < w->r.n_out && j && !b->failed; o++) {
        char what[96];
        scale = largest(&w->y[o], scale);
        snprintf(what, sizeof what, "factor %d in %d parts, result %d", which, (int)parts, o);
        compare(b, what, f->kind, &w->y[o], &all[o],
                (64 + 4 * (long double)f->size) * tensor_epsilon(w->y[o].dtype) * scale);
    }
    prog_close(&p);
    kni_release(j);
}

/* Axes that exist, each in one factor at most, of extents that the size divides. */
static void check_axes_of(bench *b, const whole *w)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < (side ? w->r.n_out : w->r.n_in); i++) {
            kni_type t = side ? w->r.yt[i] : w->r.xt[i];
            bool seen[KN_MAX_NDIM] = {false};
            for (int k = 0; k < w->s.n; k++) {
                const kni_factor *f = &w->s.v[k];
                int axis = side ? f->out[i] : f->in[i];
                if (axis < 0)
                    continue;
                if (axis >= t.ndim || seen[axis] || (f->size ? t.dim[axis] % f->size : t.dim[axis]))
                    bench_fail(b, "factor %d of %lld: axis %d of %s %d %s", k, (long long)f->size, axis,
                               side ? "result" : "operand", i,
                               axis < t.ndim && seen[axis] ? "is in another one" : "has another extent");
                else
                    seen[axis] = true;
                if (side && kni_factor_joins(f->kind))
                    bench_fail(b, "factor %d joins, but result %d has it", k, i);
            }
        }
}

void check_spread(bench *b)
{
    whole w = {.e = NULL};
    if (b->s->lanes || !find(b, &w) || !bench_ok(b, knshard_factors(&w.r, &b->arena, &w.s), "factors"))
        return;
    check_axes_of(b, &w);
    if (b->failed || !w.s.n)
        return;
    kni_jaxpr *j = part_jaxpr(b, &w, -1, 1);
    tensor in[MAX_OPERANDS + 1], zero = tensor_new(&b->arena, KN_DT(I64), 0, NULL);
    int n = 0;
    for (int i = 0; i < w.r.n_in; i++)
        if (!kni_is_literal(w.e->in[i]))
            in[n++] = w.x[i];
    in[n] = zero;
    bool ran = j && bench_run(b, j, in, w.y);
    kni_release(j);
    for (int k = 0; ran && k < w.s.n; k++)
        for (int64_t parts = 2; parts < MOST_PARTS && !b->failed; parts++)
            if (w.s.v[k].kind != KNI_HALO && w.s.v[k].size > 1 && knshard_allows(&w.s.v[k], &w.r, parts))
                check_factor(b, &w, k, parts);
}
