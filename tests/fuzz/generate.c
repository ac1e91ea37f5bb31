/* SPDX-License-Identifier: Apache-2.0
 * generate.c -- makes random programs. Each line is tried in the model as it is made, so that most are valid. */
#include "program.h"
#include <math.h>
#include <string.h>

typedef struct {
    uint64_t random;
    p_program *program;
    p_run run;
    p_line *line; /* the one being made */
    int slots;    /* few make variables short-lived */
} maker;

uint64_t p_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int64_t below(maker *g, int64_t n) { return n <= 0 ? 0 : (int64_t)(p_random(&g->random) % (uint64_t)n); }
static bool chance(maker *g, int percent) { return below(g, 100) < percent; }
static int64_t between(maker *g, int64_t lo, int64_t hi) { return lo + below(g, hi - lo + 1); }

/* Sometimes something wrong; never under a transformation. */
static bool mistake(maker *g, int per_mille) { return !g->program->traced && below(g, 1000) < per_mille; }

static m_shape some_shape(maker *g, int64_t most)
{
    static const int64_t extent[] = {1, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7};
    m_shape s;
    do {
        s.ndim = (int)(chance(g, 8) ? 0 : chance(g, 85) ? between(g, 1, 3) : 4);
        for (int i = 0; i < s.ndim; i++)
            s.dim[i] = chance(g, 3) ? 0 : extent[below(g, s.ndim > 2 ? 8 : 11)];
    } while (m_count(&s) > most);
    return s;
}

/* ---- Values. */

static double some_double(maker *g)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e300, 0x1p53 + 2, 0.1, 5e-324, 1e-40};
    if (g->program->smooth) /* no whole numbers: rounding has no slope there */
        return (double)between(g, -1500000, 1500000) * 1e-6 + 1e-7;
    return chance(g, 5) ? special[below(g, 10)] : (double)between(g, -20, 20) / (chance(g, 50) ? 1 : 4);
}

static int64_t some_int(maker *g)
{
    static const int64_t special[] = {
        INT64_MAX, INT64_MIN, (INT64_C(1) << 53) + 1, -(INT64_C(1) << 53) - 1, (INT64_C(1) << 62) + 3, 256};
    return !g->program->smooth && chance(g, 8) ? special[below(g, 6)] : between(g, -9, 9);
}

static m_number some_number(maker *g, m_dtype d)
{
    m_number x = {.dtype = d};
    switch (d) {
    case M_BOOL: x.i = below(g, 2); break;
    case M_U8: x.i = below(g, 256); break;
    case M_I64: x.i = some_int(g); break;
    case M_F32: x.re = (float)some_double(g); break;
    case M_C128: x.im = some_double(g); /* fall through */
    default: x.re = some_double(g);
    }
    return x;
}

static m_dtype some_dtype(maker *g)
{
    static const m_dtype any[] = {M_I64, M_I64, M_I64, M_F64, M_F64, M_F64, M_U8, M_U8, M_F32, M_F32, M_BOOL, M_C128};
    static const m_dtype smooth[] = {M_F64, M_F64, M_F64, M_F64, M_I64, M_BOOL, M_C128, M_U8};
    return g->program->smooth ? smooth[below(g, 8)] : any[below(g, 12)];
}

/* A number of Python that an operation with an array of this dtype most often takes. */
static m_number weak_number(maker *g, m_dtype d)
{
    m_number x;
    if (d <= M_I64 ? !mistake(g, 30) : chance(g, 40))
        x = (m_number){.dtype = M_I64, .i = d == M_U8 ? between(g, 0, 9) : between(g, -5, 9)};
    else
        x = some_number(g, d == M_C128 && chance(g, 50) ? M_C128 : M_F64);
    if (d <= M_I64 && x.dtype != M_I64 && !(x.re >= 0 && x.re < 256))
        x.re = 7.5; /* an element set to a number that does not fit is an error in Python, not so for arrays */
    if (d == M_U8 && x.dtype == M_I64 && mistake(g, 20))
        x.i = 300;
    return x;
}

