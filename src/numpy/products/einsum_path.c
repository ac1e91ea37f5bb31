/* SPDX-License-Identifier: Apache-2.0
 * einsum_path.c -- in which order Einstein sums are contracted: the paths of NumPy's "greedy" and "optimal", and
 * those that users give. Sizes and costs are counted in doubles. */
#include "numpy/products/einsum.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

double knn_set_size(uint64_t set, const int64_t *size)
{
    double n = 1;
    for (; set; set &= set - 1)
        n *= knn_number(size[__builtin_ctzll(set)]);
    return n;
}

double knn_set_cost(uint64_t set, bool sums, int n, const int64_t *size)
{
    return knn_set_size(set, size) * ((n > 2 ? n - 1 : 1) + sums);
}

static uint64_t union_of(int n, const uint64_t *set, int but, int or_but)
{
    uint64_t all = 0;
    for (int i = 0; i < n; i++)
        if (i != but && i != or_but)
            all |= set[i];
    return all;
}

/* The sets without two of them, their product's at the end. */
static void replace_pair(int n, uint64_t *set, int x, int y, uint64_t result)
{
    memmove(set + y, set + y + 1, (size_t)(n - y - 1) * sizeof *set);
    memmove(set + x, set + x + 1, (size_t)(n - x - 2) * sizeof *set);
    set[n - 2] = result;
}

static void add_pair(knn_path *p, int x, int y)
{
    knn_contraction *s = &p->step[p->n++];
    s->n = 2;
    s->at[0] = (unsigned char)x;
    s->at[1] = (unsigned char)y;
}

static void add_all(knn_path *p, int n)
{
    knn_contraction *s = &p->step[p->n++];
    s->n = n;
    for (int i = 0; i < n; i++)
        s->at[i] = (unsigned char)i;
}

/* --- greedy ----------------------------------------------------------------------------------- */

typedef struct candidate {
    int x, y;
    uint64_t result;
    double grown, cost; /* the result's size less the operands' */
} candidate;

typedef struct greedy {
    int n, n_known;
    uint64_t set[KNN_MAX_OPERANDS], out;
    const int64_t *size;
    double memory, spent, at_once; /* limits: of a result, of the costs of all pairs */
    bool sieve;
    candidate known[KNN_MAX_OPERANDS * (KNN_MAX_OPERANDS - 1) / 2];
} greedy;

static void consider(greedy *g, int x, int y)
{
    uint64_t both = g->set[x] | g->set[y];
    candidate c = {.x = x, .y = y, .result = both & (g->out | union_of(g->n, g->set, x, y))};
    double size = knn_set_size(c.result, g->size);
    c.grown = size - (knn_set_size(g->set[x], g->size) + knn_set_size(g->set[y], g->size));
    c.cost = knn_set_cost(both, both != c.result, 2, g->size);
    if (!g->sieve || (size <= g->memory && g->spent + c.cost <= g->at_once))
        g->known[g->n_known++] = c;
}

/* The first of all wins among equals, so these go in NumPy's order. */
static bool is_better(const candidate *a, const candidate *b)
{
    return a->grown < b->grown || (a->grown == b->grown && a->cost < b->cost);
}

/* Takes the first of the best; those with one of its operands go, the others are renumbered. */
static candidate take_best(greedy *g)
{
    candidate best = g->known[0];
    for (int i = 1; i < g->n_known; i++)
        if (is_better(&g->known[i], &best))
            best = g->known[i];
    int n = 0;
    for (int i = 0; i < g->n_known; i++) {
        candidate c = g->known[i];
        if (c.x == best.x || c.x == best.y || c.y == best.x || c.y == best.y)
            continue;
        int x = c.x, y = c.y;
        c.x = x - (x > best.x) - (x > best.y);
        c.y = y - (y > best.x) - (y > best.y);
        g->known[n++] = c;
    }
    g->n_known = n;
    return best;
}

static void consider_all(greedy *g)
{
    for (int x = 0; x < g->n; x++)
        for (int y = x + 1; y < g->n; y++)
            consider(g, x, y);
}

