/* SPDX-License-Identifier: Apache-2.0
 * dim.c -- dimension expressions: sums of products of factors, in one order, made once each; their arithmetic. The
 * order
 * of terms and factors is that of jax.export, whose texts follow from it. */
#include "base/dim_expr.h"
#include "base/lock.h"
#include <stdlib.h>
#include <string.h>

/* Everything that was ever made, by number. Readers of other threads look at what is there without the lock: chunks
 * never move. */
enum { CHUNK = 1024, CHUNKS = 1024, CONSTANTS = 30 };
#define MIDDLE ((int64_t)1 << 31) /* of the constants of a handle */

typedef struct kept {
    _Atomic(void *) *chunk; /* apart from what is not zero, which takes room in the library's file */
    atomic_uint n;
    size_t size;
} kept;
static _Atomic(void *) chunks[3][CHUNKS];
static kept factors = {chunks[0], 0, sizeof(knx_dim_factor)}, terms = {chunks[1], 0, sizeof(knx_dim_term)},
            exprs = {chunks[2], 0, sizeof(knx_dim_expr)};
static struct {
    uint64_t *slot; /* 0: free; else the thing's number and kind under 22 bits of its hash */
    size_t cap, n;
} known;
static struct {
    char *at, *end, *first; /* the blocks begin with a pointer to the one before */
} room;
typedef struct known_scope {
    const struct known_scope *next;
    const char *constraints;
    uint64_t key;
} known_scope;
static const known_scope *scopes; /* under the lock */
static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static _Thread_local knx_dim_scope *now;

static void *get(const kept *k, uint32_t i)
{
    char *chunk = atomic_load_explicit(&k->chunk[i / CHUNK], memory_order_acquire);
    return chunk + (size_t)(i % CHUNK) * k->size;
}

const knx_dim_factor *knx_dim_factor_at(uint32_t i) { return get(&factors, i); }
const knx_dim_term *knx_dim_term_at(uint32_t i) { return get(&terms, i); }
const knx_dim_expr *knx_dim_expr_at(uint32_t i) { return get(&exprs, i); }

/* These tables belong to the process and are kept for good, so the blocks of the system's that they take do not count
 * among Kiln's; but a test that makes allocations fail meets them, too. */
static void *kept_block(size_t bytes) { return knx_alloc_must_fail() ? NULL : malloc(bytes); }

/* Under the lock: room for one more; NULL without memory, or when there are too many. */
static void *add(kept *k, uint32_t *number)
{
    uint32_t i = atomic_load_explicit(&k->n, memory_order_relaxed);
    if (i == CHUNK * CHUNKS)
        return NULL;
    if (i % CHUNK == 0 && !atomic_load_explicit(&k->chunk[i / CHUNK], memory_order_relaxed)) {
        void *chunk = kept_block(CHUNK * k->size);
        if (!chunk)
            return NULL;
        atomic_store_explicit(&k->chunk[i / CHUNK], chunk, memory_order_release);
    }
    *number = i;
    return get(k, i);
}

static void added(kept *k) { atomic_fetch_add_explicit(&k->n, 1, memory_order_release); }

/* ---- Refusals. */

KNX_HOT knx_dim_scope *knx_dim_now(void) { return now; }

void knx_dim_enter(knx_dim_scope *s)
{
    s->outer = now;
    now = s;
}

void knx_dim_leave(knx_dim_scope *s) { now = s->outer; }

void knx_dim_refuse(knx_error *e)
{
    if (now && !now->error)
        now->error = e;
    else
        knx_error_release(e);
}

static int64_t refuse(const char *what)
{
    knx_dim_refuse(knx_error_new(KN_ERROR_DIMENSION, "%s", what));
    return KNX_DIM_UNKNOWN;
}

static int64_t no_room(void)
{
    knx_dim_refuse(knx_error_nomem());
    return KNX_DIM_UNKNOWN;
}

/* ---- The order of expressions. */

