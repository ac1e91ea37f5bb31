/* SPDX-License-Identifier: Apache-2.0
 * kiln/eager.h -- the recording of eager code in the user's hands (docs/eager.md): tangents on arrays, backward over
 * a tape, batch axes that operations do not see, and what waits to be run.
 *
 * What kn_jvp, kn_grad and kn_vmap do for functions, these do for values as they are made, by the same rules and
 * with the same bits. They work inside of recorded functions, too, and with arguments of kn_jit, kn_grad and
 * kn_vmap. */
/* Made by scripts/make-api.py from api/eager.api. */
/* clang-format off */
#ifndef KILN_EAGER_H
#define KILN_EAGER_H
#include "kiln/tree.h"
#include "kiln/jaxpr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Levels. KN_TANGENTS; KN_TAPE; and KN_NO_TAPE; at the start of a block hold until it is left. */
typedef struct kn_level_s *kn_level; /* an open one */
/* torch.autograd.forward_ad.dual_level: opens a level of tangents: kn_with_tangent puts tangents there and
 * kn_tangent_of reads them until it is closed; then they are gone. Derivatives inside of derivatives need one each,
 * or they are confused. KN_TANGENTS; opens one and closes it. Without any, tangents are at a lowest one that stays
 * open. NULL: no memory */
KN_API kn_level kn_tangents_begin(void);
/* tf.GradientTape: opens a tape: kn_watch marks arrays for this one, kn_backward walks it, and at its end marks and
 * gradients are gone. KN_TAPE; opens one and closes it. Without any there is a lowest one that stays open, as
 * PyTorch's users know it. NULL: no memory */
KN_API kn_level kn_tape_begin(void);
/* torch.no_grad: until the level is closed nothing is recorded on tapes: results depend on no watched array. A
 * watched array that is written to in there stays watched, with its new elements. KN_NO_TAPE; opens one and closes
 * it. NULL: no memory */
KN_API kn_level kn_no_tape_begin(void);
/* closes a level, and those that were opened after it and not closed; *level is NULL then. NULL is fine */
KN_API void kn_level_end(kn_level *level);

/* ---- Tangents. */
/* torch.autograd.forward_ad.make_dual: x with a tangent, at the innermost open level of tangents: what is computed
 * from it has the tangent that kn_jvp would give, of any order of operations, loops and writes. The tangent has x's
 * shape, or one axis more in front: one tangent for each of several directions. x keeps what it has at other levels;
 * a tangent that it has at this one is replaced. TypeError: x is neither of floats nor complex, or the tangent is of
 * another dtype (C numbers are converted). ValueError: the shapes do not fit */
KN_API kn_array kn_with_tangent(kn_array x, kn_array tangent);
/* the tangent of x at the innermost open level of tangents: zeros where it has none. TypeError: x is neither of
 * floats nor complex */
KN_API kn_array kn_tangent_of(kn_array x);
/* has x a tangent at the innermost open level of tangents? false after an error, too */
KN_API bool kn_has_tangent(kn_array x);
/* torch.autograd.forward_ad.unpack_dual: x without its tangent at the innermost open level of tangents */
KN_API kn_array kn_primal_of(kn_array x);
/* a tree like x of its arrays with the tangents that stand at the same places. ValueError: the structures differ */
KN_API kn_tree kn_tree_with_tangents(kn_tree x, kn_tree tangents);
/* a tree like x of its arrays' tangents, each as kn_tangent_of gives it */
KN_API kn_tree kn_tree_tangents_of(kn_tree x);

/* ---- Backward. */
/* torch.Tensor.requires_grad_: marks x itself, at the innermost tape: what is computed from it from now on can be
 * gone back from. Gives back x. An array that depends on others that are watched gets its own gradient, too.
 * TypeError: x is neither of floats nor complex. ValueError: x is a view; what it is a view of can be watched */
KN_API kn_array kn_watch(kn_array x);
KN_API kn_tree kn_watch_tree(kn_tree x); /* watches all arrays of a tree; gives back x */
/* torch.Tensor.requires_grad: does x depend on a watched array, or is one? false after an error, too */
KN_API bool kn_is_watched(kn_array x);
typedef struct kn_backward_opts {
    size_t size_;
    kn_array seed; /* NULL, 1: cotangent of y, of its shape */
    bool keep;     /* as PyTorch's retain_graph: what the tape keeps for y stays, to go back a second time */
    bool record;   /* as PyTorch's create_graph: gradients can be gone back from, too; implies keep */
} kn_backward_opts;
KN_API kn_backward_opts kn_backward_opts_default(void);
/* torch.Tensor.backward: walks from y to what is watched on the innermost tape that y depends on, and adds the
 * gradients to those that are there (kn_grad_of): the bits are those of kn_grad and kn_vjp. What the tape kept for y
 * is let go, so that going back once more is a RuntimeError that tells where. ValueError: y depends on no watched
 * array; there is no seed and y has more than one element. 0, or -1 with an error */
KN_API int kn_backward(kn_array y, const kn_backward_opts *opts);
/* torch.Tensor.grad: what kn_backward has added up for a watched array: zeros where it has not come by. ValueError:
 * x is not watched; it was written to since, and then the message tells where */
KN_API kn_array kn_grad_of(kn_array x);
/* has kn_backward come to x since it was watched, or its gradient cleared? false after an error, too */
KN_API bool kn_has_grad(kn_array x);
/* torch.optim.Optimizer.zero_grad: from now on kn_backward adds up anew. 0, or -1 with an error */
KN_API int kn_clear_grad(kn_array x);
/* a tree like x of the gradients of its arrays, each as kn_grad_of gives it: what an optimizer takes
 * (kn_optim_update) */
