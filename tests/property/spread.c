/* SPDX-License-Identifier: Apache-2.0
 * spread.c -- the columns `spread`, `resize` and `local`, proved: operands are cut into parts along the axes of a
 * factor, the equation of one device is run for each part, and what they give is put together and compared with the
 * equation as a whole: to the bit, or of sums of floats within what another order of adding may change.
 *
 * Parts are even and uneven: behind the last element there is padding, of any content where the factor is parallel, of
 * what joining does not see where it is a reduction. */
#include "bench.h"
#include "ir/mesh.h"
#include "shard/factors.h"

#include <math.h>
#include <string.h>

enum { MOST_PARTS = 4, MOST_FACTORS = 16 };

/* One equation of a case, the values of its operands and of its results. */
typedef struct whole {
    kni_rule r;
    const kni_jaxpr *j;
    const kni_eqn *e;
    kni_type xt[MAX_OPERANDS];
    tensor x[MAX_OPERANDS], y[MAX_VALUES];
    kni_spread s;
} whole;

/* Sets up equation e if its operands are inputs of j, which are `in`, or literals. */
static bool begin(whole *w, const kni_jaxpr *j, const kni_eqn *e, const tensor *in)
{
    *w = (whole){.j = j, .e = e};
    if (e->n_in > MAX_OPERANDS || e->n_out > MAX_VALUES)
        return false;
    for (uint32_t i = 0; i < e->n_in; i++) {
        bool literal = kni_is_literal(e->in[i]);
        if (!literal && e->in[i] >= j->n_const + j->n_in)
            return false;
        w->xt[i] = kni_atom_type(j, e->in[i]);
        if (!literal)
            w->x[i] = in[e->in[i]];
    }
    w->r = kni_rule_of(e, w->xt, &j->type[e->out]);
    return true;
}

/* How the equation is cut: so many parts by each factor; and one of the parts. */
typedef struct cuts {
    int64_t parts[MOST_FACTORS], number[MOST_FACTORS];
    bool any, local, shares;
} cuts;

static kni_factor *factor_of(const whole *w, bool result, int i, int axis)
{
    for (int k = 0; k < w->s.n; k++)
        if ((result ? w->s.v[k].out[i] : w->s.v[k].in[i]) == axis)
            return &w->s.v[k];
    return NULL;
}

/* The type of a part, extents in `dim`. */
static kni_type part_type(const whole *w, const cuts *c, bool result, int i, int64_t *dim)
{
    kni_type t = result ? w->r.yt[i] : w->r.xt[i];
    for (int d = 0; d < t.ndim; d++) {
        const kni_factor *f = factor_of(w, result, i, d);
        int64_t parts = f ? c->parts[f - w->s.v] : 1;
        bool window = f && f->kind == KNI_HALO && parts > 1 && !result;
        dim[d] = window ? kni_halo_width(f, kni_part_extent(f->size, parts))
                 : f    ? knshard_part(f, parts, t.dim[d])
                        : t.dim[d];
    }
    t.dim = dim;
    return t;
}

/* What parts tell each other (KNI_SHARES). First a program makes what each of them tells; then those of all are
 * inputs. */
enum { MOST_TOLD = 4 };
typedef struct told {
    int n, factor;
    kni_atom all[MOST_TOLD]; /* n of them if known, else what the part tells */
    bool known;
    int next;
    tensor value[MOST_TOLD];
} told;

static kni_atom gather_told(const kni_local *l, kni_builder *b, int f, kni_atom x)
{
    told *t = (told *)(uintptr_t)l->env;
    int64_t dim[MAX_RANK + 1] = {l->cut[f].parts}, along[MAX_RANK + 1];
    t->factor = f;
    if (t->known)
        return t->all[t->next++];
    kni_type type = knb_type(b, x);
    for (int d = 0; !b->error && d < type.ndim; d++) {
        dim[d + 1] = type.dim[d];
        along[d] = d + 1;
    }
    t->all[t->n++] = x;
    return b->error ? KN_ATOM_NONE : knb_broadcast_in_dim(b, x, type.ndim + 1, dim, along);
}

