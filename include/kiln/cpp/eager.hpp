/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/eager.hpp -- the functions of kiln/eager.h in C++. */
/* Made by scripts/make-api.py from api/eager.api. */
/* clang-format off */
#ifndef KILN_CPP_EAGER_HPP
#define KILN_CPP_EAGER_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/tree.hpp"
#include "kiln/cpp/jaxpr.hpp"

namespace kiln {
/* torch.autograd.forward_ad.dual_level: opens a level of tangents: kn_with_tangent puts tangents there and
 * kn_tangent_of reads them until it is closed; then they are gone. Derivatives inside of derivatives need one each,
 * or they are confused. KN_TANGENTS; opens one and closes it. Without any, tangents are at a lowest one that stays
 * open. NULL: no memory */
inline kn_level tangents_begin(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_tangents_begin()); }
/* tf.GradientTape: opens a tape: kn_watch marks arrays for this one, kn_backward walks it, and at its end marks and
 * gradients are gone. KN_TAPE; opens one and closes it. Without any there is a lowest one that stays open, as
 * PyTorch's users know it. NULL: no memory */
inline kn_level tape_begin(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_tape_begin()); }
/* torch.no_grad: until the level is closed nothing is recorded on tapes: results depend on no watched array. A
 * watched array that is written to in there stays watched, with its new elements. KN_NO_TAPE; opens one and closes
 * it. NULL: no memory */
inline kn_level no_tape_begin(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_no_tape_begin()); }
/* closes a level, and those that were opened after it and not closed; *level is NULL then. NULL is fine */
inline void level_end(kn_level *level, place where = here())
{ detail::call c_(where); c_.here(); kn_level_end(level); detail::check(); }
/* torch.autograd.forward_ad.make_dual: x with a tangent, at the innermost open level of tangents: what is computed
 * from it has the tangent that kn_jvp would give, of any order of operations, loops and writes. The tangent has x's
 * shape, or one axis more in front: one tangent for each of several directions. x keeps what it has at other levels;
 * a tangent that it has at this one is replaced. TypeError: x is neither of floats nor complex, or the tangent is of
 * another dtype (C numbers are converted). ValueError: the shapes do not fit */
inline array with_tangent(const ::kiln::operand &x, const ::kiln::operand &tangent, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array tangent_h = tangent.c(); c_.here(); return
    array::share(c_.take(kn_with_tangent(x_h, tangent_h))); }
/* the tangent of x at the innermost open level of tangents: zeros where it has none. TypeError: x is neither of
 * floats nor complex */
inline array tangent_of(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_tangent_of(x_h))); }
/* has x a tangent at the innermost open level of tangents? false after an error, too */
inline bool has_tangent(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_has_tangent(x_h)); }
/* torch.autograd.forward_ad.unpack_dual: x without its tangent at the innermost open level of tangents */
inline array primal_of(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_primal_of(x_h))); }
namespace tree {
/* a tree like x of its arrays with the tangents that stand at the same places. ValueError: the structures differ */
inline pytree with_tangents(const ::kiln::pytree &x, const ::kiln::pytree &tangents, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_tree_with_tangents(x.c(), tangents.c()))); }
/* a tree like x of its arrays' tangents, each as kn_tangent_of gives it */
inline pytree tangents_of(const ::kiln::pytree &x, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_tree_tangents_of(x.c()))); }
} // namespace tree
/* torch.Tensor.requires_grad_: marks x itself, at the innermost tape: what is computed from it from now on can be
 * gone back from. Gives back x. An array that depends on others that are watched gets its own gradient, too.
 * TypeError: x is neither of floats nor complex. ValueError: x is a view; what it is a view of can be watched */
inline array watch(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_watch(x_h))); }
/* watches all arrays of a tree; gives back x */
inline pytree watch_tree(const ::kiln::pytree &x, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_watch_tree(x.c()))); }
/* torch.Tensor.requires_grad: does x depend on a watched array, or is one? false after an error, too */
inline bool is_watched(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_is_watched(x_h)); }
struct backward_opts {
    KILN_OPTION((::kiln::array), seed, {}) /* cotangent of y, of its shape */
    KILN_OPTION((bool), keep, {})
    KILN_OPTION((bool), record, {}) /* as PyTorch's create_graph: gradients can be gone back from, too; implies keep */
    kn_backward_opts c() const {
        kn_backward_opts to_ = {}; to_.size_ = sizeof to_; to_.seed = detail::c_of(seed); to_.keep = detail::c_of(keep);
        to_.record = detail::c_of(record); return to_; }
};
/* torch.Tensor.backward: walks from y to what is watched on the innermost tape that y depends on, and adds the
 * gradients to those that are there (kn_grad_of): the bits are those of kn_grad and kn_vjp. What the tape kept for y
 * is let go, so that going back once more is a RuntimeError that tells where. ValueError: y depends on no watched
 * array; there is no seed and y has more than one element. 0, or -1 with an error */