KN_API kn_tree kn_tree_grads_of(kn_tree x);
KN_API int kn_clear_tree_grads(kn_tree x); /* kn_clear_grad of all arrays of a tree. 0, or -1 with an error */
/* torch.Tensor.detach: x as it is, depending on no watched array. Inside of a recorded function it is
 * kn_stop_gradient: whoever calls that may be watching */
KN_API kn_array kn_detach(kn_array x);

/* ---- Batch axes. Operations see the logical shape alone; batch axes are in front of it, and those of operands meet
 * from the last one on. */
/* x with an axis of its logical shape made the first batch axis: operations from now on are done for each of its
 * elements, as under kn_vmap. Arrays with fewer batch axes take part with what they are */
KN_API kn_array kn_batch_in(kn_array x, int axis);
typedef struct kn_batch_out_opts {
    size_t size_;
    int batch_axis; /* which batch axis; those behind it come one place nearer to the front */
} kn_batch_out_opts;
KN_API kn_batch_out_opts kn_batch_out_opts_default(void);
/* x with a batch axis made axis number `axis` of the logical shape. AxisError: it has no such batch axis */
KN_API kn_array kn_batch_out(kn_array x, int axis, const kn_batch_out_opts *opts);
/* x with the first axis of its logical shape as its last batch axis: nothing moves */
KN_API kn_array kn_incr_batch_dims(kn_array x);
/* x with its last batch axis as the first axis of its logical shape: nothing moves */
KN_API kn_array kn_decr_batch_dims(kn_array x);
KN_API int kn_batch_dims_of(kn_array x); /* how many batch axes x has; -1 after an error */
/* the extents of its batch axes, then those of its logical shape (kn_shape_of) */
KN_API kn_shape kn_physical_shape(kn_array x);

/* ---- What waits. */
/* what has to be run for x, as a jaxpr: its operations in the order in which they depend on each other, each once,
 * also those with several results; what is known already is its constants, and x its result. Texts and drawings are
 * those of jaxprs (kn_jaxpr_text, kn_jaxpr_graphviz) */
KN_API kn_jaxpr kn_pending_jaxpr(kn_array x);
/* the primitive that x waits for, or that made it on a tape; "" where neither is so */
KN_API const char *kn_operation_of(kn_array x);
/* the operands of that operation, as far as they are kept: all while x waits; on a tape those that its derivative
 * needs. Empty where there is none */
KN_API kn_list kn_parents_of(kn_array x);
/* the results of the operation that x waits for, in order and with x, as far as somebody has them. Empty where x
 * waits for none */
KN_API kn_list kn_siblings_of(kn_array x);
/* runs the first operation that x waits for, alone; how many it waits for then: 0, nothing is left. -1 after an
 * error */
KN_API int64_t kn_pending_step(kn_array x);
typedef struct kn_pending_memory {
    int64_t operations;  /* that wait */
    int64_t operands;    /* bytes of what they are made of, which is held for them */
    int64_t results;     /* bytes of x when it is there */
} kn_pending_memory;
/* what waits for x and what memory it holds; zeros after an error */
KN_API kn_pending_memory kn_pending_memory_of(kn_array x);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
/* ---- Levels: at the start of a block. */
#define KN_LEVEL_(begin) kn_level KN_V(level, __COUNTER__) __attribute__((cleanup(kn_level_end), unused)) = begin()
#define KN_TANGENTS KN_LEVEL_(kn_tangents_begin)
#define KN_TAPE KN_LEVEL_(kn_tape_begin)
#define KN_NO_TAPE KN_LEVEL_(kn_no_tape_begin)
#define kn_with_tangent(x, tangent) KN_F2(kn_with_tangent, x, tangent)
#define kn_tangent_of(x) KN_F1(kn_tangent_of, x)
#define kn_primal_of(x) KN_F1(kn_primal_of, x)
#define kn_tree_with_tangents(x, tangents) KN_G2(kn_tree_with_tangents, kn_tree, x, kn_tree, tangents)
#define kn_tree_tangents_of(x) KN_G1(kn_tree_tangents_of, kn_tree, x)
#define kn_watch(x) KN_F1(kn_watch, x)
#define kn_watch_tree(x) KN_G1(kn_watch_tree, kn_tree, x)
#define kn_backward(y, ...) KN_F1O(kn_backward, kn_backward_opts, (), y, __VA_ARGS__)
#define kn_grad_of(x) KN_F1(kn_grad_of, x)
#define kn_clear_grad(x) KN_F1(kn_clear_grad, x)
#define kn_tree_grads_of(x) KN_G1(kn_tree_grads_of, kn_tree, x)
#define kn_clear_tree_grads(x) KN_G1(kn_clear_tree_grads, kn_tree, x)
#define kn_detach(x) KN_F1(kn_detach, x)
#define kn_batch_in(x, axis) KN_H1(kn_batch_in, x, int, axis)
#define kn_batch_out(x, axis, ...) KN_H1O(kn_batch_out, kn_batch_out_opts, (), x, int, axis, __VA_ARGS__)
#define kn_incr_batch_dims(x) KN_F1(kn_incr_batch_dims, x)
#define kn_decr_batch_dims(x) KN_F1(kn_decr_batch_dims, x)
#define kn_pending_jaxpr(x) KN_F1(kn_pending_jaxpr, x)
#define kn_parents_of(x) KN_F1(kn_parents_of, x)
#define kn_siblings_of(x) KN_F1(kn_siblings_of, x)
#endif
#endif
