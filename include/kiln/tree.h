/* SPDX-License-Identifier: Apache-2.0
 * kiln/tree.h -- trees of arrays, as jax.tree: leaves are arrays, nodes are lists, tuples, dicts, structs and None.
 *
 * A C struct of arrays is seen as a tree by KN_TREE(&params), or with its fields' names by KN_TREE(&params, Params)
 * after KN_FIELDS(Params, w1, b1). Other trees are built: kn_tree_dict("w", w, "layers", kn_tree_list(a, b)). They
 * own their arrays. Trees are handles of the scope; they work in functions that are traced, and wherever a function
 * takes a struct. */
/* Made by scripts/make-api.py from api/tree.api. */
/* clang-format off */
#ifndef KILN_TREE_H
#define KILN_TREE_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_tree_kind {
    KN_TREE_LEAF, KN_TREE_NONE, KN_TREE_LIST, KN_TREE_TUPLE, KN_TREE_DICT, KN_TREE_STRUCT
} kn_tree_kind;

/* ---- Making trees. Those that fail are NULL, with an error. */
/* views a struct of arrays as a tree, whose leaves have positions; the struct must live on. In C KN_TREE(&params) */
KN_API kn_tree kn_tree_of(void *structure, size_t bytes);
/* views a struct of arrays as a tree with the names of its fields, which KN_FIELDS gave; fields may be NULL or
 * without a name. In C KN_TREE(&params, Params) */
KN_API kn_tree kn_tree_of_fields(void *structure, size_t bytes, const kn_fields *fields);
KN_API kn_tree kn_tree_from(int n, const kn_array *arrays); /* a list whose leaves are n arrays */
KN_API kn_tree kn_tree_leaf(kn_array x);                    /* a tree of one array */
KN_API kn_tree kn_tree_none(void); /* None: a tree without leaves, which is part of a structure */
/* a list of trees, arrays and numbers: in C kn_tree_list(x, y, subtree) */
KN_API kn_tree kn_tree_list(int n, const kn_tree *children);
/* a tuple of trees, arrays and numbers, which is another structure than a list */
KN_API kn_tree kn_tree_tuple(int n, const kn_tree *children);
typedef struct kn_tree_item { const char *name; kn_tree tree; } kn_tree_item;
/* a dictionary of trees, arrays and numbers: in C kn_tree_dict("w", x, "b", y), up to 16. Sorted by name, as in JAX;
 * ValueError for a name given twice. */
KN_API kn_tree kn_tree_dict(int n, const kn_tree_item *items);

/* ---- Leaves. */
KN_API int kn_tree_count(kn_tree tree);      /* the number of leaves; -1 for an error */
/* leaf number i, in the order of the structure. IndexError if there are fewer */
KN_API kn_array kn_tree_get(kn_tree tree, int i);
/* puts the leaves of one tree into the places of another's, each as kn_assign does; 0, or -1 with an error.
 * ValueError if the structures differ */
KN_API int kn_tree_assign(kn_tree to, kn_tree from);
KN_API kn_list kn_tree_leaves(kn_tree tree); /* jax.tree.leaves: all leaves as a list, in the order of the structure */
typedef struct kn_tree_keystr_opts {
    size_t size_;
    bool simple;
    const char *separator; /* "" */
} kn_tree_keystr_opts;
KN_API kn_tree_keystr_opts kn_tree_keystr_opts_default(void);
/* the path of leaf i as JAX's keystr shows it, "['layers'][0].w"; simple: its keys with the separator between them.
 * It belongs to the scope. */
KN_API const char *kn_tree_keystr(kn_tree tree, int i, const kn_tree_keystr_opts *opts);
typedef struct kn_tree_leaves_with_path_result {
    int n; const char *const *path; kn_list leaves; /* paths as kn_tree_keystr; they belong to the scope */
} kn_tree_leaves_with_path_result;
/* jax.tree.leaves_with_path: all leaves with their paths, as kn_tree_keystr shows them */
KN_API kn_tree_leaves_with_path_result kn_tree_leaves_with_path(kn_tree tree);

/* ---- By path: "layers[0].w", or as keystr shows it. KeyError or IndexError if it is not there. */
/* the leaf at a path; TypeError for a subtree, KeyError or IndexError if nothing is there */
KN_API kn_array kn_tree_at(kn_tree tree, const char *path);
KN_API kn_tree kn_tree_sub(kn_tree tree, const char *path); /* the subtree at a path, a tree of its own */
/* whether there is a leaf or a subtree at a path; no error if not */
KN_API bool kn_tree_has(kn_tree tree, const char *path);
/* puts x into the place of the leaf at a path, as kn_tree_assign does; 0, or -1 with an error */
KN_API int kn_tree_set_at(kn_tree tree, const char *path, kn_array x);

