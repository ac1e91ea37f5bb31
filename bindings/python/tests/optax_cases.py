# SPDX-License-Identifier: Apache-2.0
"""Cases of kiln.optim that run with optax, too. `python optax_cases.py` prints optax_numbers.txt, what optax makes of
them in float64: a line for each case, its name and the numbers of all leaves of its result."""
import numpy

PARAMS = {"b": [0.5, -1.0, 0.25], "w": [[1.0, -2.0, 0.5], [0.75, 3.0, -1.5]]}
GRADS = [{"b": [0.3, -0.2, 1.5], "w": [[-0.1, 0.4, 0.2], [0.9, -0.7, 0.05]]},
         {"b": [-0.4, 0.1, 0.6], "w": [[0.2, 0.3, -0.5], [-1.1, 0.8, 0.15]]}]
EXAMPLES = {"b": [[0.0, 3.0, 4.0], [0.1, 0.2, 0.3]], "w": [[1.0, 2.0], [0.3, -0.1]]}
SQUARE = [[4.0, 1.0, 0.5], [1.0, 3.0, -0.5], [0.5, -0.5, 2.0]]
LOGITS = [[2.0, 0.5, -1.0], [0.1, 0.2, 0.4]]


def arrays(n, tree):
    """The numbers of a tree of lists as arrays."""
    return {k: n.asarray(v, dtype="float64") for k, v in tree.items()}


def steps(o, n, opt, **extra):
    """The updates of three steps, and the last state."""
    p = arrays(n, PARAMS)
    state, seen = opt.init(p), []
    for g in (*GRADS, GRADS[0]):
        u, state = opt.update(arrays(n, g), state, p, **extra)
        p = o.apply_updates(p, u)
        seen.append(u)
    return seen, state


def examples(n):
    return arrays(n, EXAMPLES)


def pair(n):
    return arrays(n, PARAMS), arrays(n, GRADS[0])


def array(n, x):
    return n.asarray(x, dtype="float64")


def ctc(n):
    logits = array(n, numpy.sin(numpy.arange(2 * 5 * 4)).reshape(2, 5, 4))
    return (logits, array(n, [[0, 0, 0, 0, 1], [0] * 5]), n.asarray([[1, 2], [3, 3]]), array(n, [[0, 0], [0, 1]]))


PLAIN = """optimistic_adam optimistic_adam_v2 scale_by_adadelta scale_by_adamax scale_by_adan scale_by_amsgrad
scale_by_belief scale_by_distance_over_gradients scale_by_factored_rms scale_by_novograd
scale_by_optimistic_gradient scale_by_polyak
scale_by_radam scale_by_rprop scale_by_sm3 scale_by_stddev scale_by_yogi""".split()
CONTRIB = """acprop ademamix simplified_ademamix adopt cocob dadapt_adamw dog dowg madgrad momo momo_adam muon prodigy
schedule_free_sgd schedule_free_adamw scale_by_acprop scale_by_ademamix scale_by_simplified_ademamix scale_by_adopt
scale_by_cocob scale_by_madgrad normalize reduce_on_plateau""".split()
RATED = """optimistic_adam optimistic_adam_v2 scale_by_rprop acprop ademamix simplified_ademamix adopt madgrad muon
scale_by_madgrad""".split()


VALUED = "scale_by_polyak momo momo_adam reduce_on_plateau".split()  # they look at the value


def named(o, n, api, name):
    """Steps of the optimizer of this name."""
    opt = getattr(api, name)(*((0.125,) if name in RATED else ()))
    return steps(o, n, opt, **({"value": array(n, 0.75)} if name in VALUED else {}))


