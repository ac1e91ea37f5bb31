/* SPDX-License-Identifier: Apache-2.0
 * einsum_report.c -- kn_einsum_path: NumPy's report about the order of contractions, and the errors of its own that it
 * has for subscripts. */
#include "function/jaxpr_handle.h"
#include "base/str.h"
#include "numpy/products/einsum.h"
#include <stdio.h>
#include <string.h>
#include <limits.h>

/* --- checks ----------------------------------------------------------------------------------- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static int count(const char *s, char c)
{
    int n = 0;
    for (; *s; s++)
        n += *s == c;
    return n;
}

static const char *end_of_inputs(const char *s)
{
    const char *end = strstr(s, "->");
    return end ? end : s + strlen(s);
}

static bool check_ellipses(kna_op *op, const char *s, int n, const kni_type *t)
{
    const char *end = end_of_inputs(s);
    for (int k = 0; s <= end && k < n; k++) {
        int length = (int)strcspn(s, ",-"), dots = 0;
        for (int i = 0; i < length; i++)
            dots += s[i] == '.';
        const char *at = strstr(s, "...");
        if (dots && (dots != 3 || !at || at >= s + length)) {
            kna_fail(op, KN_ERROR_VALUE, "Invalid Ellipses.");
            return false;
        }
        if (dots && t[k].ndim && t[k].ndim < length - 3) {
            kna_fail(op, KN_ERROR_VALUE, "Ellipses lengths do not match.");
            return false;
        }
        s += length + 1;
    }
    return true;
}

static bool check_output(kna_op *op, const char *s)
{
    const char *end = end_of_inputs(s), *out = *end ? end + 2 : end;
    for (const char *c = out; *c; c++) {
        if (!is_letter(*c))
            continue;
        const char *text = count(out, *c) > 1                  ? "appeared more than once in the output."
                           : !memchr(s, *c, (size_t)(end - s)) ? "did not appear in the input"
                                                               : NULL;
        if (text) {
            kna_fail(op, KN_ERROR_VALUE, "Output character %c %s", *c, text);
            return false;
        }
    }
    return true;
}

static bool check_terms(kna_op *op, const char *s, int n, const kni_type *t)
{
    const char *end = end_of_inputs(s), *at = s;
    int terms = 1;
    for (const char *c = s; c < end; c++)
        terms += *c == ',';
    if (terms != n) {
        kna_fail(op, KN_ERROR_VALUE, "Number of einsum subscripts must be equal to the number of operands.");
        return false;
    }
    for (int k = 0; k < n; k++) {
        int length = (int)strcspn(at, ",-");
        if (!memchr(at, '.', (size_t)length) && length != t[k].ndim) {
            kna_fail(op, KN_ERROR_VALUE,
                     "Einstein sum subscript %c does not contain the correct number of indices for operand %d.", s[k],
                     k);
            return false;
        }
        at += length + 1;
    }
    return true;
}

/* s has no blanks. */
static bool check_subscripts(kna_op *op, const char *s, int n, const kni_type *t)
{
    for (const char *c = s; *c; c++)
        if (!is_letter(*c) && !strchr(".,->", *c)) {
            kna_fail(op, KN_ERROR_VALUE, "Character %c is not a valid symbol.", *c);
            return false;
        }
    int lines = count(s, '-'), heads = count(s, '>');
    if ((lines || heads) && (lines > 1 || heads > 1 || !strstr(s, "->"))) {
        kna_fail(op, KN_ERROR_VALUE, "Subscripts can only contain one '->'.");
        return false;
    }
    return check_ellipses(op, s, n, t) && check_output(op, s) && check_terms(op, s, n, t);
}

static bool check_sizes(kna_op *op, const knn_subscripts *s, const kni_type *t)
{
    int64_t size[KNN_MAX_LABELS];
    for (int l = 0; l < s->n_label; l++)
        size[l] = 1;
    for (int k = 0; k < s->n; k++)
        for (int d = 0; d < t[k].ndim; d++) {
            int l = s->label[k][d];
            if (size[l] != 1 && t[k].dim[d] != 1 && !knx_dim_eq(t[k].dim[d], size[l])) {
                knx_text p = {0}, q = {0};
                kna_fail(
                    op, KN_ERROR_VALUE, "Size of label '%c' for operand %d (%s) does not match previous terms (%s).",
                    s->letter[l] ? s->letter[l] : '.', k, knx_dim_show(&p, size[l]), knx_dim_show(&q, t[k].dim[d]));
                return false;
            }
            size[l] = size[l] == 1 ? t[k].dim[d] : size[l];
        }
    return true;
}

/* --- the report ------------------------------------------------------------------------------- */

enum { TERM_BYTES = KN_MAX_NDIM + 1 };