static int order(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

static int order_of_dims(int64_t a, int64_t b);

static int order_of_factors(uint32_t a, uint32_t b)
{
    const knx_dim_factor *x = knx_dim_factor_at(a), *y = knx_dim_factor_at(b);
    int c = a == b ? 0 : order(x->size, y->size);
    if (c || a == b)
        return c;
    if (x->op == KNX_DIM_VARIABLE || y->op == KNX_DIM_VARIABLE)
        return x->op != y->op             ? (x->op == KNX_DIM_VARIABLE ? -1 : 1)
               : strcmp(x->name, y->name) ? strcmp(x->name, y->name)
                                          : (x->key > y->key) - (x->key < y->key);
    c = strcmp(knx_dim_operation[x->op], knx_dim_operation[y->op]);
    for (int i = 0; i < 2 && !c; i++)
        c = order_of_dims(x->operand[i], y->operand[i]);
    return c;
}

int knx_dim_order_of_terms(uint32_t a, uint32_t b)
{
    const knx_dim_term *x = knx_dim_term_at(a), *y = knx_dim_term_at(b);
    int c = a == b ? 0 : order(x->size, y->size);
    for (uint32_t i = 0; a != b && !c; i++) {
        if (i == x->n || i == y->n)
            return order(x->n, y->n);
        c = order_of_factors(x->factor[i].factor, y->factor[i].factor);
        c = c ? c : order(x->factor[i].power, y->factor[i].power);
    }
    return c;
}

/* An expression as terms with their numbers, the largest first; the constant is term 0, which is the last one. */
int knx_dim_terms(int64_t d, knx_dim_part *out)
{
    int n = 0;
    if (!knx_is_symbolic(d)) {
        if (d)
            out[n++] = (knx_dim_part){0, d};
        return n;
    }
    if (!knx_dim_number(d)) /* unknown */
        return 0;
    const knx_dim_expr *e = knx_dim_expr_at(knx_dim_number(d));
    memcpy(out, e->part, e->n * sizeof *out);
    n = (int)e->n;
    int64_t k = knx_dim_constant(d);
    if (k)
        out[n++] = (knx_dim_part){0, k};
    return n;
}

static int64_t size_of(const knx_dim_part *p, int n)
{
    int64_t size = 0;
    for (int i = 0; i < n; i++)
        size += 1 + (p[i].times < 0 ? -p[i].times : p[i].times) * knx_dim_term_at(p[i].term)->size;
    return size;
}

static int order_of_dims(int64_t a, int64_t b)
{
    knx_dim_part x[KNX_DIM_PARTS], y[KNX_DIM_PARTS];
    int n = knx_dim_terms(a, x), m = knx_dim_terms(b, y);
    int c = order(size_of(x, n), size_of(y, m));
    for (int i = 0; !c; i++) {
        if (i == n || i == m)
            return order(n, m);
        c = knx_dim_order_of_terms(x[i].term, y[i].term);
        c = c ? c : order(x[i].times, y[i].times);
    }
    return c;
}

/* ---- Making each thing once. */

enum { FACTOR, TERM, EXPR };

static void *keep(const void *p, size_t bytes, size_t more)
{
    enum { BLOCK = 1 << 16 };
    size_t size = (bytes + more + 15) & ~(size_t)15;
    if ((size_t)(room.end - room.at) < size) {
        char *block = size < BLOCK / 2 ? kept_block(BLOCK) : NULL;
        if (!block)
            return NULL;
        memcpy(block, &room.first, sizeof room.first);
        room.first = block;
        room.at = block + 16;
        room.end = block + BLOCK;
    }
    char *copy = room.at;
    room.at += size;
    memcpy(copy, p, bytes);
    return copy;
}

static uint64_t entry_of(int kind, uint64_t hash, uint32_t number)
{
    return (hash << 42) | ((uint64_t)number + 1) << 2 | (uint64_t)kind;
}

static uint32_t find(int kind, uint64_t hash, const void *key, size_t bytes)
{
    for (size_t at = hash & (known.cap - 1); known.cap && known.slot[at]; at = (at + 1) & (known.cap - 1)) {
        uint32_t i = (uint32_t)(known.slot[at] >> 2) - 1;
        if (known.slot[at] != entry_of(kind, hash, i))
            continue;
        const void *mine;
        size_t n;
        if (kind == FACTOR) {
            const knx_dim_factor *f = knx_dim_factor_at(i);
            mine = f->op == KNX_DIM_VARIABLE ? (const void *)f->name : f->operand;
            n = f->op == KNX_DIM_VARIABLE ? strlen(f->name) : sizeof f->operand;
            if (f->hash != hash)
                continue;
        } else if (kind == TERM) {
            mine = knx_dim_term_at(i)->factor;
            n = knx_dim_term_at(i)->n * sizeof(knx_dim_power);
        } else {
            mine = knx_dim_expr_at(i)->part;
            n = knx_dim_expr_at(i)->n * sizeof(knx_dim_part);
        }
        if (n == bytes && (!n || !memcmp(mine, key, n)))
            return i;
    }
    return UINT32_MAX;
}

static void put(uint64_t hash, uint64_t entry)
{
    size_t at = hash & (known.cap - 1);
    while (known.slot[at])
        at = (at + 1) & (known.cap - 1);
    known.slot[at] = entry;
}

static uint64_t hash_of(int kind, uint32_t i)
{
    return kind == FACTOR ? knx_dim_factor_at(i)->hash
           : kind == TERM ? knx_dim_term_at(i)->hash
                          : knx_dim_expr_at(i)->hash;
}

static bool note(int kind, uint64_t hash, uint32_t number)
{
    if (2 * known.n >= known.cap) {
        size_t cap = known.cap ? 2 * known.cap : 256;
        uint64_t *old = known.slot, *slot = kept_block(cap * sizeof *slot);
        size_t was = known.cap;
        if (!slot)
            return false;
        memset(slot, 0, cap * sizeof *slot);
        known.slot = slot;
        known.cap = cap;
        for (size_t k = 0; k < was; k++)
            if (old[k])
                put(hash_of((int)(old[k] & 3), (uint32_t)(old[k] >> 2) - 1), old[k]);
        free(old);
    }
    put(hash, entry_of(kind, hash, number));
    known.n++;
    return true;
}

static bool begin(void) /* under the lock: the constant 1 as term 0, the unknown expression as number 0 */
{
    uint32_t i;
    if (atomic_load_explicit(&exprs.n, memory_order_relaxed))
        return true;
    knx_dim_term *one = add(&terms, &i);
    knx_dim_expr *unknown = one ? add(&exprs, &i) : NULL;
    if (!unknown)
        return false;
    *one = (knx_dim_term){0};
    *unknown = (knx_dim_expr){0};
    added(&terms);
    added(&exprs);
    return true;
}

static uint32_t factor(const knx_dim_factor *f, const void *key, size_t bytes)
{
    uint64_t hash = knx_hash_bytes(key, bytes, knx_hash_mix(f->op + 1u, f->key));
    uint32_t i;
    knx_global_lock_take(&lock);
    bool fine = begin();
    i = fine ? find(FACTOR, hash, key, bytes) : UINT32_MAX;
    while (i != UINT32_MAX && knx_dim_factor_at(i)->op != f->op)
        i = UINT32_MAX;
    if (fine && i == UINT32_MAX) {
        knx_dim_factor *mine = add(&factors, &i);
        const char *name = f->op == KNX_DIM_VARIABLE ? keep(key, bytes, 1) : NULL;
        if (mine && (name || f->op != KNX_DIM_VARIABLE)) {
            *mine = *f;
            mine->hash = hash;
            if (name)
                ((char *)(uintptr_t)name)[bytes] = 0;
            mine->name = name;
            added(&factors);
            i = note(FACTOR, hash, i) ? i : UINT32_MAX;
        } else {
            i = UINT32_MAX;
        }
    }
    knx_global_unlock(&lock);
    return i;
}

uint32_t knx_dim_term_of(const knx_dim_power *p, uint32_t n)
{
    uint64_t hash = knx_hash_bytes(p, n * sizeof *p, 101);
    if (!n)
        return 0;
    knx_global_lock_take(&lock);
    uint32_t i = find(TERM, hash, p, n * sizeof *p);
    knx_dim_term *mine = i == UINT32_MAX ? add(&terms, &i) : NULL;
    if (mine) {
        const knx_dim_power *copy = keep(p, n * sizeof *p, 0);
        *mine = (knx_dim_term){.n = n, .factor = copy, .hash = hash};
        for (uint32_t k = 0; k < n; k++)
            mine->size += 1 + p[k].power * knx_dim_factor_at(p[k].factor)->size;
        if (copy)
            added(&terms);
        i = copy && note(TERM, hash, i) ? i : UINT32_MAX;
    }
    knx_global_unlock(&lock);
    return i;
}

int64_t knx_dim_of_parts(const knx_dim_part *p, int n)
{
    int64_t constant = n && !p[n - 1].term ? p[n - 1].times : 0;
    if (n == 0 || !p[0].term)
        return constant;
    bool inside = constant >= (int64_t)1 << CONSTANTS || constant <= -((int64_t)1 << CONSTANTS);
    int m = constant && !inside ? n - 1 : n;
    uint64_t hash = knx_hash_bytes(p, (size_t)m * sizeof *p, 102);
    knx_global_lock_take(&lock);
    uint32_t i = find(EXPR, hash, p, (size_t)m * sizeof *p);
    knx_dim_expr *mine = i == UINT32_MAX ? add(&exprs, &i) : NULL;
    if (mine) {
        const knx_dim_part *copy = keep(p, (size_t)m * sizeof *p, 0);
        *mine = (knx_dim_expr){.n = (uint32_t)m, .part = copy, .hash = hash};
        if (copy)
            added(&exprs);
        i = copy && note(EXPR, hash, i) ? i : UINT32_MAX;
    }
    knx_global_unlock(&lock);
    return i == UINT32_MAX ? no_room() : knx_dim_handle(i, inside ? 0 : constant);
}

int64_t knx_dim_handle(uint32_t number, int64_t constant)
{
    return KNX_DIM_FIRST + ((int64_t)number << 32) + MIDDLE + constant;
}
uint32_t knx_dim_number(int64_t d)
{
    uint32_t i = (uint32_t)((d - KNX_DIM_FIRST) >> 32);
    return i < atomic_load_explicit(&exprs.n, memory_order_relaxed) ? i : 0; /* a number of the user's may lie there */
}
int64_t knx_dim_bare(int64_t d) { return knx_is_symbolic(d) ? knx_dim_handle(knx_dim_number(d), 0) : 0; }

static void free_kept(kept *k)
{
    for (int i = 0; i < CHUNKS; i++)
        free(atomic_exchange(&k->chunk[i], NULL));
    atomic_store(&k->n, 0);
}

void knx_dims_free(void)
{
    knx_global_lock_take(&lock);
    free_kept(&factors);
    free_kept(&terms);
    free_kept(&exprs);
    free(known.slot);
    known.slot = NULL;
    known.cap = known.n = 0;
    for (char *block = room.first, *before; block; block = before) {
        memcpy(&before, block, sizeof before);
        free(block);
    }
    room.at = room.end = room.first = NULL;
    scopes = NULL;
    knx_global_unlock(&lock);
}

/* ---- Arithmetic. */

/* x * kx + y * ky, if it is a number that a dimension may have */
static bool joined(int64_t x, int64_t kx, int64_t y, int64_t ky, int64_t *out)
{
    const int64_t most = (int64_t)1 << 60;
    int64_t a, b;
    return !__builtin_mul_overflow(x, kx, &a) && !__builtin_mul_overflow(y, ky, &b) &&
           !__builtin_add_overflow(a, b, out) && *out > -most && *out < most;
}

int knx_dim_join(const knx_dim_part *x, int n, int64_t kx, const knx_dim_part *y, int m, int64_t ky, knx_dim_part *out)
{
    int i = 0, k = 0, total = 0;
    while (i < n || k < m) {
        int c = i == n ? -1 : k == m ? 1 : x[i].term == y[k].term ? 0 : knx_dim_order_of_terms(x[i].term, y[k].term);
        int64_t v = 0;
        bool fits = joined(c >= 0 ? x[i].times : 0, kx, c <= 0 ? y[k].times : 0, ky, &v);
        uint32_t t = c >= 0 ? x[i].term : y[k].term;
        i += c >= 0;
        k += c <= 0;
        if (!fits)
            return -2;
        if (!v)
            continue;
        if (total == KNX_DIM_PARTS)
            return -1;
        out[total++] = (knx_dim_part){.term = t, .times = v};
    }
    return total;
}

static uint32_t product_of_terms(uint32_t a, uint32_t b);
static uint32_t quotient_of_terms(uint32_t a, uint32_t b);

/* One rewriting by the constraints of the scope; false: there is none to be made. */
static bool rewrite(const knx_dim_part *p, int n, knx_dim_part *out, int *m)
{
    for (int i = 0; now && i < n; i++)
        for (size_t r = 0; r < now->rule.n; r++) {
            const knx_dim_rule *q = &now->rule.at[r];
            uint32_t rest = p[i].term == q->term ? 0 : quotient_of_terms(p[i].term, q->term);
            if (rest == UINT32_MAX || p[i].times % q->times || !p[i].term)
                continue;
            knx_dim_part after[KNX_DIM_PARTS], gone = {p[i].term, p[i].times}, without[KNX_DIM_PARTS];
            int64_t e = q->e;
            if (rest) {
                knx_dim_part factor = {rest, 1};
                e = knx_dim_mul(e, knx_dim_of_parts(&factor, 1));
            }
            int k = knx_dim_join(p, n, 1, &gone, 1, -1, without);
            *m = k < 0 ? k : knx_dim_join(without, k, 1, after, knx_dim_terms(e, after), p[i].times / q->times, out);
            return true;
        }
    return false;
}

static int64_t dim_of(const knx_dim_part *p, int n)
{
    knx_dim_part a[KNX_DIM_PARTS], b[KNX_DIM_PARTS];
    if (n < 0)
        return refuse(n == -1 ? "this dimension has too many terms" : "a number of this dimension is too large");
    for (int times = 0, m; times < 8 && rewrite(p, n, p == a ? b : a, &m); times++) {
        p = p == a ? b : a;
        n = m;
        if (n < 0)
            return dim_of(p, n);
    }
    return knx_dim_of_parts(p, n);
}

static bool is_bad(int64_t d) { return knx_is_symbolic(d) && !knx_dim_number(d); }

/* Plain numbers, of which files compiled for size ask here, too, come first and need no room: what is done for
 * expressions stays in functions of its own. */
__attribute__((noinline)) static int64_t combined(int64_t a, int64_t ka, int64_t b, int64_t kb)
{
    knx_dim_part x[KNX_DIM_PARTS], y[KNX_DIM_PARTS], out[KNX_DIM_PARTS];
    if (is_bad(a) || is_bad(b))
        return KNX_DIM_UNKNOWN;
    int n = knx_dim_terms(a, x), m = knx_dim_terms(b, y);
    return dim_of(out, knx_dim_join(x, n, ka, y, m, kb, out));
}

KNX_HOT int64_t knx_dim_combine(int64_t a, int64_t ka, int64_t b, int64_t kb)
{
    return knx_any_symbolic(a, b) ? combined(a, ka, b, kb) : a * ka + b * kb;
}

/* The powers of two lists, one after the other in order; sign -1 divides. -1: it does not divide. */
static int join_powers(const knx_dim_term *x, const knx_dim_term *y, int sign, knx_dim_power *out)
{
    uint32_t i = 0, k = 0;
    int n = 0;
    while (i < x->n || k < y->n) {
        int c = i == x->n ? -1 : k == y->n ? 1 : order_of_factors(x->factor[i].factor, y->factor[k].factor);
        int64_t power = (c >= 0 ? (int64_t)x->factor[i].power : 0) + (c <= 0 ? sign * (int64_t)y->factor[k].power : 0);
        uint32_t f = c >= 0 ? x->factor[i].factor : y->factor[k].factor;
        i += c >= 0;
        k += c <= 0;
        if (power < 0 || n == KNX_DIM_PARTS)
            return -1;
        if (power)
            out[n++] = (knx_dim_power){f, (uint32_t)power};
    }
    return n;
}

static uint32_t product_of_terms(uint32_t a, uint32_t b)
{
    knx_dim_power p[KNX_DIM_PARTS];
    int n = join_powers(knx_dim_term_at(a), knx_dim_term_at(b), 1, p);
    return n < 0 ? UINT32_MAX : knx_dim_term_of(p, (uint32_t)n);
}

static uint32_t quotient_of_terms(uint32_t a, uint32_t b)
{
    knx_dim_power p[KNX_DIM_PARTS];
    int n = join_powers(knx_dim_term_at(a), knx_dim_term_at(b), -1, p);
    return n < 0 ? UINT32_MAX : knx_dim_term_of(p, (uint32_t)n);
}

__attribute__((noinline)) static int64_t multiplied(int64_t a, int64_t b)
{
    knx_dim_part x[KNX_DIM_PARTS], y[KNX_DIM_PARTS], all[KNX_DIM_PARTS], one[KNX_DIM_PARTS];
    if (is_bad(a) || is_bad(b))
        return KNX_DIM_UNKNOWN;
    int n = knx_dim_terms(a, x), m = knx_dim_terms(b, y), total = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m && total >= 0; k++) {
            uint32_t t = product_of_terms(x[i].term, y[k].term);
            int64_t times;
            if (t == UINT32_MAX)
                return no_room();
            if (!joined(x[i].times, y[k].times, 0, 0, &times))
                return dim_of(NULL, -2);
            knx_dim_part p = {t, times};
            int sum = knx_dim_join(all, total, 1, &p, 1, 1, one);
            if (sum > 0)
                memcpy(all, one, (size_t)sum * sizeof *all);
            total = sum;
        }
    return dim_of(all, total);
}