/* ---- Variables. */

static int some_variable(maker *g)
{
    int slot = (int)below(g, P_SLOTS);
    for (int i = 0; i < P_SLOTS; i++, slot = (slot + 1) % P_SLOTS)
        if (g->run.slot[slot] >= 0)
            return g->run.slot[slot];
    return -1;
}

/* A variable that broadcasts to a shape, of the store given if one can be had; -1: none. */
static int variable_like(maker *g, const m_shape *shape, const m_store *store)
{
    int best = -1, slot = (int)below(g, P_SLOTS);
    for (int i = 0; i < P_SLOTS; i++, slot = (slot + 1) % P_SLOTS) {
        m_array wide;
        int v = g->run.slot[slot];
        if (v < 0 || m_broadcast(&g->run.var[v], shape, &wide))
            continue;
        if (best < 0 || g->run.var[v].store == store)
            best = v;
        if (g->run.var[v].store == store)
            break;
    }
    return best;
}

static void choose_value(maker *g, const m_shape *shape, const m_array *target)
{
    p_line *line = g->line;
    line->number = weak_number(g, target->dtype);
    line->b = -1;
    if (chance(g, 35))
        return;
    line->b = mistake(g, 40) ? some_variable(g) : variable_like(g, shape, chance(g, 60) ? target->store : NULL);
}

/* ---- Indices. */

static int64_t some_position(maker *g, int64_t dim)
{
    if (mistake(g, 10))
        return chance(g, 50) ? dim + below(g, 3) : -dim - 1 - below(g, 3);
    return dim ? between(g, -dim, dim - 1) : 0;
}

static void make_slice(maker *g, p_item *p, int64_t dim)
{
    static const int64_t step[] = {-1, -1, -1, 2, 2, -2, 3, 1, -3, INT64_MAX};
    m_item *m = &p->item;
    m->kind = M_SLICE;
    m->has_start = chance(g, 45);
    m->has_stop = chance(g, 40);
    m->has_step = chance(g, 35);
    m->start = chance(g, 85) ? some_position(g, dim) : between(g, -dim - 3, dim + 3);
    m->stop = chance(g, 70) ? between(g, 1, dim) - (chance(g, 30) ? dim + 1 : 0) : between(g, -dim - 3, dim + 3);
    m->step = mistake(g, 5) ? 0 : step[below(g, 10)];
    p->placeholder = chance(g, 30);
}

/* An array of positions along an axis; all of an index broadcast with `common`. */
static void make_positions(maker *g, p_item *p, int64_t dim, const m_shape *common)
{
    p->item.kind = M_ARRAY;
    p->dtype = M_I64;
    p->shape = *common;
    if (p->shape.ndim && chance(g, 20))
        p->shape.dim[below(g, p->shape.ndim)] = 1;
    if (p->shape.ndim && chance(g, 15))
        p->shape = (m_shape){p->shape.ndim - 1, {p->shape.dim[1]}};
    if (p->shape.ndim && mistake(g, 10))
        p->shape.dim[0]++;
    for (int64_t k = 0; k < m_count(&p->shape); k++)
        p->value[k] = below(g, 3) && k ? p->value[below(g, k)] : dim ? between(g, -dim, dim - 1) : 0;
    if (m_count(&p->shape) && mistake(g, 15))
        p->value[below(g, m_count(&p->shape))] = chance(g, 50) ? dim : -dim - 1;
}