/* What one device does, by the row's `local`; first: where its part begins, by factor. */
static void emit_local(bench *b, const whole *w, const cuts *c, kni_builder *k, const kni_atom *first,
                       const kni_atom *x, const kni_type *yt, kni_atom *y, told *shared)
{
    kni_cut *cut = tensor_alloc(&b->arena, (size_t)w->s.n * sizeof *cut);
    kni_type xt[MAX_OPERANDS];
    for (int i = 0; i < w->s.n; i++) {
        bool uncut = c->parts[i] == 1;
        cut[i] = (kni_cut){c->parts[i], kni_part_extent(w->s.v[i].size, c->parts[i]),
                           uncut ? knb_integer(k, KN_DT(I64), 0) : first[i]};
    }
    for (int i = 0; i < w->r.n_in; i++)
        xt[i] = knb_type(k, x[i]);
    kni_rule r = w->r;
    r.b = k;
    r.arena = &k->arena;
    r.x = x;
    r.xt = xt;
    r.yt = yt;
    if (!k->error)
        bench_ok(b, w->e->prim->local(&r, &(kni_local){.gather = gather_told, shared, &w->s, cut, w->r.xt, w->r.yt}, y),
                 "local");
}

/* The equation r for operands x, which are parts, with the parameters that give results of the types yt. */
static int emit_part(kni_builder *b, const kni_rule *r, const kni_atom *x, const kni_type *yt, kni_atom *y)
{
    kni_rule part = *r;
    kni_type *xt = knx_arena_alloc(&b->arena, ((size_t)r->n_in + 1) * sizeof *xt);
    const void *params = NULL;
    if (!xt)
        knb_fail(b, knx_error_nomem());
    if (b->error)
        return 0;
    for (int i = 0; i < r->n_in; i++)
        xt[i] = knb_type(b, x[i]);
    part.xt = xt;
    part.yt = yt;
    part.arena = &b->arena;
    knx_error *e = knshard_resize(&part, &b->arena, &params);
    if (e) {
        knb_fail(b, e);
        return 0;
    }
    int n = knb_emit(b, r->prim, params ? params : r->params, r->n_in, x, y, r->n_out);
    if (params)
        kni_params_drop(r->prim, params);
    return n;
}

/* One device's equation as a program: operands that are no literals, where the part begins along each factor, and what
 * all parts tell; if that is not known, it is the program that makes what one tells. */
static kni_jaxpr *part_jaxpr(bench *b, const whole *w, const cuts *c, told *shared)
{
    int64_t dim[MAX_RANK], ydim[MAX_VALUES][MAX_RANK];
    kni_builder k;
    kni_type yt[MAX_VALUES];
    kni_atom x[MAX_OPERANDS], y[MAX_VALUES], first[MOST_FACTORS];
    kni_jaxpr *j = NULL;
    knb_init(&k);
    for (int i = 0; i < w->r.n_in; i++) {
        const kni_literal *l = kni_is_literal(w->e->in[i]) ? &w->j->literal[w->e->in[i] & ~KN_LITERAL_BIT] : NULL;
        kni_type t = part_type(w, c, false, i, dim);
        x[i] = l ? knb_literal(&k, l->type.dtype, l->type.weak, l->bits) : knb_invar(&k, t);
    }
    for (int i = 0; i < w->s.n; i++)
        first[i] = knb_invar(&k, kni_scalar_type(KN_DT(I64)));
    for (int i = 0; shared->known && i < shared->n; i++)
        shared->all[i] = knb_invar(&k, tensor_type(&shared->value[i]));
    for (int o = 0; o < w->r.n_out; o++)
        yt[o] = part_type(w, c, true, o, ydim[o]);
    if (!c->any)
        knb_emit(&k, w->e->prim, w->e->params, w->r.n_in, x, y, w->r.n_out);
    else if (c->local)
        emit_local(b, w, c, &k, first, x, yt, y, shared);
    else
        emit_part(&k, &w->r, x, yt, y);
    for (int o = 0; o < w->r.n_out && !k.error && !b->failed; o++)
        if (!kni_type_same_shape(knb_type(&k, y[o]), yt[o]) || knb_type(&k, y[o]).dtype != yt[o].dtype) {
            knx_text got = {0}, want = {0};
            bench_fail(b, "result %d of a part has type %s, not %s", o, kni_type_text(&got, knb_type(&k, y[o]), false),
                       kni_type_text(&want, yt[o], false));
        }
    bool tells = c->shares && !shared->known;
    if (!b->failed)
        bench_ok(b,
                 k.error ? knb_take_error(&k)
                         : knb_finish(&k, tells ? shared->n : w->r.n_out, tells ? shared->all : y, "part", false, &j),
                 "making a part");
    knb_free(&k);
    return j;
}

