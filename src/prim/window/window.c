/* SPDX-License-Identifier: Apache-2.0
 * window.c -- where the windows of an array lie: types, batching, and the positions of a window in a kernel. */
#include "prim/window/window.h"
#include <math.h>
#include <string.h>

/* --- types ------------------------------------------------------------------------------------ */

void knp_window_read(const kni_p_window *p, bool dilated, kni_type x, const kni_type *y, knp_window *w)
{
    w->n = x.ndim;
    w->positions = 1;
    for (int d = 0; d < x.ndim; d++) {
        knp_window_axis *a = &w->axis[d];
        *a = (knp_window_axis){.extent = x.dim[d],
                               .base = dilated ? p->base_dilation.v[d] : 1,
                               .lo = p->lo.v[d],
                               .size = p->window_dimensions.v[d],
                               .step = dilated ? p->window_dilation.v[d] : 1,
                               .count = y ? y->dim[d] : 0,
                               .stride = p->window_strides.v[d]};
        if (knx_any_symbolic(w->positions, a->size))
            w->positions = knx_dim_mul(w->positions, a->size);
        else if (__builtin_mul_overflow(w->positions, a->size, &w->positions))
            w->positions = INT64_MAX;
    }
}

bool knp_window_is_fixed(const knp_window *w)
{
    for (int d = 0; d < w->n; d++) {
        const knp_window_axis *a = &w->axis[d];
        bool is_plain = a->base == 1 && a->stride == 1;
        if (knx_has_symbolic(5, (int64_t[]){a->base, a->size, a->step, a->stride, is_plain ? 0 : a->lo}))
            return false;
    }
    return true;
}

void knp_window_guess(knp_window *w)
{
    for (int d = 0; d < w->n; d++) {
        knp_window_axis *a = &w->axis[d];
        int64_t *const all[] = {&a->extent, &a->base, &a->lo, &a->size, &a->step, &a->count, &a->stride};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (knx_is_symbolic(*all[i]))
                *all[i] = knx_dim_hint(*all[i]);
        a->base += !a->base;
        a->stride += !a->stride;
    }
}

static void show_list(knx_text *t, kni_ints v)
{
    knx_text_add(t, "(");
    for (int i = 0; i < v.n; i++)
        knx_text_add(t, "%s", i ? ", " : ""), knx_dim_show(t, v.v[i]);
    knx_text_add(t, v.n == 1 ? ",)" : ")");
}

static knx_error *check_elements(const char *name, kni_ints v, int64_t least)
{
    for (int i = 0; i < v.n; i++)
        if (knx_dim_lt(v.v[i], least)) {
            knx_text t = {0};
            show_list(&t, v);
            return knx_error_new(KN_ERROR_TYPE, "%s must have every element be %s, got %s.", name,
                                 least ? "strictly positive" : "nonnegative", t.s);
        }
    return NULL;
}

static knx_error *check_length(const char *name, kni_ints v, kni_ints window)
{
    knx_text s = {0}, t = {0};
    if (v.n == window.n)
        return NULL;
    show_list(&s, v);
    show_list(&t, window);
    return knx_error_new(KN_ERROR_TYPE,
                         "got inconsistent %s and window_dimensions: got %s %s and window_dimensions %s.", name, name,
                         s.s, t.s);
}

static knx_error *check_dilation(kni_ints v)
{
    for (int i = 0; i < v.n; i++)
        if (knx_dim_lt(v.v[i], 1)) {
            knx_text t = {0};
            show_list(&t, v);
            return knx_error_new(KN_ERROR_TYPE, "All dilations must be positive, got %s.", t.s);
        }
    return NULL;
}