/* A mask of some axes, by its values or as var > limit. Returns how many axes it takes. */
static int make_mask(maker *g, p_item *p, const m_array *a, int axis)
{
    int n = (int)between(g, chance(g, 5) ? 0 : 1, a->shape.ndim - axis);
    p->item.kind = M_ARRAY;
    p->dtype = M_BOOL;
    p->shape.ndim = n;
    memcpy(p->shape.dim, a->shape.dim + axis, sizeof(int64_t) * (size_t)n);
    if (n && mistake(g, 30))
        p->shape.dim[below(g, n)]++;
    int slot = (int)below(g, P_SLOTS);
    for (int i = 0; i < P_SLOTS && chance(g, 90); i++, slot = (slot + 1) % P_SLOTS) {
        int v = g->run.slot[slot];
        const m_array *x = v < 0 ? NULL : &g->run.var[v];
        if (!x || x->dtype == M_C128 || x->dtype == M_BOOL || x->shape.ndim != n ||
            memcmp(x->shape.dim, p->shape.dim, sizeof(int64_t) * (size_t)n) != 0)
            continue;
        p->var = v;
        p->compare = true;
        p->limit = between(g, 0, 5);
        return n;
    }
    if (m_count(&p->shape) > P_VALUES)
        p->shape = (m_shape){n = 1, {a->shape.dim[axis]}};
    if (m_count(&p->shape) > P_VALUES) {
        make_slice(g, p, a->shape.dim[axis]);
        return 1;
    }
    for (int64_t k = 0; k < m_count(&p->shape); k++)
        p->value[k] = below(g, 2);
    return n;
}

static void make_index(maker *g, const m_array *a, bool advanced)
{
    int axis = 0, ellipses = 0;
    bool masked = g->program->traced;
    p_line *line = g->line;
    m_shape common = {.ndim = (int)below(g, 3)};
    for (int i = 0; i < common.ndim; i++)
        common.dim[i] = chance(g, 6) ? 0 : between(g, 1, 4);
    line->n_items = 0;
    while (line->n_items < M_ITEMS - 1) {
        p_item *p = &line->item[line->n_items];
        memset(p, 0, sizeof *p);
        p->var = -1;
        if (axis == a->shape.ndim && !chance(g, mistake(g, 40) ? 100 : 10))
            break;
        if (axis < a->shape.ndim && line->n_items && chance(g, 10))
            break;
        line->n_items++;
        int64_t dim = axis < a->shape.ndim ? a->shape.dim[axis] : 1;
        if (chance(g, 8) || (axis == a->shape.ndim && !mistake(g, 300))) {
            p->item.kind = M_NEW_AXIS;
        } else if (chance(g, 10) && (!ellipses || mistake(g, 100))) {
            p->item.kind = M_ELLIPSIS;
            ellipses++;
            axis += (int)below(g, a->shape.ndim - axis + 1);
        } else if (advanced && !masked && axis < a->shape.ndim && chance(g, 30)) {
            axis += make_mask(g, p, a, axis);
            masked = true;
        } else if (advanced && chance(g, 50)) {
            make_positions(g, p, dim, &common);
            axis++;
        } else if (chance(g, 30) && dim) {
            p->item.kind = M_INT;
            p->item.start = some_position(g, dim);
            p->placeholder = chance(g, 50);
            axis++;
        } else {
            make_slice(g, p, dim);
            axis++;
        }
        axis = axis > a->shape.ndim ? a->shape.ndim : axis;
    }
}

/* ---- Lines. */

static void some_axes(maker *g, int ndim, bool all)
{
    p_line *line = g->line;
    int64_t *axis = line->axes;
    for (int i = 0; i < ndim; i++)
        axis[i] = i;
    for (int i = ndim - 1; i > 0; i--) {
        int64_t k = below(g, i + 1), was = axis[i];
        axis[i] = axis[k];
        axis[k] = was;
    }
    line->n_axes = chance(g, 40) ? -1 : all ? ndim : (int)between(g, ndim > 0, ndim);
    for (int i = 0; i < ndim; i++)
        axis[i] -= chance(g, 30) ? ndim : 0;
    if (line->n_axes > 0 && mistake(g, 20))
        axis[0] = chance(g, 50) ? ndim : axis[line->n_axes - 1];
}

/* Some other shape of n elements. */
static m_shape shape_of_size(maker *g, int64_t n)
{
    m_shape s = {0};
    while (s.ndim < 4) {
        int64_t d = between(g, 1, 6);
        if (n == 1 && !chance(g, 25))
            break;
        if (n == 0)
            d = below(g, 2) ? 0 : d;
        else if (n % d || chance(g, 20))
            d = chance(g, 20) ? 1 : n;
        s.dim[s.ndim++] = d;
        n = d ? n / d : n;
    }
    if (n != 1)
        s.dim[s.ndim++] = n;
    if (s.ndim && chance(g, 30))
        s.dim[below(g, s.ndim)] = -1;
    if (s.ndim && mistake(g, 20))
        s.dim[below(g, s.ndim)] += 1;
    return s;
}