KNX_HOT int64_t knx_dim_product(int64_t a, int64_t b) { return knx_any_symbolic(a, b) ? multiplied(a, b) : a * b; }

static int64_t operation(knx_dim_op op, int64_t a, int64_t b)
{
    knx_dim_part x[KNX_DIM_PARTS], y[KNX_DIM_PARTS];
    knx_dim_factor f = {.op = (uint8_t)op, .operand = {a, b}};
    f.size = 1 + size_of(x, knx_dim_terms(a, x)) + size_of(y, knx_dim_terms(b, y));
    for (int i = 0; i < 2; i++) /* a number, as a dimension of its own: one term without factors */
        f.size += !f.operand[i];
    uint32_t i = factor(&f, f.operand, sizeof f.operand);
    knx_dim_power p = {i, 1};
    uint32_t t = i == UINT32_MAX ? i : knx_dim_term_of(&p, 1);
    knx_dim_part one = {t, 1};
    return t == UINT32_MAX ? no_room() : dim_of(&one, 1);
}

/* Polynomial division: false if it does not come out. */
static bool divide(int64_t a, int64_t b, int64_t *quotient, int64_t *rest)
{
    knx_dim_part lead[KNX_DIM_PARTS], by[KNX_DIM_PARTS] = {0};
    *quotient = 0;
    knx_dim_terms(b, by);
    while (knx_is_symbolic(a)) {
        if (knx_dim_terms(a, lead) < 1)
            return false;
        uint32_t t = knx_is_symbolic(b) ? quotient_of_terms(lead[0].term, by[0].term) : lead[0].term;
        int64_t times = knx_is_symbolic(b) ? by[0].times : b;
        if (t == UINT32_MAX || !times || lead[0].times % times)
            return false;
        knx_dim_part q = {t, lead[0].times / times};
        int64_t part = knx_dim_of_parts(&q, 1);
        *quotient = knx_dim_add(*quotient, part);
        a = knx_dim_sub(a, knx_dim_mul(part, b));
        if (is_bad(a) || is_bad(*quotient))
            return false;
    }
    if (knx_is_symbolic(b)) {
        *rest = 0;
        return a == 0;
    }
    *quotient = knx_dim_add(*quotient, knx_floordiv(a, b));
    *rest = knx_floormod(a, b);
    return true;
}