/* What lies outside of an operand. */
enum { ANY, ZERO, ONE, AGAIN };
static int padding_of(const whole *w, const kni_factor *f)
{
    if (f->kind == KNI_SUM || f->kind == KNI_XOR)
        return ZERO;
    if (f->kind == KNI_PROD)
        return ONE;
    return kni_factor_joins(f->kind) || kni_can_fail(w->e->prim, w->e->params) ? AGAIN : ANY;
}

/* `extent` elements of x along an axis from `start` on. */
static tensor cut(bench *b, const tensor *x, int axis, int64_t extent, int64_t start, int padding)
{
    int64_t dim[MAX_RANK];
    memcpy(dim, x->dim, sizeof dim);
    dim[axis] = extent;
    tensor y = tensor_new(&b->arena, x->dtype, x->ndim, dim);
    uint64_t state = b->seed + (uint64_t)start;
    if (padding == ANY)
        tensor_fill(&y, 0, 1, 0, 0, &state);
    for (int64_t e = 0; e < y.n; e++) {
        int64_t index[MAX_RANK];
        tensor_index(&y, e, index);
        index[axis] += start;
        bool inside = index[axis] >= 0 && index[axis] < x->dim[axis];
        if (!inside && padding == AGAIN)
            index[axis] = index[axis] < 0 ? 0 : x->dim[axis] - 1;
        if (inside || padding == AGAIN)
            memcpy(tensor_at(&y, e), tensor_at(x, tensor_offset(x, index)), x->dtype->size);
        else if (padding == ONE)
            tensor_store(y.dtype, (num){.re = 1, .bits = 1}, tensor_at(&y, e));
    }
    return y;
}

/* Operand i as the device has it. */
static tensor part_of(bench *b, const whole *w, const cuts *c, int i)
{
    tensor x = w->x[i];
    for (int k = 0; k < w->s.n; k++) {
        const kni_factor *f = &w->s.v[k];
        if (f->in[i] < 0 || c->parts[k] == 1)
            continue;
        int64_t extent = kni_part_extent(f->size, c->parts[k]), part = knshard_part(f, c->parts[k], x.dim[f->in[i]]);
        if (f->kind == KNI_HALO)
            x = cut(b, &x, f->in[i], kni_halo_width(f, extent), kni_halo_start(f, extent, extent * c->number[k], i),
                    padding_of(w, f));
        else
            x = cut(b, &x, f->in[i], part, part * c->number[k], padding_of(w, f));
    }
    return x;
}

/* A part of result o into its place of y. */
static void put(const whole *w, const cuts *c, int o, const tensor *part, tensor *y)
{
    for (int64_t e = 0; e < part->n; e++) {
        int64_t index[MAX_RANK];
        bool inside = true;
        tensor_index(part, e, index);
        for (int d = 0; d < part->ndim; d++) {
            const kni_factor *f = factor_of(w, true, o, d);
            index[d] += f ? c->number[f - w->s.v] * part->dim[d] : 0;
            inside = inside && index[d] < y->dim[d];
        }
        if (inside)
            memcpy(tensor_at(y, tensor_offset(y, index)), tensor_at(part, e), part->dtype->size);
    }
}