inline int backward(const ::kiln::operand &y, const ::kiln::backward_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array y_h = y.c(); kn_backward_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_backward(y_h, &opts_c)); }
/* torch.Tensor.grad: what kn_backward has added up for a watched array: zeros where it has not come by. ValueError:
 * x is not watched; it was written to since, and then the message tells where */
inline array grad_of(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_grad_of(x_h))); }
/* has kn_backward come to x since it was watched, or its gradient cleared? false after an error, too */
inline bool has_grad(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_has_grad(x_h)); }
/* torch.optim.Optimizer.zero_grad: from now on kn_backward adds up anew. 0, or -1 with an error */
inline int clear_grad(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_clear_grad(x_h)); }
namespace tree {
/* a tree like x of the gradients of its arrays, each as kn_grad_of gives it: what an optimizer takes
 * (kn_optim_update) */
inline pytree grads_of(const ::kiln::pytree &x, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_tree_grads_of(x.c()))); }
} // namespace tree
/* kn_clear_grad of all arrays of a tree. 0, or -1 with an error */
inline int clear_tree_grads(const ::kiln::pytree &x, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_clear_tree_grads(x.c())); }
/* torch.Tensor.detach: x as it is, depending on no watched array. Inside of a recorded function it is
 * kn_stop_gradient: whoever calls that may be watching */
inline array detach(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_detach(x_h))); }
/* x with an axis of its logical shape made the first batch axis: operations from now on are done for each of its
 * elements, as under kn_vmap. Arrays with fewer batch axes take part with what they are */
inline array batch_in(const ::kiln::operand &x, int axis, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_batch_in(x_h, axis))); }
struct batch_out_opts {
    KILN_OPTION((int), batch_axis, {}) /* which batch axis; those behind it come one place nearer to the front */
    kn_batch_out_opts c() const {
        kn_batch_out_opts to_ = {}; to_.size_ = sizeof to_; to_.batch_axis = detail::c_of(batch_axis); return to_; }
};
/* x with a batch axis made axis number `axis` of the logical shape. AxisError: it has no such batch axis */
inline array batch_out(const ::kiln::operand &x, int axis, const ::kiln::batch_out_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_batch_out_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_batch_out(x_h, axis, &opts_c))); }
/* x with the first axis of its logical shape as its last batch axis: nothing moves */
inline array incr_batch_dims(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_incr_batch_dims(x_h))); }
/* x with its last batch axis as the first axis of its logical shape: nothing moves */
inline array decr_batch_dims(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_decr_batch_dims(x_h))); }
/* how many batch axes x has; -1 after an error */
inline int batch_dims_of(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_batch_dims_of(x_h)); }
/* the extents of its batch axes, then those of its logical shape (kn_shape_of) */
inline ::kiln::shape physical_shape(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_physical_shape(x_h)); }
/* what has to be run for x, as a jaxpr: its operations in the order in which they depend on each other, each once,
 * also those with several results; what is known already is its constants, and x its result. Texts and drawings are
 * those of jaxprs (kn_jaxpr_text, kn_jaxpr_graphviz) */
inline handle<kn_jaxpr> pending_jaxpr(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return handle<kn_jaxpr>(c_.take(kn_pending_jaxpr(x_h))); }
/* the primitive that x waits for, or that made it on a tape; "" where neither is so */
inline std::string operation_of(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.text(kn_operation_of(x_h)); }
/* the operands of that operation, as far as they are kept: all while x waits; on a tape those that its derivative
 * needs. Empty where there is none */
inline std::vector<array> parents_of(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return detail::arrays_of(c_.take(kn_parents_of(x_h))); }
/* the results of the operation that x waits for, in order and with x, as far as somebody has them. Empty where x
 * waits for none */
inline std::vector<array> siblings_of(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return detail::arrays_of(c_.take(kn_siblings_of(x_h))); }
/* runs the first operation that x waits for, alone; how many it waits for then: 0, nothing is left. -1 after an
 * error */
inline int64_t pending_step(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_pending_step(x_h)); }
/* what waits for x and what memory it holds; zeros after an error */
inline kn_pending_memory pending_memory_of(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_pending_memory_of(x_h)); }
} // namespace kiln
#endif
