/* SPDX-License-Identifier: Apache-2.0
 * make.c -- random jaxprs: extents, values to choose from, operands that fit, and what becomes of it all. */
#include "programs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the builder ------------------------------------------------------------------------------ */

bool settle(maker *m)
{
    knx_error *e = knb_take_error(m->b);
    knx_error_release(e);
    return !e;
}

static int64_t product(int ndim, const int64_t *dim)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= dim[d];
    return n;
}

kni_atom keep(maker *m, kni_atom a)
{
    if (!settle(m) || (!kni_is_literal(a) && !kni_is_var(a)))
        return KN_ATOM_NONE;
    kni_type t = knb_type(m->b, a);
    int64_t n = kni_type_size(t);
    m->work -= n;
    if (kni_is_var(a) && m->n < POOL && n <= m->room && t.ndim <= MAX_RANK - 2)
        m->pool[m->n++] = a;
    return a;
}

/* Rows that stand for loops of many operations only run over few elements. */
static double weight_of(const kni_prim *p)
{
    bool loop = p->expand || p == &knp_prim_random_gamma || p == &knp_prim_reduce;
    return loop ? 1500 : p->bits & (KN_CHEAP | KN_VIEW | KN_REDUCES) ? 1 : p->run ? 30 : 5;
}

bool affordable(maker *m, const kni_prim *p, int64_t size)
{
    double work = weight_of(p) * (double)size;
    return work < 6e6 && (work < 1e5 || (m->work -= (int64_t)(work / 25)) > 0);
}

int emit(maker *m, const kni_prim *p, const void *params, int n_in, const kni_atom *in, kni_atom *out, int room)
{
    for (int i = 0; i < n_in; i++)
        if (in[i] == KN_ATOM_NONE)
            return 0;
    int64_t size = 0;
    for (int i = 0; i < n_in; i++)
        size += kni_type_size(knb_type(m->b, in[i]));
    if (!affordable(m, p, size))
        return 0;
    int n = knb_emit(m->b, p, params, n_in, in, out, room);
    if (!settle(m))
        return 0;
    for (int i = 0; i < n; i++)
        keep(m, out[i]);
    return n;
}

kni_atom emit1(maker *m, const kni_prim *p, const void *params, int n_in, const kni_atom *in)
{
    kni_atom out[MAX_VALUES];
    return emit(m, p, params, n_in, in, out, MAX_VALUES) ? out[0] : KN_ATOM_NONE;
}

/* --- choices ---------------------------------------------------------------------------------- */

kn_dtype any_dtype(maker *m, const char *kinds)
{
    for (;;) {
        kn_dtype d = &knx_dtype_table[below(m, KN_ID_COUNT)];
        if (strchr(kinds, d->kind))
            return d;
    }
}

static kni_atom recent(maker *m)
{
    int back = m->n < 8 ? m->n : 8;
    return chance(m, 4) ? m->pool[below(m, m->n)] : m->pool[m->n - 1 - below(m, back)];
}

int any_shape(maker *m, int64_t *dim)
{
    if (m->n && !chance(m, 4)) {
        kni_type t = knb_type(m->b, recent(m));
        if (t.ndim)
            memcpy(dim, t.dim, (size_t)t.ndim * sizeof *dim);
        return t.ndim;
    }
    int ndim = below(m, 4);
    do
        for (int d = 0; d < ndim; d++)
            dim[d] = chance(m, 8) ? 1 + below(m, 3) : m->base[below(m, MAX_BASE)];
    while (product(ndim, dim) > m->room && ndim-- > 0);
    return ndim < 0 ? 0 : ndim;
}

/* --- operands --------------------------------------------------------------------------------- */

static kni_atom new_input(maker *m, kn_dtype d, int ndim, const int64_t *dim, const fill *f)
{
    if (m->n_input == MAX_INPUTS || m->depth || product(ndim, dim) > m->room)
        return KN_ATOM_NONE;
    kni_type t = kni_type_of(d, ndim, dim);
    bool constant = chance(m, 6);
    kni_atom a = constant ? knb_constvar(m->b, t) : knb_invar(m->b, t);
    m->input[m->n_input] = a;
    m->input_constant[m->n_input] = constant;
    m->input_fill[m->n_input++] = f ? *f : (fill){0};
    return keep(m, a);
}

