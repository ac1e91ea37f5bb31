/* SPDX-License-Identifier: Apache-2.0
 * jaxpr_constants.c -- the values of a jaxpr's constants in its full form: the elements in C order with blanks between,
 * each as a literal without its type; equal ones all are given once. */
#include "function/jaxpr_handle.h"
#include "array/state.h"
#include "ir/text/parse.h"
#include "ir/text/print.h"
#include <string.h>

static const void *data_of(const kna_value *v)
{
    return v->state == KN_V_NUMBER || v->state == KN_V_BUFFER ? kna_elements(v) : NULL;
}

static void add_element(knx_str *out, kn_dtype d, const void *at)
{
    kni_literal l = {.type = kni_scalar_type(d)};
    knx_str text = {0};
    memcpy(&l.bits, at, d->size);
    kni_literal_text(&text, KN_FORM_FULL, &l);
    char *s = knx_str_take(&text), *colon = s ? strrchr(s, ':') : NULL;
    if (colon)
        knx_str_add(out, s, (size_t)(colon - s));
    else
        out->failed = true;
    knx_free(s);
}

static char *value_text(const kna_value *v)
{
    knx_str out = {0};
    const char *data = data_of(v);
    int64_t n = kni_type_size(v->type);
    size_t bytes = v->type.dtype->size;
    bool equal = true;
    for (int64_t i = 1; equal && i < n; i++)
        equal = memcmp(data, data + (size_t)i * bytes, bytes) == 0;
    for (int64_t i = 0; i < (equal && n ? 1 : n); i++) {
        if (i)
            knx_str_puts(&out, " ");
        add_element(&out, v->type.dtype, data + (size_t)i * bytes);
    }
    knx_str_puts(&out, "");
    return knx_str_take(&out);
}

knx_error *knf_constant_texts(const kna_closed *c, char ***texts)
{
    char **t = *texts = knx_alloc_zero(((size_t)c->n_const + 1) * sizeof *t);
    if (!t)
        return knx_error_nomem();
    for (uint32_t i = 0; i < c->n_const; i++) {
        if (c->consts[i]->state == KN_V_TRACER || c->consts[i]->state == KN_V_ABSTRACT)
            continue; /* it has no value yet */
        KN_TRY(kna_force_here(1, &c->consts[i]));
        if (data_of(c->consts[i]) && !(t[i] = value_text(c->consts[i])))
            return knx_error_nomem();
    }
    return NULL;
}

void knf_free_texts(uint32_t n, char **texts)
{
    for (uint32_t i = 0; texts && i < n; i++)
        knx_free(texts[i]);
    knx_free(texts);
}

/* ---- Reading. */

static knx_error *no_value(kni_type t, uint32_t which)
{
    knx_text s = {0};
    return knx_error_new(KN_ERROR_VALUE, "the text of constant %u is no value of type %s", which,
                         kni_type_text(&s, t, true));
}

/* One element at *s, which moves on behind it. */
static bool read_element(const char **s, kn_dtype d, void *to)
{
    char word[160];
    size_t n = strcspn(*s, " ");
    if (!n || n + strlen(d->short_name) + 4 > sizeof word)
        return false;
    memcpy(word, *s, n);
    snprintf(word + n, sizeof word - n, ":%s[]", d->short_name);
    kni_parser p = {.text = word, .at = word};
    kni_literal l = {0};
    bool ok = kni_parse_literal(&p, &l) && !*p.at && l.type.dtype == d;
    knx_error_release(p.error);
    knx_arena_free(&p.arena);
    if (!ok)
        return false;
    *s += n + ((*s)[n] == ' ');
    memcpy(to, &l.bits, d->size);
    return true;
}

static knx_error *read_value(const char *s, kni_type t, uint32_t which, kna_value **out)
{
    int64_t n = kni_type_size(t), i = 0;
    size_t bytes = t.dtype->size;
    knx_buffer *b = knx_buffer_new(kni_type_bytes(t));
    if (!b)
        return knx_error_nomem();
    char *data = b->data;
    while (i < n && *s && read_element(&s, t.dtype, data + (size_t)i * bytes))
        i++;
    bool fill = i == 1 && !*s;
    for (; fill && i < n; i++)
        memcpy(data + (size_t)i * bytes, data, bytes);
    if (i < n || *s) {
        knx_buffer_release(b);
        return no_value(t, which);
    }
    *out = kna_value_buffer(t, b);
    return *out ? NULL : knx_error_nomem();
}

knx_error *knf_read_constants(kna_closed *c, char *const *texts)
{
    const kni_jaxpr *j = c->jaxpr;
    for (uint32_t i = 0; i < j->n_const; i++)
        if (!texts || !texts[i])
            return knx_error_new(KN_ERROR_VALUE, "the text has %u constants, whose values it does not carry",
                                 j->n_const);
    c->consts = knx_alloc(((size_t)j->n_const + 1) * sizeof *c->consts);
    if (!c->consts)
        return knx_error_nomem();
    for (; c->n_const < j->n_const; c->n_const++)
        KN_TRY(read_value(texts[c->n_const], j->type[c->n_const], c->n_const, &c->consts[c->n_const]));
    return NULL;
}