/* Of each element at most one has other bits than zero. */
static bool join_bits(bench *b, tensor *x, const tensor *y)
{
    size_t size = x->dtype->size;
    for (int64_t e = 0; e < x->n; e++) {
        unsigned char *to = tensor_at(x, e);
        const unsigned char *from = tensor_at(y, e);
        bool had = false, has = false;
        for (size_t i = 0; i < size; i++) {
            had = had || to[i];
            has = has || from[i];
            to[i] |= from[i];
        }
        if (had && has) {
            bench_fail(b, "two devices have element %lld", (long long)e);
            return false;
        }
    }
    return true;
}

/* x = x joined with y. */
static bool join(bench *b, kni_factor_kind kind, tensor *x, const tensor *y)
{
    if (kind == KNI_ONE)
        return join_bits(b, x, y);
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
        bench_fail(b, "%selement %lld is %s, as a whole %s", what, (long long)e, tensor_show(d, c, s),
                   tensor_show(d, a, t));
        return;
    }
}

/* The next part in C order; false: there is none. */
static bool next(const whole *w, cuts *c)
{
    for (int k = w->s.n - 1; k >= 0; c->number[k--] = 0)
        if (++c->number[k] < c->parts[k])
            return true;
    return false;
}

/* Are all numbers zero of the factors that join? */
static bool begins(const whole *w, const cuts *c)
{
    bool first = true;
    for (int k = 0; k < w->s.n; k++)
        first = first && !(kni_factor_joins(w->s.v[k].kind) && c->number[k]);
    return first;
}

static int operands_of_part(bench *b, const whole *w, const cuts *c, tensor *in)
{
    int n = 0;
    for (int i = 0; i < w->r.n_in; i++)
        if (!kni_is_literal(w->e->in[i]))
            in[n++] = part_of(b, w, c, i);
    for (int k = 0; k < w->s.n; k++) {
        int64_t first = c->number[k] * kni_part_extent(w->s.v[k].size, c->parts[k]);
        in[n] = tensor_new(&b->arena, KN_DT(I64), 0, NULL);
        memcpy(in[n++].data, &first, sizeof first);
    }
    return n;
}

/* What the parts along the factor that shares tell, with the other numbers as they are. */
static bool ask_parts(bench *b, const whole *w, const cuts *c, const kni_jaxpr *teller, told *t)
{
    tensor in[MAX_OPERANDS + MOST_FACTORS], one[MOST_TOLD];
    cuts at = *c;
    for (int64_t part = 0; part < c->parts[t->factor]; part++) {
        at.number[t->factor] = part;
        operands_of_part(b, w, &at, in);
        if (!bench_run(b, teller, in, one))
            return false;
        for (int i = 0; i < t->n; i++) {
            int64_t dim[MAX_RANK + 1] = {c->parts[t->factor]};
            size_t bytes = (size_t)one[i].n * one[i].dtype->size;
            memcpy(dim + 1, one[i].dim, (size_t)one[i].ndim * sizeof *dim);
            if (!part)
                t->value[i] = tensor_new(&b->arena, one[i].dtype, one[i].ndim + 1, dim);
            if (bytes)
                memcpy((char *)t->value[i].data + (size_t)part * bytes, one[i].data, bytes);
        }
    }
    return true;
}

/* Runs one part, and puts what it gives where it belongs. teller: NULL, or what makes what a part tells; then p is made
 * here. */