CASES = {
    **{name: lambda o, n, name=name: named(o, n, o, name) for name in PLAIN},
    **{"contrib." + name: lambda o, n, name=name: named(o, n, o.contrib, name) for name in CONTRIB},
    "optimistic_adam optimism": lambda o, n: steps(o, n, o.optimistic_adam(0.125, 0.5, nesterov=False)),
    "optimistic_adam_v2 schedule": lambda o, n:
        steps(o, n, o.optimistic_adam_v2(o.linear_schedule(0.5, 0.0, 4), beta=0.5)),
    "scale_by_stddev corrected": lambda o, n: steps(o, n, o.scale_by_stddev(0.5, bias_correction=True, eps=0.01)),
    "scale_by_radam nesterov": lambda o, n: steps(o, n, o.scale_by_radam(threshold=0.5, b2=0.5, nesterov=True)),
    "scale_by_polyak sps+": lambda o, n: steps(o, n, o.scale_by_polyak(0.5, variant="sps+"), value=array(n, 0.75)),
    "scale_by_factored_rms factored": lambda o, n: steps(o, n, o.scale_by_factored_rms(min_dim_size_to_factor=2)),
    "conditionally_mask": lambda o, n: steps(o, n, o.conditionally_mask(o.adam(0.5), lambda step: step >= 1)),
    "conditionally_mask below": lambda o, n: steps(o, n, o.conditionally_mask(o.adam(0.5), lambda step: step < 2)),
    "conditionally_mask at": lambda o, n: steps(o, n, o.conditionally_mask(o.trace(0.5), lambda step: step == 1)),
    "conditionally_transform": lambda o, n:
        steps(o, n, o.conditionally_transform(o.adam(0.5), lambda step: step % 2 == 0)),
    "conditionally_transform rest": lambda o, n: steps(
        o, n, o.conditionally_transform(o.adam(0.5), lambda step: (step > 0) & (step % 2 == 0))),
    "flatten": lambda o, n: steps(o, n, o.flatten(o.adam(0.5))),
    "flatten norm": lambda o, n: steps(o, n, o.flatten(o.chain(o.clip_by_block_rms(0.25), o.trace(0.5)))),
    "partition": lambda o, n: steps(o, n, o.partition({"x": o.adam(0.5), "a": o.sgd(0.25, 0.5)}, {"w": "x", "b": "a"})),
    "partition by a function": lambda o, n: steps(
        o, n, o.partition({1: o.adam(0.5), 2: o.sgd(0.25)}, lambda p: {k: v.ndim for k, v in p.items()})),
    "partition in a chain": lambda o, n: steps(
        o, n, o.chain(o.clip(0.25), o.partition({0: o.trace(0.5), 1: o.scale(2.0)}, {"w": 0, "b": 1}))),
    "selective_transform": lambda o, n:
        steps(o, n, o.selective_transform(o.adam(0.5), freeze_mask={"w": True, "b": False})),
    "contrib.schedule_free": lambda o, n: steps(o, n, o.contrib.schedule_free(o.trace(0.5), 0.25, b1=0.75)),
    "contrib.sam": lambda o, n: steps(o, n, o.contrib.sam(o.adam(0.25), o.chain(o.contrib.normalize(), o.sgd(0.125)))),
    "contrib.dog distance": lambda o, n: steps(o, n, o.contrib.dog(1.0, ("distance", 0.125), weight_decay=0.5)),
    "contrib.prodigy betas": lambda o, n: steps(o, n, o.contrib.prodigy(betas=(0.5, 0.75), estim_lr0=0.125)),
    "contrib.scale_by_muon": lambda o, n: matrices(o, n),
    "contrib.schedule_free_eval_params": lambda o, n: evaluated(o, n),
    "contrib.mechanize": lambda o, n: steps(o, n, o.contrib.mechanize(o.adam(0.25), s_init=0.125, num_betas=3)),
    "contrib.split_real_and_imaginary": lambda o, n: complex_steps(o, n),
    "contrib.differentially_private_aggregate": lambda o, n: private(
        o, n, o.contrib.differentially_private_aggregate(1.0, 0.0, key=1)),
    "contrib.dpsgd": lambda o, n: private(o, n, o.contrib.dpsgd(0.25, 1.0, 0.0, 1, momentum=0.5)),
    "assignment.hungarian_algorithm": lambda o, n: tuple(o.assignment.hungarian_algorithm(array(n, SQUARE))),
    "assignment.base_hungarian_algorithm": lambda o, n: tuple(o.assignment.base_hungarian_algorithm(array(n, LOGITS))),
    **{"second_order." + name: lambda o, n, name=name: getattr(o.second_order, name)(
        loss(n), arrays(n, PARAMS), array(n, LOGITS), array(n, [0.5, -1.0]))
       for name in ("hessian_diag", "fisher_diag")},
    "second_order.hvp": lambda o, n: o.second_order.hvp(
        loss(n), array(n, numpy.arange(9.0)), arrays(n, PARAMS), array(n, LOGITS), array(n, [0.5, -1.0])),
    "matrix_inverse_pth_root": lambda o, n: tuple(o.matrix_inverse_pth_root(n.asarray(SQUARE, dtype="float32"), 4))[0],
    "ctc_loss": lambda o, n: o.ctc_loss(*ctc(n)),
    "ctc_loss blank": lambda o, n: o.ctc_loss(*ctc(n), blank_id=2),
    "ctc_loss_with_forward_probs": lambda o, n: tuple(o.ctc_loss_with_forward_probs(*ctc(n))),
    "nnls": lambda o, n: o.nnls(array(n, SQUARE), array(n, [1.0, -2.0, 0.5]), 50),
    "nnls several": lambda o, n: o.nnls(array(n, SQUARE)[:, :2], array(n, SQUARE), 7, unroll=2),
    "per_example_global_norm_clip": lambda o, n: o.per_example_global_norm_clip(examples(n), 1.0),
    "per_example_layer_norm_clip": lambda o, n: o.per_example_layer_norm_clip(examples(n), 1.0),
    "per_example_layer_norm_clip by size": lambda o, n: o.per_example_layer_norm_clip(examples(n), 1.0, uniform=False),
    "power_iteration": lambda o, n: tuple(o.power_iteration(array(n, SQUARE), v0=array(n, [1.0, 0.5, 0.25]))),
    "power_iteration short": lambda o, n:
        tuple(o.power_iteration(array(n, SQUARE), v0=array(n, [1.0, 0.5, 0.25]), num_iters=2)),
    "safe_increment": lambda o, n: [o.safe_increment(n.asarray(x, dtype="int32")) for x in (3, 2 ** 31 - 1)],
    "safe_int32_increment": lambda o, n: o.safe_int32_increment(n.asarray(2 ** 31 - 1, dtype="int32")),
    "safe_norm": lambda o, n: [o.safe_norm(array(n, [3.0, 4.0]), m) for m in (1.0, 6.0)],
    "safe_root_mean_squares": lambda o, n: [o.safe_root_mean_squares(array(n, [3.0, 4.0]), m) for m in (1.0, 6.0)],
    "scale_gradient": lambda o, n: o.scale_gradient(arrays(n, PARAMS), 0.5),
    "skip_not_finite": lambda o, n: o.skip_not_finite({"a": array(n, [1.0, numpy.inf, numpy.nan])}, 0, None),
    "skip_large_updates": lambda o, n: [o.skip_large_updates(arrays(n, PARAMS), 0, None, m) for m in (3.0, 300.0)],
    "losses.binary_dice_loss": lambda o, n:
        o.losses.binary_dice_loss(array(n, [LOGITS]), array(n, [[[1, 0, 1], [0, 1, 0]]])),
    "losses.dice_loss": lambda o, n:
        o.losses.dice_loss(array(n, [LOGITS]), array(n, [[[1, 0, 0], [0, 0, 1]]]), smooth=0.5),
    "losses.dice_loss none": lambda o, n: o.losses.dice_loss(array(n, [LOGITS]), array(n, [[[1, 0, 0], [0, 0, 1]]]),
                                                             reduction="none", ignore_background=True),
    "losses.multiclass_generalized_dice_loss": lambda o, n: o.losses.multiclass_generalized_dice_loss(
        array(n, [LOGITS]), array(n, [[[1, 0, 0], [0, 0, 1]]])),
    "losses.multiclass_hinge_loss": lambda o, n: o.losses.multiclass_hinge_loss(array(n, LOGITS), n.asarray([1, 2])),
    "losses.multiclass_perceptron_loss": lambda o, n:
        o.losses.multiclass_perceptron_loss(array(n, LOGITS), n.asarray([1, 2])),
    "losses.multiclass_sparsemax_loss": lambda o, n:
        o.losses.multiclass_sparsemax_loss(array(n, LOGITS), n.asarray([1, 2])),
    "losses.sparsemax_loss": lambda o, n: o.losses.sparsemax_loss(array(n, LOGITS), n.asarray([[1, 0, 1], [0, 1, 0]])),
    "losses.ranking_softmax_loss": lambda o, n:
        o.losses.ranking_softmax_loss(array(n, LOGITS), array(n, [[1, 0, 2], [0, 1, 0]])),
    "losses.ranking_softmax_loss none": lambda o, n: o.losses.ranking_softmax_loss(
        array(n, LOGITS), array(n, [[1, 0, 2], [0, 1, 0]]), weights=array(n, [[1, 1, 2], [0.5, 0.5, 1]]),
        reduce_fn=None),
    "losses.triplet_margin_loss": lambda o, n: o.losses.triplet_margin_loss(
        array(n, LOGITS), array(n, LOGITS) + 0.5, array(n, LOGITS)[::-1], margin=2.0),
    "losses.make_fenchel_young_loss": lambda o, n: o.losses.make_fenchel_young_loss(lambda x: n.log(n.exp(x).sum(-1)))(
        array(n, LOGITS), array(n, [[0, 1, 0], [1, 0, 0]])),
    "projections.projection_non_negative": lambda o, n: o.projections.projection_non_negative(arrays(n, PARAMS)),
    "projections.projection_box": lambda o, n:
        o.projections.projection_box(arrays(n, PARAMS), {"b": -0.5, "w": 0.0}, {"b": 0.3, "w": 1.0}),
    "projections.projection_box array": lambda o, n:
        o.projections.projection_box(array(n, LOGITS), 0.0, array(n, [1.0, 0.25, 2.0])),
    "projections.projection_hypercube": lambda o, n: o.projections.projection_hypercube(array(n, LOGITS), 0.75),
    **{"projections.projection_" + name: lambda o, n, name=name:
        getattr(o.projections, "projection_" + name)(arrays(n, PARAMS), 2.0)
       for name in ("simplex", "l1_sphere", "l1_ball", "l2_sphere", "l2_ball", "linf_ball")},
    "projections.projection_vector": lambda o, n: o.projections.projection_vector(*pair(n)),
    "projections.projection_hyperplane": lambda o, n: o.projections.projection_hyperplane(*pair(n), 0.5),
    "projections.projection_halfspace": lambda o, n:
        [o.projections.projection_halfspace(*pair(n), b) for b in (-50.0, 50.0)],
    **{"tree." + name: lambda o, n, name=name:
        getattr(o.tree, name)(*pair(n)) for name in ("add", "sub", "mul", "div", "vdot")},
    **{"tree." + name: lambda o, n, name=name: getattr(o.tree, name)(arrays(n, PARAMS))
       for name in ("sum", "max", "min", "norm", "conj", "real", "zeros_like", "ones_like", "size")},
    "tree.add several": lambda o, n: o.tree.add(*pair(n), arrays(n, PARAMS)),
    "tree.norm squared": lambda o, n: o.tree.norm(arrays(n, PARAMS), squared=True),
    "tree.scale": lambda o, n: o.tree.scale(0.5, arrays(n, PARAMS)),
    "tree.add_scale": lambda o, n: o.tree.add_scale(arrays(n, PARAMS), 0.5, arrays(n, GRADS[0])),
    "tree.full_like": lambda o, n: o.tree.full_like(arrays(n, PARAMS), 7),
    "tree.clip": lambda o, n:
        [o.tree.clip(arrays(n, PARAMS), -0.5, 0.75), o.tree.clip(arrays(n, PARAMS), max_value=0.5)],
    "tree.cast": lambda o, n: o.tree.cast(arrays(n, PARAMS), "int32"),
    "tree.cast_like": lambda o, n:
        o.tree.cast_like(arrays(n, PARAMS), {"b": n.zeros(1, "int32"), "w": n.zeros(1, "float32")}),
    "tree.where": lambda o, n: [o.tree.where(n.asarray(yes), *pair(n)) for yes in (True, False)],
    "tree.allclose": lambda o, n: [o.tree.allclose(*pair(n)), o.tree.allclose(*pair(n), atol=10.0)],
    "tree.batch_shape": lambda o, n: o.tree.batch_shape(arrays(n, PARAMS), (2,)),
    "tree.update_moment": lambda o, n: o.tree.update_moment(*pair(n), 0.75, 2),
    "tree.update_moment_per_elem_norm": lambda o, n: o.tree.update_moment_per_elem_norm(*pair(n), 0.75, 2),
    "tree.update_infinity_moment": lambda o, n: o.tree.update_infinity_moment(*pair(n), 0.75, 0.125),
    "tree.bias_correction": lambda o, n: o.tree.bias_correction(arrays(n, PARAMS), 0.75, n.asarray(3)),
    "transforms.unitwise_norm": lambda o, n: o.transforms.unitwise_norm(array(n, SQUARE)),
    "transforms.unitwise_norm axis": lambda o, n: o.transforms.unitwise_norm(array(n, SQUARE), axis=1),
    "transforms.unitwise_clip": lambda o, n:
        o.transforms.unitwise_clip(array(n, [5.0, 0.5]), array(n, [1.0, 1.0]), array(n, [3.0, 4.0])),
}


