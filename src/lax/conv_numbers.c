/* SPDX-License-Identifier: Apache-2.0
 * conv_numbers.c -- dimension numbers of convolutions: words with a letter an axis, made to lists of axes. */
#include "lax/conv.h"
#include <string.h>

/* Batch and features of lhs and the result; output and input features of rhs. */
static const char first_letters[3][2] = {{'N', 'C'}, {'O', 'I'}, {'N', 'C'}};

static int times(const char *word, char letter)
{
    int n = 0;
    for (; *word; word++)
        n += *word == letter;
    return n;
}

static bool check_word(kna_op *op, int i, const char *word)
{
    const char *first = first_letters[i];
    if (times(word, first[0]) != 1 || times(word, first[1]) != 1) {
        kna_fail(op, KN_ERROR_TYPE,
                 "convolution dimension_numbers[%d] must contain the characters '%c' and '%c' exactly once, got %s.", i,
                 first[0], first[1], word);
        return false;
    }
    for (const char *s = word; *s; s++)
        if (times(word, *s) != 1) {
            kna_fail(op, KN_ERROR_TYPE, "convolution dimension_numbers[%d] cannot have duplicate characters, got %s.",
                     i, word);
            return false;
        }
    return true;
}

static bool is_spatial(int i, char letter) { return letter != first_letters[i][0] && letter != first_letters[i][1]; }

/* The spatial letters of rhs, in order. */
static int spatial_letters(const char *rhs, char *letters)
{
    int n = 0;
    for (; *rhs; rhs++)
        if (is_spatial(1, *rhs))
            letters[n++] = *rhs;
    return n;
}

static void specs_of_words(kna_op *op, const char *const word[3], knlax_conv_specs *s)
{
    char letters[KN_MAX_NDIM];
    KN_KNOWN(word[0] && word[1] && word[2]);
    for (int i = 0; i < 3; i++)
        if (!check_word(op, i, word[i]))
            return;
    int n = spatial_letters(word[1], letters);
    for (int i = 0; i < 3; i++) {
        s->n[i] = n + 2;
        s->v[i][0] = strchr(word[i], first_letters[i][0]) - word[i];
        s->v[i][1] = strchr(word[i], first_letters[i][1]) - word[i];
        for (int k = 0; k < n; k++) {
            const char *at = is_spatial(i, letters[k]) ? strchr(word[i], letters[k]) : NULL;
            if (!at) {
                kna_fail(op, KN_ERROR_TYPE,
                         "convolution dimension_numbers elements must each have the same set of spatial characters, "
                         "got ('%s', '%s', '%s').",
                         word[0], word[1], word[2]);
                return;
            }
            s->v[i][2 + k] = at - word[i];
        }
    }
}

void knlax_conv_specs_of(kna_op *op, const kn_lax_conv_numbers *given, int lhs_ndim, const int64_t *lhs, int rhs_ndim,
                         const int64_t *rhs, knlax_conv_specs *s)
{
    memset(s, 0, sizeof *s);
    if (!kna_given_pointer(op, given, "dimension_numbers"))
        return;
    const kn_axes *lists[3] = {&given->lhs_spec, &given->rhs_spec, &given->out_spec};
    const char *const word[3] = {given->lhs, given->rhs, given->out};
    if (kna_failed(op))
        return;
    if (lists[0]->n || lists[1]->n || lists[2]->n) {
        for (int i = 0; i < 3; i++)
            s->n[i] = knlax_list_of(op, kna_given_axes(op, lists[i], "dimension_numbers"), s->v[i]);
        return;
    }
    if (lhs_ndim != rhs_ndim) {
        kna_fail(op, KN_ERROR_TYPE, "convolution requires lhs and rhs ndim to be equal, got %d and %d.", lhs_ndim,
                 rhs_ndim);
        return;
    }
    if (!word[0] && !word[1] && !word[2]) {
        for (int i = 0; i < 3; i++)
            for (s->n[i] = 0; s->n[i] < lhs_ndim; s->n[i]++)
                s->v[i][s->n[i]] = s->n[i];
        return;
    }
    for (int i = 0; i < 3; i++) {
        size_t length = word[i] ? strlen(word[i]) : 0;
        if (length != (size_t)lhs_ndim) {
            knx_text a = {0}, b = {0};
            kna_fail(
                op, KN_ERROR_TYPE,
                "convolution dimension_numbers[%d] must have len equal to the ndim of lhs and rhs, got %zu for lhs "
                "and rhs shapes %s and %s.",
                i, length, knlax_tuple(&a, lhs_ndim, lhs), knlax_tuple(&b, rhs_ndim, rhs));
            return;
        }
    }
    specs_of_words(op, word, s);
}

kn_lax_conv_numbers kn_lax_conv_dimension_numbers(const kn_shape *lhs_shape, const kn_shape *rhs_shape,
                                                  const kn_lax_conv_numbers *dimension_numbers)
{
    kna_op op;
    knlax_conv_specs s;
    kn_lax_conv_numbers y = {0};
    kn_axes *lists[3] = {&y.lhs_spec, &y.rhs_spec, &y.out_spec};
    kna_begin(&op, "lax.conv_dimension_numbers");
    lhs_shape = kna_shape(&op, lhs_shape);
    rhs_shape = kna_shape(&op, rhs_shape);
    knlax_conv_specs_of(&op, dimension_numbers, lhs_shape->ndim, lhs_shape->dim, rhs_shape->ndim, rhs_shape->dim, &s);
    if (!kna_end_plain(&op))
        return y;
    for (int i = 0; i < 3; i++) {
        lists[i]->n = s.n[i] + 1;
        for (int k = 0; k < s.n[i]; k++)
            lists[i]->axis[k] = (int32_t)s.v[i][k];
    }
    return y;
}
