/* SPDX-License-Identifier: Apache-2.0
 * read_text.c -- reads the parameters of the classic form that stand for several members: the inverse of
 * param_text.c. */
#include "ir/text/parse.h"
#include <string.h>

/* Name(member=(0,), member=()): the members of these names. */
void kni_read_members(kni_parser *p, const kni_param_field *fields, void *params)
{
    kni_parse_word(p, "a name");
    kni_parse_need(p, '(');
    while (!p->error && !kni_parse_is(p, ')')) {
        kni_word name = kni_parse_word(p, "a member");
        const kni_param_field *f = fields;
        while (f->name && !(f->kind == KN_P_INTS && kni_word_is(name, f->name)))
            f++;
        if (!f->name)
            kni_parse_fail(p, name.s, KN_ERROR_VALUE, "there is no member %.*s", (int)(name.n < 40 ? name.n : 40),
                           name.s);
        else if (kni_parse_need(p, '='))
            kni_parse_ints(p, (kni_ints *)((char *)params + f->offset));
        if (!kni_parse_is(p, ')'))
            kni_parse_need(p, ',');
    }
    kni_parse_need(p, ')');
}

/* True or False: the opposite of `reverse`. What the form does not say is as JAX has it. */
void kni_read_forward(kni_parser *p, const kni_param_field *fields, void *params)
{
    kni_p_scan *s = params;
    kni_word w = kni_parse_word(p, "True or False");
    (void)fields;
    if (!kni_word_is(w, "True") && !kni_word_is(w, "False"))
        kni_parse_fail(p, w.s, KN_ERROR_VALUE, "expected True or False");
    s->reverse = kni_word_is(w, "False");
    s->unroll = 1;
}

/* (True, False) */
kni_ints kni_read_truths(kni_parser *p)
{
    int64_t *v = NULL;
    int n = 0;
    kni_parse_need(p, '(');
    while (!p->error && !kni_parse_is(p, ')')) {
        kni_word w = kni_parse_word(p, "True or False");
        int64_t *longer = kni_parse_alloc(p, ((size_t)n + 1) * sizeof *longer);
        if (!p->error && !kni_word_is(w, "True") && !kni_word_is(w, "False"))
            kni_parse_fail(p, w.s, KN_ERROR_VALUE, "expected True or False");
        if (p->error)
            return (kni_ints){0, NULL};
        if (n)
            memcpy(longer, v, (size_t)n * sizeof *v);
        longer[n++] = kni_word_is(w, "True");
        v = longer;
        kni_parse_take(p, ',');
    }
    kni_parse_need(p, ')');
    return (kni_ints){n, v};
}

void kni_read_mapped(kni_parser *p, const kni_param_field *fields, void *params)
{
    (void)fields;
    ((kni_p_pmap *)params)->mapped = kni_read_truths(p);
}

/* The member is left out where all are false. */
void kni_read_linear(kni_parser *p, const kni_param_field *fields, void *params)
{
    kni_ints v = kni_read_truths(p);
    bool any = false;
    for (int i = 0; i < v.n; i++)
        any |= v.v[i];
    for (const kni_param_field *f = fields; any && f->name; f++) {
        kni_ints *member = (kni_ints *)((char *)params + f->offset);
        if (f->kind == KN_P_INTS && f->flags & KN_PF_TANGENTS && !member->n) /* of two branches it is there already */
            *member = v;
    }
}

/* (((1,), (0,)), ((), ())) */
void kni_read_dot_general(kni_parser *p, const kni_param_field *fields, void *params)
{
    kni_p_dot_general *d = params;
    kni_ints *list[4] = {&d->lhs_contract, &d->rhs_contract, &d->lhs_batch, &d->rhs_batch};
    (void)fields;
    kni_parse_need(p, '(');
    for (int i = 0; i < 4; i++) {
        kni_parse_need(p, i % 2 ? ',' : '(');
        kni_parse_ints(p, list[i]);
        if (i % 2)
            kni_parse_need(p, ')');
        if (i == 1)
            kni_parse_need(p, ',');
    }
    kni_parse_need(p, ')');
}

/* ((0, 1, 0), (2, 0, 0)): so many numbers for each axis, a list of their first ones, of their second ones, ... */
static void read_axes(kni_parser *p, int count, kni_ints *const *list)
{
    static const char *const names[] = {"", "", "two", "three"};
    int64_t each[3][KN_MAX_NDIM];
    kni_ints axis;
    int n = 0;
    kni_parse_need(p, '(');
    while (!p->error && !kni_parse_is(p, ')')) {
        const char *start = p->at;
        kni_parse_ints(p, &axis);
        if (!p->error && (axis.n != count || n == KN_MAX_NDIM))
            kni_parse_fail(p, start, KN_ERROR_VALUE, "expected %s numbers for each axis", names[count]);
        for (int k = 0; k < count && !p->error; k++)
            each[k][n] = axis.v[k];
        n++;
        if (!kni_parse_is(p, ')'))
            kni_parse_need(p, ',');
    }
    kni_parse_need(p, ')');
    for (int k = 0; k < count && !p->error; k++) {
        int64_t *own = n ? kni_parse_alloc(p, (size_t)n * sizeof *own) : NULL;
        if (own)
            memcpy(own, each[k], (size_t)n * sizeof *own);
        *list[k] = (kni_ints){own ? n : 0, own};
    }
}

/* Below, above and between. */
void kni_read_pad(kni_parser *p, const kni_param_field *fields, void *params)
{
    kni_p_pad *pad = params;
    (void)fields;
    read_axes(p, 3, (kni_ints *const[]){&pad->lo, &pad->hi, &pad->interior});
}

/* Below and above. */
void kni_read_window_padding(kni_parser *p, const kni_param_field *fields, void *params)
{
    kni_p_window *w = params;
    (void)fields;
    read_axes(p, 2, (kni_ints *const[]){&w->lo, &w->hi});
}

void kni_read_conv_padding(kni_parser *p, const kni_param_field *fields, void *params)
{
    kni_p_conv *c = params;
    (void)fields;
    read_axes(p, 2, (kni_ints *const[]){&c->lo, &c->hi});
}