static void run_greedy(greedy *g, knn_path *path)
{
    path->n = 0;
    if (g->n <= 2) {
        add_all(path, g->n);
        return;
    }
    uint64_t all = union_of(g->n, g->set, -1, -1);
    g->at_once = knn_set_cost(all, all & ~g->out, g->n, g->size);
    for (bool first = true; g->n > 1; first = false) {
        /* at first all pairs, later those with the newest term; products of terms that share nothing come last */
        for (int x = 0; x < g->n; x++)
            for (int y = first ? x + 1 : g->n - 1; y < g->n; y++)
                if (x < y && (g->set[x] & g->set[y]))
                    consider(g, x, y);
        if (!g->n_known)
            consider_all(g);
        if (!g->n_known) {
            add_all(path, g->n);
            return;
        }
        candidate best = take_best(g);
        add_pair(path, best.x, best.y);
        g->spent += best.cost;
        replace_pair(g->n--, g->set, best.x, best.y, best.result);
    }
}

/* In the order that the terms have when there is no memory for the candidates. */
void knn_greedy_path(int n, const uint64_t *set, uint64_t out, const int64_t *size, double memory, bool sieve,
                     knn_path *path)
{
    greedy *g = knx_alloc(sizeof *g); /* large, and few of the candidates are used */
    if (!g) {
        path->n = 0;
        for (int left = n; left > 1; left--)
            add_pair(path, 0, 1);
        return;
    }
    g->n = n;
    g->n_known = 0;
    g->spent = 0;
    memcpy(g->set, set, (size_t)n * sizeof *set);
    g->out = out;
    g->size = size;
    g->memory = memory;
    g->sieve = sieve;
    run_greedy(g, path);
    knx_free(g);
}

/* --- optimal ---------------------------------------------------------------------------------- */

enum { MAX_WORK = 1 << 26 }; /* unions of sets */

/* All orders of pairs, in lexicographic order, whose values between fit into memory: the cheapest of those that come
 * furthest, the first one among equals. */
typedef struct search {
    uint64_t out;
    const int64_t *size;
    double memory, bound; /* what a complete path may cost */
    int n, best_length, work;
    double best_cost;
    knn_path path, best;
} search;

static void try_pairs(search *q, int n, const uint64_t *set, double cost)
{
    if (q->path.n > q->best_length || (q->path.n == q->best_length && cost < q->best_cost)) {
        q->best_length = q->path.n;
        q->best_cost = cost;
        q->best = q->path;
    }
    bool complete = q->best_length == q->n - 1;
    for (int x = 0; x < n; x++)
        for (int y = x + 1; y < n && q->work < MAX_WORK; y++) {
            uint64_t both = set[x] | set[y], result = both & (q->out | union_of(n, set, x, y)), next[KNN_MAX_OPERANDS];
            double sum = cost + knn_set_cost(both, both != result, 2, q->size);
            q->work += n;
            if (knn_set_size(result, q->size) > q->memory || sum > q->bound || (complete && sum >= q->best_cost))
                continue;
            memcpy(next, set, (size_t)n * sizeof *set);
            replace_pair(n, next, x, y, result);
            add_pair(&q->path, x, y);
            try_pairs(q, n - 1, next, sum);
            q->path.n--;
            complete = q->best_length == q->n - 1;
        }
}

/* What a path costs that is all pairs and fits into memory; infinity for others. */
static double path_cost(int n, const uint64_t *set, uint64_t out, const int64_t *size, double memory,
                        const knn_path *path)
{
    uint64_t left[KNN_MAX_OPERANDS];
    double cost = 0;
    memcpy(left, set, (size_t)n * sizeof *set);
    for (int i = 0; i < path->n; i++, n--) {
        int x = path->step[i].at[0], y = path->step[i].at[1];
        uint64_t both = left[x] | left[y], result = both & (out | union_of(n, left, x, y));
        if (path->step[i].n != 2 || knn_set_size(result, size) > memory)
            return __builtin_inf();
        cost += knn_set_cost(both, both != result, 2, size);
        replace_pair(n, left, x, y, result);
    }
    return cost;
}

