/* SPDX-License-Identifier: Apache-2.0
 * strings.c -- np.testing.assert_string_equal: the differing lines as Python's difflib shows them. Sequences (of lines,
 * or of the characters of two lines) are matched by their longest common runs. */
#include "testing/report.h"
#include <ctype.h>
#include <string.h>

typedef struct sequence {
    const int *at;
    int n;
} sequence;
typedef struct run {
    int a, b, n;
} run;
typedef KN_VEC(run) runs;

typedef struct differ {
    kntesting_assertion *assertion;
    KN_VEC(const char *) line[2]; /* where lines begin, and the end */
    KN_VEC(int) id[2];            /* equal lines have equal numbers */
    knx_str out;                  /* the differing lines: '-', '+' or '?' with a NUL behind each line */
} differ;

static bool out_of_memory(differ *d)
{
    kna_fail_with(&d->assertion->op, knx_error_nomem());
    return false;
}

/* ---- Matching. */

/* Long sequences do not begin matches with what they are full of. */
static bool is_popular(sequence b, int value)
{
    int count = 0;
    if (b.n < 200)
        return false;
    for (int i = 0; i < b.n; i++)
        count += b.at[i] == value;
    return count > b.n / 100 + 1;
}

/* The longest common run within limits; the first of equal ones. `length` has room for two rows. */
static run longest(sequence a, sequence b, const run *from, const run *to, const bool *popular, int *length)
{
    run best = {from->a, from->b, 0};
    memset(length, 0, 2 * ((size_t)b.n + 1) * sizeof *length);
    int *last = length, *now = length + b.n + 1;
    for (int i = from->a; i < to->a; i++) {
        now[from->b] = 0;
        for (int j = from->b; j < to->b; j++) {
            bool match = a.at[i] == b.at[j] && !popular[j];
            now[j + 1] = match ? last[j] + 1 : 0;
            if (now[j + 1] > best.n)
                best = (run){i - now[j + 1] + 1, j - now[j + 1] + 1, now[j + 1]};
        }
        last[from->b] = 0;
        int *swap = last;
        last = now;
        now = swap;
    }
    while (best.a > from->a && best.b > from->b && a.at[best.a - 1] == b.at[best.b - 1])
        best = (run){best.a - 1, best.b - 1, best.n + 1};
    while (best.a + best.n < to->a && best.b + best.n < to->b && a.at[best.a + best.n] == b.at[best.b + best.n])
        best.n++;
    return best;
}

/* All common runs in order, adjacent ones joined, with an empty one at the end. */
static bool match(differ *d, sequence a, sequence b, runs *out)
{
    runs open = {0};
    int *length = knx_alloc(2 * ((size_t)b.n + 1) * sizeof *length);
    bool *popular = knx_alloc((size_t)b.n + 1);
    bool ok = length && popular && KN_VEC_PUSH(&open, ((run){0, 0, 0})) && KN_VEC_PUSH(&open, ((run){a.n, b.n, 0}));
    for (int j = 0; ok && j < b.n; j++)
        popular[j] = is_popular(b, b.at[j]);
    out->n = 0;
    while (ok && open.n) {
        run to = open.at[open.n - 1], from = open.at[open.n - 2];
        open.n -= 2;
        run m = longest(a, b, &from, &to, popular, length);
        if (!m.n)
            continue;
        size_t i = out->n;
        ok = KN_VEC_PUSH(out, m);
        for (; ok && i > 0 && out->at[i - 1].a > m.a; i--)
            out->at[i] = out->at[i - 1];
        if (ok)
            out->at[i] = m;
        ok = ok && KN_VEC_PUSH(&open, from) && KN_VEC_PUSH(&open, ((run){m.a, m.b, 0})) &&
             KN_VEC_PUSH(&open, ((run){m.a + m.n, m.b + m.n, 0})) && KN_VEC_PUSH(&open, to);
    }
    size_t kept = 0;
    for (size_t i = 0; ok && i < out->n; i++) {
        run *last = kept ? &out->at[kept - 1] : NULL, m = out->at[i];
        if (last && last->a + last->n == m.a && last->b + last->n == m.b)
            last->n += m.n;
        else
            out->at[kept++] = m;
    }
    out->n = kept;
    ok = ok && KN_VEC_PUSH(out, ((run){a.n, b.n, 0}));
    KN_VEC_FREE(&open);
    knx_free(length);
    knx_free(popular);
    return ok || out_of_memory(d);
}

/* ---- Lines. */

static int line_length(const differ *d, int side, int i)
{
    return (int)(d->line[side].at[i + 1] - d->line[side].at[i]);
}

/* One line of the difference: Python's, which ends where the line does. */
static void put(differ *d, char mark, const char *s, int n)
{
    const char start[] = {mark, ' '};
    knx_str_add(&d->out, start, 2);
    knx_str_add(&d->out, s, (size_t)n);
    knx_str_add(&d->out, "", 1);
}