static int64_t divided(int64_t a, int64_t b, bool rest)
{
    int64_t q, r;
    if (is_bad(a) || is_bad(b))
        return KNX_DIM_UNKNOWN;
    if (b == 0)
        return refuse("division by zero in a dimension");
    if (!knx_any_symbolic(a, b))
        return rest ? knx_floormod(a, b) : knx_floordiv(a, b);
    a = knx_dim_combine(a, 1, 0, 0); /* as the scope's equalities have it */
    if (divide(a, b, &q, &r))
        return rest ? r : q;
    return operation(rest ? KNX_DIM_MOD : KNX_DIM_FLOORDIV, a, b);
}

int64_t knx_dim_quotient(int64_t a, int64_t b) { return divided(a, b, false); }
int64_t knx_dim_remainder(int64_t a, int64_t b) { return divided(a, b, true); }

static int64_t chosen(int64_t a, int64_t b, bool greater)
{
    int64_t lower, upper;
    if (!knx_any_symbolic(a, b))
        return (a > b) == greater ? a : b;
    if (is_bad(a) || is_bad(b))
        return KNX_DIM_UNKNOWN;
    knx_dim_bounds(knx_dim_sub(a, b), &lower, &upper);
    if (lower >= 0)
        return greater ? a : b;
    if (upper <= 0)
        return greater ? b : a;
    return operation(greater ? KNX_DIM_MAX : KNX_DIM_MIN, a, b);
}