static bool has_type(kni_type t, kn_dtype d, int ndim, const int64_t *dim)
{
    return t.dtype == d && t.ndim == ndim && (!ndim || !memcmp(t.dim, dim, (size_t)ndim * sizeof *dim));
}

static kni_atom find_type(maker *m, kn_dtype d, int ndim, const int64_t *dim)
{
    for (int i = 0, from = below(m, m->n); i < m->n; i++) {
        kni_atom a = m->pool[(i + from) % m->n];
        if (has_type(knb_type(m->b, a), d, ndim, dim))
            return a;
    }
    return KN_ATOM_NONE;
}

static kni_atom as_dtype(maker *m, kni_atom x, kn_dtype d)
{
    kn_dtype from = x == KN_ATOM_NONE ? NULL : knb_type(m->b, x).dtype;
    if (!from || from == d)
        return x;
    if (from->kind == KN_KIND_KEY && d->kind == KN_KIND_KEY)
        return x;
    if (from->kind == KN_KIND_KEY)
        return KN_ATOM_NONE;
    if (d->kind == KN_KIND_KEY)
        return emit1(m, &knp_prim_random_seed, NULL, 1, (kni_atom[]){as_dtype(m, x, KN_DT(U32))});
    return emit1(m, &knp_prim_convert_element_type, &(kni_p_convert){.new_dtype = d}, 1, &x);
}

/* x with its elements, or some of them, or more than them, in this shape. */
static kni_atom as_shape(maker *m, kni_atom x, int ndim, const int64_t *dim)
{
    kni_type t = knb_type(m->b, x);
    int64_t have = kni_type_size(t), need = product(ndim, dim), zero = 0, one = 1;
    if (!t.ndim && ndim)
        return emit1(m, &knp_prim_broadcast_in_dim, &(kni_p_broadcast_in_dim){{ndim, dim}, {0, NULL}}, 1, &x);
    if (!have && need)
        return KN_ATOM_NONE;
    if (t.ndim != 1 || (have != need && !ndim))
        x = emit1(m, &knp_prim_reshape, &(kni_p_reshape){{1, &have}}, 1, &x);
    if (x != KN_ATOM_NONE && have < need) {
        int64_t reps = (need + have - 1) / have;
        x = emit1(m, &knp_prim_tile, &(kni_p_tile){{1, &reps}}, 1, &x);
        have *= reps;
    }
    if (x != KN_ATOM_NONE && have > need)
        x = emit1(m, &knp_prim_slice, &(kni_p_slice){{1, &need}, {1, &zero}, {1, &one}}, 1, &x);
    return x == KN_ATOM_NONE ? x : emit1(m, &knp_prim_reshape, &(kni_p_reshape){{ndim, dim}}, 1, &x);
}

static kni_atom literal(maker *m, kn_dtype d)
{
    static const double some[] = {0, 1, -1, 2, 0.5, 3, -0.0, 1e30, -1e-30, 100, -7, 65504, 1e-40};
    if (d->kind == KN_KIND_KEY)
        return KN_ATOM_NONE;
    double v = chance(m, 3) ? (double)(below(m, 200) - 100) / 8 : some[below(m, 13)];
    return knb_literal(m->b, d, false, knx_scalar_from_double(d, d->kind == KN_KIND_BOOL ? v > 0 : v));
}

/* From nothing: numbers in order, or one number everywhere. */
static kni_atom from_nothing(maker *m, kn_dtype d, int ndim, const int64_t *dim)
{
    kn_dtype made = d->kind == KN_KIND_KEY || d->kind == KN_KIND_BOOL ? KN_DT(I32) : d;
    if (!ndim || chance(m, 3)) {
        kni_atom x = literal(m, made);
        if (ndim)
            x = as_shape(m, x, ndim, dim);
        return as_dtype(m, x, d);
    }
    return as_dtype(m, emit1(m, &knp_prim_iota, &(kni_p_iota){below(m, ndim), made, {ndim, dim}}, 0, NULL), d);
}

