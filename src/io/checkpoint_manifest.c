/* SPDX-License-Identifier: Apache-2.0
 * checkpoint_manifest.c -- what a checkpoint says of itself, as JSON. */
#include "base/memory.h"
#include "io/checkpoint.h"
#include "io/output.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"leaf", "none", "list", "tuple", "dict", "struct"};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const char *const order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "big" : "little";

void knio_manifest_free(knio_manifest *m)
{
    kntree_structure_release(m->structure);
    knx_arena_free(&m->arena);
    *m = (knio_manifest){0};
}

uint64_t knio_piece_bytes(const knio_leaf *l, const knio_piece *p)
{
    uint64_t n = l->type.dtype->size;
    for (int k = 0; k < l->type.ndim; k++)
        n *= (uint64_t)p->count[k];
    return n;
}

/* ---- Written. */

static void add_numbers(knx_str *t, const char *key, int n, const int64_t *v)
{
    knx_str_printf(t, ", \"%s\": [", key);
    for (int i = 0; i < n; i++)
        knx_str_printf(t, "%s%" PRId64, i ? ", " : "", v[i]);
    knx_str_puts(t, "]");
}

static void add_leaf(knx_str *t, const knio_leaf *l)
{
    knx_str_puts(t, "  {\"path\": ");
    knio_json_add_text(t, l->path);
    knx_str_puts(t, ", \"dtype\": ");
    knio_json_add_text(t, l->type.dtype->name);
    add_numbers(t, "shape", l->type.ndim, l->type.dim);
    knx_str_puts(t, ", \"sharding\": ");
    if (l->sharding)
        knio_json_add_text(t, l->sharding);
    else
        knx_str_puts(t, "null");
    knx_str_puts(t, ", \"parts\": [");
    for (int i = 0; i < l->n_piece; i++) {
        const knio_piece *p = &l->piece[i];
        knx_str_printf(t, "%s\n    {\"file\": %d, \"offset\": %" PRIu64, i ? "," : "", p->file, p->at);
        add_numbers(t, "start", l->type.ndim, p->start);
        add_numbers(t, "shape", l->type.ndim, p->count);
        knx_str_puts(t, "}");
    }
    knx_str_puts(t, "]}");
}

static void add_node(knx_str *t, const kntree_node *n)
{
    knx_str_printf(t, "  {\"kind\": \"%s\", \"children\": %d", kinds[n->kind], n->children);
    if (n->key) {
        knx_str_puts(t, ", \"key\": ");
        knio_json_add_text(t, n->key);
    }
    if (n->type) {
        knx_str_puts(t, ", \"type\": ");
        knio_json_add_text(t, n->type);
    }
    knx_str_puts(t, "}");
}

void knio_manifest_text(knx_str *t, const knio_manifest *m)
{
    knx_str_printf(t, "{\"format\": \"kiln checkpoint\", \"version\": %d, \"byte_order\": \"%s\",\n \"files\": [",
                   KNIO_CHECKPOINT_VERSION, order);
    for (int i = 0; i < m->n_file; i++)
        knx_str_printf(t, "%s%" PRIu64, i ? ", " : "", m->bytes[i]);
    knx_str_puts(t, "],\n \"tree\": [");
    for (int i = 0; i < m->structure->n; i++) {
        knx_str_puts(t, i ? ",\n" : "\n");
        add_node(t, &m->structure->node[i]);
    }
    knx_str_puts(t, "],\n \"leaves\": [");
    for (int i = 0; i < m->n_leaf; i++) {
        knx_str_puts(t, i ? ",\n" : "\n");
        add_leaf(t, &m->leaf[i]);
    }
    knx_str_puts(t, "]}\n");
}

knx_error *knio_manifest_write(const char *path, const knio_manifest *m)
{
    knx_str t = {0};
    knio_manifest_text(&t, m);
    knx_error *e = t.failed ? knx_error_nomem() : knio_file_write(path, t.s, t.n, NULL, 0);
    knx_str_free(&t);
    return e;
}

/* ---- Read. */

static knx_error *wrong(const char *what) { return knx_error_new(KN_ERROR_VALUE, "%s", what); }

static const char *text_in(const knio_json *j, const char *key)
{
    const knio_json *m = knio_json_member(j, key);
    return m && m->kind == KNIO_JSON_TEXT ? m->text : NULL;
}

