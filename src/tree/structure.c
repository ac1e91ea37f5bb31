/* SPDX-License-Identifier: Apache-2.0
 * structure.c -- structures of trees: making them, their text, walking, comparing. */
#include "tree/structure.h"
#include <stdio.h>
#include <string.h>

/* ---- Making them. */

kntree_structure *kntree_structure_retain(kntree_structure *s)
{
    if (s)
        atomic_fetch_add(&s->refs, 1);
    return s;
}

KNX_HOT void kntree_structure_release(kntree_structure *s)
{
    if (!s || atomic_fetch_sub(&s->refs, 1) != 1)
        return;
    knx_arena_free(&s->arena);
    knx_free(s);
}

static kntree_structure *new_structure(size_t n)
{
    size_t bytes;
    if (n > INT32_MAX || knx_mul_overflows(n, sizeof(kntree_node), &bytes))
        return NULL;
    kntree_structure *s = knx_alloc_zero(sizeof *s);
    if (!s)
        return NULL;
    atomic_init(&s->refs, 1);
    s->n = (int)n;
    s->node = knx_arena_zero(&s->arena, bytes);
    if (!s->node) {
        kntree_structure_release(s);
        return NULL;
    }
    return s;
}

static bool copy_node(kntree_structure *s, int at, const kntree_node *from, const char *key)
{
    kntree_node *n = &s->node[at];
    *n = *from;
    n->key = key ? knx_arena_string(&s->arena, key) : NULL;
    n->type = from->type ? knx_arena_string(&s->arena, from->type) : NULL;
    return (!key || n->key) && (!from->type || n->type);
}

kntree_structure *kntree_structure_flat(int kind, int n)
{
    kntree_structure *s = new_structure((size_t)n + 1);
    if (!s)
        return NULL;
    s->node[0] = (kntree_node){.kind = (uint8_t)kind, .children = n, .nodes = n + 1, .leaves = n};
    for (int i = 1; i <= n; i++)
        s->node[i] = (kntree_node){.kind = KN_TREE_LEAF, .nodes = 1, .leaves = 1};
    return s;
}

kntree_structure *kntree_structure_one(int kind)
{
    kntree_structure *s = kntree_structure_flat(kind, 0);
    if (s && kind == KN_TREE_LEAF)
        s->node[0].leaves = 1;
    return s;
}

kntree_structure *kntree_structure_join(int kind, const char *type, int n, kntree_structure *const *child,
                                        const char *const *key)
{
    size_t nodes = 1;
    int leaves = 0;
    for (int i = 0; i < n; i++) {
        nodes += (size_t)child[i]->n;
        leaves += child[i]->node[0].leaves;
    }
    kntree_structure *s = new_structure(nodes);
    if (!s)
        return NULL;
    kntree_node root = {
        .kind = (uint8_t)kind, .children = n, .nodes = (int)nodes, .leaves = leaves, .type = type ? type : NULL};
    bool ok = copy_node(s, 0, &root, NULL);
    for (int i = 0, at = 1; i < n; i++)
        for (int k = 0; k < child[i]->n; k++, at++)
            ok = ok && copy_node(s, at, &child[i]->node[k], k ? child[i]->node[k].key : key ? key[i] : NULL);
    if (!ok) {
        kntree_structure_release(s);
        return NULL;
    }
    return s;
}

kntree_structure *kntree_structure_sub(const kntree_structure *s, int at)
{
    kntree_structure *sub = new_structure((size_t)s->node[at].nodes);
    bool ok = sub != NULL;
    for (int i = 0; ok && i < sub->n; i++)
        ok = copy_node(sub, i, &s->node[at + i], i ? s->node[at + i].key : NULL);
    if (!ok) {
        kntree_structure_release(sub);
        return NULL;
    }
    return sub;
}

/* The inner structure of leaf i: that of all, or its own. */
static const kntree_structure *inner_of(const kntree_structure *all, const kntree_structure *const *each, int i)
{
    return all ? all : each[i];
}