kni_atom want_index(maker *m, kn_dtype d, int ndim, const int64_t *dim, int64_t lo, int64_t hi)
{
    fill f = {(double)lo, (double)hi, true, false};
    kni_atom x = chance(m, 2) ? new_input(m, d, ndim, dim, &f) : KN_ATOM_NONE;
    if (x != KN_ATOM_NONE)
        return x;
    if (d->kind == KN_KIND_UINT && lo < 0)
        lo = 0;
    x = want(m, d, ndim, dim, NULL);
    kni_atom in[3] = {knb_integer(m->b, d, lo), x, knb_integer(m->b, d, hi)};
    return emit1(m, &knp_prim_clamp, NULL, 3, in);
}

/* A bound of a domain as an index has it: bounds of uint64 may lie beyond those of int64. */
static int64_t bound_of(double b) { return b < 0x1p63 ? (int64_t)b : INT64_MAX; }

kni_atom want(maker *m, kn_dtype d, int ndim, const int64_t *dim, const fill *f)
{
    kni_atom x = KN_ATOM_NONE;
    if (product(ndim, dim) > 2 * m->room || product(ndim, dim) < 0)
        return x;
    if (f && f->domain && knx_is_integer(d))
        return f->distinct ? new_input(m, d, ndim, dim, f)
                           : want_index(m, d, ndim, dim, bound_of(f->lo), bound_of(f->hi));
    if (!chance(m, 5))
        x = find_type(m, d, ndim, dim);
    if (x == KN_ATOM_NONE && ((f && chance(m, 2)) || chance(m, m->n_input < 2 ? 1 : 4)))
        x = new_input(m, d, ndim, dim, f);
    if (x == KN_ATOM_NONE && !ndim && chance(m, 2))
        x = literal(m, d);
    for (int i = 0; i < 6 && m->n && x == KN_ATOM_NONE; i++) {
        kni_atom a = recent(m);
        kni_type t = knb_type(m->b, a);
        bool shape = t.ndim == ndim && (!ndim || !memcmp(t.dim, dim, (size_t)ndim * sizeof *dim));
        if (!shape && i < 3 && t.ndim)
            continue;
        a = as_dtype(m, a, d);
        x = a == KN_ATOM_NONE || shape ? a : as_shape(m, a, ndim, dim);
    }
    if (x == KN_ATOM_NONE)
        x = new_input(m, d, ndim, dim, f);
    return x == KN_ATOM_NONE ? from_nothing(m, d, ndim, dim) : x;
}

kni_atom want_dtype(maker *m, kn_dtype d)
{
    int64_t dim[KN_MAX_NDIM];
    if (!chance(m, 4))
        for (int i = 0; i < 8 && m->n; i++) {
            kni_atom a = recent(m);
            if (knb_type(m->b, a).dtype == d)
                return a;
        }
    return want(m, d, any_shape(m, dim), dim, NULL);
}

/* --- equations -------------------------------------------------------------------------------- */

bool make_goal(maker *m, const goal *g)
{
    make_fn *own = own_maker(g->prim);
    kn_dtype t = m->t, to = m->to;
    bool made = false;
    m->t = g->from < KN_ID_COUNT ? &knx_dtype_table[g->from] : NULL;
    m->to = g->to < KN_ID_COUNT ? &knx_dtype_table[g->to] : NULL;
    for (int tries = 0; tries < 3 && !made; tries++)
        made = own && !chance(m, 4) ? own(m, g->prim) : make_sample(m, g);
    m->t = t;
    m->to = to;
    return made;
}

/* A row that likely meets what is there: of a kind that occurs often, at the dtype of a recent value. */
static const goal *random_goal(maker *m)
{
    static const uint32_t often[] = {KN_CHEAP, KN_CHEAP, KN_CHEAP, KN_ELEMENTWISE, KN_VIEW, KN_VIEW, KN_REDUCES,
                                     0,        0,        0};
    uint32_t bits = often[below(m, 10)];
    kn_dtype d = m->n && !chance(m, 4) ? knb_type(m->b, recent(m)).dtype : NULL;
    const goal *g = &goals[below(m, n_goals)];
    for (int i = 0; i < 300 && ((g->prim->bits & bits) != bits || (d && g->from != d->id)); i++)
        g = &goals[below(m, n_goals)];
    return g;
}