int64_t knx_dim_greater(int64_t a, int64_t b) { return chosen(a, b, true); }
int64_t knx_dim_smaller(int64_t a, int64_t b) { return chosen(a, b, false); }

int64_t knx_dim_size(int n, const int64_t *d)
{
    int64_t size = 1;
    for (int i = 0; i < n; i++)
        size = knx_dim_mul(size, d[i]);
    return size;
}

KNX_HOT bool knx_has_symbolic(int n, const int64_t *d)
{
    for (int i = 0; i < n; i++)
        if (knx_is_symbolic(d[i]))
            return true;
    return false;
}

/* ---- Variables. */

bool knx_dim_of_var(knx_dim_var v, int64_t *d)
{
    knx_dim_power p = {v, 1};
    uint32_t t = v == UINT32_MAX ? v : knx_dim_term_of(&p, 1);
    knx_dim_part one = {t, 1};
    *d = t == UINT32_MAX ? KNX_DIM_UNKNOWN : knx_dim_of_parts(&one, 1);
    return !is_bad(*d);
}

bool knx_dim_named(const char *name, size_t n, int64_t *d)
{
    knx_dim_factor f = {.op = KNX_DIM_VARIABLE, .size = 1, .key = now ? now->key : 0};
    return knx_dim_of_var(factor(&f, name, n), d);
}

