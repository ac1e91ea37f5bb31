/* SPDX-License-Identifier: Apache-2.0
 * factors.c -- the column `factors`, proved. Each word of it is a kind of axis, "..." one of its own. A kind that stands
 * in an operand and in a result has the same extent in both, and slice k of the operand along it changes slice k of the
 * result alone: a part of the operand gives that part of the result. What is shown:
 *
 *     every axis of a result      is of a kind of its sentence: slice by slice along an axis of each operand with the kind
 *     every axis of an operand    likewise, along an axis of each result
 *     every kind of a result      occurs: some case has an axis that is along the operands of the kind and no others
 *
 * Slices of an operand are replaced, one at a time, and the elements of the results that change are looked at. Axes of
 * extent 0 and 1 say nothing; scalars beside arrays have no axes. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_KINDS = 8, MAX_SLICES = 3 };

/* A side of the sentence: bit k of kind[i]: kind number k stands in group i. */
typedef struct side {
    int n;
    unsigned kind[MAX_OPERANDS];
} side;
typedef struct sentence {
    char name[MAX_KINDS][16];
    int n_kind;
    side in, out;
    unsigned witnessed;
} sentence;

static unsigned kind_of(sentence *s, const char *word, size_t n)
{
    int k = 0;
    while (k < s->n_kind && (strncmp(s->name[k], word, n) || s->name[k][n]))
        k++;
    if (k == s->n_kind && k < MAX_KINDS) {
        memcpy(s->name[k], word, n < sizeof s->name[k] ? n : sizeof s->name[k] - 1);
        s->n_kind++;
    }
    return 1u << k;
}

static void read_side(sentence *s, const char *from, const char *end, side *to)
{
    for (to->n = 0; to->n < MAX_OPERANDS; from++) {
        while (from < end && *from != ',') {
            size_t n = strcspn(from, " ,-");
            if (n)
                to->kind[to->n] |= kind_of(s, from, n);
            from += n ? n : 1;
        }
        to->n++;
        if (from >= end)
            return;
    }
}

/* The last group stands for all operands from there on. An empty one is of scalars; operands with axes in its place are
 * as those in front (the arrays of `reduce`). */
static unsigned kinds(const side *s, int i)
{
    int k = i < s->n ? i : s->n - 1;
    while (k > 0 && !s->kind[k])
        k--;
    return s->kind[k];
}

/* Is each slice of an operand along its axis `from` seen in the same slice of a result along its axis `to` alone? */
typedef struct map {
    bool along[MAX_OPERANDS][MAX_RANK][MAX_RESULTS][MAX_RANK];
    bool seen[MAX_OPERANDS][MAX_RESULTS]; /* the result depends on the operand */
} map;

static int64_t position(const tensor *t, int64_t element, int axis)
{
    int64_t inner = 1;
    for (int d = axis + 1; d < t->ndim; d++)
        inner *= t->dim[d];
    return element / inner % t->dim[axis];
}

/* Results before and after slice k of axis a of input i was replaced. */
static void compare(map *m, int i, int a, int64_t k, int n_out, const tensor *before, const tensor *after)
{
    for (int j = 0; j < n_out && j < MAX_RESULTS; j++)
        for (int64_t e = 0; e < before[j].n; e++) {
            size_t size = before[j].dtype->size;
            if (!memcmp(tensor_at(&before[j], e), tensor_at(&after[j], e), size))
                continue;
            m->seen[i][j] = true;
            for (int b = 0; b < before[j].ndim; b++)
                m->along[i][a][j][b] &= position(&before[j], e, b) == k;
        }
}

static tensor with_slice(bench *b, const tensor *x, const tensor *other, int axis, int64_t k)
{
    tensor y = tensor_new(&b->arena, x->dtype, x->ndim, x->dim);
    for (int64_t e = 0; e < x->n; e++)
        memcpy(tensor_at(&y, e), tensor_at(position(x, e, axis) == k ? other : x, e), x->dtype->size);
    return y;
}

static bool explore(bench *b, const prog *p, int n_out, map *m, const tensor *x, const tensor *y)
{
    tensor other[MAX_VALUES], in[MAX_VALUES], after[MAX_VALUES];
    bench_fill(b, false, 1, other);
    for (int i = 0; i < p->n_in; i++)
        for (int a = 0; a < x[i].ndim; a++) {
            int64_t n = x[i].dim[a];
            for (int j = 0; j < n_out && j < MAX_RESULTS; j++)
                for (int c = 0; c < y[j].ndim; c++)
                    m->along[i][a][j][c] = y[j].dim[c] == n && n > 1;
            for (int s = 0; s < MAX_SLICES && s < n && n > 1; s++) {
                int64_t k = s == 0 ? 0 : s == 1 ? n - 1 : n / 2;
                memcpy(in, x, (size_t)p->n_in * sizeof *in);
                in[i] = with_slice(b, &x[i], &other[i], a, k);
                if (!prog_run(b, p, in, after))
                    return false;
                compare(m, i, a, k, n_out, y, after);
            }
        }
    return true;
}

static bool along_operand(const map *m, int i, const tensor *x, int j, int c)
{
    for (int a = 0; a < x->ndim; a++)
        if (m->along[i][a][j][c])
            return true;
    return false;
}