static m_shape broader_shape(maker *g, const m_shape *from)
{
    m_shape s = *from;
    for (int i = 0; i < s.ndim; i++)
        s.dim[i] = s.dim[i] == 1 && chance(g, 60) ? between(g, 0, 4) : s.dim[i];
    for (int more = (int)below(g, 3); more > 0 && s.ndim < 4; more--) {
        memmove(s.dim + 1, s.dim, sizeof(int64_t) * (size_t)s.ndim++);
        s.dim[0] = between(g, 1, 3);
    }
    if (s.ndim && mistake(g, 30))
        s.dim[below(g, s.ndim)]++;
    return s;
}

static void fill_data(maker *g)
{
    p_line *line = g->line;
    m_heap heap = {0};
    m_array x;
    if (m_new(&heap, line->dtype, &line->shape, &x))
        return;
    for (int64_t k = 0; k < m_count(&line->shape); k++)
        m_put(&x, k * m_item_size(line->dtype), some_number(g, line->dtype));
    memcpy(line->data, x.store->data, (size_t)x.store->bytes);
    m_heap_free(&heap);
}

static void make_data(maker *g)
{
    p_line *line = g->line;
    bool from_argument = g->program->traced && chance(g, 60);
    line->dtype = some_dtype(g);
    line->shape = some_shape(g, from_argument ? P_ARGUMENT : 60);
    if (!from_argument && g->program->large && line->shape.ndim && chance(g, 50))
        line->shape.dim[below(g, line->shape.ndim)] *= between(g, 1, M_SIZE / 2 / (1 + m_count(&line->shape)));
    if (from_argument) {
        line->kind = P_ARGUMENT_PART;
        line->lo = below(g, P_ARGUMENT - m_count(&line->shape) + 1);
        line->copy = chance(g, 80);
        return;
    }
    line->kind = P_NEW;
    line->wrap = !g->program->traced && chance(g, 15);
    fill_data(g);
}

static void make_view(maker *g)
{
    static const p_kind kind[] = {P_AT,      P_AT,    P_AT,        P_AT,        P_AT,       P_AT,       P_RESHAPE,
                                  P_RESHAPE, P_RAVEL, P_TRANSPOSE, P_FLIP,      P_FLIP,     P_EXPAND,   P_SQUEEZE,
                                  P_REAL,    P_IMAG,  P_RESHAPE,   P_TRANSPOSE, P_DIAGONAL, P_BROADCAST};
    p_line *line = g->line;
    const m_array *a = &g->run.var[line->a];
    line->kind = kind[below(g, 20)];
    switch (line->kind) {
    case P_AT: make_index(g, a, false); break;
    case P_RESHAPE: line->shape = shape_of_size(g, m_count(&a->shape)); break;
    case P_TRANSPOSE: some_axes(g, a->shape.ndim, true); break;
    case P_FLIP:
        if (a->shape.ndim == 0) /* NumPy makes a number of it */
            line->kind = P_RAVEL;
        some_axes(g, a->shape.ndim, false);
        break;
    case P_EXPAND: line->axes[0] = between(g, -a->shape.ndim - 1, a->shape.ndim + mistake(g, 20)); break;
    case P_SQUEEZE:
        line->n_axes = 0;
        for (int i = 0; i < a->shape.ndim; i++)
            if (a->shape.dim[i] == 1 ? chance(g, 60) : mistake(g, 10))
                line->axes[line->n_axes++] = i;
        line->n_axes = line->n_axes ? line->n_axes : -1;
        break;
    case P_BROADCAST: line->shape = broader_shape(g, &a->shape); break;
    default: break;
    }
}

