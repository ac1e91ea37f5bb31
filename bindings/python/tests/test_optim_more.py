# SPDX-License-Identifier: Apache-2.0
"""kiln.optim beside its numbers: in kiln.jit and kiln.grad, with arguments that do not fit, and by hand."""
import re

import pytest

import kiln
import kiln.numpy as np
from kiln import optim

import optax_cases

WRAPPED = {
    "partition": lambda: optim.partition({"a": optim.adam(0.1), "b": optim.sgd(0.1)}, {"w": "a", "b": "b"}),
    "selective_transform": lambda: optim.selective_transform(optim.adam(0.1), freeze_mask={"w": False, "b": True}),
    "conditionally_mask": lambda: optim.conditionally_mask(optim.adam(0.1), lambda step: step >= 1),
    "conditionally_transform": lambda: optim.conditionally_transform(optim.adam(0.1), lambda step: step < 1),
    "flatten": lambda: optim.flatten(optim.adam(0.1)),
    "schedule_free": lambda: optim.contrib.schedule_free(optim.sgd(0.1), 0.1),
    "sam": lambda: optim.contrib.sam(optim.adam(0.1), optim.sgd(0.1)),
    **{name: lambda name=name: getattr(optim, name)(*((0.1,) if name in optax_cases.RATED else ()))
       for name in optax_cases.PLAIN},
    **{name: lambda name=name: getattr(optim.contrib, name)(*((0.1,) if name in optax_cases.RATED else ()))
       for name in optax_cases.CONTRIB},
}


@pytest.mark.parametrize("name", WRAPPED)
def test_a_jitted_step_is_one_without_jit(name):
    opt, value = WRAPPED[name](), np.asarray(0.5)
    p, g = optax_cases.pair(np)

    def two_steps(p, g):
        s = opt.init(p)
        for _ in range(2):
            u, s = opt.update(g, s, p, value=value)
            p = optim.apply_updates(p, u)
        return p, s

    got, want = (kiln.tree.leaves(f(p, g)) for f in (kiln.jit(two_steps), two_steps))
    assert len(got) == len(want) > 0
    assert all(np.allclose(x, y, rtol=1e-9, atol=1e-12) for x, y in zip(got, want))


@pytest.mark.parametrize("name", WRAPPED)
def test_a_state_goes_through_jit(name):
    opt = WRAPPED[name]()
    p, g = optax_cases.pair(np)
    state = opt.init(p)
    after = kiln.jit(lambda s: opt.update(g, s, p, value=np.asarray(0.5))[1])(state)
    assert kiln.tree.structure(after) == kiln.tree.structure(state)


def test_scale_gradient_scales_the_gradient_alone():
    f = lambda p: np.sum(optim.scale_gradient(p, 0.25)["w"] ** 2)
    p = {"w": np.asarray([1.0, 2.0])}
    assert float(f(p)) == 5 and kiln.grad(f)(p)["w"].tolist() == [0.5, 1.0]


def test_gradient_of_the_ctc_loss():
    logits, *rest = optax_cases.ctc(np)
    g = kiln.grad(lambda x: np.sum(optim.ctc_loss(x, *rest)))(logits)
    h = 1e-6
    change = np.zeros(logits.shape).at[1, 2, 3].set(h)
    slope = (optim.ctc_loss(logits + change, *rest) - optim.ctc_loss(logits - change, *rest)).sum() / (2 * h)
    assert abs(float(slope - g[1, 2, 3])) < 1e-7 and abs(float(slope)) > 1e-3


def test_safe_norm_has_a_gradient_at_zero():
    assert kiln.grad(lambda x: optim.safe_norm(x, 1e-3))(np.zeros(2)).tolist() == [0, 0]


def test_safe_norm_along_an_axis_is_not_there():
    with pytest.raises(TypeError, match="safe_norm.*'axis' is not supported"):
        optim.safe_norm(np.ones((2, 2)), 0.0, axis=1)


def test_power_iteration_finds_the_largest_eigenvalue():
    value, vector = optim.power_iteration(np.asarray(optax_cases.SQUARE), key=kiln.random.key(3))
    assert abs(float(value) - float(np.linalg.eigvalsh(np.asarray(optax_cases.SQUARE))[-1])) < 1e-6
    assert abs(float((vector ** 2).sum()) - 1) < 1e-12


def test_power_iteration_of_a_function_is_not_there():
    with pytest.raises(NotImplementedError, match="the matrix has to be an array"):
        optim.power_iteration(lambda x: x, v0=np.ones(2))


def test_power_iteration_wants_a_square_matrix():
    with pytest.raises((TypeError, ValueError), match="power_iteration"):
        optim.power_iteration(np.ones((2, 3)))