static knx_error *check_lists(const kni_p_window *p, bool dilated, kni_type x)
{
    kni_ints w = p->window_dimensions;
    KN_TRY(check_elements("window_dimensions", w, 1));
    KN_TRY(check_elements("window_strides", p->window_strides, 1));
    if (dilated) {
        KN_TRY(check_elements("base_dilation", p->base_dilation, 0));
        KN_TRY(check_elements("window_dilation", p->window_dilation, 0));
    }
    if (x.ndim != w.n) {
        knx_text s = {0}, t = {0};
        show_list(&t, w);
        return knx_error_new(KN_ERROR_TYPE,
                             "got the wrong number of window_dimensions for operand: got operand shape %s with "
                             "window_dimensions %s.",
                             knx_show_shape(&s, x.ndim, x.dim), t.s);
    }
    KN_TRY(check_length("window_strides", p->window_strides, w));
    if (dilated) {
        KN_TRY(check_length("base_dilation", p->base_dilation, w));
        KN_TRY(check_length("window_dilation", p->window_dilation, w));
        KN_TRY(check_dilation(p->base_dilation));
        KN_TRY(check_dilation(p->window_dilation));
    }
    KN_TRY(knp_check_count("padding", p->lo, x.ndim));
    return knp_check_count("padding", p->hi, x.ndim);
}

/* The same; false: too large. */
static bool spread(int64_t n, int64_t dilation, int64_t *out)
{
    *out = 0;
    if (knx_any_symbolic(n, dilation)) {
        *out = dilation == 1 ? n : knx_dim_max(knx_dim_mul(n - 1, dilation) + 1, 0);
        return true;
    }
    return n == 0 || (!__builtin_mul_overflow(n - 1, dilation, out) && !__builtin_add_overflow(*out, 1, out));
}

int64_t knp_window_spread(int64_t n, int64_t dilation)
{
    int64_t all;
    spread(n, dilation, &all); /* the type rule has seen that it fits */
    return all;
}

/* a + b; false: too large. */
static bool add_up(int64_t a, int64_t b, int64_t *out)
{
    if (!knx_any_symbolic(a, b))
        return !__builtin_add_overflow(a, b, out);
    *out = knx_dim_add(a, b);
    return true;
}

knx_error *knp_window_counts(const kni_p_window *p, bool dilated, kni_type x, knp_dims *counts)
{
    knp_window w;
    KN_TRY(check_lists(p, dilated, x));
    knp_window_read(p, dilated, x, NULL, &w);
    counts->n = x.ndim;
    for (int d = 0; d < x.ndim; d++) {
        const knp_window_axis *a = &w.axis[d];
        int64_t all, window, left;
        if (!spread(a->extent, a->base, &all) || !spread(a->size, a->step, &window) || !add_up(all, a->lo, &all) ||
            !add_up(all, p->hi.v[d], &all) ||
            (!knx_any_symbolic(all, window) && __builtin_sub_overflow(all, window, &left)))
            return knx_error_new(KN_ERROR_MEMORY, "axis %d is too large with its padding and dilations", d);
        left = knx_dim_sub(all, window);
        counts->v[d] = knx_dim_max(knx_dim_floordiv(left, a->stride) + 1, 0);
    }
    return NULL;
}

knx_error *knp_window_type(const kni_p_window *p, bool dilated, kni_type x, kn_dtype d, bool weak, knx_arena *a,
                           kni_type *y)
{
    knp_dims counts;
    KN_TRY(knp_window_counts(p, dilated, x, &counts));
    return knp_type_dims(a, d, weak, counts.n, counts.v, y);
}

kni_p_window knp_window_insert(const kni_p_window *p, bool dilated, int at, int64_t size, knp_window_lists *lists)
{
    kni_p_window q = *p;
    lists->lo = knp_insert(p->lo, at, 0);
    lists->hi = knp_insert(p->hi, at, 0);
    lists->window_dimensions = knp_insert(p->window_dimensions, at, 1);
    lists->window_strides = knp_insert(p->window_strides, at, 1);
    q.lo = knp_ints(&lists->lo);
    q.hi = knp_ints(&lists->hi);
    q.window_dimensions = knp_ints(&lists->window_dimensions);
    q.window_strides = knp_ints(&lists->window_strides);
    if (dilated) {
        lists->base_dilation = knp_insert(p->base_dilation, at, 1);
        lists->window_dilation = knp_insert(p->window_dilation, at, 1);
        q.base_dilation = knp_ints(&lists->base_dilation);
        q.window_dilation = knp_ints(&lists->window_dilation);
    }
    if (size >= 0) {
        lists->shape = knp_insert(p->shape, at, size);
        q.shape = knp_ints(&lists->shape);
    }
    return q;
}