static kntree_structure *graft(const kntree_structure *outer, const kntree_structure *all,
                               const kntree_structure *const *each)
{
    size_t nodes = (size_t)outer->n - (size_t)outer->node[0].leaves;
    for (int i = 0; i < outer->node[0].leaves; i++)
        nodes += (size_t)inner_of(all, each, i)->n;
    kntree_structure *s = new_structure(nodes);
    bool ok = s != NULL;
    for (int i = 0, at = 0, leaf = 0; ok && i < outer->n; i++) {
        const kntree_node *n = &outer->node[i];
        if (n->kind == KN_TREE_LEAF) {
            const kntree_structure *inner = inner_of(all, each, leaf++);
            for (int k = 0; ok && k < inner->n; k++, at++)
                ok = copy_node(s, at, &inner->node[k], k ? inner->node[k].key : n->key);
            continue;
        }
        ok = copy_node(s, at, n, n->key);
        kntree_node *copy = &s->node[at++];
        if (all) { /* also of deep trees at once */
            copy->nodes += n->leaves * (all->n - 1);
            copy->leaves *= all->node[0].leaves;
        }
        for (int k = leaf; !all && k < leaf + n->leaves; k++) {
            copy->nodes += each[k]->n - 1;
            copy->leaves += each[k]->node[0].leaves - 1;
        }
    }
    if (!ok) {
        kntree_structure_release(s);
        return NULL;
    }
    return s;
}

kntree_structure *kntree_structure_graft(const kntree_structure *outer, const kntree_structure *inner)
{
    return graft(outer, inner, NULL);
}

kntree_structure *kntree_structure_graft_each(const kntree_structure *outer, const kntree_structure *const *inner)
{
    return graft(outer, NULL, inner);
}

/* Structs lie in each other as deep as somebody wrote types, so this may call itself. */
kntree_structure *kntree_structure_of_fields(const kn_fields *fields, size_t bytes)
{
    int arrays = (int)(bytes / sizeof(kn_array));
    if (!fields || !fields->name || fields->bytes != bytes)
        return bytes == sizeof(kn_array) ? kntree_structure_one(KN_TREE_LEAF)
                                         : kntree_structure_flat(KN_TREE_TUPLE, arrays);
    kntree_structure **child = knx_alloc_zero(((size_t)fields->n + 1) * sizeof *child), *s = NULL;
    const char **key = knx_alloc(((size_t)fields->n + 1) * sizeof *key);
    bool ok = child && key;
    for (int i = 0; ok && i < fields->n; i++) {
        const kn_field *f = &fields->field[i];
        key[i] = f->name;
        child[i] = kntree_structure_of_fields(f->fields, f->bytes);
        ok = child[i] != NULL;
    }
    if (ok)
        s = kntree_structure_join(KN_TREE_STRUCT, fields->name, fields->n, child, key);
    for (int i = 0; child && i < fields->n; i++)
        kntree_structure_release(child[i]);
    knx_free(child);
    knx_free(key);
    return s;
}

/* ---- Comparing and showing. */

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

bool kntree_structure_equal(const kntree_structure *a, const kntree_structure *b)
{
    if (a == b)
        return true;
    bool same = a->n == b->n;
    for (int i = 0; same && i < a->n; i++) {
        const kntree_node *x = &a->node[i], *y = &b->node[i];
        same = x->kind == y->kind && x->children == y->children && same_text(x->type, y->type) &&
               (i == 0 || same_text(x->key, y->key));
    }
    return same;
}

void kntree_add_quoted(knx_str *out, const char *text)
{
    char quote = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';
    knx_str_add(out, &quote, 1);
    for (const char *p = text; *p; p++) {
        if (*p == quote || *p == '\\')
            knx_str_puts(out, "\\");
        knx_str_add(out, p, 1);
    }
    knx_str_add(out, &quote, 1);
}

