/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/tree.hpp -- the functions of kiln/tree.h in C++. */
/* Made by scripts/make-api.py from api/tree.api. */
/* clang-format off */
#ifndef KILN_CPP_TREE_HPP
#define KILN_CPP_TREE_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace tree {
/* None: a tree without leaves, which is part of a structure */
inline pytree none(place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_tree_none())); }
/* the number of leaves; -1 for an error */
inline int count(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_tree_count(tree.c())); }
/* leaf number i, in the order of the structure. IndexError if there are fewer */
inline array get(const ::kiln::pytree &tree, int i, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_tree_get(tree.c(), i))); }
/* puts the leaves of one tree into the places of another's, each as kn_assign does; 0, or -1 with an error.
 * ValueError if the structures differ */
inline int assign(const ::kiln::pytree &to, const ::kiln::pytree &from, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_tree_assign(to.c(), from.c())); }
/* jax.tree.leaves: all leaves as a list, in the order of the structure */
inline std::vector<array> leaves(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return detail::arrays_of(c_.take(kn_tree_leaves(tree.c()))); }
struct keystr_opts {
    KILN_OPTION((bool), simple, {})
    KILN_OPTION((::kiln::text), separator, "")
    kn_tree_keystr_opts c() const {
        kn_tree_keystr_opts to_ = {}; to_.size_ = sizeof to_; to_.simple = detail::c_of(simple);
        to_.separator = detail::c_of(separator); return to_; }
};
/* the path of leaf i as JAX's keystr shows it, "['layers'][0].w"; simple: its keys with the separator between them.
 * It belongs to the scope. */
inline std::string keystr(const ::kiln::pytree &tree, int i, const ::kiln::tree::keystr_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_tree_keystr_opts opts_c = opts.c(); c_.here(); return c_.text(kn_tree_keystr(tree.c(), i,
    &opts_c)); }
/* the leaf at a path; TypeError for a subtree, KeyError or IndexError if nothing is there */
inline array at(const ::kiln::pytree &tree, const ::kiln::text &path, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_tree_at(tree.c(), path.c()))); }
/* the subtree at a path, a tree of its own */
inline pytree sub(const ::kiln::pytree &tree, const ::kiln::text &path, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_tree_sub(tree.c(), path.c()))); }
/* whether there is a leaf or a subtree at a path; no error if not */
inline bool has(const ::kiln::pytree &tree, const ::kiln::text &path, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_tree_has(tree.c(), path.c())); }
/* puts x into the place of the leaf at a path, as kn_tree_assign does; 0, or -1 with an error */
inline int set_at(const ::kiln::pytree &tree, const ::kiln::text &path, const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_tree_set_at(tree.c(), path.c(), x_h)); }
struct flatten_result { std::vector<array> leaves; treedef_t structure; };
/* jax.tree.flatten: the leaves as a list, and the structure without them; kn_tree_unflatten is the way back */
inline ::kiln::tree::flatten_result flatten(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); kn_tree_flatten_result r_ = c_.value(kn_tree_flatten(tree.c())); return
    ::kiln::tree::flatten_result{detail::arrays_of(r_.leaves), treedef_t(r_.structure)}; }
/* loaders.safetensors.toNested: a tree by the names of its leaves: what is before and behind a separator are keys of
 * dicts, so "layers.0.w" becomes ["layers"][0]["w"]; a dict whose keys are 0, 1, 2, ... is a list. ValueError if one
 * name is a leaf and also has something below it, or has more than 100 levels. */
inline pytree nested(const ::kiln::pytree &tree, const ::kiln::text &separator, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_tree_nested(tree.c(), separator.c()))); }
/* loaders.safetensors.fromNested: a dict of all leaves by their names: the keys on the way to them with the
 * separator between them, layers.0.w. ValueError if two get the same name, or the tree is one leaf. */