kni_jaxpr *make_body(maker *outer, int n_in, const kni_type *in, int n_out, const kni_type *out, int equations)
{
    kni_builder b;
    kni_atom y[MAX_INPUTS];
    kni_jaxpr *j = NULL;
    knb_init(&b);
    maker m = *outer;
    m.b = &b;
    m.n = 0;
    m.depth++;
    for (int i = 0; i < n_in; i++)
        m.pool[m.n++] = knb_invar(&b, in[i]);
    for (int i = 0; i < equations && m.work > 0; i++)
        make_goal(&m, random_goal(&m));
    bool fine = true;
    for (int i = 0; i < n_out; i++)
        fine &= (y[i] = out ? want(&m, out[i].dtype, out[i].ndim, out[i].dim, NULL) : recent(&m)) != KN_ATOM_NONE;
    if (fine) {
        knx_error *e = knb_finish(&b, n_out, y, "body", chance(&m, 2), &j);
        knx_error_release(e);
    }
    knb_free(&b);
    outer->state = m.state;
    outer->work = m.work;
    return j;
}

/* --- operands' values ------------------------------------------------------------------------- */

static void special_number(kn_dtype part, char *to, uint64_t *state)
{
    static const double odd[] = {0.0,  -0.0,  1e30,   -1e-30, INFINITY, -INFINITY, NAN,  65504,
                                 1e-7, 1e-40, 5e-324, 1,      -1,       1e308,     6e-8, -3.4028235e38};
    uint64_t top = (uint64_t)1 << (8 * part->size - 1), r = test_random(state);
    uint64_t whole[] = {0, 1, ~(uint64_t)0, top, top - 1, top + 1, 2, ~(uint64_t)1};
    knx_scalar_bits s = {.u = {whole[r % 8], 0}};
    if (knx_is_float(part))
        s = knx_scalar_from_double(part, odd[r % 16]);
    memcpy(to, s.bytes, part->size);
}

static void fill_operand(kni_type t, void *data, const fill *f, uint64_t *state)
{
    kn_dtype part = knx_component(t.dtype);
    int64_t n = kni_type_size(t) * (part == t.dtype ? 1 : 2);
    uint64_t how = test_random(state) % 8, often = how == 1 ? 3 : how < 5 ? 14 : UINT64_MAX;
    if ((f->lo != 0 || f->hi != 0) && (f->domain || how < 6)) {
        tensor x = {.dtype = t.dtype, .ndim = t.ndim, .n = kni_type_size(t), .data = data};
        tensor_fill(&x, f->lo, f->hi, f->distinct ? FILL_DISTINCT : f->domain || how < 3 ? 0 : FILL_SPECIAL, 0, state);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        char *to = (char *)data + i * part->size;
        uint64_t r = test_random(state);
        if (part->kind == KN_KIND_BOOL)
            *to = (char)(r >> 63);
        else if (part->kind == KN_KIND_KEY || how == 7)
            memcpy(to, &r, part->size);
        else if (r % often == 0)
            special_number(part, to, state);
        else
            memcpy(to, knx_scalar_from_double(part, (double)((int64_t)(r >> 40) % 2001 - 1000) / 128).bytes,
                   part->size);
    }
}

static bool fill_operands(maker *m, program *p)
{
    int n = program_operands(p), given = 0;
    p->x = calloc((size_t)n + 1, sizeof *p->x);
    for (int pass = 0; p->x && pass < 2; pass++) /* constants come first */
        for (int i = 0; i < m->n_input && given < n; i++) {
            if (m->input_constant[i] != (pass == 0))
                continue;
            p->x[given] = knx_buffer_new(kni_type_bytes(p->j->type[given]));
            if (!p->x[given])
                return false;
            fill_operand(p->j->type[given], p->x[given]->data, &m->input_fill[i], &m->state);
            given++;
        }
    return p->x && given == n;
}

void program_free(program *p)
{
    for (int i = 0; p->j && p->x && i < program_operands(p); i++)
        knx_buffer_release(p->x[i]);
    free(p->x);
    kni_release(p->j);
    *p = (program){0};
}