/* --- numbers ---------------------------------------------------------------------------------- */

knk_node knp_extreme_node(knk_builder *k, kn_dtype d, bool largest)
{
    if (knx_is_float(d))
        return knk_const_double(k, knp_node_dtype(d), largest ? -(double)INFINITY : (double)INFINITY);
    knx_scalar_bits bits = knx_scalar_extreme(d, !largest);
    return knk_const(k, (knx_dtype_id)d->id, knx_scalar_word(d->size, &bits));
}

knk_node knp_both(knk_builder *k, knk_node a, knk_node b)
{
    return a == KNK_NONE ? b : b == KNK_NONE ? a : knk_binary(k, KNK_AND, a, b);
}

/* The position along an axis, less a number of the launch. */
static knk_node less(kni_lower *l, const kni_index *i, int axis, int64_t number)
{
    kni_index *at = kni_lower_index(l, 1, i);
    if (!at)
        return KNK_NONE;
    knp_index_copy(i, axis, at, 0);
    at->axis[0].offset = knx_dim_sub(at->axis[0].offset, number);
    return kni_lower_axis_value(l, at, 0);
}

knk_node knp_not_below(kni_lower *l, const kni_index *i, int axis, int64_t low, knk_node pred)
{
    knk_builder *k = kni_lower_kernel(l);
    knk_node at = less(l, i, axis, low);
    return knp_both(k, pred, knk_binary(k, KNK_LE, knk_const_int(k, KN_ID_I64, 0), at));
}

knk_node knp_below(kni_lower *l, const kni_index *i, int axis, int64_t end, knk_node pred)
{
    knk_builder *k = kni_lower_kernel(l);
    knk_node at = less(l, i, axis, end);
    return knp_both(k, pred, knk_binary(k, KNK_LT, at, knk_const_int(k, KN_ID_I64, 0)));
}

/* --- the positions of a window in a kernel ------------------------------------------------------ */

bool knp_places_new(kni_lower *l, knp_places_room *room, int axis, int n, const kni_index *like)
{
    knp_places *p = &room->axis[axis];
    int at = room->used;
    *p = (knp_places){n, kni_lower_index(l, n, like), room->pred + at, room->number + at, room->node + at};
    if (room->used + n > 2 * KNP_MAX_POSITIONS || !p->at)
        return false;
    room->used += n;
    for (int c = 0; c < n; c++) {
        p->pred[c] = p->node[c] = KNK_NONE;
        p->number[c] = 0;
    }
    return true;
}

static int64_t quotient_up(int64_t x, int64_t by)
{
    return knx_is_symbolic(x) ? knx_dim_ceildiv(x, by) : x / by + (x % by > 0);
}

static int64_t remainder_of(int64_t x, int64_t by) { return (x % by + by) % by; }

/* How the positions along an axis find elements. */
typedef enum {
    EACH,    /* each position is an element's */
    REGULAR, /* those of one residue are, of all windows the same */
    SHIFTED, /* those of one residue are, which depends on the window */
    SCARCE,  /* there are fewer elements than positions: each element may be in the window */
    TESTED   /* each position is tested */
} finding;

/* Of positions that stand side by side, those that may be elements'. */
static int64_t of_one_residue(const knp_window_axis *a)
{
    if (a->stride % a->base)
        return (a->size - 1) / a->base + 1;
    int64_t first = remainder_of(a->lo, a->base);
    return first < a->size ? (a->size - 1 - first) / a->base + 1 : 0;
}