static void put_lines(differ *d, int side, int from, int to)
{
    for (int i = from; i < to; i++)
        put(d, side ? '+' : '-', d->line[side].at[i], line_length(d, side, i));
}

/* The characters of a line as a sequence; the caller frees it. */
static sequence characters(differ *d, int side, int i)
{
    int n = line_length(d, side, i), *v = knx_alloc((size_t)n * sizeof *v + 1);
    for (int k = 0; v && k < n; k++)
        v[k] = (unsigned char)d->line[side].at[i][k];
    if (!v)
        out_of_memory(d);
    return (sequence){v, v ? n : 0};
}

static double similarity(differ *d, int i, int j)
{
    sequence a = characters(d, 0, i), b = characters(d, 1, j);
    runs m = {0};
    int common = 0, all = a.n + b.n;
    if (!kna_failed(&d->assertion->op) && match(d, a, b, &m))
        for (size_t k = 0; k < m.n; k++)
            common += m.at[k].n;
    KN_VEC_FREE(&m);
    knx_free((void *)(uintptr_t)a.at);
    knx_free((void *)(uintptr_t)b.at);
    return all ? 2.0 * common / all : 1;
}

/* A line of marks under a line: blanks of the line stay, those at the end go. */
static void put_marks(differ *d, const char *line, int n, const char *marks)
{
    knx_str t = {0};
    size_t end = 0;
    for (int i = 0; i < n; i++) {
        char c = marks[i] == ' ' && isspace((unsigned char)line[i]) ? line[i] : marks[i];
        knx_str_add(&t, &c, 1);
        if (!isspace((unsigned char)c))
            end = (size_t)i + 1;
    }
    if (end) {
        knx_str_add(&d->out, "? ", 2);
        knx_str_add(&d->out, t.s, end);
        knx_str_add(&d->out, "\n", 2);
    }
    knx_str_free(&t);
}

static void put_pair(differ *d, int i, int j)
{
    sequence a = characters(d, 0, i), b = characters(d, 1, j);
    char *p = knx_alloc((size_t)a.n + 1), *q = knx_alloc((size_t)b.n + 1);
    runs m = {0};
    if (!p || !q)
        out_of_memory(d);
    if (!kna_failed(&d->assertion->op) && match(d, a, b, &m)) {
        memset(p, ' ', (size_t)a.n);
        memset(q, ' ', (size_t)b.n);
        for (size_t k = 0, x = 0, y = 0; k < m.n; k++) {
            size_t to = (size_t)m.at[k].a, end = (size_t)m.at[k].b;
            memset(p + x, end > y ? '^' : '-', to - x);
            memset(q + y, to > x ? '^' : '+', end - y);
            x = to + (size_t)m.at[k].n;
            y = end + (size_t)m.at[k].n;
        }
        put(d, '-', d->line[0].at[i], a.n);
        put_marks(d, d->line[0].at[i], a.n, p);
        put(d, '+', d->line[1].at[j], b.n);
        put_marks(d, d->line[1].at[j], b.n, q);
    }
    KN_VEC_FREE(&m);
    knx_free(p);
    knx_free(q);
    knx_free((void *)(uintptr_t)a.at);
    knx_free((void *)(uintptr_t)b.at);
}

/* Lines that replace others: the most similar pair is shown with marks, and what stands before and behind it likewise.
 * Blocks wait in `open`, the next one last. */
static bool replace(differ *d, run from, run to)
{
    runs open = {0};
    bool ok = KN_VEC_PUSH(&open, from) && KN_VEC_PUSH(&open, to);
    while (ok && open.n && !kna_failed(&d->assertion->op)) {
        run high = open.at[open.n - 1], low = open.at[open.n - 2], best = {-1, -1, 0};
        open.n -= 2;
        if (low.n) { /* a pair that was found */
            put_pair(d, low.a, low.b);
            continue;
        }
        double most = 0.74;
        for (int j = low.b; j < high.b; j++)
            for (int i = low.a; i < high.a; i++) {
                double s = d->id[0].at[i] == d->id[1].at[j] ? 0 : similarity(d, i, j);
                if (s > most) {
                    most = s;
                    best = (run){i, j, 1};
                }
            }
        if (most < 0.75 || best.a < 0) {
            bool fewer = high.b - low.b < high.a - low.a;
            put_lines(d, fewer, fewer ? low.b : low.a, fewer ? high.b : high.a);
            put_lines(d, !fewer, fewer ? low.a : low.b, fewer ? high.a : high.b);
            continue;
        }
        run after = {best.a + 1, best.b + 1, 0}, before = {best.a, best.b, 0};
        ok = KN_VEC_PUSH(&open, after) && KN_VEC_PUSH(&open, high) && KN_VEC_PUSH(&open, best) &&
             KN_VEC_PUSH(&open, best) && KN_VEC_PUSH(&open, low) && KN_VEC_PUSH(&open, before);
    }
    KN_VEC_FREE(&open);
    return ok || out_of_memory(d);
}

