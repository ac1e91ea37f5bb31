/* SPDX-License-Identifier: Apache-2.0
 * signature.c -- signatures of generalized ufuncs as NumPy reads them: a list of names, or of sizes, for each
 * operand. */
#include "numpy/ufunc/core.h"
#include <string.h>

static bool is_letter(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static int skip(const char *s, int i)
{
    while (s[i] == ' ' || s[i] == '\t')
        i++;
    return i;
}

/* The dimension at *i, and its number in s; NULL, or what is wrong. */
static const char *read_dim(const char *text, int *i, knn_signature *s, unsigned char *which)
{
    int start = *i, n = 0, d = 0;
    int64_t size = -1;
    if (!is_letter(text[start])) {
        for (size = 0; is_digit(text[start + n]) && size < INT32_MAX; n++)
            size = size * 10 + (text[start + n] - '0');
        if (size <= 0 || size >= INT32_MAX)
            return "expect dimension name or non-zero frozen size";
    } else
        while (is_letter(text[start + n]) || is_digit(text[start + n]))
            n++;
    if (n >= KNN_LONGEST_DIM)
        return "dimension name is too long";
    while (d < s->n_dim && (strncmp(s->dim[d].name, text + start, (size_t)n) != 0 || s->dim[d].name[n]))
        d++;
    *i = skip(text, start + n);
    bool optional = text[*i] == '?';
    if (optional)
        *i = skip(text, *i + 1);
    if (d < s->n_dim && optional != s->dim[d].optional)
        return optional ? "? cannot be used, name already seen without ?" : "? must be used, name already seen with ?";
    if (d == KNN_MOST_DIMS)
        return "too many dimensions";
    if (d == s->n_dim) {
        memcpy(s->dim[d].name, text + start, (size_t)n);
        s->dim[d].size = size;
        s->dim[d].optional = optional;
        s->n_dim++;
    }
    *which = (unsigned char)d;
    return NULL;
}

/* "(i,j)" from *i on. */
static const char *read_operand(const char *text, int *i, knn_signature *s, int operand)
{
    if (text[*i] != '(')
        return "expect '('";
    *i = skip(text, *i + 1);
    while (text[*i] != ')') {
        unsigned char which = 0;
        if (!text[*i])
            return "unexpected end of signature string";
        const char *wrong = read_dim(text, i, s, &which);
        if (wrong)
            return wrong;
        if (s->core[operand].n == KNN_MOST_CORE)
            return "too many dimensions";
        s->core[operand].dim[s->core[operand].n++] = which;
        if (text[*i] == ',')
            *i = skip(text, *i + 1);
        else if (text[*i] != ')')
            return "expect ',' or ')'";
    }
    *i = skip(text, *i + 1);
    return NULL;
}

const char *knn_parse_signature(const char *text, int n_in, int n_out, knn_signature *s, int *position)
{
    const char *wrong = NULL;
    int i = skip(text, 0), operand = 0;
    *s = (knn_signature){.n_in = n_in, .n_out = n_out};
    while (text[i] && !wrong) {
        if (operand == n_in) {
            if (text[i] != '-' || text[i + 1] != '>') {
                wrong = "expect '->'";
                break;
            }
            i = skip(text, i + 2);
        }
        if (operand == n_in + n_out) {
            wrong = "unexpected end of signature string";
            break;
        }
        wrong = read_operand(text, &i, s, operand);
        if (!wrong && operand != n_in - 1 && operand != n_in + n_out - 1) {
            if (text[i] != ',')
                wrong = "expect ','";
            else
                i = skip(text, i + 1);
        }
        operand++;
    }
    if (!wrong && operand != n_in + n_out)
        wrong = "incomplete signature: not all arguments found";
    *position = i;
    return wrong;
}