typedef struct report {
    const knn_subscripts *s;
    char letter[KNN_MAX_LABELS];
    int n;
    char term[KNN_MAX_OPERANDS][TERM_BYTES]; /* what is there */
    uint64_t set[KNN_MAX_OPERANDS], out;
    char out_term[TERM_BYTES];
    knx_str steps;
    double cost, largest;
    int scale;
} report;

/* The axes of "..." are called by the last letters that are free. */
static void name_labels(report *r)
{
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const knn_subscripts *s = r->s;
    int at = (int)sizeof all - 2;
    memcpy(r->letter, s->letter, sizeof r->letter);
    for (int b = s->n_broadcast - 1; b >= 0; b--) {
        while (at >= 0 && memchr(s->letter + s->n_broadcast, all[at], (size_t)(s->n_label - s->n_broadcast)))
            at--;
        r->letter[b] = at >= 0 ? all[at--] : '.';
    }
}

static void name_axes(const report *r, int n, const signed char *label, char *to)
{
    for (int i = 0; i < n; i++)
        to[i] = r->letter[label[i]];
    to[n] = '\0';
}

/* The axes of a value between: the short ones first. */
static void name_between(const report *r, uint64_t set, char *to)
{
    int label[KNN_MAX_LABELS], n = 0;
    for (int l = 0; l < r->s->n_label; l++) {
        if (!(set >> l & 1))
            continue;
        int i = n++;
        for (; i > 0; i--) {
            double before = knn_number(r->s->size[label[i - 1]]), mine = knn_number(r->s->size[l]);
            if (before < mine || (before == mine && r->letter[label[i - 1]] < r->letter[l]))
                break;
            label[i] = label[i - 1];
        }
        label[i] = l;
    }
    for (int i = 0; i < n; i++)
        to[i] = r->letter[label[i]];
    to[n] = '\0';
}

static void join_terms(knx_str *t, const report *r)
{
    for (int i = 0; i < r->n; i++) {
        knx_str_puts(t, i ? "," : "");
        knx_str_puts(t, r->term[i]);
    }
}

static void aligned(knx_str *to, knx_str *text, int width)
{
    char *s = knx_str_take(text);
    if (!s) {
        to->failed = true;
        return;
    }
    knx_str_pad(to, ' ', width - (int64_t)strlen(s));
    knx_str_puts(to, s);
    knx_free(s);
}

static void add_step(report *r, const knn_contraction *step, bool last)
{
    knx_str now = {0}, then = {0};
    uint64_t contracted = 0, kept = r->out;
    for (int i = 0, k = 0; i < r->n; i++)
        if (k < step->n && step->at[k] == i) {
            contracted |= r->set[i];
            k++;
        } else
            kept |= r->set[i];
    uint64_t result = contracted & kept;
    for (int k = step->n - 1; k >= 0; k--) { /* NumPy takes them away from the end */
        int i = step->at[k];
        knx_str_puts(&now, k < step->n - 1 ? "," : "");
        knx_str_puts(&now, r->term[i]);
        memmove(r->term[i], r->term[i + 1], (size_t)(r->n - i - 1) * TERM_BYTES);
        memmove(r->set + i, r->set + i + 1, (size_t)(r->n - i - 1) * sizeof *r->set);
        r->n--;
    }
    if (last)
        memcpy(r->term[r->n], r->out_term, TERM_BYTES);
    else
        name_between(r, result, r->term[r->n]);
    r->set[r->n++] = result;
    knx_str_puts(&now, "->");
    knx_str_puts(&now, r->term[r->n - 1]);
    join_terms(&then, r);
    knx_str_puts(&then, "->");
    knx_str_puts(&then, r->out_term);
    int scale = __builtin_popcountll(contracted);
    double size = knn_set_size(result, r->s->size);
    r->cost += knn_set_cost(contracted, contracted != result, step->n, r->s->size);
    r->largest = size > r->largest ? size : r->largest;
    r->scale = scale > r->scale ? scale : r->scale;
    char number[16];
    snprintf(number, sizeof number, "\n%4d    ", scale);
    knx_str_puts(&r->steps, number);
    aligned(&r->steps, &now, 24);
    knx_str_puts(&r->steps, " ");
    aligned(&r->steps, &then, 40);
}

static char *show_path(const knn_path *path)
{
    knx_str t = {0};
    knx_str_puts(&t, "['einsum_path'");
    for (int i = 0; i < path->n; i++) {
        const knn_contraction *s = &path->step[i];
        knx_str_puts(&t, ", (");
        for (int k = 0; k < s->n; k++) {
            char number[16];
            snprintf(number, sizeof number, k ? ", %d" : "%d", s->at[k]);
            knx_str_puts(&t, number);
        }
        knx_str_puts(&t, s->n == 1 ? ",)" : ")");
    }
    knx_str_puts(&t, "]");
    return knx_str_take(&t);
}

