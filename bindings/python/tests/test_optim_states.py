# SPDX-License-Identifier: Apache-2.0
"""States of kiln.optim are optax's: the same named tuples, at the same places. Beside optax where it is installed, and by hand."""
import inspect
import os
import pickle

import numpy
import pytest

import kiln
import kiln.numpy as np
from kiln import optim
from kiln.tree_util import keystr, tree_flatten_with_path, tree_leaves, tree_structure

PARAMS = {"w": {"a": numpy.ones((3, 2), "float32"), "s": numpy.ones(1, "float32")}, "b": [numpy.ones(4, "float32")]}
MASK = {"w": {"a": True, "s": False}, "b": True}
PREFIX = {"w": False, "b": [True]}
VALUES = {"learning_rate": 0.1, "step_size": 0.1, "decay": 0.9, "max_delta": 0.1, "max_norm": 0.1, "threshold": 0.1, "clipping": 0.1,
          "eta": 0.1, "gamma": 0.5, "key": 0}
TRANSFORMS = [n for n in (*optim._optimizers.__all__, *optim._scales.__all__)
              if "learning_rate" in n or not ("schedule" in n or n == "exponential_decay")]
# Those made of others are below; optax's scale_by_muon takes a single matrix, that of Kiln sees the matrices of a tree;
# gradients of those for privacy have another axis (test_optim_more.py).
CONTRIB = [n for n in optim.contrib.__all__ if n[0].islower() and n not in (
    "schedule_free", "schedule_free_eval_params", "sam", "scale_by_muon", "mechanize", "split_real_and_imaginary",
    "differentially_private_aggregate", "dpsgd")]
SCHEDULED = [
    n for n in (*TRANSFORMS, *CONTRIB) if "learning_rate_schedule" in inspect.signature(optim._c["_" + n]).parameters]
VALUED = ("polyak_sgd", "scale_by_polyak", "momo", "momo_adam", "reduce_on_plateau")


def of_name(api, name, **given):
    """The transformation of this name with numbers for what has no default."""
    api = api.contrib if name in CONTRIB else api
    parameters = inspect.signature(getattr(api, name)).parameters
    wanted = {k: VALUES[k] for k, p in parameters.items() if k in VALUES and (p.default is p.empty or k in ("learning_rate", "key"))}
    return getattr(api, name)(**{**wanted, **given})