/* ---- Structures. */
typedef struct kn_tree_flatten_result { kn_list leaves; kn_treedef structure; } kn_tree_flatten_result;
/* jax.tree.flatten: the leaves as a list, and the structure without them; kn_tree_unflatten is the way back */
KN_API kn_tree_flatten_result kn_tree_flatten(kn_tree tree);
typedef struct kn_tree_flatten_with_path_result {
    int n; const char *const *path; kn_list leaves; kn_treedef structure;
} kn_tree_flatten_with_path_result;
/* jax.tree.flatten_with_path: the leaves with their paths, as kn_tree_keystr shows them, and the structure */
KN_API kn_tree_flatten_with_path_result kn_tree_flatten_with_path(kn_tree tree);
/* loaders.safetensors.toNested: a tree by the names of its leaves: what is before and behind a separator are keys of
 * dicts, so "layers.0.w" becomes ["layers"][0]["w"]; a dict whose keys are 0, 1, 2, ... is a list. ValueError if one
 * name is a leaf and also has something below it, or has more than 100 levels. */
KN_API kn_tree kn_tree_nested(kn_tree tree, const char *separator);
/* loaders.safetensors.fromNested: a dict of all leaves by their names: the keys on the way to them with the
 * separator between them, layers.0.w. ValueError if two get the same name, or the tree is one leaf. */
KN_API kn_tree kn_tree_flat(kn_tree tree, const char *separator);
KN_API kn_treedef kn_tree_structure(kn_tree tree); /* jax.tree.structure: the structure of a tree without its leaves */
/* jax.tree.unflatten: a tree of a structure with these leaves. ValueError "Too few leaves for PyTreeDef; expected 2,
 * got 1" */
KN_API kn_tree kn_tree_unflatten(kn_treedef structure, kn_list leaves);
/* the text of a structure as JAX shows it, leaves as *; the scope's */
KN_API const char *kn_treedef_text(kn_treedef structure);
/* whether two structures are the same; names and types of structs count */
KN_API bool kn_treedef_equal(kn_treedef a, kn_treedef b);
/* what the root of a structure is: KN_TREE_LEAF, KN_TREE_NONE, KN_TREE_LIST, KN_TREE_TUPLE, KN_TREE_DICT or
 * KN_TREE_STRUCT */
KN_API kn_tree_kind kn_treedef_kind(kn_treedef structure);
KN_API int kn_treedef_count(kn_treedef structure);          /* the number of leaves of a structure */
KN_API int kn_treedef_children_count(kn_treedef structure); /* the number of children of the root of a structure */
/* the structure of child number i of the root: jax.tree_util.treedef_children()[i] */
KN_API kn_treedef kn_treedef_child(kn_treedef structure, int i);
/* the structure of a tuple of trees with these structures: jax.tree_util.treedef_tuple */
KN_API kn_treedef kn_treedef_tuple(int n, const kn_treedef *children);
/* whether a structure is one leaf: jax.tree_util.treedef_is_leaf */
KN_API bool kn_treedef_is_leaf(kn_treedef structure);

/* ---- Functions of trees. What is called: a function of one or two arrays (kn_exp, kn_add), a kn_fn, or any
 * function with an environment, which gets the leaf's path and one array per tree: KN_MAPPER(f, env). */
typedef kn_array (*kn_map_function)(void *env, const char *path, int n, const kn_array *x);
typedef struct kn_mapper {
    size_t size_;
    kn_fn fn;
    kn_array (*one)(kn_array);
    kn_array (*two)(kn_array, kn_array);
    kn_map_function any;
    void *env;
} kn_mapper;
/* jax.tree.map: a tree of f's results, leaf by leaf, of one tree or of several: in C kn_tree_map(f, tree, ...). The
 * trees have one structure, or ValueError in JAX's words. */
KN_API kn_tree kn_tree_map(const kn_mapper *f, int n, const kn_tree *trees);
/* jax.tree.reduce: one array of all leaves: f(f(f(initial, a), b), c); initial NULL: begins with the first leaf,
 * TypeError without leaves */