static finding finding_of(const knp_window_axis *a, bool every)
{
    bool unknown = knx_has_symbolic(4, (int64_t[]){a->extent, a->lo, a->size, a->base}); /* in EACH at most */
    if (!every && !unknown && a->step == 1 && a->extent < of_one_residue(a))
        return SCARCE;
    if (a->base == 1)
        return EACH;
    if (every || a->step != 1)
        return TESTED;
    return a->stride % a->base == 0 ? REGULAR : SHIFTED;
}

int64_t knp_window_holds(const knp_window_axis *a)
{
    if (knx_has_symbolic(3, (int64_t[]){a->size, a->base, a->base == 1 ? 0 : a->lo}))
        return a->size;
    switch (finding_of(a, false)) {
    case SCARCE: return a->extent;
    case REGULAR:
    case SHIFTED: return of_one_residue(a);
    case EACH:
    case TESTED: break;
    }
    return a->size;
}

typedef struct walker {
    kni_lower *l;
    const kni_index *i; /* which window */
    bool every;
    knp_places_room room;
} walker;

/* Position k of window i along axis d, in front of which the operand has `lo` places. */
static void position(const walker *w, const knp_window_axis *a, int d, int64_t k, kni_index *to, int c)
{
    kni_index_axis *x = &to->axis[c];
    knk_builder *b = kni_lower_kernel(w->l);
    knp_index_copy(w->i, d, to, c);
    x->offset = knx_dim_sub(knx_dim_add(knx_dim_mul(x->offset, a->stride), k * a->step), a->lo);
    for (int j = 0; j < w->i->n_loop; j++)
        x->coef[j] *= a->stride;
    if (x->node >= 0 && a->stride != 1)
        x->node = knk_binary(b, KNK_MUL, x->node, knk_const_int(b, KN_ID_I64, a->stride));
}

/* Tests for the ends of the operand, where some window needs them; false if the position is always outside. */
static bool inside(const walker *w, knp_places *p, int c, int64_t least, int64_t most, int64_t end)
{
    if (knx_dim_known_le(most, -1) || knx_dim_known_le(end, least))
        return false;
    if (!knx_dim_known_le(0, least))
        p->pred[c] = knp_not_below(w->l, p->at, c, 0, p->pred[c]);
    if (!knx_dim_known_le(most + 1, end))
        p->pred[c] = knp_below(w->l, p->at, c, end, p->pred[c]);
    return true;
}

static void computed(kni_index *at, int c, int64_t offset, knk_node node)
{
    kni_index_axis *x = &at->axis[c];
    x->offset = offset;
    memset(x->coef, 0, (size_t)at->n_loop * sizeof *x->coef);
    x->node = node;
}

/* Of all positions, tested one by one if need be. */
static bool find_each(walker *w, const knp_window_axis *a, int d, bool tested)
{
    knk_builder *k = kni_lower_kernel(w->l);
    int64_t all;
    int n = 0;
    spread(a->extent, a->base, &all);
    if (!knp_places_new(w->l, &w->room, d, (int)a->size, w->i))
        return false;
    knp_places *p = &w->room.axis[d];
    for (int64_t pos = 0; pos < a->size; pos++) {
        int64_t least = knx_dim_sub(pos * a->step, a->lo),
                most = knx_dim_add(knx_dim_mul(a->count - 1, a->stride), least);
        p->pred[n] = KNK_NONE;
        position(w, a, d, pos, p->at, n);
        bool ever = inside(w, p, n, least, most, all);
        if (!ever && !w->every)
            continue;
        p->number[n] = ever ? pos : ~pos;
        if (ever && tested) {
            knk_node at = kni_lower_axis_value(w->l, p->at, n), q = knp_divide(k, at, a->base, most);
            knk_node back = knk_binary(k, KNK_MUL, q, knk_const_int(k, KN_ID_I64, a->base));
            p->pred[n] = knp_both(k, p->pred[n], knk_binary(k, KNK_EQ, back, at));
            computed(p->at, n, 0, q);
        }
        n++;
    }
    p->n = n;
    return true;
}