static void make_fresh(maker *g)
{
    p_line *line = g->line;
    const m_array *a = &g->run.var[line->a];
    int what = (int)below(g, 10);
    if (what < 3) {
        line->kind = P_COPY;
    } else if (what < 5) {
        line->kind = P_ASTYPE;
        line->dtype = some_dtype(g);
    } else if (what < 8) {
        line->kind = P_BINARY;
        line->ufunc = (m_ufunc)below(g, chance(g, 30) ? M_UFUNCS : M_MAXIMUM);
        choose_value(g, &a->shape, a);
    } else {
        line->kind = P_AT;
        make_index(g, a, true);
    }
}

/* An index of one mask over all of the array: with a number it works under every transformation. */
static void mask_all(maker *g, const m_array *a)
{
    p_line *line = g->line;
    p_item *p = &line->item[0];
    memset(p, 0, sizeof *p);
    p->var = -1;
    p->item.kind = M_ARRAY;
    p->dtype = M_BOOL;
    p->shape = a->shape;
    line->n_items = 1;
    for (int64_t k = 0; k < m_count(&p->shape) && k < P_VALUES; k++)
        p->value[k] = below(g, 2);
    if (a->dtype != M_C128 && a->dtype != M_BOOL && (m_count(&p->shape) > P_VALUES || chance(g, 60))) {
        p->var = line->a;
        p->compare = true;
        p->limit = below(g, 3);
    } else if (m_count(&p->shape) > P_VALUES) {
        make_index(g, a, false);
    }
}

/* Through memory that others see. */
static void make_memory_write(maker *g)
{
    p_line *line = g->line;
    const m_array *a = &g->run.var[line->a];
    line->kind = chance(g, 30) || m_count(&a->shape) == 0 ? P_COPY_FROM : P_DATA_MUT;
    line->lo = below(g, m_count(&a->shape));
    line->number = some_number(g, a->dtype);
    line->dtype = a->dtype;
    line->shape = a->shape;
    if (line->kind == P_COPY_FROM)
        fill_data(g);
    for (int i = 0; i < g->program->n; i++) {
        const m_array *b = &g->run.var[i];
        if (!g->program->line[i].wrap || b->store != a->store || m_count(&b->shape) == 0 || chance(g, 30))
            continue;
        line->kind = P_POKE;
        line->b = i;
        line->lo = below(g, m_count(&b->shape));
        line->number = some_number(g, b->dtype);
    }
}

static void make_write(maker *g)
{
    static m_places places;
    p_line *line = g->line;
    const m_array *a = &g->run.var[line->a];
    int what = (int)below(g, 20);
    line->kind = what < 9 ? P_SET : what < 13 ? P_IN_PLACE : what < 17 ? P_IN_PLACE_AT : P_UFUNC_AT;
    line->ufunc = (m_ufunc)below(g, line->kind == P_UFUNC_AT ? M_GREATER : M_MAXIMUM);
    if (line->kind == P_UFUNC_AT && g->program->smooth)
        line->ufunc = (m_ufunc)below(g, M_MULTIPLY); /* the others have no derivative */
    if (line->kind == P_IN_PLACE) {
        choose_value(g, &a->shape, a);
        return;
    }
    line->b = -1;
    line->number = weak_number(g, a->dtype);
    if (g->program->traced && chance(g, 15)) {
        mask_all(g, a);
        return;
    }
    make_index(g, a, chance(g, line->kind == P_UFUNC_AT ? 80 : 35));
    if (p_places(&g->run, line, &places) == M_OK)
        choose_value(g, &places.shape, a);
}

static void make_line(maker *g)
{
    p_line *line = g->line;
    int what = (int)below(g, 100), live = 0;
    memset(line, 0, sizeof *line);
    line->n_axes = -1;
    line->slot = (int)below(g, g->slots);
    for (int i = 0; i < P_SLOTS; i++)
        live += g->run.slot[i] >= 0;
    if (live == 0 || (live < 3 ? what < 50 : what < 7)) {
        make_data(g);
        return;
    }
    line->a = some_variable(g);
    line->b = some_variable(g);
    if (what < 40)
        make_view(g);
    else if (what < 52)
        make_fresh(g);
    else if (what < 83 || (what < 88 && g->program->traced))
        make_write(g);
    else if (what < 88)
        make_memory_write(g);
    else
        line->kind = g->program->traced ? P_COPY : what < 94 ? P_LOOK : what < 97 ? P_SHARES : P_CHECK;
}