KN_API kn_array kn_tree_reduce(const kn_mapper *f, kn_tree tree, kn_array initial);
/* one array of all leaves, joined in pairs, so that f is as deep as the logarithm of their number; f has to be
 * associative */
KN_API kn_array kn_tree_reduce_associative(const kn_mapper *f, kn_tree tree, kn_array initial);
/* jax.tree.all: whether all leaves, which are single elements, are true; true without leaves */
KN_API bool kn_tree_all(kn_tree tree);
/* jax.tree.transpose: a tree of structure outer, whose leaves are trees of structure inner, turned inside out */
KN_API kn_tree kn_tree_transpose(kn_treedef outer, kn_treedef inner, kn_tree tree);
/* jax.tree.broadcast: a tree of full's structure with the leaves of prefix, each as often as the subtree in its
 * place has leaves */
KN_API kn_tree kn_tree_broadcast(kn_tree prefix, kn_tree full);

/* ---- jax.flatten_util.ravel_pytree: all elements in one 1-d array of the common dtype, and the way back: the
 * shapes, dtypes and structure of `like`. */
KN_API kn_array kn_tree_ravel(kn_tree tree); /* all elements of all leaves in one vector, of the common dtype */
/* a tree with the structure, the shapes and the dtypes of `like` of the elements of a vector: the way back from
 * kn_tree_ravel. ValueError for another number of elements */
KN_API kn_tree kn_tree_unravel(kn_tree like, kn_array flat);

/* ---- Lists of arrays. */
/* a list of n arrays, for functions that take several; in C KN_LIST(x, y) */
KN_API kn_list kn_list_from(const kn_array *arrays, int n);
KN_API int kn_list_count(kn_list list);           /* the number of arrays in a list; -1 for an error */
KN_API kn_array kn_list_get(kn_list list, int i); /* array number i of a list; IndexError if there are fewer */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
/* ---- Names of fields: of a struct type, once. A field that is a struct with names of its own is written
 * (field, Type); other structs and arrays of handles have positions. */
#define KN_FIELDS(T, ...)                                                                                              \
    struct kn_order_of_##T { KN_EACH(KN_ORDER_, T, __VA_ARGS__) };                                                     \
    KN_EACH(KN_CHECK_FIELD_, T, __VA_ARGS__)                                                                           \
    __attribute__((unused)) static const kn_field kn_field_list_of_##T[] = {KN_EACH(KN_FIELD_, T, __VA_ARGS__)};       \
    __attribute__((unused)) static const kn_fields kn_fields_of_##T = {                                                \
        sizeof(kn_fields), #T, sizeof(T), KN_COUNT(__VA_ARGS__), kn_field_list_of_##T};