/* --- a program -------------------------------------------------------------------------------- */

static const int64_t small[] = {1, 1, 2, 2, 2, 3, 3, 4, 5, 7, 8},
                     middle[] = {1, 3, 15, 16, 17, 31, 33, 63, 64, 65, 100},
                     large[] = {1, 2, 3, 1023, 1024, 1025, 2049, 4097, 16383, 16384, 16385, 33000},
                     cut[] = {1, 2, 3, 4, 4, 6, 6, 8, 8, 12, 5, 7},
                     huge[] = {64 * 16384 + 5, 64 * 16384, 65 * 16384 + 1, 2, 1000003};
#define ANY_OF(m, list) (list)[below(m, (int)(sizeof(list) / sizeof *(list)))]

static int choose_extents(maker *m)
{
    int kind = below(m, 400);
    for (int i = 0; i < MAX_BASE; i++)
        m->base[i] = kind < 1     ? ANY_OF(m, huge)
                     : kind < 24  ? ANY_OF(m, large)
                     : kind < 130 ? ANY_OF(m, middle)
                     : sharded    ? ANY_OF(m, cut)
                                  : ANY_OF(m, small);
    if (chance(m, 25))
        m->base[below(m, MAX_BASE)] = 0;
    if (kind < 1) {
        m->base[0] = huge[below(m, 3)];
        m->base[1] = 2;
    }
    m->room = kind < 1 ? 2300000 : kind < 24 ? 70000 : kind < 130 ? 5000 : 600;
    m->work = kind < 1 ? 6000000 : kind < 24 ? 300000 : 60000;
    return kind < 1 ? 1 + below(m, 3) : kind < 24 ? 1 + below(m, 8) : 1 + below(m, chance(m, 3) ? 40 : 14);
}

/* Most of what nothing reads, and now and then operands, values that are read too, literals, values twice. */
static int choose_results(maker *m, kni_atom *out)
{
    int n = 0, most = 1 + below(m, MAX_RESULT);
    bool *read = calloc(m->b->type.n + 1, 1);
    for (size_t i = 0; read && i < m->b->eqn.n; i++)
        for (uint32_t k = 0; k < m->b->eqn.at[i].n_in; k++)
            if (kni_is_var(m->b->eqn.at[i].in[k]))
                read[m->b->eqn.at[i].in[k]] = true;
    for (int i = m->n - 1; read && i >= 0 && n < most; i--)
        if (kni_is_var(m->pool[i]) && !read[m->pool[i]] && !chance(m, 6))
            out[n++] = m->pool[i];
    free(read);
    while (n < MAX_RESULT && (!n || chance(m, 4)))
        out[n++] = chance(m, 4) && m->n_input ? m->input[below(m, m->n_input)]
                   : chance(m, 12)            ? literal(m, KN_DT(F32))
                                              : recent(m);
    return n;
}

bool program_make(uint64_t number, program *out, uint32_t *times)
{
    kni_builder b;
    kni_atom y[MAX_RESULT];
    *out = (program){0};
    knb_init(&b);
    maker m = {.b = &b, .state = number * 0xd1342543de82ef95u + 11, .times = times};
    int equations = choose_extents(&m);
    for (int i = 0, next = 0; i < equations && m.work > 0; i++) {
        uint64_t k = number * 4 + (uint64_t)next;
        bool due = next < 4 && (chance(&m, 3) || equations - i <= 4 - next);
        next += due;
        make_goal(&m, due ? &goals[k * 7919 % (uint64_t)n_goals] : random_goal(&m));
    }
    bool fine = m.n > 0;
    if (fine) {
        int n = choose_results(&m, y);
        knx_error *e = knb_finish(&b, n, y, "program", !chance(&m, 4), &out->j);
        fine = !e;
        if (e && e->kind != KN_ERROR_TYPE)
            fprintf(stderr, "program %llu: %s\n", (unsigned long long)number, e->message);
        knx_error_release(e);
        fine = fine && fill_operands(&m, out);
        if (fine)
            program_derive(&m, out);
    }
    knb_free(&b);
    if (!fine)
        program_free(out);
    else if (times)
        goals_count(out->j, times);
    return fine;
}