static void open_node(knx_str *out, const kntree_node *n)
{
    switch ((kn_tree_kind)n->kind) {
    case KN_TREE_LEAF: knx_str_puts(out, "*"); break;
    case KN_TREE_NONE: knx_str_puts(out, "None"); break;
    case KN_TREE_LIST: knx_str_puts(out, "["); break;
    case KN_TREE_TUPLE: knx_str_puts(out, "("); break;
    case KN_TREE_DICT: knx_str_puts(out, "{"); break;
    case KN_TREE_STRUCT:
        knx_str_puts(out, "CustomNode(namedtuple[");
        knx_str_puts(out, n->type ? n->type : "");
        knx_str_puts(out, "], [");
        break;
    }
}

static void close_node(knx_str *out, const kntree_node *n)
{
    static const char *const end[] = {"", "", "]", ")", "}", "])"};
    knx_str_puts(out, n->kind == KN_TREE_TUPLE && n->children == 1 ? ",)" : end[n->kind]);
}

void kntree_structure_text(knx_str *out, const kntree_structure *s)
{
    int *open = knx_alloc(((size_t)s->n + 1) * sizeof *open), depth = 0; /* nodes whose children are being shown */
    int *left = knx_alloc(((size_t)s->n + 1) * sizeof *left);
    bool room = open && left;
    if (!room)
        out->failed = true;
    knx_str_puts(out, "PyTreeDef(");
    for (int i = 0; room && i < s->n && !out->failed; i++) {
        const kntree_node *n = &s->node[i];
        if (depth && left[depth - 1] < s->node[open[depth - 1]].children)
            knx_str_puts(out, ", ");
        if (depth && s->node[open[depth - 1]].kind == KN_TREE_DICT) {
            kntree_add_quoted(out, n->key);
            knx_str_puts(out, ": ");
        }
        open_node(out, n);
        open[depth] = i;
        left[depth++] = n->children;
        while (depth && left[depth - 1] == 0) { /* this one is done, and perhaps what it is in */
            close_node(out, &s->node[open[--depth]]);
            if (depth)
                left[depth - 1]--;
        }
    }
    knx_str_puts(out, ")");
    knx_free(open);
    knx_free(left);
}

/* ---- Walking. */

int kntree_structure_child(const kntree_structure *s, int at, int i)
{
    if (i < 0 || i >= s->node[at].children)
        return -1;
    int child = at + 1;
    while (i-- > 0)
        child += s->node[child].nodes;
    return child;
}

int kntree_structure_named(const kntree_structure *s, int at, const char *name, size_t length)
{
    int child = at + 1;
    for (int i = 0; i < s->node[at].children; i++, child += s->node[child].nodes) {
        const char *key = s->node[child].key;
        if (key && strlen(key) == length && memcmp(key, name, length) == 0)
            return child;
    }
    return -1;
}

int kntree_structure_path(const kntree_structure *s, int at, int **path)
{
    int n = 0, node = 0;
    KN_VEC(int) found = {0};
    while (node != at) { /* into the child that holds it */
        int child = node + 1;
        while (at >= child + s->node[child].nodes)
            child += s->node[child].nodes;
        if (!KN_VEC_PUSH(&found, child)) {
            KN_VEC_FREE(&found);
            return -1;
        }
        node = child;
        n++;
    }
    *path = found.at;
    return n;
}

int kntree_structure_parent(const kntree_structure *s, int at)
{
    int parent = at - 1;
    while (parent >= 0 && parent + s->node[parent].nodes <= at)
        parent--;
    return parent;
}

int kntree_structure_position(const kntree_structure *s, int at)
{
    int parent = kntree_structure_parent(s, at), i = 0;
    for (int child = parent + 1; parent >= 0 && child != at; child += s->node[child].nodes)
        i++;
    return i;
}