OTHERS = {
    "sgd momentum": lambda o: o.sgd(0.1, 0.9, nesterov=True),
    "rmsprop all": lambda o: o.rmsprop(0.1, centered=True, momentum=0.9, bias_correction=True),
    "rmsprop centered": lambda o: o.rmsprop(0.1, centered=True),
    "rmsprop corrected": lambda o: o.rmsprop(0.1, bias_correction=True),
    "scale_by_schedule": lambda o: o.scale_by_schedule(o.linear_schedule(0.1, 0.0, 5)),
    "adafactor all": lambda o: o.adafactor(0.1, momentum=0.9, min_dim_size_to_factor=2, weight_decay_rate=0.1),
    "adafactor least": lambda o: o.adafactor(None, multiply_by_parameter_scale=False, clipping_threshold=None),
    "adadelta without a rate": lambda o: o.adadelta(),
    "adamw mask": lambda o: o.adamw(0.1, mask=MASK),
    "lion mask": lambda o: o.lion(0.1, mask=PREFIX),
    "lars masks": lambda o: o.lars(0.1, weight_decay_mask=MASK, trust_ratio_mask=MASK),
    "lamb mask": lambda o: o.lamb(0.1, mask=MASK),
    "adadelta mask": lambda o: o.adadelta(0.1, weight_decay=0.1, weight_decay_mask=MASK),
    "decay mask": lambda o: o.add_decayed_weights(0.1, MASK),
    "ema": lambda o: o.ema(0.9, debias=False),
    "chain": lambda o: o.chain(o.clip(0.1), o.adam(0.1), o.chain(o.trace(0.9)), o.identity()),
    "masked": lambda o: o.masked(o.adam(0.1), MASK),
    "masked by a prefix": lambda o: o.masked(o.adam(0.1), PREFIX),
    "masked by a function": lambda o: o.masked(o.adam(0.1), lambda p: {k: k == "w" for k in p}),
    "masked by true": lambda o: o.masked(o.trace(0.9), True),
    "masked by false": lambda o: o.masked(o.trace(0.9), False),
    "masked in a chain": lambda o: o.chain(o.masked(o.sm3(0.1), MASK), o.masked(o.chain(o.masked(o.trace(0.9), PREFIX), o.ema(0.9)), MASK)),
    "masked adafactor": lambda o: o.masked(o.adafactor(0.1, min_dim_size_to_factor=2), MASK),
    "freeze": lambda o: o.freeze(MASK),
    "apply_if_finite": lambda o: o.apply_if_finite(o.masked(o.adam(0.1), MASK), 2),
    "MultiSteps": lambda o: o.MultiSteps(o.masked(o.adam(0.1), MASK), 2),
    "MultiSteps in a chain": lambda o: o.chain(o.MultiSteps(o.adam(0.1), 2).gradient_transformation(), o.scale(0.5)),
    "lookahead": lambda o: o.lookahead(o.masked(o.adam(0.1), MASK), 2, 0.5),
    "partition": lambda o:
        o.partition({"x": o.adam(0.1), "a": o.sgd(0.1, 0.9), "n": o.lion(0.1)}, {"w": {"a": "x", "s": "n"}, "b": "a"}),
    "partition by a prefix": lambda o: o.partition({2: o.adam(0.1), 1: o.trace(0.9)}, {"w": 1, "b": 2}),
    "partition by a function": lambda o:
        o.partition({2: o.adam(0.1), 1: o.trace(0.9)}, lambda p: {k: len(p[k]) for k in p}),
    "partition of a partition": lambda o: o.partition(
        {"a": o.partition({"c": o.trace(0.9), "d": o.ema(0.9)}, {"w": {"a": "c", "s": "d"}, "b": "d"}),
         "b": o.adam(0.1)},
        {"w": "a", "b": "a"}),
    "masked in a partition": lambda o: o.partition({"a": o.masked(o.adam(0.1), MASK), "b": o.adam(0.1)}, "a"),
    "selective_transform": lambda o: o.selective_transform(o.adam(0.1), freeze_mask=MASK),
    "conditionally_transform": lambda o: o.conditionally_transform(o.masked(o.adam(0.1), MASK), lambda step: step >= 1),
    "conditionally_mask": lambda o: o.conditionally_mask(o.masked(o.adam(0.1), MASK), lambda step: step < 1),
    "conditionally in a chain": lambda o:
    o.chain(o.conditionally_mask(o.trace(0.9), lambda step: step == 0), o.ema(0.9)),
    "flatten": lambda o: o.flatten(o.adam(0.1)),
    "flatten in a chain": lambda o: o.chain(o.flatten(o.chain(o.trace(0.9), o.ema(0.5))), o.adam(0.1)),
    "schedule_free": lambda o: o.contrib.schedule_free(o.masked(o.trace(0.9), MASK), 0.1),
    "schedule_free by a schedule": lambda o: o.contrib.schedule_free(o.sgd(0.1), o.linear_schedule(0.1, 0.0, 5)),
    "sam": lambda o: o.contrib.sam(o.masked(o.adam(0.1), MASK), o.chain(o.contrib.normalize(), o.sgd(0.1, 0.9))),
    "mechanize": lambda o: o.contrib.mechanize(o.masked(o.adam(0.1), MASK), num_betas=4),
    "split_real_and_imaginary": lambda o:
    o.contrib.split_real_and_imaginary(o.chain(o.masked(o.adam(0.1), MASK), o.ema(0.9))),
    "muon adam": lambda o: o.contrib.muon(0.1, weight_decay=0.1, adam_weight_decay=0.1, consistent_rms=0.2),
    "dog rate": lambda o: o.contrib.dog(0.1, ("learning_rate", 0.5), weight_decay=0.1, mask=MASK),
}
CASES = {
    **{n: lambda o, n=n: of_name(o, n) for n in (*TRANSFORMS, *CONTRIB)},
    **{n + " by a schedule": lambda o, n=n: of_name(o, n, learning_rate=o.linear_schedule(0.1, 0.0, 5)) for n in SCHEDULED},
    **OTHERS,
}
NOT_OF_OPTAX = {"sm3 by a schedule": "optax's sm3 negates the rate, and fails for a schedule"}
# Noise is drawn otherwise; the variance of one gradient is 0 but for rounding, whose root is divided by.
NOT_OF_THESE_VALUES = ("noisy_sgd", "add_noise", "rmsprop all")