/* Only the positions of one residue count: as if the elements stood side by side. */
static bool find_regular(walker *w, const knp_window_axis *a, int d)
{
    int64_t first = remainder_of(a->lo, a->base);
    knp_window_axis dense = *a;
    dense.base = 1;
    dense.lo = (a->lo - first) / a->base;
    dense.size = knp_window_holds(a);
    dense.stride = a->stride / a->base;
    return find_each(w, &dense, d, false);
}

/* The first position with an element is r, and then each one `base` further on. */
static bool find_shifted(walker *w, const knp_window_axis *a, int d)
{
    knk_builder *k = kni_lower_kernel(w->l);
    int64_t bias = a->lo > 0 ? quotient_up(a->lo, a->base) : 0, count = knp_window_holds(a), n = 0;
    int64_t end = knx_dim_mul(a->count - 1, a->stride) - a->lo; /* where the last window begins */
    if (!knp_places_new(w->l, &w->room, d, (int)count, w->i))
        return false;
    knp_places *p = &w->room.axis[d];
    position(w, a, d, 0, p->at, 0);
    p->at->axis[0].offset += bias * a->base;
    knk_node begin = kni_lower_axis_value(w->l, p->at, 0);
    p->at->axis[0].offset += a->base - 1;
    knk_node q = knp_divide(k, kni_lower_axis_value(w->l, p->at, 0), a->base, end + (bias + 1) * a->base);
    knk_node r = knk_binary(k, KNK_SUB, knk_binary(k, KNK_MUL, q, knk_const_int(k, KN_ID_I64, a->base)), begin);
    for (int64_t j = 0; j < count; j++) {
        int c = (int)n;
        p->pred[c] = KNK_NONE;
        computed(p->at, c, j - bias, q);
        if (!inside(w, p, c, quotient_up(-a->lo, a->base) + j, quotient_up(end, a->base) + j, a->extent))
            continue;
        if (a->base * (j + 1) > a->size)
            p->pred[c] =
                knp_both(k, p->pred[c], knk_binary(k, KNK_LT, r, knk_const_int(k, KN_ID_I64, a->size - a->base * j)));
        n++;
    }
    p->n = (int)n;
    return true;
}

/* Element e has position lo + e * base - o * stride in window o, if that is one. */
static bool find_scarce(walker *w, const knp_window_axis *a, int d)
{
    kni_index *own = kni_lower_index(w->l, 1, w->i);
    int n = 0;
    if (!own || !knp_places_new(w->l, &w->room, d, (int)a->extent, w->i))
        return false;
    knp_places *p = &w->room.axis[d];
    knp_window_axis first = *a;
    first.lo = 0;
    position(w, &first, d, 0, own, 0);
    int64_t last = (a->count - 1) * a->stride;
    for (int64_t e = 0; e < a->extent; e++) {
        int64_t at = a->lo + e * a->base; /* less o * stride, which is `own`: 0 <= that < size */
        if (at < 0 || at - last >= a->size)
            continue;
        p->pred[n] = KNK_NONE;
        if (at < last)
            p->pred[n] = knp_below(w->l, own, 0, at + 1, p->pred[n]);
        if (at >= a->size)
            p->pred[n] = knp_not_below(w->l, own, 0, at - a->size + 1, p->pred[n]);
        computed(p->at, n, e, KNK_NONE);
        n++;
    }
    p->n = n;
    return true;
}

