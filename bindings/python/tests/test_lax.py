# SPDX-License-Identifier: Apache-2.0
"""kiln.lax: loops and branches, arguments that are structures, collectives; errors in JAX's words."""
import numpy
import pytest

import kiln
import kiln.numpy as np
from kiln import lax


def near(a, b):
    numpy.testing.assert_allclose(numpy.asarray(a), numpy.asarray(b), rtol=1e-12, atol=1e-12)


def test_scan_carry_and_outputs():
    c, ys = lax.scan(lambda c, x: (c + x, {"y": c * x}), 0.0, np.arange(4.0))
    assert float(c) == 6
    near(ys["y"], [0, 0, 2, 9])


def test_scan_without_xs():
    c, ys = lax.scan(lambda c, _: (c * 2, c), 1.0, None, length=4)
    assert float(c) == 16
    near(ys, [1, 2, 4, 8])


def test_scan_without_a_carry():
    c, ys = lax.scan(lambda c, x: (None, x * 2), None, np.arange(3.0))
    assert c is None
    near(ys, [0, 2, 4])


def test_scan_reverse():
    near(lax.scan(lambda c, x: (c + x, c + x), 0.0, np.arange(4.0), reverse=True)[1], [6, 6, 5, 3])


def test_scan_of_length_zero():
    c, ys = lax.scan(lambda c, x: (c + x, c), 1.0, np.zeros(0))
    assert float(c) == 1 and ys.shape == (0,)


def test_scan_carry_of_another_tree():
    with pytest.raises(TypeError, match="must have the same pytree structure"):
        lax.scan(lambda c, x: ((c, c), x), 0.0, np.ones(3))


def test_scan_carry_of_another_type():
    with pytest.raises(TypeError):
        lax.scan(lambda c, x: (np.ones(2), x), np.ones(3), np.ones(3))


def test_scan_no_pair():
    with pytest.raises(TypeError, match="scan body output must be a pair"):
        lax.scan(lambda c, x: c, 0.0, np.ones(3))


def test_scan_lengths_that_differ():
    with pytest.raises(ValueError, match="different leading axis sizes: 2, 3"):
        lax.scan(lambda c, x: (c, c), 0.0, (np.ones(2), np.ones(3)))


def test_scan_length_disagrees():
    with pytest.raises(ValueError, match="which disagrees with leading axis sizes"):
        lax.scan(lambda c, x: (c, c), 0.0, np.ones(2), length=3)


def test_scan_without_any_length():
    with pytest.raises(ValueError, match="no values to scan over and `length` not provided"):
        lax.scan(lambda c, x: (c, c), 0.0)


def test_scan_gradient_of_what_the_body_closes_over():
    g = kiln.grad(lambda w: lax.scan(lambda c, x: (c * w + x, None), 1.0, np.ones(3))[0])(2.0)
    assert float(g) == 3 * 4 + 2 * 2 + 1


def test_while_loop():
    assert int(lax.while_loop(lambda s: s["i"] < 5, lambda s: {"i": s["i"] + 2}, {"i": 0})["i"]) == 6


def test_while_condition_has_to_be_a_scalar():
    with pytest.raises(TypeError):
        lax.while_loop(lambda s: np.ones(2) > 0, lambda s: s, 0.0)
    with pytest.raises(TypeError, match="cond_fun must return a boolean scalar, but got pytree"):
        lax.while_loop(lambda s: (True,), lambda s: s, 0.0)


def test_while_reverse_mode_wants_a_bound():
    f = lambda x, **k: lax.while_loop(lambda v: v < 100, lambda v: v * v, x, **k)
    with pytest.raises(ValueError):
        kiln.grad(f)(3.0)
    assert float(kiln.grad(lambda x: f(x, max_steps=10))(3.0)) == 8 * 3 ** 7


def test_fori_loop_traced_bounds():
    assert float(kiln.jit(lambda n: lax.fori_loop(0, n, lambda i, x: x + i, 0.0))(5)) == 10