def states(api, name, to):
    """The state before the first step and after it, and the parameters after it."""
    grads = params = kiln.tree.map(to, PARAMS)
    opt = CASES[name](api)
    if name == "lookahead":
        params = api.LookaheadParams.init_synced(params)
    first = opt.init(params)
    updates, second = opt.update(grads, first, params, **({"value": to(1.0)} if name.split(" ")[0] in VALUED else {}))
    return first, second, api.apply_updates(params, updates)


@pytest.fixture
def optax():
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    return pytest.importorskip("optax")


# Where the library lays out states in another way than optax; what is mended there leaves this list.
OTHERWISE = {"scale_by_distance_over_gradients": "optax keeps sums of squares of shape (1,), the library of shape ()",
             "schedule_free_sgd": "the library has an EmptyState more than optax in a chain"}


@pytest.mark.parametrize("name", [
    pytest.param(n, marks=[pytest.mark.xfail(strict=True, reason=OTHERWISE[n])] if n in OTHERWISE else [])
    for n in CASES if n not in NOT_OF_OPTAX])
def test_states_are_those_of_optax(name, optax):
    import jax

    with jax.enable_x64(False):
        want = states(optax, name, lambda x: jax.numpy.asarray(x, "float32"))
    got = states(optim, name, lambda x: np.asarray(x, "float32"))
    for w, g in zip(want, got):
        assert str(jax.tree_util.tree_structure(g)) == str(jax.tree_util.tree_structure(w))
        paths = [jax.tree_util.keystr(p) for p, _ in jax.tree_util.tree_flatten_with_path(w)[0]]
        assert [jax.tree_util.keystr(p) for p, _ in jax.tree_util.tree_flatten_with_path(g)[0]] == paths
        assert [keystr(p) for p, _ in tree_flatten_with_path(g)[0]] == paths
        for path, x, y in zip(paths, tree_leaves(g), jax.tree_util.tree_leaves(w)):
            if "rng_key" not in path:
                # ns_coeffs are of the default dtype, which is float64 here
                assert (x.shape, x.dtype.name) == (y.shape, "float64" if "ns_coeffs" in path else y.dtype.name)
                if not name.startswith(NOT_OF_THESE_VALUES):
                    numpy.testing.assert_allclose(numpy.asarray(x), numpy.asarray(y), rtol=2e-5, atol=1e-6)


def test_cases_that_optax_does_not_have(optax):
    for name in NOT_OF_OPTAX:
        with pytest.raises(TypeError):
            CASES[name](optax)


def test_classes_are_those_of_optax(optax):
    found = 0
    for name in optim._states._CLASSES:
        theirs = next((getattr(m, name) for m in (optax, optax.transforms, optax.contrib) if hasattr(m, name)), None)
        found += theirs is not None
        assert theirs is None or optim._states._CLASSES[name]._fields == theirs._fields
    assert found > 40