/* From 0 on; -1: there is none. */
static int64_t number_in(const knio_json *j, const char *key)
{
    const knio_json *m = knio_json_member(j, key);
    return m && m->kind == KNIO_JSON_NUMBER && m->number >= 0 ? m->number : -1;
}

static const knio_json *list_in(const knio_json *j, const char *key)
{
    const knio_json *m = knio_json_member(j, key);
    return m && m->kind == KNIO_JSON_LIST && m->number < INT32_MAX ? m : NULL;
}

/* Numbers from 0 on; n: how many, or -1, at most as many as arrays have dimensions. */
static knx_error *extents_in(knx_arena *a, const knio_json *j, const char *key, int n, const int64_t **out, int *count)
{
    const knio_json *l = list_in(j, key);
    if (!l || (n >= 0 ? l->number != n : l->number > KN_MAX_NDIM))
        return wrong("numbers of a shape are missing");
    int64_t *v = knx_arena_alloc(a, ((size_t)l->number + 1) * sizeof *v);
    int i = 0;
    if (!v)
        return knx_error_nomem();
    for (const knio_json *m = l->first; m; m = m->next) {
        if (m->kind != KNIO_JSON_NUMBER || m->number < 0)
            return wrong("a shape has something that is no extent");
        v[i++] = m->number;
    }
    *out = v;
    *count = i;
    return NULL;
}

static knx_error *read_piece(knio_manifest *m, const knio_leaf *l, const knio_json *j, knio_piece *p)
{
    int n;
    int64_t file = number_in(j, "file"), at = number_in(j, "offset");
    KN_TRY(extents_in(&m->arena, j, "start", l->type.ndim, &p->start, &n));
    KN_TRY(extents_in(&m->arena, j, "shape", l->type.ndim, &p->count, &n));
    if (file < 0 || file >= m->n_file || at < 0)
        return wrong("a part is in no file");
    for (int k = 0; k < n; k++)
        if (p->start[k] > l->type.dim[k] || p->count[k] > l->type.dim[k] - p->start[k])
            return wrong("a part is outside of its array");
    p->ndim = n;
    p->file = (int)file;
    p->at = (uint64_t)at;
    uint64_t bytes = knio_piece_bytes(l, p);
    return p->at > m->bytes[file] || bytes > m->bytes[file] - p->at ? wrong("a part is behind the end of its file")
                                                                    : NULL;
}

/* ---- Parts that have the same elements are an error: which of them were right? */

static int by_start(const void *a, const void *b)
{
    const knio_piece *x = *(const knio_piece *const *)a, *y = *(const knio_piece *const *)b;
    for (int k = 0; k < x->ndim; k++)
        if (x->start[k] != y->start[k])
            return x->start[k] < y->start[k] ? -1 : 1;
    return 0;
}

static bool two_meet(const knio_piece *x, const knio_piece *y)
{
    for (int k = 0; k < x->ndim; k++)
        if (x->start[k] + x->count[k] <= y->start[k] || y->start[k] + y->count[k] <= x->start[k])
            return false;
    return true;
}

/* Parts with elements, in the order of their starts, which are in the same places along the axes in front. Where those
 * that meet along this axis are in the same places along it, as parts of a mesh are, the next axis tells; others are
 * compared each with each. */
static bool any_meet(const knio_piece *const *p, int n, int axis)
{
    for (int i = 0, next; i < n; i = next) {
        int64_t end = p[i]->start[axis] + p[i]->count[axis];
        bool same = true, meet = false;
        for (next = i + 1; next < n && p[next]->start[axis] < end; next++) {
            int64_t own = p[next]->start[axis] + p[next]->count[axis];
            same = same && p[next]->start[axis] == p[i]->start[axis] && own == end;
            end = own > end ? own : end;
        }
        if (next - i > 1 && same)
            meet = axis + 1 == p[i]->ndim || any_meet(p + i, next - i, axis + 1);
        for (int a = i; next - i > 1 && !same && a < next; a++)
            for (int b = i; b < a; b++)
                meet = meet || two_meet(p[a], p[b]);
        if (meet)
            return true;
    }
    return false;
}