/* Where one axis says that there is never an element there is none. */
bool knp_places_walk(kni_lower *l, const kni_index *like, int n, const knp_places_room *room, knp_window_visit *visit,
                     void *env)
{
    knk_builder *k = kni_lower_kernel(l);
    kni_index *in = kni_lower_index(l, n, like);
    int at[KN_MAX_NDIM] = {0};
    for (int d = 0; d < n; d++)
        if (!room->axis[d].n)
            return in != NULL;
    for (int d = n; in;) {
        knk_node pred = KNK_NONE, node = KNK_NONE;
        int64_t number = 0;
        bool never = false;
        for (int a = 0; a < n; a++) {
            const knp_places *p = &room->axis[a];
            int64_t own = p->number[at[a]];
            knp_index_copy(p->at, at[a], in, a);
            never |= own < 0;
            number += own < 0 ? ~own : own;
            pred = knp_both(k, pred, p->pred[at[a]]);
            knk_node more = p->node[at[a]];
            node = node < 0 ? more : more < 0 ? node : knk_binary(k, KNK_ADD, node, more);
        }
        visit(env, number, node, never ? NULL : in, pred);
        for (d = n - 1; d >= 0 && ++at[d] == room->axis[d].n; d--)
            at[d] = 0;
        if (d < 0)
            break;
    }
    return in != NULL;
}

bool knp_window_walk(kni_lower *l, const knp_window *w, const kni_index *i, bool every, knp_window_visit *visit,
                     void *env)
{
    walker k = {.l = l, .i = i, .every = every};
    int64_t after = 1;
    for (int d = w->n - 1; d >= 0; after *= w->axis[d--].size) {
        const knp_window_axis *a = &w->axis[d];
        finding how = finding_of(a, every);
        bool found = how == SHIFTED   ? find_shifted(&k, a, d)
                     : how == SCARCE  ? find_scarce(&k, a, d)
                     : how == REGULAR ? find_regular(&k, a, d)
                                      : find_each(&k, a, d, how == TESTED);
        if (!found)
            return false;
        knp_places *p = &k.room.axis[d];
        for (int c = 0; c < p->n; c++)
            p->number[c] = p->number[c] < 0 ? ~(~p->number[c] * after) : p->number[c] * after;
    }
    return knp_places_walk(l, i, w->n, &k.room, visit, env);
}

/* Rows without fields for dilations have empty lists. */
static int64_t dilation(kni_ints v, int d) { return d < v.n ? v.v[d] : 1; }

/* The extents along axis d of the array and of its windows: arrays have one of them. */
static void extents(const kni_rule *r, int d, int64_t *array, int64_t *windows)
{
    int ndim = r->yt[0].ndim;
    *array = *windows = r->yt[0].dim[d];
    for (int i = 0; i < r->n_in; i++)
        if (r->xt[i].ndim == ndim) {
            *array = r->xt[i].dim[d] > *array ? r->xt[i].dim[d] : *array;
            *windows = r->xt[i].dim[d] < *windows ? r->xt[i].dim[d] : *windows;
        }
}

bool knp_windows_are_apart(const kni_rule *r, int d)
{
    const kni_p_window *p = r->params;
    int64_t array, windows, stride = p->window_strides.v[d];
    extents(r, d, &array, &windows);
    return !p->lo.v[d] && dilation(p->base_dilation, d) == 1 && array == stride * windows &&
           knp_window_spread(p->window_dimensions.v[d], dilation(p->window_dilation, d)) <= stride;
}

void knp_window_factors(const kni_rule *r, kni_spread *s)
{
    int ndim = r->yt[0].ndim;
    for (int d = 0; d < ndim; d++) {
        int64_t array, windows;
        extents(r, d, &array, &windows);
        kni_factor *f = knp_windows_are_apart(r, d) ? kni_factor_new(s, KNI_PARALLEL, windows) : NULL;
        for (int i = 0; i < r->n_in; i++)
            if (r->xt[i].ndim == ndim)
                kni_factor_in(f, i, d);
        for (int j = 0; j < r->n_out; j++)
            kni_factor_out(f, j, d);
    }
}