/* The fields, packed in the order of their names: they have to lie as in T. No field is a number. */
#define KN_FIELD_NAME(f) KN_CAT(KN_FIELD_NAME_, KN_IS_PAIR(f))(f)
#define KN_FIELD_NAME_0(f) f
#define KN_FIELD_NAME_1(f) KN_FIRST_ f
#define KN_ORDER_(T, f) char KN_FIELD_NAME(f)[sizeof(((T *)0)->KN_FIELD_NAME(f))];
#define KN_CHECK_FIELD_(T, f) KN_CHECK_FIELD2_(T, KN_FIELD_NAME(f))
#define KN_CHECK_FIELD2_(T, f) KN_CHECK_FIELD3_(T, f)
#define KN_CHECK_FIELD3_(T, f)                                                                                         \
    _Static_assert(_Generic(((T *)0)->f, bool: 0, KN_SIGNED(0), KN_UNSIGNED(0), float: 0, double: 0, default: 1),      \
                   #T "." #f " is a number: the fields of a structure of arrays are kn_array (or structures of them);" \
                   " numbers go into the environment of KN_FUNCTION_ENV");                                             \
    _Static_assert(offsetof(struct kn_order_of_##T, f) == offsetof(T, f),                                              \
                   "KN_FIELDS(" #T ", ...) names " #f " at another place than where it is declared");
#define KN_FIELD_(T, f) KN_CAT(KN_FIELD_, KN_IS_PAIR(f))(T, f),
#define KN_FIELD_0(T, f) {#f, sizeof(((T *)0)->f), (const kn_fields *)0}
#define KN_FIELD_1(T, f) KN_FIELD_PAIR_(T, KN_STRIP f)
#define KN_FIELD_PAIR_(T, ...) KN_FIELD_PAIR2_(T, __VA_ARGS__)
#define KN_FIELD_PAIR2_(T, f, F) {#f, sizeof(((T *)0)->f), &kn_fields_of_##F}
#define KN_IS_PAIR_(...) ~, 1
#define KN_IS_PAIR(x) KN_SECOND_(KN_IS_PAIR_ x, 0)
#define KN_SECOND_(...) KN_SECOND2_(__VA_ARGS__, 0)
#define KN_SECOND2_(a, b, ...) b

/* A struct of arrays, seen as a tree; it must live on, and nothing may be assigned to the leaves of a const one. With
 * its type: the names that KN_FIELDS gave. */
#define KN_TREE(...) KN_CAT(KN_TREE_, KN_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define KN_TREE_1(pointer)                                                                                             \
    (KN_HERE(), (kn_tree_of)((void *)(uintptr_t)(const void *)(pointer), sizeof(*(pointer))))
#define KN_TREE_2(pointer, T)                                                                                          \
    (KN_HERE(), (kn_tree_of_fields)((void *)(uintptr_t)(const T *)(pointer), sizeof(T), &kn_fields_of_##T))

/* ---- Building: arrays, numbers and trees where children go. */
static inline kn_tree kn_tree_same_(kn_tree t) { return t; }
static inline kn_tree kn_tree_bool_(bool x) { return kn_tree_leaf(kn_like_bool(x)); }
static inline kn_tree kn_tree_int_(int64_t x) { return kn_tree_leaf(kn_like_int(x)); }
static inline kn_tree kn_tree_uint_(uint64_t x) { return kn_tree_leaf(kn_like_uint(x)); }
static inline kn_tree kn_tree_double_(double x) { return kn_tree_leaf(kn_like_double(x)); }
#define KN_TREE_LIKE(x) KN_TREE_LIKE_(__COUNTER__, x)
#define KN_TREE_LIKE_(c, x)                                                                                            \
    __extension__({ __auto_type KN_V(val, c) = (x); _Generic(KN_V(val, c), kn_tree: kn_tree_same_,                     \
        kn_array: kn_tree_leaf, bool: kn_tree_bool_, KN_SIGNED(kn_tree_int_), KN_UNSIGNED(kn_tree_uint_),              \
        float: kn_tree_double_, double: kn_tree_double_)(KN_V(val, c)); })
#define KN_TREE_PUT_(c, x) KN_V(vec, c)[KN_V(cnt, c)++] = KN_TREE_LIKE(x);
#define KN_TREE_SEQUENCE_(c, f, count, ...)                                                                            \
    __extension__({ KN_HERE(); kn_tree KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) = 0;                                \
        KN_EACH(KN_TREE_PUT_, c, __VA_ARGS__) KN_HERE(); (f)(KN_V(cnt, c), KN_V(vec, c)); })
#define kn_tree_list(...) KN_TREE_SEQUENCE_(__COUNTER__, kn_tree_list, KN_COUNT(__VA_ARGS__), __VA_ARGS__)
#define kn_tree_tuple(...) KN_TREE_SEQUENCE_(__COUNTER__, kn_tree_tuple, KN_COUNT(__VA_ARGS__), __VA_ARGS__)
#define KN_NODE_PUT_(c, k, x)                                                                                          \
    KN_V(vec, c)[KN_V(cnt, c)].name = (k); KN_V(vec, c)[KN_V(cnt, c)++].tree = KN_TREE_LIKE(x);
#define KN_ITEMS_0(c, ...)
#define KN_ITEMS_2(c, k, x) KN_NODE_PUT_(c, k, x)
#define KN_ITEMS_4(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_2(c, __VA_ARGS__)
#define KN_ITEMS_6(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_4(c, __VA_ARGS__)
#define KN_ITEMS_8(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_6(c, __VA_ARGS__)
#define KN_ITEMS_10(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_8(c, __VA_ARGS__)
#define KN_ITEMS_12(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_10(c, __VA_ARGS__)
#define KN_ITEMS_14(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_12(c, __VA_ARGS__)
#define KN_ITEMS_16(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_14(c, __VA_ARGS__)
#define KN_ITEMS_18(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_16(c, __VA_ARGS__)
#define KN_ITEMS_20(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_18(c, __VA_ARGS__)
#define KN_ITEMS_22(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_20(c, __VA_ARGS__)
#define KN_ITEMS_24(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_22(c, __VA_ARGS__)
#define KN_ITEMS_26(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_24(c, __VA_ARGS__)
#define KN_ITEMS_28(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_26(c, __VA_ARGS__)
#define KN_ITEMS_30(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_28(c, __VA_ARGS__)
#define KN_ITEMS_32(c, k, x, ...) KN_NODE_PUT_(c, k, x) KN_ITEMS_30(c, __VA_ARGS__)
#define kn_tree_dict(...) KN_TREE_DICT_(__COUNTER__, KN_COUNT(__VA_ARGS__), __VA_ARGS__)
#define KN_TREE_DICT_(c, count, ...)                                                                                   \
    __extension__({ KN_HERE(); kn_tree_item KN_V(vec, c)[(count) / 2 + 1]; int KN_V(cnt, c) = 0;                       \
        KN_CAT(KN_ITEMS_, KN_COUNT(__VA_ARGS__))(c __VA_OPT__(, ) __VA_ARGS__) KN_HERE();                              \
        (kn_tree_dict)(KN_V(cnt, c), KN_V(vec, c)); })

/* ---- Functions of trees. */
static inline kn_mapper kn_mapper_same_(kn_mapper f) { return f; }
static inline kn_mapper kn_mapper_fn_(kn_fn f) { return (kn_mapper){.size_ = sizeof(kn_mapper), .fn = f}; }
static inline kn_mapper kn_mapper_one_(kn_array (*f)(kn_array))
{
    return (kn_mapper){.size_ = sizeof(kn_mapper), .one = f};
}
static inline kn_mapper kn_mapper_two_(kn_array (*f)(kn_array, kn_array))
{
    return (kn_mapper){.size_ = sizeof(kn_mapper), .two = f};
}
#define KN_MAPPER(f, environment) ((kn_mapper){.size_ = sizeof(kn_mapper), .any = (f), .env = (environment)})
#define KN_MAPPER_OF_(c, f)                                                                                            \
    __extension__({ __auto_type KN_V(val, c) = (f); _Generic(KN_V(val, c), kn_mapper: kn_mapper_same_,                 \
        kn_fn: kn_mapper_fn_, kn_array (*)(kn_array): kn_mapper_one_,                                                  \
        kn_array (*)(kn_array, kn_array): kn_mapper_two_)(KN_V(val, c)); })
#define kn_tree_map(f, ...) KN_TREE_MAP_(__COUNTER__, f, __VA_ARGS__)
#define KN_TREE_MAP_(c, f, ...)                                                                                        \
    __extension__({ const kn_mapper KN_V(fun, c) = KN_MAPPER_OF_(c, f); const kn_tree KN_V(vec, c)[] = {__VA_ARGS__};  \
        KN_HERE(); (kn_tree_map)(&KN_V(fun, c), KN_COUNT(__VA_ARGS__), KN_V(vec, c)); })
#define kn_tree_map_with_path(f, env, ...) kn_tree_map(KN_MAPPER(f, env), __VA_ARGS__) /* jax.tree.map_with_path */
#define KN_TREE_REDUCE_(c, reduce, f, tree, ...)                                                                       \
    __extension__({ const kn_mapper KN_V(fun, c) = KN_MAPPER_OF_(c, f); kn_tree KN_V(1, c) = (tree);                   \
        kn_array KN_V(2, c) = KN_CAT(KN_INITIAL_, KN_HAS(__VA_ARGS__))(__VA_ARGS__); KN_HERE();                        \
        (reduce)(&KN_V(fun, c), KN_V(1, c), KN_V(2, c)); })
#define KN_INITIAL_0() ((kn_array)0)
#define KN_INITIAL_1(x) KN_LIKE(x)
#define kn_tree_reduce(f, tree, ...) KN_TREE_REDUCE_(__COUNTER__, kn_tree_reduce, f, tree, __VA_ARGS__)
#define kn_tree_reduce_associative(f, tree, ...)                                                                       \
    KN_TREE_REDUCE_(__COUNTER__, kn_tree_reduce_associative, f, tree, __VA_ARGS__)
#define kn_treedef_tuple(...) KN_TREEDEF_TUPLE_(__COUNTER__, KN_COUNT(__VA_ARGS__), __VA_ARGS__)
#define KN_TREEDEF_TUPLE_(c, count, ...)                                                                               \
    __extension__({ const kn_treedef KN_V(vec, c)[(count) + 1] = {__VA_ARGS__}; KN_HERE();                             \
        (kn_treedef_tuple)((count), KN_V(vec, c)); })
#define kn_tree_leaf(x) KN_F1(kn_tree_leaf, x)
#define kn_tree_none() (KN_HERE(), (kn_tree_none)())
#define kn_tree_count(tree) KN_G1(kn_tree_count, kn_tree, tree)
#define kn_tree_get(tree, i) KN_G2(kn_tree_get, kn_tree, tree, int, i)
#define kn_tree_assign(to, from) KN_G2(kn_tree_assign, kn_tree, to, kn_tree, from)
#define kn_tree_leaves(tree) KN_G1(kn_tree_leaves, kn_tree, tree)
#define kn_tree_keystr(tree, i, ...)                                                                                   \
    KN_G2O(kn_tree_keystr, kn_tree_keystr_opts, (.separator = "", ), kn_tree, tree, int, i, __VA_ARGS__)
#define kn_tree_leaves_with_path(tree) KN_G1(kn_tree_leaves_with_path, kn_tree, tree)
#define kn_tree_at(tree, path) KN_G2(kn_tree_at, kn_tree, tree, const char *, path)
#define kn_tree_sub(tree, path) KN_G2(kn_tree_sub, kn_tree, tree, const char *, path)
#define kn_tree_has(tree, path) KN_G2(kn_tree_has, kn_tree, tree, const char *, path)
#define kn_tree_set_at(tree, path, x) KN_TREE_SET_AT_(__COUNTER__, tree, path, x)
#define KN_TREE_SET_AT_(c, tree, path, x)                                                                              \
    __extension__({ KN_TAKE(kn_tree, 1, c, tree) KN_TAKE(const char *, 2, c, path) kn_array KN_V(3, c) = KN_LIKE(x);   \
    KN_HERE(); (kn_tree_set_at)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_tree_flatten(tree) KN_G1(kn_tree_flatten, kn_tree, tree)
#define kn_tree_flatten_with_path(tree) KN_G1(kn_tree_flatten_with_path, kn_tree, tree)
#define kn_tree_nested(tree, separator) KN_G2(kn_tree_nested, kn_tree, tree, const char *, separator)
#define kn_tree_flat(tree, separator) KN_G2(kn_tree_flat, kn_tree, tree, const char *, separator)
#define kn_tree_structure(tree) KN_G1(kn_tree_structure, kn_tree, tree)
#define kn_tree_unflatten(structure, leaves) KN_G2(kn_tree_unflatten, kn_treedef, structure, kn_list, leaves)
#define kn_treedef_text(structure) KN_G1(kn_treedef_text, kn_treedef, structure)
#define kn_treedef_equal(a, b) KN_G2(kn_treedef_equal, kn_treedef, a, kn_treedef, b)
#define kn_treedef_kind(structure) KN_G1(kn_treedef_kind, kn_treedef, structure)
#define kn_treedef_count(structure) KN_G1(kn_treedef_count, kn_treedef, structure)
#define kn_treedef_children_count(structure) KN_G1(kn_treedef_children_count, kn_treedef, structure)
#define kn_treedef_child(structure, i) KN_G2(kn_treedef_child, kn_treedef, structure, int, i)
#define kn_treedef_is_leaf(structure) KN_G1(kn_treedef_is_leaf, kn_treedef, structure)
#define kn_tree_all(tree) KN_G1(kn_tree_all, kn_tree, tree)
#define kn_tree_transpose(outer, inner, tree) KN_TREE_TRANSPOSE_(__COUNTER__, outer, inner, tree)
#define KN_TREE_TRANSPOSE_(c, outer, inner, tree)                                                                      \
    __extension__({ KN_TAKE(kn_treedef, 1, c, outer) KN_TAKE(kn_treedef, 2, c, inner) KN_TAKE(kn_tree, 3, c, tree)     \
    KN_HERE(); (kn_tree_transpose)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_tree_broadcast(prefix, full) KN_G2(kn_tree_broadcast, kn_tree, prefix, kn_tree, full)
#define kn_tree_ravel(tree) KN_G1(kn_tree_ravel, kn_tree, tree)
#define kn_tree_unravel(like, flat) KN_TREE_UNRAVEL_(__COUNTER__, like, flat)
#define KN_TREE_UNRAVEL_(c, like, flat)                                                                                \
    __extension__({ KN_TAKE(kn_tree, 1, c, like) kn_array KN_V(2, c) = KN_LIKE(flat); KN_HERE();                       \
    (kn_tree_unravel)(KN_V(1, c), KN_V(2, c)); })
#define kn_list_get(list, i) KN_G2(kn_list_get, kn_list, list, int, i)
#endif
#endif