def test_names_and_places_by_hand():
    s = optim.adamw(optim.linear_schedule(0.1, 0.0, 5)).init({"w": np.ones(2), "b": [np.ones(3)]})
    assert [keystr(p) for p, _ in tree_flatten_with_path(s)[0]] == [
        "[0].count", "[0].mu['b'][0]", "[0].mu['w']", "[0].nu['b'][0]", "[0].nu['w']", "[2].count"]
    adam, empty, rate = s
    assert type(adam) is optim.ScaleByAdamState and adam._fields == ("count", "mu", "nu") and adam.nu["w"].shape == (2,)
    assert type(s) is tuple and empty == optim.EmptyState() and int(rate.count) == 0


def test_the_state_after_a_step_has_the_same_structure():
    p = {"w": np.ones(2), "b": np.ones(())}
    assert optim.sm3(0.1).init(p)[0].mu["b"] == []
    for name in ("adam", "sm3", "zero_nans", "adan"):
        opt = of_name(optim, name)
        s = opt.init(p)
        _, after = opt.update(p, s, p)
        assert tree_structure(after) == tree_structure(s)


def test_parameters_of_one_array_and_of_none():
    opt = optim.trace(0.9)
    assert opt.init(np.ones(3)).trace.shape == (3,) and opt.init([np.ones(3)]).trace[0].shape == (3,)
    assert opt.init({}) == optim.TraceState({}) and opt.init((None, ())) == optim.TraceState((None, ()))
    assert opt.update({}, opt.init({})) == ({}, optim.TraceState({}))
    one = optim.LookaheadParams.init_synced(np.ones(3))
    assert optim.lookahead(opt, 2, 0.5).init(one).fast_state.trace.shape == (3,)


def test_masks_leave_masked_nodes_and_other_updates():
    opt = optim.masked(optim.chain(optim.masked(optim.trace(0.5), {"a": True, "b": False, "c": True}), optim.scale(2.0)), {"a": True, "b": True, "c": False})
    p = {k: np.ones(1) for k in "abc"}
    s = opt.init(p)
    assert s.inner_state[0].inner_state.trace == {"a": s.inner_state[0].inner_state.trace["a"], "b": optim.MaskedNode(), "c": optim.MaskedNode()}
    _, s = opt.update(p, s)
    u, _ = opt.update(p, s)
    assert [float(u[k][0]) for k in "abc"] == [3, 2, 1]


def test_a_state_of_another_process_goes_on():
    p = {"w": np.asarray([1.0, 2.0])}
    opt = optim.adam(0.1)
    _, s = opt.update(p, opt.init(p))
    loaded = pickle.loads(pickle.dumps(kiln.tree.map(lambda x: x + 0, s)))
    assert optim.adam(0.1).update(p, loaded)[0]["w"].tolist() == opt.update(p, s)[0]["w"].tolist()
    assert opt.update(p, (s[0]._replace(count=np.asarray(5, dtype="int32")), *s[1:]))[1][0].count.tolist() == 6


def test_states_that_do_not_fit():
    p = {"w": np.ones(2)}
    adam = optim.adam(0.1)
    with pytest.raises(ValueError, match="the state"):
        adam.update(p, optim.trace(0.9).init(p))
    with pytest.raises(ValueError, match="array 1 of the state"):
        adam.update(p, adam.init({"w": np.ones(3)}))
    with pytest.raises(ValueError):
        adam.update(p, None)


def test_lookahead_takes_pairs():
    opt = optim.lookahead(optim.sgd(1.0), 2, 0.5)
    p = optim.LookaheadParams.init_synced({"w": np.asarray([4.0])})
    s = opt.init(p)
    for _ in range(2):
        u, s = opt.update({"w": np.asarray([1.0])}, s, p)
        p = optim.apply_updates(p, u)
    assert p.fast["w"].tolist() == p.slow["w"].tolist() == [3.0] and s.steps_since_sync.tolist() == 0
    for bad in (None, p.fast):
        with pytest.raises(TypeError, match="LookaheadParams"):
            opt.update({"w": np.asarray([1.0])}, s, bad)
    with pytest.raises(ValueError, match="structure"):
        opt.update({"v": np.asarray([1.0])}, s, p)