def test_random_trees():
    key, tree = kiln.random.key(1), {"a": np.ones(2), "b": np.ones((2, 3), "float32")}
    keys = optim.tree.split_key_like(key, tree)
    got = optim.tree.random_like(key, tree)
    assert got["b"].tolist() == kiln.random.normal(keys["b"], (2, 3), "float32").tolist()
    assert optim.tree.random_like(key, tree, dtype="float32")["a"].dtype == "float32"
    assert optim.tree.random_like(key, tree, kiln.random.uniform)["a"].tolist() == kiln.random.uniform(
        keys["a"], (2,)).tolist()


def test_dtypes_of_trees():
    tree = [np.ones(1, "float32"), np.ones(1, "float16")]
    assert [str(optim.tree.dtype(tree, how)) for how in ("promote", "highest", "lowest")] == [
        "float32", "float32", "float16"]
    with pytest.raises(ValueError, match="tree_dtype"):
        optim.tree.dtype(tree)
    assert [x.dtype for x in optim.tree.zeros_like(tree, "int32")] == ["int32", "int32"]


def test_the_conditions_that_are_ranges():
    opt = lambda condition: optim.conditionally_mask(optim.identity(), condition)

    def at(condition):
        s, seen = opt(condition).init(np.ones(1)), []
        for i in range(8):
            u, s = opt(condition).update(np.ones(1), s)
            seen += [i] if float(u[0]) else []
        return seen

    assert at(lambda step: step > 5) == [6, 7] and at(lambda step: step <= 1) == [0, 1]
    assert at(lambda step: 2 <= step) == [2, 3, 4, 5, 6, 7] and at(lambda step: step >= -3) == list(range(8))
    assert at(lambda step: (step % 3 == 2) & (step < 7)) == [2, 5]
    assert at(lambda step: (step >= 3) & (step % 2 == 0) & (step < 7)) == [4, 6]
    assert at(lambda step: step == 3) == [3] and at(lambda step: (step > 2) & (step < 2)) == []


@pytest.mark.parametrize("condition", [
    lambda step: True, lambda step: 1 < step < 3, lambda step: step ** 2 < 3, lambda step: step > 1.5,
    lambda step: (step % 2 == 0) & (step % 3 == 0), lambda step: step % 2 == 5, lambda step: step,
    lambda step, v: step])
def test_other_conditions_are_refused(condition):
    with pytest.raises(TypeError, match="conditionally_transform: the condition has to be a range of steps"):
        optim.conditionally_transform(optim.identity(), condition)


def test_partition_by_labels_without_a_transformation():
    opt = optim.partition({"a": optim.sgd(0.1)}, {"w": "a", "b": "c"})
    with pytest.raises(ValueError, match=re.escape("no transformation for the labels ['c'], only for ['a']")):
        opt.init(optax_cases.pair(np)[0])


def test_partition_by_labels_of_another_tree():
    with pytest.raises(ValueError):
        optim.partition({"a": optim.sgd(0.1)}, {"w": "a"}).init(optax_cases.pair(np)[0])


def test_the_state_of_a_partition_has_the_labels():
    p = {"w": np.ones(2), "b": np.ones(3)}
    s = optim.partition({"x": optim.trace(0.5), "y": optim.identity()}, {"w": "x", "b": "y"}).init(p)
    assert type(s) is optim.PartitionState and list(s.inner_states) == ["x", "y"]
    assert s.inner_states["x"].inner_state.trace["b"] == optim.MaskedNode()
    assert s.inner_states["x"].inner_state.trace["w"].tolist() == [0, 0]


def test_flatten_shows_one_vector():
    s = optim.flatten(optim.trace(0.5)).init({"w": np.ones((2, 2)), "b": np.ones(3)})
    assert s.trace.shape == (7,)


def test_scale_by_muon_sees_matrices_alone():
    p = {"w": np.ones((2, 3)), "b": np.ones(3)}
    opt = optim.contrib.scale_by_muon()
    s = opt.init(p)
    assert s.inner_state.mu["b"] == optim.MaskedNode() and s.inner_state.mu["w"].shape == (2, 3)
    assert opt.update(p, s, p)[0]["b"].tolist() == [1, 1, 1]


def test_states_of_complex_parameters_have_pairs():
    p = {"a": np.asarray([1 + 2j]), "b": np.ones(2)}
    opt = optim.contrib.split_real_and_imaginary(optim.trace(0.5))
    s = opt.update(p, opt.init(p))[1]
    assert type(s) is optim.contrib.SplitRealAndImaginaryState
    trace = s.inner_state.trace
    assert type(trace["a"]) is optim.contrib.SplitRealAndImaginaryArrays and trace["b"].tolist() == [1, 1]
    assert trace["a"].real.tolist() == [1] and trace["a"].imaginary.tolist() == [2]