static bool run_part(bench *b, const whole *w, const cuts *c, const prog *p, const kni_jaxpr *teller, told *t,
                     kni_factor_kind how, tensor *all, long double *scale)
{
    tensor in[MAX_OPERANDS + MOST_FACTORS + MOST_TOLD], y[MAX_VALUES], joined;
    int n = operands_of_part(b, w, c, in);
    if (teller) {
        t->known = false;
        if (!ask_parts(b, w, c, teller, t))
            return false;
        for (int i = 0; i < t->n; i++)
            in[n++] = t->value[i];
        t->known = true;
        t->next = 0;
        kni_jaxpr *j = part_jaxpr(b, w, c, t);
        bool ran = j && bench_run(b, j, in, y);
        kni_release(j);
        if (!ran)
            return false;
    } else if (!prog_run(b, p, in, y)) {
        return false;
    }
    for (int o = 0; o < w->r.n_out; o++) {
        *scale = largest(&y[o], *scale);
        if (!begins(w, c)) { /* with what its place has */
            joined = tensor_new(&b->arena, y[o].dtype, y[o].ndim, y[o].dim);
            for (int64_t e = 0; e < joined.n; e++) {
                int64_t index[MAX_RANK];
                bool inside = true;
                tensor_index(&joined, e, index);
                for (int d = 0; d < joined.ndim; d++) {
                    const kni_factor *f = factor_of(w, true, o, d);
                    index[d] += f ? c->number[f - w->s.v] * joined.dim[d] : 0;
                    inside = inside && index[d] < all[o].dim[d];
                }
                if (inside)
                    memcpy(tensor_at(&joined, e), tensor_at(&all[o], tensor_offset(&all[o], index)),
                           joined.dtype->size);
            }
            if (!join(b, how, &joined, &y[o]))
                return false;
            y[o] = joined;
        }
        put(w, c, o, &y[o], &all[o]);
    }
    return true;
}

static const char *cuts_text(const whole *w, const cuts *c, knx_text *t)
{
    for (int k = 0; k < w->s.n; k++)
        if (c->parts[k] > 1)
            knx_text_add(t, "factor %d of %lld in %lld parts, ", k, (long long)w->s.v[k].size, (long long)c->parts[k]);
    return t->s;
}

