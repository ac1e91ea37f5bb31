/* SPDX-License-Identifier: Apache-2.0
 * weight_names.c -- names of weights, from those of one program to those of another: by rules for whole names,
 * beginnings, ends and parts. */
#include "array/op.h"
#include "base/context.h"
#include "base/options.h"
#include "kiln/safetensors.h"
#include "tree/tree.h"
#include <string.h>

static knx_error *check_rules(const char *kind, const kn_text_list *l)
{
    if (!l)
        return NULL;
    if (l->n < 0 || l->n % 2 || (l->n && !l->v))
        return knx_error_new(KN_ERROR_VALUE, "%s: rules are pairs of texts, but there are %d texts", kind, l->n);
    for (int i = 0; i < l->n; i++)
        if (!l->v[i])
            return knx_error_new(KN_ERROR_TYPE, "%s: text %d is null", kind, i);
    return NULL;
}

/* Rule i, or the other way round the one from behind. */
static void rule(const kn_text_list *l, int i, bool inverse, const char **from, const char **to)
{
    int at = inverse ? l->n / 2 - 1 - i : i;
    *from = l->v[2 * at + inverse];
    *to = l->v[2 * at + !inverse];
}

static bool put(knx_str *name, const char *before, size_t n_before, const char *middle, const char *after)
{
    knx_str s = {0};
    knx_str_add(&s, before, n_before);
    knx_str_puts(&s, middle);
    knx_str_puts(&s, after);
    bool ok = !s.failed;
    if (!ok)
        knx_str_free(&s);
    else if (!s.s)
        knx_str_puts(&s, "");
    if (ok) {
        knx_str_free(name);
        *name = s;
    }
    return ok;
}

static const char *text_of(const knx_str *s) { return s->s ? s->s : ""; }

typedef enum { EXACT, PREFIX, SUFFIX, SUBSTRING } place;

static bool replace_all(knx_str *name, const char *from, const char *to)
{
    size_t n = strlen(from);
    knx_str s = {0};
    if (!n)
        return true;
    const char *rest = text_of(name);
    for (const char *at; (at = strstr(rest, from)); rest = at + n) {
        knx_str_add(&s, rest, (size_t)(at - rest));
        knx_str_puts(&s, to);
    }
    knx_str_puts(&s, rest);
    bool ok = !s.failed;
    if (ok) {
        knx_str_free(name);
        *name = s;
    } else
        knx_str_free(&s);
    return ok;
}

static bool apply(knx_str *name, place where, const char *from, const char *to)
{
    const char *s = text_of(name);
    size_t n = strlen(s), m = strlen(from);
    switch (where) {
    case EXACT: return strcmp(s, from) != 0 || put(name, "", 0, to, "");
    case PREFIX: return n < m || memcmp(s, from, m) != 0 || put(name, to, strlen(to), s + m, "");
    case SUFFIX: return n < m || strcmp(s + n - m, from) != 0 || put(name, s, n - m, to, "");
    default: return replace_all(name, from, to);
    }
}

/* some_name and someName. */
static bool change_case(knx_str *name, bool inverse)
{
    knx_str out = {0};
    for (const char *s = text_of(name); *s; s++) {
        bool small = s[0] == '_' && s[1] >= 'a' && s[1] <= 'z', large = *s >= 'A' && *s <= 'Z';
        char c = inverse ? (char)(*s + ('a' - 'A')) : (char)(s[1] - ('a' - 'A'));
        if (inverse && large)
            knx_str_puts(&out, "_");
        if (inverse ? large : small)
            knx_str_add(&out, &c, 1);
        else
            knx_str_add(&out, s, 1);
        s += !inverse && small;
    }
    bool ok = !out.failed;
    if (ok) {
        knx_str_free(name);
        *name = out;
    } else
        knx_str_free(&out);
    return ok;
}

static bool rename_one(knx_str *name, const kn_rename_weights_opts *o)
{
    const kn_text_list *rules[] = {o->exact, o->prefix, o->suffix, o->substring};
    bool ok = !o->camel_case || !o->inverse || change_case(name, true);
    for (int k = 0; k < 4; k++) {
        place where = (place)(o->inverse ? 3 - k : k);
        for (int i = 0; ok && rules[where] && i < rules[where]->n / 2; i++) {
            const char *from, *to;
            rule(rules[where], i, o->inverse, &from, &to);
            ok = apply(name, where, from, to);
        }
    }
    return ok && (!o->camel_case || o->inverse || change_case(name, false));
}

static kn_tree renamed(const char *operation, kn_tree flat, const kn_rename_weights_opts *o)
{
    kntree_tree *t = kntree_tree_get(operation, flat);
    const kntree_structure *s = t ? kntree_structure_in(operation, t) : NULL;
    int n = s ? t->n : 0;
    knx_str *name = knx_alloc_zero(((size_t)n + 1) * sizeof *name);
    kn_tree_item *item = knx_alloc(((size_t)n + 1) * sizeof *item);
    bool ok = s && name && item;
    if (s && !ok)
        kntree_tree_failed(operation, knx_error_nomem());
    for (int i = 0; ok && i < n; i++) {
        knx_str_puts(&name[i], s->node[kntree_structure_leaf(s, i)].key);
        kn_tree leaf = kn_tree_leaf(t->at[i]);
        bool done = !name[i].failed && rename_one(&name[i], o);
        if (leaf && !done)
            kntree_tree_failed(operation, knx_error_nomem());
        ok = leaf && done;
        item[i] = (kn_tree_item){text_of(&name[i]), leaf};
    }
    kn_tree made = ok ? (kn_tree_dict)(n, item) : NULL;
    for (int i = 0; name && i < n; i++)
        knx_str_free(&name[i]);
    knx_free(name);
    knx_free(item);
    return made;
}

kn_tree kn_rename_weights(kn_tree tree, const kn_rename_weights_opts *opts)
{
    static const char operation[] = "rename_weights";
    KNX_OPTS(kn_rename_weights_opts, o, opts);
    const kn_text_list *rules[] = {o.exact, o.prefix, o.suffix, o.substring};
    static const char *const kinds[] = {"exact", "prefix", "suffix", "substring"};
    for (int i = 0; i < 4; i++) {
        knx_error *e = check_rules(kinds[i], rules[i]);
        if (e) {
            kntree_tree_failed(operation, e);
            return NULL;
        }
    }
    kn_scope scope = kn_scope_begin();
    kn_tree flat = kn_tree_flat(tree, o.separator), made = flat ? renamed(operation, flat, &o) : NULL;
    if (made)
        kn_keep_handle(made);
    kn_scope_end(&scope);
    return made;
}