/* As many elements as it has, and each of them once. */
static knx_error *check_pieces(knio_manifest *m, const knio_leaf *l)
{
    uint64_t bytes = 0, all = kni_type_bytes(l->type);
    const knio_piece **p = knx_arena_alloc(&m->arena, ((size_t)l->n_piece + 1) * sizeof *p);
    int n = 0;
    if (!p)
        return knx_error_nomem();
    for (int i = 0; i < l->n_piece; i++) {
        uint64_t own = knio_piece_bytes(l, &l->piece[i]);
        bytes += own;
        if (bytes > all)
            break;
        if (own)
            p[n++] = &l->piece[i];
    }
    if (bytes != all)
        return wrong("the parts of an array are not all of it");
    qsort(p, (size_t)n, sizeof *p, by_start);
    return n > 1 && any_meet(p, n, 0) ? wrong("two parts of an array have the same elements") : NULL;
}

/* Extents beside a zero count, too, as in npy files. */
static bool is_too_large(kni_type t)
{
    int64_t bytes = t.dtype->size;
    for (int k = 0; k < t.ndim; k++)
        if (t.dim[k] && __builtin_mul_overflow(bytes, t.dim[k], &bytes))
            return true;
    return bytes > INT64_MAX / 2;
}

static knx_error *read_leaf(knio_manifest *m, const knio_json *j, knio_leaf *l)
{
    const char *path = text_in(j, "path"), *dtype = text_in(j, "dtype");
    const knio_json *parts = list_in(j, "parts");
    const int64_t *dim;
    int n, i = 0;
    if (!path || !dtype || !parts)
        return wrong("a leaf has no path, no dtype or no parts");
    kn_dtype d = knx_dtype_find(dtype);
    if (!d)
        return knx_error_new(KN_ERROR_TYPE, "there is no dtype %.40s", dtype);
    KN_TRY(extents_in(&m->arena, j, "shape", -1, &dim, &n));
    *l = (knio_leaf){.path = path, .type = kni_type_of(d, n, dim), .sharding = text_in(j, "sharding")};
    if (is_too_large(l->type))
        return wrong("an array is larger than any memory");
    l->n_piece = (int)parts->number;
    l->piece = knx_arena_zero(&m->arena, ((size_t)parts->number + 1) * sizeof *l->piece);
    if (!l->piece)
        return knx_error_nomem();
    for (const knio_json *p = parts->first; p; p = p->next)
        KN_TRY(read_piece(m, l, p, &l->piece[i++]));
    return check_pieces(m, l);
}

static int kind_of(const char *text)
{
    int i = 0;
    while (text && i < KINDS && strcmp(text, kinds[i]) != 0)
        i++;
    return text && i < KINDS ? i : -1;
}

/* A structure and its key, while they wait for their parent. */
typedef struct built {
    kntree_structure *s;
    const char *key;
} built;

/* Nodes come with parents first, so they are put together from the last one on; the children of a node are the last
 * ones of the stack then. */
static knx_error *build_node(const knio_json *j, built *stack, int *n, kntree_structure **child, const char **key)
{
    int kind = kind_of(text_in(j, "kind"));
    int64_t children = number_in(j, "children");
    bool named = kind == KN_TREE_DICT || kind == KN_TREE_STRUCT, some_key = false;
    if (kind < 0 || children < 0 || children > *n || (children && kind <= KN_TREE_NONE))
        return wrong("the tree has a node of no kind, or without its children");
    for (int i = 0; i < children; i++) {
        built *b = &stack[*n - 1 - i];
        child[i] = b->s;
        key[i] = b->key;
        some_key |= b->key != NULL;
        if (named && !b->key && (kind == KN_TREE_DICT || some_key))
            return wrong("a member of a dict or a struct has no name");
    }
    kntree_structure *s =
        !children && kind != KN_TREE_STRUCT
            ? kntree_structure_one(kind)
            : kntree_structure_join(kind, text_in(j, "type"), (int)children, child, named && some_key ? key : NULL);
    if (!s)
        return knx_error_nomem();
    for (int i = 0; i < children; i++)
        kntree_structure_release(stack[--*n].s);
    stack[(*n)++] = (built){s, text_in(j, "key")};
    return NULL;
}