static bool along_result(const map *m, int i, int a, int j, const tensor *y)
{
    for (int c = 0; c < y->ndim; c++)
        if (m->along[i][a][j][c])
            return true;
    return false;
}

/* Is axis c of result j of kind k? `exactly`: and along no other operand. */
static bool result_is(const bench *b, const sentence *s, const map *m, const tensor *x, int j, int c, int k,
                      bool exactly)
{
    bool any = false;
    for (int i = 0; i < b->n_in; i++) {
        bool along = along_operand(m, i, &x[i], j, c), has = kinds(&s->in, b->input[i]) >> k & 1;
        if (x[i].ndim && m->seen[i][j] && (has ? !along : exactly && along))
            return false;
        any |= x[i].ndim && m->seen[i][j] && has;
    }
    return any || !exactly;
}

static bool operand_is(const sentence *s, const map *m, int i, int a, int n_out, const tensor *y, int k)
{
    for (int j = 0; j < n_out && j < MAX_RESULTS; j++)
        if (m->seen[i][j] && (kinds(&s->out, j) >> k & 1) && !along_result(m, i, a, j, &y[j]))
            return false;
    return true;
}

static void check_sentence(bench *b, sentence *s, const map *m, int n_out, const tensor *x, const tensor *y)
{
    int first = b->s->lanes ? 1 : 0; /* the axis over which the equation is mapped is not its own */
    for (int j = 0; j < n_out && j < MAX_RESULTS; j++)
        for (int c = first; c < y[j].ndim; c++) {
            unsigned is = 0, all = kinds(&s->out, j);
            for (int k = 0; k < s->n_kind; k++) {
                is |= (all >> k & 1) && result_is(b, s, m, x, j, c, k, false) ? 1u << k : 0;
                if ((all >> k & 1) && y[j].dim[c] > 1 && result_is(b, s, m, x, j, c, k, true))
                    s->witnessed |= 1u << k;
            }
            if (!is && y[j].dim[c] > 1)
                bench_fail(b, "%s: axis %d of result %d is of no kind of \"%s\"", b->name, c, j, b->s->prim->factors);
        }
    for (int i = 0; i < b->n_in; i++)
        for (int a = first; a < x[i].ndim; a++) {
            unsigned is = 0, all = kinds(&s->in, b->input[i]);
            for (int k = 0; k < s->n_kind; k++)
                is |= (all >> k & 1) && operand_is(s, m, i, a, n_out, y, k) ? 1u << k : 0;
            if (!is && x[i].dim[a] > 1)
                bench_fail(b, "%s: axis %d of operand %d is of no kind of \"%s\"", b->name, a, b->input[i],
                           b->s->prim->factors);
        }
}

/* One case of a sample: its first dtype. */
static void check_case(bench *row, sentence *s, const sample *from, kn_dtype t, const char *operands)
{
    static map m;
    tensor x[MAX_VALUES], y[MAX_VALUES];
    prog p = {{0}, 0, 0};
    bench b = {0};
    memset(&m, 0, sizeof m);
    if (bench_open(&b, from, t, operands) && (b.j = bench_build(&b, false)) && prog_open(&b, b.j, &p)) {
        bool fewer = from->prim->n_out >= 0 && from->prim->n_out < p.n_out; /* the others are operands */
        int n_out = fewer ? from->prim->n_out : p.n_out;
        bench_fill(&b, false, 0, x);
        if (prog_run(&b, &p, x, y) && explore(&b, &p, n_out, &m, x, y))
            check_sentence(&b, s, &m, n_out, x, y);
    }
    if (b.failed && !row->failed)
        bench_fail(row, "%s", b.message);
    prog_close(&p);
    bench_close(&b);
}

void check_factors(bench *b, const kni_prim *p)
{
    const char *arrow = p->factors ? strstr(p->factors, "->") : NULL;
    sentence s = {0};
    if (!arrow)
        return; /* calls have those of their bodies; check_row knows which rows have none */
    read_side(&s, p->factors, arrow, &s.in);
    read_side(&s, arrow + 2, arrow + strlen(arrow), &s.out);
    for (const sample *const *list = all_samples; *list; list++)
        for (const sample *from = *list; from->prim && !b->failed; from++) {
            int id = 0;
            operand x[MAX_OPERANDS];
            int n;
            while (from->dtypes && id < KN_ID_COUNT - 1 && !bench_has_dtype(from, &knx_dtype_table[id]))
                id++;
            for (const char *text = from->operands, *next; from->prim == p && text && !(from->flags & LONG);
                 text = next) {
                next = bench_operands(text, KN_DT(F32), x, &n);
                if (from->dtypes && !bench_has_dtype(from, &knx_dtype_table[id]))
                    break;
                check_case(b, &s, from, from->dtypes ? &knx_dtype_table[id] : NULL, text);
            }
        }
    unsigned shared = 0, out = 0;
    for (int i = 0; i < s.in.n; i++)
        shared |= s.in.kind[i];
    for (int j = 0; j < s.out.n; j++)
        out |= s.out.kind[j];
    for (int k = 0; k < s.n_kind && !b->failed; k++)
        if ((shared & out & ~s.witnessed) >> k & 1)
            bench_fail(b, "no case has an axis of the kind %s of \"%s\"", s.name[k], p->factors);
}