int kntree_structure_leaf(const kntree_structure *s, int leaf)
{
    for (int i = 0; i < s->n; i++)
        if (s->node[i].kind == KN_TREE_LEAF && leaf-- == 0)
            return i;
    return -1;
}

int kntree_structure_first_leaf(const kntree_structure *s, int at)
{
    int n = 0;
    for (int i = 0; i < at; i++)
        n += s->node[i].kind == KN_TREE_LEAF;
    return n;
}

/* ---- Paths as text. */

void kntree_structure_keystr(knx_str *out, const kntree_structure *s, int at, bool simple, const char *separator)
{
    int *path = NULL, n = kntree_structure_path(s, at, &path), parent = 0;
    if (n < 0)
        out->failed = true;
    for (int i = 0; i < n; parent = path[i++]) {
        const char *key = s->node[path[i]].key;
        bool attribute = s->node[parent].kind == KN_TREE_STRUCT;
        char position[32];
        snprintf(position, sizeof position, "%d", kntree_structure_position(s, path[i]));
        if (simple && i)
            knx_str_puts(out, separator);
        if (!simple)
            knx_str_puts(out, attribute ? "." : "[");
        if (!key)
            knx_str_puts(out, position);
        else if (simple || attribute)
            knx_str_puts(out, key);
        else
            kntree_add_quoted(out, key);
        if (!simple && !attribute)
            knx_str_puts(out, "]");
    }
    knx_free(path);
}

/* The names (or the number) of a node's children, for messages. */
static const char *show_children(knx_text *t, const kntree_structure *s, int at)
{
    const kntree_node *n = &s->node[at];
    int child = at + 1;
    if (n->kind == KN_TREE_LEAF || n->kind == KN_TREE_NONE)
        knx_text_add(t, "there is %s there", n->kind == KN_TREE_LEAF ? "a leaf" : "None");
    else if (n->children == 0 || !s->node[at + 1].key)
        knx_text_add(t, "%d child%s there", n->children, n->children == 1 ? " is" : "ren are");
    else
        knx_text_add(t, "there %s", n->children == 1 ? "is" : "are");
    for (int i = 0; i < n->children && s->node[at + 1].key; i++, child += s->node[child].nodes)
        knx_text_add(t, "%s%s", i ? ", " : " ", s->node[child].key);
    return t->s;
}

/* One step of a path: a name, or an index. */
typedef struct step {
    const char *name;
    size_t length;
    bool is_index;
    long index;
} step;

static bool next_step(const char **path, step *out)
{
    const char *p = *path;
    bool bracket = *p == '[', quoted;
    p += bracket || *p == '.';
    quoted = bracket && (*p == '\'' || *p == '"');
    *out = (step){.name = p + quoted};
    if (quoted) {
        const char *end = strchr(p + 1, *p);
        if (!end || end[1] != ']')
            return false;
        out->length = (size_t)(end - p - 1);
        *path = end + 2;
        return true;
    }
    out->length = bracket ? strcspn(p, "]") : strcspn(p, ".[");
    *path = p + out->length + bracket;
    if (bracket && (!p[out->length] || sscanf(p, "%ld", &out->index) != 1))
        return false;
    out->is_index = bracket;
    return out->length > 0;
}

knx_error *kntree_structure_find(const kntree_structure *s, const char *path, int *at)
{
    const char *p = path ? path : "";
    *at = 0;
    while (*p) {
        step w;
        knx_text t = {0};
        const char *from = p;
        if (!next_step(&p, &w))
            return knx_error_new(KN_ERROR_VALUE,
                                 "a path is like layers[0].w or ['layers'][0]['w'], but this one is '%s'", path);
        int next;
        if (w.is_index)
            next = s->node[*at].kind == KN_TREE_DICT
                       ? -1
                       : kntree_structure_child(s, *at, (int)(w.index < 0 ? w.index + s->node[*at].children : w.index));
        else
            next = kntree_structure_named(s, *at, w.name, w.length);
        if (next < 0)
            return knx_error_new(w.is_index ? KN_ERROR_INDEX : KN_ERROR_KEY, "no %.*s at '%.*s': %s", (int)(p - from),
                                 from, (int)(from - path), path, show_children(&t, s, *at));
        *at = next;
    }
    return NULL;
}