static knx_error *read_tree(knio_manifest *m, const knio_json *nodes)
{
    size_t room = (size_t)nodes->number + 1;
    int n = 0;
    const knio_json **node = knx_arena_alloc(&m->arena, room * sizeof *node);
    built *stack = knx_arena_alloc(&m->arena, room * sizeof *stack);
    kntree_structure **child = knx_arena_alloc(&m->arena, room * sizeof(void *));
    const char **key = knx_arena_alloc(&m->arena, room * sizeof *key);
    if (!node || !stack || !child || !key)
        return knx_error_nomem();
    const knio_json *j = nodes->first;
    for (int64_t i = 0; i < nodes->number; i++, j = j->next)
        node[i] = j;
    knx_error *e = NULL;
    for (int64_t i = nodes->number - 1; !e && i >= 0; i--)
        e = build_node(node[i], stack, &n, child, key);
    if (!e && (n != 1 || stack[0].s->node[0].leaves != m->n_leaf))
        e = wrong("the tree has not as many leaves as there are arrays");
    if (!e)
        m->structure = stack[--n].s;
    while (n > 0)
        kntree_structure_release(stack[--n].s);
    return e;
}

static knx_error *read_files(knio_manifest *m, const knio_json *files)
{
    m->n_file = (int)files->number;
    m->bytes = knx_arena_alloc(&m->arena, ((size_t)files->number + 1) * sizeof *m->bytes);
    if (!m->bytes)
        return knx_error_nomem();
    uint64_t *to = m->bytes;
    for (const knio_json *f = files->first; f; f = f->next) {
        if (f->kind != KNIO_JSON_NUMBER || f->number < 0)
            return wrong("a file has no size");
        *to++ = (uint64_t)f->number;
    }
    return NULL;
}

static knx_error *check_head(const knio_json *j)
{
    const char *format = text_in(j, "format"), *bytes = text_in(j, "byte_order");
    int64_t version = number_in(j, "version");
    if (!format || strcmp(format, "kiln checkpoint") != 0)
        return wrong("this is no manifest of a checkpoint");
    if (version != KNIO_CHECKPOINT_VERSION)
        return knx_error_new(KN_ERROR_VALUE, "the checkpoint has version %" PRId64 ", and this Kiln reads version %d",
                             version, KNIO_CHECKPOINT_VERSION);
    if (!bytes || strcmp(bytes, order) != 0)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED,
                             "the checkpoint has its bytes in another order than this machine");
    return NULL;
}

static knx_error *understand(knio_manifest *m, const knio_json *j)
{
    KN_TRY(check_head(j));
    const knio_json *files = list_in(j, "files"), *nodes = list_in(j, "tree"), *leaves = list_in(j, "leaves");
    if (!files || !nodes || !leaves)
        return wrong("the manifest has no files, no tree or no leaves");
    KN_TRY(read_files(m, files));
    m->n_leaf = (int)leaves->number;
    m->leaf = knx_arena_zero(&m->arena, ((size_t)leaves->number + 1) * sizeof *m->leaf);
    if (!m->leaf)
        return knx_error_nomem();
    int i = 0;
    for (const knio_json *l = leaves->first; l; l = l->next)
        KN_TRY(read_leaf(m, l, &m->leaf[i++]));
    return read_tree(m, nodes);
}

/* The same error, with the path in front. */
static knx_error *in_file(const char *path, knx_error *e)
{
    if (e->kind == KN_ERROR_MEMORY)
        return e;
    knx_error *told = knx_error_new(e->kind, "%s: %s", path, e->message);
    knx_error_release(e);
    return told;
}

knx_error *knio_manifest_parse(const char *text, size_t n, knio_manifest *m)
{
    const knio_json *j;
    *m = (knio_manifest){0};
    knx_error *e = knio_json_read(&m->arena, text, n, &j);
    if (!e)
        e = understand(m, j);
    if (e)
        knio_manifest_free(m);
    return e;
}

knx_error *knio_manifest_read(const char *path, knio_manifest *m)
{
    uint8_t *bytes;
    size_t n;
    *m = (knio_manifest){0};
    KN_TRY(knio_file_read(path, &bytes, &n));
    knx_error *e = knio_manifest_parse((const char *)bytes, n, m);
    knx_free(bytes);
    return e ? in_file(path, e) : NULL;
}