static char *make_report(report *r, const knn_path *path)
{
    const knn_subscripts *s = r->s;
    static const char line[] = "--------------------------------------------------------------------------";
    knx_str t = {0};
    char number[400];
    uint64_t all = 0;
    int labels = 0;
    name_labels(r);
    name_axes(r, s->n_out, s->out, r->out_term);
    r->out = knn_label_set(s->n_out, s->out);
    for (r->n = 0; r->n < s->n; r->n++) {
        name_axes(r, s->ndim[r->n], s->label[r->n], r->term[r->n]);
        r->set[r->n] = knn_label_set(s->ndim[r->n], s->label[r->n]);
        labels += __builtin_popcountll(r->set[r->n]);
        all |= r->set[r->n];
    }
    knx_str_puts(&t, "  Complete contraction:  ");
    join_terms(&t, r);
    knx_str_puts(&t, "->");
    knx_str_puts(&t, r->out_term);
    for (int i = 0; i < path->n; i++)
        add_step(r, &path->step[i], i == path->n - 1);
    double naive = knn_set_cost(all, labels > s->n_label, s->n, s->size), cost = r->cost + 1;
    snprintf(number, sizeof number,
             "\n         Naive scaling:  %d\n     Optimized scaling:  %d\n      Naive FLOP count:  %.3e\n"
             "  Optimized FLOP count:  %.3e\n   Theoretical speedup:  %3.3f\n  Largest intermediate:  %.3e elements\n",
             s->n_label, r->scale, naive, cost, naive / cost, r->largest);
    knx_str_puts(&t, number);
    snprintf(number, sizeof number, "%s\n%6s %24s %40s\n%s", line, "scaling", "current", "remaining", line);
    knx_str_puts(&t, number);
    char *steps = knx_str_take(&r->steps);
    knx_str_puts(&t, steps ? steps : "");
    t.failed |= !steps;
    knx_free(steps);
    return knx_str_take(&t);
}

/* --- kn_einsum_path --------------------------------------------------------------------------- */

typedef struct work {
    kni_type t[KNN_MAX_OPERANDS];
    knn_subscripts s;
    knn_path path;
    report r;
} work;

static char *without_blanks(const char *s)
{
    char *t = knx_alloc(strlen(s) + 1), *to = t;
    for (; t && *s; s++)
        if (*s != ' ')
            *to++ = *s;
    if (t)
        *to = '\0';
    return t;
}

static bool analyze(kna_op *op, work *w, const char *subscripts, int n, const kn_array *x, const kn_einsum_opts *o)
{
    kna_given_list(op, n, x, INT_MAX, "operands");
    for (int k = 0; k < n && k < KNN_MAX_OPERANDS && !kna_failed(op); k++)
        w->t[k] = kna_type(op, x[k]);
    if (!kna_failed(op) && n > KNN_MAX_OPERANDS)
        kna_fail(op, KN_ERROR_VALUE, "too many operands provided to einstein sum function");
    char *s = kna_failed(op) || !subscripts ? NULL : without_blanks(subscripts);
    if (!kna_failed(op) && !s) {
        if (subscripts)
            kna_fail_with(op, knx_error_nomem());
        else
            kna_fail(op, KN_ERROR_VALUE, "must specify the einstein sum subscripts string and at least one operand");
    }
    bool ok = !kna_failed(op) && check_subscripts(op, s, n, w->t) && knn_parse_subscripts(op, s, n, w->t, &w->s) &&
              check_sizes(op, &w->s, w->t) && knn_size_labels(op, w->t, &w->s) &&
              knn_choose_path(op, &w->s, o, &w->path);
    knx_free(s);
    return ok;
}

kn_einsum_path_result kn_einsum_path(const char *subscripts, int n, const kn_array *operands,
                                     const kn_einsum_opts *opts)
{
    KNX_OPTS(kn_einsum_opts, o, opts);
    kna_op op;
    kna_begin(&op, "einsum_path");
    work *w = knx_alloc_zero(sizeof *w);
    char *path = NULL, *text = NULL;
    if (!w)
        kna_fail_with(&op, knx_error_nomem());
    else if (analyze(&op, w, subscripts, n, operands, &o)) {
        w->r.s = &w->s;
        path = show_path(&w->path);
        text = make_report(&w->r, &w->path);
        if (!path || !text)
            kna_fail_with(&op, knx_error_nomem());
    }
    knx_free(w);
    if (!kna_end_plain(&op)) {
        knx_free(path);
        knx_free(text);
        return (kn_einsum_path_result){"", ""};
    }
    return (kn_einsum_path_result){knf_text_handle(path), knf_text_handle(text)};
}