def test_cond_runs_one_branch():
    seen = []
    f = kiln.jit(lambda p, x: lax.cond(p, lambda a: (kiln.debug.callback(lambda: seen.append("t")), a)[1],
                                       lambda a: (kiln.debug.callback(lambda: seen.append("f")), -a)[1], x))
    assert float(f(True, 2.0)) == 2 and float(f(False, 2.0)) == -2 and seen == ["t", "f"]


def test_cond_without_operands():
    assert int(lax.cond(False, lambda: 1, lambda: 2)) == 2


def test_cond_operand_keyword_and_older_form():
    assert float(lax.cond(True, lambda x: x, lambda x: -x, operand=3.0)) == 3
    assert float(lax.cond(False, 1.0, lambda x: x, 2.0, lambda y: y * 5)) == 10


def test_cond_trees_that_differ():
    with pytest.raises(TypeError, match="true_fun and false_fun output must have identical types"):
        kiln.jit(lambda p: lax.cond(p, lambda: (1.0, 2.0), lambda: [1.0, 2.0]))(True)


def test_cond_predicate():
    with pytest.raises(TypeError, match="Pred must be a scalar"):
        lax.cond(np.ones(2) > 0, lambda: 1, lambda: 2)


def test_switch_clamps():
    f = [lambda x: x, lambda x: x * 2, lambda x: x * 3]
    assert [float(lax.switch(i, f, 1.0)) for i in (-5, 0, 1, 2, 9)] == [1, 1, 2, 3, 3]


def test_switch_empty():
    with pytest.raises(ValueError, match="Empty branch sequence"):
        lax.switch(0, [])


def test_map_in_batches():
    near(lax.map(lambda r: r.sum(), np.ones((5, 2)), batch_size=2), [2] * 5)


def test_associative_scan_of_pairs():
    a, b = lax.associative_scan(lambda l, r: (l[0] * r[0], l[1] * r[0] + r[1]), (np.full(4, 2.0), np.ones(4)))
    near(b, [1, 3, 7, 15])


def test_reduce_of_several():
    s, p = lax.reduce((np.arange(1.0, 5), np.arange(1.0, 5)), (0.0, 1.0), lambda a, b: (a[0] + b[0], a[1] * b[1]), (0,))
    assert float(s) == 10 and float(p) == 24


def test_reduce_trees_that_differ():
    with pytest.raises(ValueError, match="same tree structure as init_values"):
        lax.reduce((np.ones(2),), 0.0, lambda a, b: a, (0,))


def test_reduce_window_padding():
    x = np.arange(9.0).reshape(3, 3)
    near(lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), [(0, 1), (1, 0)]),
         [[3, 8, 12], [9, 20, 24], [6, 13, 15]])


def test_dot_general_numbers():
    x = numpy.arange(24.0).reshape(2, 3, 4)
    near(lax.dot_general(x, x, (((2,), (2,)), ((0,), (0,)))), numpy.einsum("bij,bkj->bik", x, x))
    with pytest.raises(TypeError):
        lax.dot_general(x, x, (2, 2))


def test_conv_numbers_and_padding():
    x, k = np.ones((1, 4, 4, 2)), np.ones((3, 3, 2, 5))
    y = lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    assert y.shape == (1, 4, 4, 5) and float(y[0, 1, 1, 0]) == 18
    assert lax.conv_dimension_numbers(x.shape, k.shape, ("NHWC", "HWIO", "NHWC")) == lax.ConvDimensionNumbers(
        (0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2))


def test_gather_modes():
    x, n = np.arange(4.0), lax.GatherDimensionNumbers((), (0,), (0,))
    i = np.asarray([[1], [9]])
    assert lax.gather(x, i, n, (1,), mode="clip").tolist() == [1, 3]
    assert numpy.isnan(lax.gather(x, i, n, (1,), mode=lax.GatherScatterMode.FILL_OR_DROP).tolist()[1])
    with pytest.raises(ValueError, match="Unknown gather mode"):
        lax.gather(x, i, n, (1,), mode="nonsense")


def test_scatter_leaves_its_operand():
    x = np.zeros(3)
    y = lax.scatter_add(x, np.asarray([[1], [1]]), np.asarray([2.0, 3.0]), lax.ScatterDimensionNumbers((), (0,), (0,)))
    assert y.tolist() == [0, 5, 0] and x.tolist() == [0, 0, 0]