/* The greedy path bounds the search, and is what is left if that takes too long. */
static void optimal_path(int n, const uint64_t *set, uint64_t out, const int64_t *size, double memory, knn_path *path)
{
    knn_greedy_path(n, set, out, size, memory, true, path);
    search *q = knx_alloc_zero(sizeof *q);
    if (!q)
        return;
    q->out = out;
    q->size = size;
    q->memory = memory;
    q->bound = path_cost(n, set, out, size, memory, path);
    q->n = n;
    q->best_length = -1;
    try_pairs(q, n, set, 0);
    if (q->best_length == n - 1 || q->work < MAX_WORK) {
        *path = q->best;
        if (path->n < n - 1)
            add_all(path, n - path->n);
    }
    knx_free(q);
}

/* --- the path that was asked for -------------------------------------------------------------- */

/* "['einsum_path', (0, 1), (0, 1)]"; the last number of a tuple may have a comma behind it. */
static bool read_path(const char *text, knn_path *path)
{
    static const char head[] = "['einsum_path'";
    if (strncmp(text, head, sizeof head - 1) != 0)
        return false;
    const char *s = text + sizeof head - 1;
    for (path->n = 0; *s == ',' && path->n < KNN_MAX_OPERANDS;) {
        knn_contraction *step = &path->step[path->n++];
        s += 1 + strspn(s + 1, " ");
        if (*s++ != '(')
            return false;
        for (step->n = 0; *s != ')' && step->n < KNN_MAX_OPERANDS;) {
            if (!isdigit((unsigned char)*s))
                return false;
            char *end;
            unsigned long at = strtoul(s, &end, 10);
            int i = step->n++; /* sorted */
            for (; i > 0 && step->at[i - 1] > at; i--)
                step->at[i] = step->at[i - 1];
            step->at[i] = (unsigned char)(at < 255 ? at : 255);
            s = end + (*end == ',');
            s += strspn(s, " ");
        }
        if (*s++ != ')')
            return false;
    }
    return !strcmp(s, "]");
}

static bool check_path(kna_op *op, int n, const knn_path *path)
{
    for (int i = 0; i < path->n; i++) {
        const knn_contraction *s = &path->step[i];
        for (int k = 0; k < s->n; k++)
            if (s->at[k] >= n || (k && s->at[k] == s->at[k - 1])) {
                kna_fail(op, KN_ERROR_INDEX, "pop index out of range");
                return false;
            }
        n += 1 - s->n;
    }
    if (n != 1)
        kna_fail(op, KN_ERROR_RUNTIME, "Invalid einsum_path is specified: %d more operands has to be contracted.",
                 n - 1);
    return n == 1;
}

static double largest(const knn_subscripts *s, uint64_t out)
{
    double most = knn_set_size(out, s->size);
    for (int k = 0; k < s->n; k++) {
        double size = 1; /* a repeated label counts as often as it stands there, as in NumPy */
        for (int d = 0; d < s->ndim[k]; d++)
            size *= knn_number(s->size[s->label[k][d]]);
        most = size > most ? size : most;
    }
    return most;
}

bool knn_choose_path(kna_op *op, const knn_subscripts *s, const kn_einsum_opts *o, knn_path *path)
{
    uint64_t set[KNN_MAX_OPERANDS], out = knn_label_set(s->n_out, s->out), all = 0;
    const char *how = o->optimize;
    for (int k = 0; k < s->n; k++)
        all |= set[k] = knn_label_set(s->ndim[k], s->label[k]);
    path->n = 0;
    if (how && *how == '[') {
        if (read_path(how, path))
            return check_path(op, s->n, path);
        kna_fail(op, KN_ERROR_TYPE, "Did not understand the path: %s", how);
        return false;
    }
    double memory = o->memory_limit > 0 ? (double)o->memory_limit : largest(s, out);
    if (!how || s->n <= 2 || all == out)
        add_all(path, s->n);
    else if (!strcmp(how, "greedy"))
        knn_greedy_path(s->n, set, out, s->size, memory, true, path);
    else if (!strcmp(how, "optimal"))
        optimal_path(s->n, set, out, s->size, memory, path);
    else
        kna_fail(op, KN_ERROR_KEY, "Path name %s not found", how);
    return !kna_failed(op);
}