def complex_steps(o, n):
    """The real and the imaginary parts of updates of a tree with complex arrays."""
    opt, p, seen = o.contrib.split_real_and_imaginary(o.adam(0.5)), {"a": n.asarray([1 + 2j, 3 - 1j])}, []
    p["b"] = array(n, 0.5)
    state = opt.init(p)
    for a, b in (([0.5j, 1 - 2j], 2.0), ([1 + 0j, 1j], -1.0)):
        g = {"a": n.asarray(a), "b": array(n, b)}
        u, state = opt.update(g, state, p)
        seen += [u["a"].real, u["a"].imag, u["b"]]
    return seen, [x for x in state.inner_state[0].mu["a"]]


def private(o, n, opt):
    """The updates of two steps without noise, whose gradients have an axis of examples."""
    state, seen = opt.init(arrays(n, {"b": [0.0] * 3, "w": [0.0] * 2})), []
    for _ in range(2):
        u, state = opt.update(examples(n), state)
        seen.append(u)
    return seen


def loss(n):
    """A loss of the parameters PARAMS."""
    return lambda p, x, y: n.sum((x @ p["w"].T @ n.ones(2) - y) ** 2 * p["b"][0]) + n.sum(p["b"] ** 3)


def matrices(o, n):
    """scale_by_muon, of one matrix."""
    opt, p, seen = o.contrib.scale_by_muon(), array(n, PARAMS["w"]), []
    state = opt.init(p)
    for g in GRADS:
        u, state = opt.update(array(n, g["w"]), state, p)
        seen.append(u)
    return seen


def evaluated(o, n):
    """Where a schedule-free optimizer is to be evaluated after a step."""
    opt, p = o.contrib.schedule_free_sgd(0.125), arrays(n, PARAMS)
    u, state = opt.update(arrays(n, GRADS[0]), opt.init(p), p)
    return o.contrib.schedule_free_eval_params(state, o.apply_updates(p, u))


def numbers(leaves):
    """All leaves, one behind the other."""
    return numpy.concatenate([numpy.asarray(x, dtype="float64").ravel() for x in leaves] or [numpy.zeros(0)])


def of_optax(name):
    """The numbers that optax makes of a case."""
    import jax
    import optax

    with jax.enable_x64(True):
        return numbers(jax.tree.leaves(CASES[name](optax, jax.numpy)))


if __name__ == "__main__":
    import optax

    print("# SPDX-License-Identifier: Apache-2.0")
    print(f"# Printed by optax_cases.py with optax {optax.__version__}.")
    for name in CASES:
        print(f"{name}: {' '.join(format(x, '.12g') for x in of_optax(name))}")