inline pytree flat(const ::kiln::pytree &tree, const ::kiln::text &separator, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_tree_flat(tree.c(), separator.c()))); }
/* jax.tree.structure: the structure of a tree without its leaves */
inline handle<kn_treedef> structure(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_treedef>(c_.take(kn_tree_structure(tree.c()))); }
/* jax.tree.unflatten: a tree of a structure with these leaves. ValueError "Too few leaves for PyTreeDef; expected 2,
 * got 1" */
inline pytree unflatten(const ::kiln::handle<kn_treedef> &structure, const ::kiln::operands &leaves, place
    where = here())
{ detail::call c_(where); kn_list leaves_h = leaves.list(); c_.here(); return
    pytree(c_.take(kn_tree_unflatten(structure.c(), leaves_h))); }
} // namespace tree
namespace treedef {
/* the text of a structure as JAX shows it, leaves as *; the scope's */
inline std::string text(const ::kiln::handle<kn_treedef> &structure, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_treedef_text(structure.c())); }
/* whether two structures are the same; names and types of structs count */
inline bool equal(const ::kiln::handle<kn_treedef> &a, const ::kiln::handle<kn_treedef> &b, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_treedef_equal(a.c(), b.c())); }
/* what the root of a structure is: KN_TREE_LEAF, KN_TREE_NONE, KN_TREE_LIST, KN_TREE_TUPLE, KN_TREE_DICT or
 * KN_TREE_STRUCT */
inline kn_tree_kind kind(const ::kiln::handle<kn_treedef> &structure, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_treedef_kind(structure.c())); }
/* the number of leaves of a structure */
inline int count(const ::kiln::handle<kn_treedef> &structure, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_treedef_count(structure.c())); }
/* the number of children of the root of a structure */
inline int children_count(const ::kiln::handle<kn_treedef> &structure, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_treedef_children_count(structure.c())); }
/* the structure of child number i of the root: jax.tree_util.treedef_children()[i] */
inline handle<kn_treedef> child(const ::kiln::handle<kn_treedef> &structure, int i, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_treedef>(c_.take(kn_treedef_child(structure.c(), i))); }
/* the structure of a tuple of trees with these structures: jax.tree_util.treedef_tuple */
inline handle<kn_treedef> tuple(const std::vector<::kiln::handle<kn_treedef>> &children, place where = here())
{ detail::call c_(where); std::vector<kn_treedef> children_v = detail::all_of<kn_treedef>(children); c_.here(); return
    handle<kn_treedef>(c_.take(kn_treedef_tuple(static_cast<int>(children.size()), children_v.data()))); }
/* whether a structure is one leaf: jax.tree_util.treedef_is_leaf */
inline bool is_leaf(const ::kiln::handle<kn_treedef> &structure, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_treedef_is_leaf(structure.c())); }
} // namespace treedef
namespace tree {
/* jax.tree.all: whether all leaves, which are single elements, are true; true without leaves */
inline bool all(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_tree_all(tree.c())); }
/* jax.tree.transpose: a tree of structure outer, whose leaves are trees of structure inner, turned inside out */
inline pytree transpose(const ::kiln::handle<kn_treedef> &outer, const ::kiln::handle<kn_treedef> &inner, const
    ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_tree_transpose(outer.c(), inner.c(), tree.c()))); }
/* jax.tree.broadcast: a tree of full's structure with the leaves of prefix, each as often as the subtree in its
 * place has leaves */
inline pytree broadcast(const ::kiln::pytree &prefix, const ::kiln::pytree &full, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_tree_broadcast(prefix.c(), full.c()))); }
/* all elements of all leaves in one vector, of the common dtype */
inline array ravel(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_tree_ravel(tree.c()))); }
/* a tree with the structure, the shapes and the dtypes of `like` of the elements of a vector: the way back from
 * kn_tree_ravel. ValueError for another number of elements */
inline pytree unravel(const ::kiln::pytree &like, const ::kiln::operand &flat, place where = here())
{ detail::call c_(where); kn_array flat_h = flat.c(); c_.here(); return pytree(c_.take(kn_tree_unravel(like.c(),
    flat_h))); }
} // namespace tree
} // namespace kiln
#endif