const char *knx_dim_name(knx_dim_var v) { return knx_dim_factor_at(v)->name; }

bool knx_dim_is_var(int64_t d, knx_dim_var *v)
{
    knx_dim_part p[KNX_DIM_PARTS];
    if (!knx_is_symbolic(d) || is_bad(d) || knx_dim_terms(d, p) != 1 || p[0].times != 1)
        return false;
    const knx_dim_term *t = knx_dim_term_at(p[0].term);
    *v = t->n == 1 ? t->factor[0].factor : 0;
    return t->n == 1 && t->factor[0].power == 1 && knx_dim_factor_at(*v)->op == KNX_DIM_VARIABLE;
}

/* ---- Keys of scopes. */

static const known_scope *scope_of(uint64_t key, const char *constraints)
{
    const known_scope *s = scopes;
    while (s && (constraints ? strcmp(s->constraints, constraints) != 0 : s->key != key))
        s = s->next;
    return s;
}

bool knx_dim_key(const char *constraints, uint64_t *key)
{
    *key = 0;
    if (!constraints || !*constraints)
        return true;
    knx_global_lock_take(&lock);
    const known_scope *s = scope_of(0, constraints);
    if (!s) {
        known_scope own = {scopes, keep(constraints, strlen(constraints) + 1, 0), scopes ? scopes->key + 1 : 1};
        s = own.constraints ? keep(&own, sizeof own, 0) : NULL;
        scopes = s ? s : scopes;
    }
    knx_global_unlock(&lock);
    *key = s ? s->key : 0;
    return s;
}

const char *knx_dim_constraints(int64_t d)
{
    knx_dim_var v;
    if (!knx_is_symbolic(d) || knx_dim_variables(d, 1, &v) == 0)
        return NULL;
    knx_global_lock_take(&lock);
    const known_scope *s = scope_of(knx_dim_factor_at(v)->key, NULL);
    knx_global_unlock(&lock);
    return s ? s->constraints : NULL;
}