static bool read_lines(differ *d, int side, const char *s)
{
    bool ok = true;
    while (ok && *s) {
        size_t n = strcspn(s, "\n");
        ok = KN_VEC_PUSH(&d->line[side], s);
        s += n + (s[n] == '\n');
    }
    ok = ok && KN_VEC_PUSH(&d->line[side], s);
    return ok || out_of_memory(d);
}

static bool number_lines(differ *d, int side)
{
    bool ok = true;
    for (int i = 0; ok && i + 1 < (int)d->line[side].n; i++) {
        int id = -1, n = line_length(d, side, i);
        for (int s = 0; s <= side && id < 0; s++)
            for (int k = 0; k < (int)d->id[s].n && id < 0; k++)
                if (line_length(d, s, k) == n && !memcmp(d->line[s].at[k], d->line[side].at[i], (size_t)n))
                    id = d->id[s].at[k];
        ok = KN_VEC_PUSH(&d->id[side], id >= 0 ? id : (int)(d->id[0].n + d->id[1].n));
    }
    return ok || out_of_memory(d);
}

static void differences(differ *d, const char *x, const char *y)
{
    runs m = {0};
    if (!read_lines(d, 0, x) || !read_lines(d, 1, y) || !number_lines(d, 0) || !number_lines(d, 1))
        return;
    sequence a = {d->id[0].at, (int)d->id[0].n}, b = {d->id[1].at, (int)d->id[1].n};
    if (match(d, a, b, &m))
        for (size_t k = 0, i = 0, j = 0; k < m.n; k++) {
            run low = {(int)i, (int)j, 0}, high = {m.at[k].a, m.at[k].b, 0};
            if (low.a < high.a && low.b < high.b)
                replace(d, low, high);
            else {
                put_lines(d, 0, low.a, high.a);
                put_lines(d, 1, low.b, high.b);
            }
            i = (size_t)m.at[k].a + (size_t)m.at[k].n;
            j = (size_t)m.at[k].b + (size_t)m.at[k].n;
        }
    KN_VEC_FREE(&m);
}

/* A line that stands alone is what NumPy reports, as Python's repr. */
static void report_alone(kntesting_assertion *a, const char *line)
{
    knx_str_puts(&a->report, "'");
    for (; *line; line++) {
        if (*line == '\n')
            knx_str_puts(&a->report, "\\n");
        else
            knx_str_add(&a->report, line, 1);
    }
    knx_str_puts(&a->report, "'");
}

/* Pairs of lines, each with its marks, as NumPy wants them. */
static void report(kntesting_assertion *a, const knx_str *out)
{
    const char *s = out->s, *end = s + out->n, *alone = NULL;
    knx_str_puts(&a->report, "Differences in strings:\n");
    while (s < end && !alone) {
        const char *minus = s, *marks = NULL;
        s += strlen(s) + 1;
        if (s < end && *s == '?') {
            marks = s;
            s += strlen(s) + 1;
        }
        alone = *minus != '-' ? minus : s < end && *s != '+' ? s : s >= end ? minus : NULL;
        if (alone)
            break;
        knx_str_puts(&a->report, minus);
        knx_str_puts(&a->report, marks ? marks : "");
        knx_str_puts(&a->report, s);
        s += strlen(s) + 1;
        if (s < end && *s == '?') {
            knx_str_puts(&a->report, s);
            s += strlen(s) + 1;
        }
    }
    if (alone) {
        knx_str_free(&a->report);
        report_alone(a, alone);
        return;
    }
    while (a->report.n && isspace((unsigned char)a->report.s[a->report.n - 1]))
        a->report.s[--a->report.n] = '\0';
}

int kn_testing_assert_string_equal(const char *actual, const char *desired)
{
    kntesting_assertion a;
    kntesting_begin(&a, "testing_assert_string_equal");
    if (!actual || !desired)
        kna_fail(&a.op, KN_ERROR_TYPE, "null string");
    if (!kna_failed(&a.op) && strcmp(actual, desired) != 0) {
        differ d = {.assertion = &a};
        differences(&d, actual, desired);
        a.failed = true;
        if (d.out.failed)
            out_of_memory(&d);
        if (!kna_failed(&a.op) && d.out.n)
            report(&a, &d.out);
        for (int i = 0; i < 2; i++) {
            KN_VEC_FREE(&d.line[i]);
            KN_VEC_FREE(&d.id[i]);
        }
        knx_str_free(&d.out);
    }
    return kntesting_end(&a);
}
