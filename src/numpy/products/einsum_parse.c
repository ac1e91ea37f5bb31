/* SPDX-License-Identifier: Apache-2.0
 * einsum_parse.c -- the subscripts of Einstein sums, by the rules and with the errors of NumPy's. */
#include "numpy/products/einsum.h"
#include <string.h>

/* Letters are kept as they are until all of them are known; axes of "..." are zeros. */
typedef struct reading {
    kna_op *op;
    const char *at;
    char label[KNN_MAX_OPERANDS][KN_MAX_NDIM];
    int count[128];
    char out[KN_MAX_NDIM];
} reading;

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool wrong(reading *r, const char *text)
{
    kna_fail(r->op, KN_ERROR_VALUE, "%s", text);
    return false;
}

static bool not_a_subscript(reading *r, char c)
{
    kna_fail(r->op, KN_ERROR_VALUE,
             "invalid subscript '%c' in einstein sum subscripts string, subscripts must be letters", c);
    return false;
}

/* One "..." at s[*i], which stands for nothing else; *i goes to its last dot. */
static bool read_ellipsis(const char *s, int length, int *i, bool before)
{
    if (before || *i + 2 >= length || s[*i + 1] != '.' || s[*i + 2] != '.')
        return false;
    *i += 2;
    return true;
}

static bool read_operand(reading *r, int length, int ndim, int k)
{
    const char *s = r->at;
    char *label = r->label[k];
    int n = 0, ellipsis = -1;
    for (int i = 0; i < length; i++) {
        if (is_letter(s[i])) {
            if (n >= ndim) {
                kna_fail(r->op, KN_ERROR_VALUE,
                         "einstein sum subscripts string contains too many subscripts for operand %d", k);
                return false;
            }
            label[n++] = s[i];
            r->count[(int)s[i]]++;
        } else if (s[i] == '.') {
            if (!read_ellipsis(s, length, &i, ellipsis >= 0)) {
                kna_fail(r->op, KN_ERROR_VALUE,
                         "einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...') in "
                         "operand %d",
                         k);
                return false;
            }
            ellipsis = n;
        } else if (s[i] != ' ')
            return not_a_subscript(r, s[i]);
    }
    if (ellipsis < 0 && n != ndim)
        return wrong(r, "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis "
                        "provided to broadcast the extra dimensions.");
    if (ellipsis >= 0) {
        memmove(label + ellipsis + ndim - n, label + ellipsis, (size_t)(n - ellipsis));
        memset(label + ellipsis, 0, (size_t)(ndim - n));
    }
    return true;
}

static bool read_output(reading *r, knn_subscripts *s)
{
    const char *t = r->at;
    int length = (int)strlen(t);
    bool ellipsis = false;
    for (int i = 0; i < length; i++) {
        if (is_letter(t[i])) {
            bool twice = strchr(t + i + 1, t[i]) != NULL;
            if (twice || !r->count[(int)t[i]]) {
                kna_fail(r->op, KN_ERROR_VALUE,
                         twice
                             ? "einstein sum subscripts string includes output subscript '%c' multiple times"
                             : "einstein sum subscripts string included output subscript '%c' which never appeared in "
                               "an input",
                         t[i]);
                return false;
            }
        } else if (t[i] == '.') {
            if (!read_ellipsis(t, length, &i, ellipsis))
                return wrong(r, "einstein sum subscripts string contains a '.' that is not part of an ellipsis "
                                "('...') in the output");
            ellipsis = true;
        } else if (t[i] != ' ')
            return not_a_subscript(r, t[i]);
        int more = t[i] == '.' ? s->n_broadcast : t[i] != ' ';
        if (s->n_out + more > KN_MAX_NDIM)
            return wrong(r, "einstein sum subscripts string contains too many subscripts in the output");
        memset(r->out + s->n_out, t[i] == '.' ? 0 : t[i], (size_t)more);
        s->n_out += more;
    }
    if (!ellipsis && s->n_broadcast)
        return wrong(r, "output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis "
                        "provided to broadcast the extra dimensions.");
    return true;
}

/* Without "->": the axes of "...", then what stands once, in alphabetical order. */
static bool make_output(reading *r, knn_subscripts *s)
{
    s->n_out = s->n_broadcast;
    memset(r->out, 0, (size_t)s->n_out);
    for (int c = 0; c < 128; c++) {
        if (r->count[c] != 1)
            continue;
        if (s->n_out == KN_MAX_NDIM)
            return wrong(r, "einstein sum subscript string has too many distinct labels");
        r->out[s->n_out++] = (char)c;
    }
    return true;
}

/* Numbers instead of letters. The axes of "..." count from the last one. */
static bool number_labels(reading *r, const kni_type *t, knn_subscripts *s)
{
    signed char number[128];
    s->n_label = s->n_broadcast;
    memset(s->letter, 0, sizeof s->letter);
    for (int c = 0; c < 128; c++) {
        if (!r->count[c])
            continue;
        if (s->n_label == KNN_MAX_LABELS)
            return wrong(r, "too many subscripts in einsum");
        s->letter[s->n_label] = (char)c;
        number[c] = (signed char)s->n_label++;
    }
    for (int k = 0; k < s->n; k++) {
        s->ndim[k] = t[k].ndim;
        for (int d = t[k].ndim - 1, b = s->n_broadcast - 1; d >= 0; d--)
            s->label[k][d] = r->label[k][d] ? number[(int)r->label[k][d]] : (signed char)b--;
    }
    for (int d = 0, b = 0; d < s->n_out; d++)
        s->out[d] = r->out[d] ? number[(int)r->out[d]] : (signed char)b++;
    return true;
}