def test_pad_negative_and_interior():
    near(lax.pad(np.arange(3.0), 9.0, [(1, -1, 1)]), [9, 0, 9, 1, 9])


def test_sort_of_several_by_two_keys():
    a, b, c = lax.sort((np.asarray([1, 0, 1]), np.asarray([5, 4, 3]), np.asarray([7, 8, 9])), num_keys=2)
    assert c.tolist() == [8, 9, 7]
    with pytest.raises(ValueError):
        lax.sort(np.ones(2), num_keys=2)


def test_dynamic_slice_takes_a_vector_of_starts():
    assert lax.dynamic_slice(np.arange(6), np.asarray([4]), (3,)).tolist() == [3, 4, 5]


def test_collectives():
    x = np.arange(6.0).reshape(3, 2)
    v = lambda f: kiln.vmap(f, axis_name="i")(x)
    near(v(lambda a: lax.psum(a, "i")), numpy.tile([6, 9], (3, 1)))
    near(v(lambda a: lax.psum({"k": a}, "i")["k"]), numpy.tile([6, 9], (3, 1)))
    near(v(lambda a: lax.pmean(a, ("i",))), numpy.tile([2, 3], (3, 1)))
    near(v(lambda a: lax.ppermute(a, "i", [(0, 1), (1, 2), (2, 0)])), [[4, 5], [0, 1], [2, 3]])
    assert v(lambda a: lax.all_gather(a, "i", axis=1)).shape == (3, 2, 3)
    assert v(lambda a: lax.axis_index("i")).tolist() == [0, 1, 2]
    assert v(lambda a: a * 0 + lax.axis_size("i")).tolist() == [[3, 3]] * 3


def test_collective_of_an_unbound_axis():
    with pytest.raises(NameError, match="i"):
        lax.psum(1.0, "i")


def test_linalg_tuples():
    a = np.asarray([[4.0, 1], [1, 3]])
    q, r = lax.linalg.qr(a)
    near(q @ r, a)
    u, s, vh = lax.linalg.svd(a)
    near(u * s @ vh, a)
    v, w = lax.linalg.eigh(a)
    near(v * w @ v.T, a)


# What C has and Python does not have yet; a name that Python gets leaves this list. sophia of optax calls the loss
# itself; the library's takes estimates of the Hessian with each step.
ONLY_IN_C = {f"optax.{n}" for n in """contrib.galore contrib.hutchinson_estimator_diag_hessian contrib.scale_by_galore
contrib.sophia lbfgs microbatch perturbations.Gumbel perturbations.Normal perturbations.make_perturbed_fun
scale_by_backtracking_linesearch scale_by_lbfgs scale_by_zoom_linesearch tree.map_params tree_map_params
value_and_grad_from_state""".split()}


def test_names_of_the_library():
    """Every function that the library has under these modules is here, but for the list above."""
    import json
    import pathlib
    api = pathlib.Path(__file__).parents[3] / "docs/api.json"
    if not api.exists():
        pytest.skip("no description of the library")
    names = {n for f in json.loads(api.read_text())["functions"] for n in f.get("names") or []}
    modules = {"jax.lax": lax, "jax.lax.linalg": lax.linalg, "jax.random": kiln.random, "jax.nn": kiln.nn,
               "jax.nn.initializers": kiln.nn.initializers, "jax.ops": kiln.ops, "jax.tree": kiln.tree,
               "jax.scipy.special": kiln.scipy.special, "jax.scipy.linalg": kiln.scipy.linalg,
               "jax.scipy.signal": kiln.scipy.signal, "jax.scipy.fft": kiln.scipy.fft, "optax": kiln.optim,
               **{f"optax.{m}": getattr(kiln.optim, m, None) for m in """assignment contrib losses perturbations
                  projections second_order transforms tree""".split()}}
    absent = {"padtype_to_pads", "stateless_with_tree_map"}
    missing = [n for n in names for m, _, f in [n.rpartition(".")] if m in modules and not hasattr(modules[m], f)]
    assert [n for n in missing if n.rpartition(".")[2] not in absent and n not in ONLY_IN_C] == []
    assert sorted(ONLY_IN_C - set(missing)) == []
