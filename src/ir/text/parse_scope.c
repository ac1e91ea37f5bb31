/* SPDX-License-Identifier: Apache-2.0
 * parse_scope.c -- the names of one jaxpr that is being read, and the atoms they stand for. */
#include "ir/text/parse.h"
#include <string.h>

bool kni_parse_no_memory(kni_parser *p)
{
    if (!p->error)
        p->error = knx_error_nomem();
    return false;
}

bool kni_parse_is_name(kni_word w)
{
    static const char *const reserved[] = {"in", "let", "lambda", "nan", "inf", "bits", "True", "False", "None"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (kni_word_is(w, reserved[i]))
            return false;
    for (size_t i = 0; i < w.n; i++) {
        char c = w.s[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (i && c >= '0' && c <= '9')))
            return false;
    }
    return w.n > 0;
}

uint64_t kni_word_hash(kni_word w) { return knx_hash_bytes(w.s, w.n, 0); }
bool kni_word_same(kni_word a, kni_word b) { return a.n == b.n && !memcmp(a.s, b.s, a.n); }

kni_parse_variable *kni_scope_find(const kni_parse_scope *s, kni_word name)
{
    size_t cursor;
    uint64_t hash = kni_word_hash(name);
    for (kni_parse_variable *v = knx_table_first(&s->variables, hash, &cursor); v;
         v = knx_table_next(&s->variables, hash, &cursor))
        if (kni_word_same(v->name, name))
            return v;
    return NULL;
}

void kni_scope_bind(kni_parser *p, kni_parse_scope *s, kni_word name, kni_atom atom)
{
    if (kni_scope_find(s, name)) {
        kni_parse_fail(p, name.s, KN_ERROR_VALUE, "%.*s is bound twice", (int)(name.n < 40 ? name.n : 40), name.s);
        return;
    }
    kni_parse_variable *v = kni_parse_alloc(p, sizeof *v);
    if (!v)
        return;
    *v = (kni_parse_variable){name, atom};
    if (!knx_table_add(&s->variables, kni_word_hash(name), v))
        kni_parse_no_memory(p);
}

bool kni_scope_ok(kni_parser *p, kni_parse_scope *s, const char *at)
{
    kni_parse_wrap(p, at, knb_take_error(&s->b));
    return !p->error;
}

void kni_scope_free(kni_parse_scope *s)
{
    knb_free(&s->b);
    knx_table_free(&s->variables);
    KN_VEC_FREE(&s->binders);
    KN_VEC_FREE(&s->atoms);
    KN_VEC_FREE(&s->consts);
}

kni_parse_scope *kni_scope_begin(kni_parser *p, const char **start)
{
    enum { DEEPEST = 100 };
    kni_parse_is(p, '{'); /* skips blanks */
    *start = p->at;
    if (p->depth >= DEEPEST)
        kni_parse_fail(p, p->at, KN_ERROR_VALUE, "jaxprs are nested more than %d deep", DEEPEST);
    kni_parse_scope *s = kni_parse_alloc(p, sizeof *s);
    p->depth += s != NULL;
    return s;
}

kni_jaxpr *kni_scope_end(kni_parser *p, kni_parse_scope *s, const char *start)
{
    kni_jaxpr *j = NULL;
    p->depth--;
    s->b.whole = true;
    if (!p->error)
        kni_parse_wrap(p, start, knb_finish(&s->b, (int)s->atoms.n, s->atoms.at, s->name, false, &j));
    return j;
}