/* Cut so: parts[k] of factor k. */
static void check_cut(bench *b, const whole *w, const int64_t *parts)
{
    cuts c = {.any = true};
    kni_factor_kind how = KNI_PARALLEL;
    int64_t terms = 1;
    for (int k = 0; k < w->s.n; k++) {
        c.parts[k] = parts[k];
        if (parts[k] == 1)
            continue;
        c.local = c.local || w->s.v[k].local;
        c.shares = c.shares || w->s.v[k].kind == KNI_SHARES;
        if (kni_factor_joins(w->s.v[k].kind)) {
            how = (kni_factor_kind)w->s.v[k].kind;
            terms *= w->s.v[k].size;
        }
    }
    tensor all[MAX_VALUES];
    prog p = {{0}, 0, 0};
    long double scale = 0;
    told t = {0};
    kni_jaxpr *j = part_jaxpr(b, w, &c, &t);
    for (int o = 0; o < w->r.n_out; o++)
        all[o] = tensor_new(&b->arena, w->y[o].dtype, w->y[o].ndim, w->y[o].dim);
    bool ran = j && (c.shares || prog_open(b, j, &p));
    do
        ran = ran && run_part(b, w, &c, &p, c.shares ? j : NULL, &t, how, all, &scale);
    while (ran && next(w, &c));
    knx_text cut_so = {0};
    for (int o = 0; o < w->r.n_out && ran && !b->failed; o++) {
        scale = largest(&w->y[o], scale);
        compare(b, "", how, &w->y[o], &all[o], (64 + 4 * (long double)terms) * tensor_epsilon(w->y[o].dtype) * scale);
    }
    if (b->failed) {
        char why[sizeof b->message];
        memcpy(why, b->message, sizeof why);
        b->failed = false;
        bench_fail(b, "%s%.900s", cuts_text(w, &c, &cut_so), why);
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
                if (axis >= t.ndim || seen[axis] ||
                    (f->kind != KNI_HALO && (f->size ? t.dim[axis] % f->size : t.dim[axis])))
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

/* One factor, or two of them, in so many parts, if that can be. */
static void try_cut(bench *b, const whole *w, const int which[2], int64_t n)
{
    int64_t parts[MOST_FACTORS];
    for (int k = 0; k < w->s.n; k++)
        parts[k] = 1;
    for (int i = 0; i < 2; i++) {
        const kni_factor *f = &w->s.v[which[i]];
        parts[which[i]] = n;
        if (f->size < 2 || !knshard_allows(f, &w->r, n))
            return;
    }
    const kni_factor *f = &w->s.v[which[0]], *g = &w->s.v[which[1]];
    if (!kni_factor_joins(f->kind) || !kni_factor_joins(g->kind) || f->kind == g->kind)
        check_cut(b, w, parts);
}

static void check_equation(bench *b, whole *w)
{
    tensor in[MAX_OPERANDS + MOST_FACTORS];
    cuts c = {.any = false};
    int n = 0;
    if (!bench_ok(b, knshard_factors(&w->r, &b->arena, &w->s), "factors"))
        return;
    check_axes_of(b, w);
    if (w->s.n > MOST_FACTORS)
        bench_fail(b, "has %d factors", w->s.n);
    if (b->failed || !w->s.n)
        return;
    for (int i = 0; i < w->r.n_in; i++)
        if (!kni_is_literal(w->e->in[i]))
            in[n++] = w->x[i];
    for (int k = 0; k < w->s.n; k++) {
        in[n++] = tensor_new(&b->arena, KN_DT(I64), 0, NULL);
        c.parts[k] = 1;
    }
    told t = {0};
    kni_jaxpr *j = part_jaxpr(b, w, &c, &t);
    bool ran = j && bench_run(b, j, in, w->y);
    kni_release(j);
    for (int k = 0; ran && k < w->s.n; k++)
        for (int64_t parts = 2; parts < MOST_PARTS && !b->failed; parts++)
            try_cut(b, w, (int[]){k, k}, parts);
    for (int k = 0; ran && k < w->s.n; k++) /* two at once */
        for (int i = 0; i < k && !b->failed; i++)
            try_cut(b, w, (int[]){i, k}, 2);
}

static void check_equations(bench *b, const kni_jaxpr *j, const tensor *in)
{
    static whole w;
    for (uint32_t i = 0; i < j->n_eqn && !b->failed; i++)
        if (begin(&w, j, &j->eqn[i], in))
            check_equation(b, &w);
}

/* The equation over a new first axis of all inputs, or of the first one alone, several fillings of each being one
 * array: rows batch themselves along axes that can be cut. */
static void check_batched(bench *b, bool alone)
{
    enum { BATCH = 3 };
    tensor in[MAX_VALUES], one[MAX_VALUES];
    int axis[MAX_OPERANDS] = {0};
    kni_jaxpr *batched = NULL;
    for (int64_t k = 0; k < BATCH; k++) {
        bench_fill(b, false, (uint64_t)k, one);
        for (int i = 0; i < b->n_in; i++) {
            int64_t dim[MAX_RANK + 1] = {BATCH};
            size_t bytes = (size_t)one[i].n * one[i].dtype->size;
            if (one[i].ndim == MAX_RANK)
                return;
            axis[i] = alone && i ? -1 : 0;
            memcpy(dim + 1, one[i].dim, (size_t)one[i].ndim * sizeof *dim);
            if (!k)
                in[i] = axis[i] ? one[i] : tensor_new(&b->arena, one[i].dtype, one[i].ndim + 1, dim);
            if (bytes && !axis[i])
                memcpy((char *)in[i].data + (size_t)k * bytes, one[i].data, bytes);
        }
    }
    if (bench_ok(b, knt_batch(b->j, BATCH, NULL, axis, NULL, &batched), "batch"))
        check_equations(b, batched, in);
    kni_release(batched);
}

void check_spread(bench *b)
{
    tensor in[MAX_VALUES];
    if (b->s->lanes)
        return;
    bench_fill(b, false, 0, in);
    check_equations(b, b->j, in);
    if (b->n_in && !b->failed)
        check_batched(b, false);
    if (b->n_in > 1 && !b->failed)
        check_batched(b, true);
}