def test_noise_for_privacy_is_that_of_its_seed():
    p, g = {"w": np.ones(3)}, {"w": np.ones((2, 3))}

    def updates(seed):
        opt = optim.contrib.dpsgd(1.0, 1.0, 0.5, seed)
        s = opt.init(p)
        assert type(s[0]) is optim.contrib.DifferentiallyPrivateAggregateState
        return opt.update(g, s, p)[0]["w"].tolist()

    assert updates(1) == updates(1) != updates(2)


def test_a_seed_beside_a_key():
    assert optim.noisy_sgd(0.1, seed=3).init([np.ones(1)]) is not None
    with pytest.raises(ValueError, match="only one of seed and key"):
        optim.noisy_sgd(0.1, key=3, seed=3)


NOT_THERE = {
    "scale_by_amsgrad: mu_dtype has to be None": lambda: optim.scale_by_amsgrad(mu_dtype="float16"),
    "scale_by_factored_rms: decay_rate_fn has to be None": lambda: optim.scale_by_factored_rms(decay_rate_fn=max),
    "scale_by_lion: mode has to be 'hard'": lambda: optim.scale_by_lion(mode="soft"),
    "muon: preconditioning has to be 'frobenius'": lambda: optim.contrib.muon(0.1, preconditioning="x"),
    "sam: opaque_mode has to be False": lambda: optim.contrib.sam(optim.sgd(0.1), optim.sgd(0.1), opaque_mode=True),
    "forward_extra_args has to be False": lambda: optim.conditionally_mask(optim.sgd(0.1), lambda step: step > 1, True),
    "norm: ord has to be 2": lambda: optim.tree.norm([np.ones(1)], ord=1),
}


@pytest.mark.parametrize("text", NOT_THERE)
def test_arguments_that_the_library_has_not(text):
    with pytest.raises(NotImplementedError, match=re.escape(text)):
        NOT_THERE[text]()


@pytest.mark.parametrize("make", [optim.scale_by_rprop, optim.optimistic_adam, optim.scale_by_adan])
def test_schedules_where_there_are_none(make):
    with pytest.raises(TypeError, match="has to be a number"):
        make(optim.linear_schedule(0.1, 0.0, 5))


def test_a_missing_argument_is_named():
    with pytest.raises(TypeError, match="scale_by_rprop.*'learning_rate'"):
        optim.scale_by_rprop()
    with pytest.raises(TypeError, match="skip_large_updates.*'max_squared_norm'"):
        optim.skip_large_updates([np.ones(1)], 0, None)


def of_sam(period):
    return optim.contrib.sam(optim.sgd(0.1), optim.sgd(0.1), period).init([np.ones(1)])


def polyak_without_a_value():
    opt = optim.scale_by_polyak()
    return opt.update([np.ones(1)], opt.init([np.ones(1)]), [np.ones(1)])


ERRORS = {
    "variant": lambda: optim.scale_by_polyak(variant="x"),
    "per_example_global_norm_clip": lambda: optim.per_example_global_norm_clip([np.asarray(1.0)], 1.0),
    "per_example_layer_norm_clip": lambda: optim.per_example_layer_norm_clip([np.asarray(1.0)], 1.0),
    "init_step": lambda: optim.contrib.dog(1.0, ("x", 1.0)),
    "Synchronization period must be >= 1": lambda: of_sam(0),
    "nnls": lambda: optim.nnls(np.ones((2, 2)), np.ones(3), 4),
    "safe_increment": lambda: optim.safe_increment(np.asarray(True)),
    "value": polyak_without_a_value,
    "unitwise_clip": lambda: optim.transforms.unitwise_clip(np.ones(2), np.ones(3), np.ones(2)),
    "reduction": lambda: optim.losses.dice_loss(np.ones((1, 2, 2)), np.ones((1, 2, 2)), reduction="x"),
    "projection_simplex": lambda: optim.projections.projection_simplex([np.ones(2)], -1.0),
    "structure": lambda: optim.tree.add([np.ones(2)], (np.ones(2),)),
    "ScheduleFreeState": lambda: optim.contrib.schedule_free_eval_params(optim.EmptyState(), [np.ones(1)]),
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_say_what_is_wrong(text):
    with pytest.raises((TypeError, ValueError), match=text):
        ERRORS[text]()


def test_errors_name_the_line_of_the_caller():
    with pytest.raises(ValueError, match=r"called at .*test_optim_more.py:\d+"):
        of_sam(0)