/* ---- How two structures differ. */

static const char *type_name(const kntree_node *n)
{
    static const char *const name[] = {"Array", "NoneType", "list", "tuple", "dict", ""};
    return n->kind == KN_TREE_STRUCT ? n->type : name[n->kind];
}

static void add_keys(knx_text *t, const kntree_structure *s, int at)
{
    int child = at + 1;
    for (int i = 0; i < s->node[at].children; i++, child += s->node[child].nodes)
        knx_text_add(t, "%s%s", i ? " " : "", s->node[child].key ? s->node[child].key : "");
}

static knx_error *differ(const char *what, const char *name, const kntree_structure *a, int ia,
                         const kntree_structure *b, int ib)
{
    const kntree_node *x = &a->node[ia], *y = &b->node[ib];
    knx_str path = {0};
    knx_text more = {0};
    kntree_structure_keystr(&path, a, ia, false, "");
    char *key = knx_str_take(&path);
    if (!key)
        return knx_error_nomem();
    if (x->kind != y->kind || !same_text(x->type, y->type)) {
        knx_text_add(&more,
                     "type\n    <class '%s'>\nbut at the same key path the full pytree has a subtree of "
                     "different type\n    <class '%s'>.",
                     type_name(x), type_name(y));
    } else if (x->kind == KN_TREE_DICT || x->kind == KN_TREE_STRUCT) {
        knx_text_add(&more, "type\n    <class '%s'>\nwith %d child keys\n    ", type_name(x), x->children);
        add_keys(&more, a, ia);
        knx_text_add(&more,
                     "\nbut at the same key path the full pytree has a subtree of the same type but with %d child "
                     "keys\n    ",
                     y->children);
        add_keys(&more, b, ib);
    } else {
        knx_text_add(&more,
                     "type %s of length %d, but the full pytree has a subtree of the same type but of length %d.",
                     type_name(x), x->children, y->children);
    }
    knx_error *e =
        knx_error_new(KN_ERROR_VALUE,
                      "pytree structure error: %s at key path\n    %s%s\nAt that key path, the prefix pytree "
                      "%s%s has a subtree of %s",
                      what, name, key, name, key, more.s);
    knx_free(key);
    return e;
}

static bool same_keys(const kntree_structure *a, int ia, const kntree_structure *b, int ib)
{
    int x = ia + 1, y = ib + 1;
    for (int i = 0; i < a->node[ia].children; i++) {
        if (!same_text(a->node[x].key, b->node[y].key))
            return false;
        x += a->node[x].nodes;
        y += b->node[y].nodes;
    }
    return true;
}

knx_error *kntree_structure_compare(const char *name, const kntree_structure *a, const kntree_structure *b, bool prefix)
{
    int ib = 0;
    for (int ia = 0; ia < a->n; ia++) {
        const kntree_node *x = &a->node[ia], *y = &b->node[ib];
        if (prefix && x->kind == KN_TREE_LEAF) {
            ib += y->nodes;
            continue;
        }
        if (x->kind != y->kind || !same_text(x->type, y->type))
            return differ("different types", name, a, ia, b, ib);
        bool keyed = x->kind == KN_TREE_DICT || x->kind == KN_TREE_STRUCT;
        if (x->children != y->children && keyed)
            return differ("different numbers of pytree children", name, a, ia, b, ib);
        if (x->children != y->children) {
            char what[64];
            snprintf(what, sizeof what, "different lengths of %s", type_name(x));
            return differ(what, name, a, ia, b, ib);
        }
        if (keyed && !same_keys(a, ia, b, ib))
            return differ("different pytree keys", name, a, ia, b, ib);
        ib++;
    }
    return NULL;
}