static bool read_operands(reading *r, int n, const kni_type *t, knn_subscripts *s)
{
    for (int k = 0; k < n; k++) {
        int length = (int)strcspn(r->at, ",-");
        /* NumPy's texts say it of the subscripts */
        if (k == n - 1 && r->at[length] == ',')
            return wrong(r, "more operands provided to einstein sum function than specified in the subscripts string");
        if (k < n - 1 && r->at[length] != ',')
            return wrong(r, "fewer operands provided to einstein sum function than specified in the subscripts string");
        if (!read_operand(r, length, t[k].ndim, k))
            return false;
        r->at += length + (k < n - 1);
        int b = 0;
        for (int d = 0; d < t[k].ndim; d++)
            b += !r->label[k][d];
        s->n_broadcast = b > s->n_broadcast ? b : s->n_broadcast;
    }
    return true;
}

bool knn_parse_subscripts(kna_op *op, const char *text, int n, const kni_type *t, knn_subscripts *s)
{
    reading r = {.op = op, .at = text};
    s->n = n;
    s->n_broadcast = s->n_out = 0;
    if (!text || n < 1)
        return wrong(&r, "must specify the einstein sum subscripts string and at least one operand");
    if (n > KNN_MAX_OPERANDS)
        return wrong(&r, "too many operands provided to einstein sum function");
    if (!read_operands(&r, n, t, s))
        return false;
    if (!*r.at)
        return make_output(&r, s) && number_labels(&r, t, s);
    if (r.at[0] != '-' || r.at[1] != '>')
        return wrong(&r, "einstein sum subscript string does not contain proper '->' output specified");
    r.at += 2;
    return read_output(&r, s) && number_labels(&r, t, s);
}

/* --- sizes ------------------------------------------------------------------------------------ */

/* NumPy looks at one operand's axes in order, until one is summed, before it joins repeated ones. */
static bool check_repeated(kna_op *op, const kni_type *t, const knn_subscripts *s, int k)
{
    uint64_t out = knn_label_set(s->n_out, s->out);
    bool single = s->n == 1;
    for (int d = 0; d < t->ndim; d++) {
        int label = s->label[k][d], first = 0;
        single = single && out >> label & 1;
        while (s->label[k][first] != label)
            first++;
        if (knx_dim_eq(t->dim[first], t->dim[d]))
            continue;
        knx_text where = {0}, p = {0}, q = {0};
        if (single)
            knx_text_add(&where, "single operand");
        else
            knx_text_add(&where, "operand %d", k);
        kna_fail(op, KN_ERROR_VALUE, "dimensions in %s for collapsing index '%c' don't match (%s != %s)", where.s,
                 s->letter[label], knx_dim_show(&p, t->dim[first]), knx_dim_show(&q, t->dim[d]));
        return false;
    }
    return true;
}

/* The axes of an operand as NumPy's iterator has them: the result's, then the summed ones in alphabetical order. */
static void show_remapped(knx_text *text, const kni_type *t, const knn_subscripts *s, int k)
{
    signed char order[2 * KN_MAX_NDIM];
    uint64_t out = knn_label_set(s->n_out, s->out);
    int n = 0, shown = 0;
    for (; n < s->n_out; n++)
        order[n] = s->out[n];
    for (int l = 0; l < s->n_label; l++)
        if (!(out >> l & 1))
            order[n++] = (signed char)l;
    knx_text_add(text, "->(");
    for (int i = 0; i < n; i++) {
        int d = 0;
        while (d < t->ndim && s->label[k][d] != order[i])
            d++;
        if (d == t->ndim && !shown) /* leading ones are left out */
            continue;
        if (d == t->ndim)
            knx_text_add(text, ",newaxis");
        else
            knx_text_add(text, "%s", shown ? "," : ""), knx_dim_show(text, t->dim[d]);
        shown++;
    }
    knx_text_add(text, shown && n == 1 ? ",)" : ")");
}

static bool sizes_differ(kna_op *op, const kni_type *t, const knn_subscripts *s)
{
    knx_text text = {0};
    for (int k = 0; k < s->n; k++) {
        int64_t dim[KN_MAX_NDIM]; /* diagonals are one axis already */
        int n = 0;
        for (int d = 0; d < t[k].ndim; d++)
            if (!(knn_label_set(d, s->label[k]) >> s->label[k][d] & 1))
                dim[n++] = t[k].dim[d];
        knx_text_add(&text, " ");
        knx_show_shape(&text, n, dim);
        show_remapped(&text, &t[k], s, k);
    }
    kna_fail(op, KN_ERROR_VALUE,
             "operands could not be broadcast together with remapped shapes [original->remapped]:%s", text.s);
    return false;
}

bool knn_size_labels(kna_op *op, const kni_type *t, knn_subscripts *s)
{
    for (int l = 0; l < s->n_label; l++)
        s->size[l] = 1;
    for (int k = 0; k < s->n; k++)
        if (!check_repeated(op, &t[k], s, k))
            return false;
    for (int k = 0; k < s->n; k++)
        for (int d = 0; d < t[k].ndim; d++) {
            int64_t *size = &s->size[s->label[k][d]], dim = t[k].dim[d];
            if (*size != 1 && dim != 1 && !knx_dim_eq(*size, dim))
                return sizes_differ(op, t, s);
            if (dim != 1)
                *size = dim;
        }
    return true;
}
