# SPDX-License-Identifier: Apache-2.0
"""kiln.optim against optax, where it is installed, and by hand."""
import os

import numpy
import pytest

import kiln
import kiln.numpy as np
from kiln import optim

PARAMS = {"w": numpy.asarray([1.0, -2.0, 0.5]), "b": numpy.asarray(3.0)}
GRADS = [{"w": numpy.asarray([0.3, -0.2, 1.5]), "b": numpy.asarray(-0.7)},
         {"w": numpy.asarray([-0.1, 0.4, 0.2]), "b": numpy.asarray(0.9)}]


def steps(make, api, apply, to):
    opt = make(api)
    p = {k: to(v) for k, v in PARAMS.items()}
    s = opt.init(p)
    for g in GRADS * 2:
        u, s = opt.update({k: to(v) for k, v in g.items()}, s, p)
        p = apply(p, u)
    return {k: numpy.asarray(v) for k, v in p.items()}


MAKERS = {
    "sgd": lambda o: o.sgd(0.1), "momentum": lambda o: o.sgd(0.1, momentum=0.9, nesterov=True), "adam": lambda o: o.adam(0.1),
    "adam schedule": lambda o: o.adam(o.cosine_decay_schedule(0.1, 10)), "adamw": lambda o: o.adamw(0.1, weight_decay=0.1),
    "adamw mask": lambda o: o.adamw(0.1, weight_decay=0.1, mask={"w": True, "b": False}), "nadam": lambda o: o.nadam(0.1),
    "adamax": lambda o: o.adamax(0.1), "amsgrad": lambda o: o.amsgrad(0.1), "adabelief": lambda o: o.adabelief(0.1),
    "adagrad": lambda o: o.adagrad(0.1), "adadelta": lambda o: o.adadelta(0.1), "adan": lambda o: o.adan(0.1),
    "rmsprop": lambda o: o.rmsprop(0.1, momentum=0.9), "lion": lambda o: o.lion(0.1), "lamb": lambda o: o.lamb(0.1),
    "lars": lambda o: o.lars(0.1), "radam": lambda o: o.radam(0.1), "yogi": lambda o: o.yogi(0.1), "rprop": lambda o: o.rprop(0.1),
    "novograd": lambda o: o.novograd(0.1), "sign_sgd": lambda o: o.sign_sgd(0.1), "adafactor": lambda o: o.adafactor(0.1),
    "chain": lambda o: o.chain(o.clip_by_global_norm(0.5), o.scale_by_adam(), o.add_decayed_weights(0.1), o.scale(-0.1)),
    "masked": lambda o: o.masked(o.adam(0.1), {"w": True, "b": False}), "clip": lambda o: o.chain(o.clip(0.2), o.sgd(0.1)),
    "every": lambda o: o.chain(o.sgd(0.1), o.apply_every(2)), "multi": lambda o: o.MultiSteps(o.adam(0.1), 2),
    "finite": lambda o: o.apply_if_finite(o.adam(0.1), 2), "ema": lambda o: o.chain(o.ema(0.9), o.scale(-1.0)),
    "warmup": lambda o: o.sgd(o.warmup_cosine_decay_schedule(0.0, 0.5, 2, 8)),
    "joined": lambda o: o.sgd(o.join_schedules([o.constant_schedule(0.1), o.linear_schedule(0.2, 0.0, 5)], [2])),
    "pieces": lambda o: o.sgd(o.piecewise_constant_schedule(0.5, {1: 0.5, 3: 0.1})),
}


@pytest.mark.parametrize("name", MAKERS)
def test_steps_are_those_of_optax(name):
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    optax = pytest.importorskip("optax")
    import jax
    with jax.enable_x64(True):
        want = steps(MAKERS[name], optax, optax.apply_updates, jax.numpy.asarray)
    got = steps(MAKERS[name], optim, optim.apply_updates, np.asarray)
    for k in want:
        numpy.testing.assert_allclose(got[k], want[k], rtol=1e-6, atol=1e-7)


def test_a_jitted_step_with_its_state():
    opt = optim.adam(0.1)

    @kiln.jit
    def step(p, s):
        u, s = opt.update(kiln.grad(lambda p: np.sum(p["w"] ** 2))(p), s, p)
        return optim.apply_updates(p, u), s
    p = {"w": np.ones(2)}
    s = opt.init(p)
    for _ in range(3):
        p, s = step(p, s)
    assert all(v < 0.75 for v in p["w"].tolist()) and int(s[0].count) == 3


def test_the_state_is_a_pytree():
    s = optim.adam(0.1).init({"w": np.ones(2)})
    assert int(kiln.tree.map(lambda x: x + 1, s)[0].count) == 1
    assert kiln.tree.structure(s) == kiln.tree.structure(optim.adam(0.1).init({"w": np.ones(2)}))


def test_mask_by_a_function():
    opt = optim.masked(optim.sgd(1.0), lambda p: {k: k == "w" for k in p})
    u, _ = opt.update({"w": np.ones(1), "b": np.ones(1)}, opt.init({"w": np.ones(1), "b": np.ones(1)}))
    assert u["w"].tolist() == [-1] and u["b"].tolist() == [1]


def test_value_for_polyak():
    opt = optim.polyak_sgd()
    p = np.asarray(2.0)
    u, _ = opt.update(np.asarray(4.0), opt.init(p), p, value=np.asarray(4.0))
    assert float(u) == -1


def test_trees_that_differ():
    opt = optim.sgd(0.1)
    with pytest.raises(ValueError):
        optim.apply_updates({"a": 1.0}, {"b": 1.0})
    with pytest.raises(TypeError, match="schedule of kiln.optim"):
        optim.sgd(lambda step: 0.1)


def test_losses():
    assert optim.l2_loss(np.asarray([2.0]), np.asarray([1.0])).tolist() == [0.5]
    assert optim.huber_loss(np.asarray([3.0]), np.asarray([0.0])).tolist() == [2.5]
    assert float(optim.global_norm({"a": np.asarray([3.0]), "b": np.asarray(4.0)})) == 5