/* Where NumPy itself is of several minds: numbers that are no arrays (`a[1] += v` with another dtype), errors that
 * meet, what is wrong about writes to nothing. */
static bool is_ambiguous(maker *g)
{
    static m_places places;
    p_line *line = g->line;
    const m_array *a = &g->run.var[line->a];
    m_array wide;
    m_value v;
    if (line->kind < P_SET || line->kind > P_UFUNC_AT || !p_value(&g->run, line, &v))
        return false;
    if (a->readonly && (!v.weak || v.number.dtype != M_I64 || a->dtype == M_BOOL || a->dtype == M_U8))
        return true;
    if (line->kind == P_IN_PLACE)
        return a->readonly && m_count(&a->shape) == 0;
    if (p_places(&g->run, line, &places))
        return a->readonly || (v.weak && a->dtype == M_U8);
    m_dtype d = v.weak ? v.number.dtype : v.array.dtype;
    bool fits = v.weak || m_broadcast(&v.array, &places.shape, &wide) == M_OK;
    if (m_count(&places.shape) == 0 && (a->readonly || (!places.basic && !fits)))
        return true;
    if (places.scalar && ((!v.weak && v.array.shape.ndim) || d == M_C128))
        return true;
    if (line->kind == P_SET && !places.basic && !fits)
        return v.array.shape.ndim > 1;
    return line->kind == P_IN_PLACE_AT && places.scalar && d != a->dtype;
}

/* A step of 0 beside arrays: which error comes first if the arrays are wrong too? */
static bool has_step_of_0_beside_arrays(const p_line *line)
{
    bool zero = false, arrays = false;
    for (int i = 0; i < line->n_items; i++) {
        const m_item *m = &line->item[i].item;
        zero |= m->kind == M_SLICE && m->has_step && m->step == 0;
        arrays |= m->kind == M_ARRAY;
    }
    return zero && arrays;
}

/* Lines that programs must not have. */
static bool is_unwanted(maker *g)
{
    const p_line *line = g->line;
    if (is_ambiguous(g) || has_step_of_0_beside_arrays(line))
        return true;
    bool writes = line->kind >= P_SET && line->kind <= P_DATA_MUT;
    if (!g->program->traced)
        return writes && g->run.var[line->a].readonly && !mistake(g, 150);
    return writes && g->run.var[line->a].readonly;
}

void p_generate(p_program *program, uint64_t seed)
{
    static maker g; /* large */
    double argument[P_ARGUMENT];
    g = (maker){.random = seed, .program = program};
    memset(program, 0, sizeof *program);
    program->seed = seed;
    program->traced = chance(&g, 20);
    program->smooth = program->traced && chance(&g, 50);
    program->eager = chance(&g, 15);
    program->large = chance(&g, 5);
    g.slots = (int)between(&g, 3, chance(&g, 50) ? 6 : P_SLOTS);
    int n = (int)between(&g, 5, program->traced ? 24 : P_LINES - 2);
    for (int i = 0; i < P_ARGUMENT; i++)
        argument[i] = some_double(&g);
    p_begin(&g.run, argument);
    for (int tries = 0; program->n < n && tries < 20 * n; tries++) {
        g.line = &program->line[program->n];
        make_line(&g);
        if (is_unwanted(&g))
            continue;
        int e = p_step(&g.run, program, program->n);
        if (e >= M_LIMIT || (e && (program->traced || !chance(&g, 60))))
            continue;
        program->n++;
    }
    if (!program->traced) {
        g.line = &program->line[program->n++];
        memset(g.line, 0, sizeof *g.line);
        g.line->kind = P_CHECK;
    }
    p_end(&g.run);
}
