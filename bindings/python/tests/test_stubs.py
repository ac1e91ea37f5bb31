# SPDX-License-Identifier: Apache-2.0
"""The type stubs: a program that is right passes mypy --strict, one that is wrong does not."""
import pathlib
import subprocess
import sys

import pytest

import kiln

TOOL = pathlib.Path(__file__).parents[1] / "tools" / "make-stubs.py"
API = TOOL.parents[3] / "docs" / "api.json"
RIGHT = """
import kiln
import kiln.numpy as np


def loss(w: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.mean((np.tanh(x @ w) - y) ** 2)


def fit(x: np.ndarray, y: np.ndarray, steps: int = 10) -> np.ndarray:
    w = np.zeros((3,), dtype=np.float32)
    for _ in range(steps):
        w = w - 0.1 * np.asarray(kiln.grad(loss)(w, x, y))
    return w


a = np.arange(12.0).reshape(3, 4)
rows: tuple[int, ...] = a.shape
b = np.where(a > 2, a, 0.0)
places = np.where(a > 2)[0]
u, s, vh = np.linalg.svd(a)
values, vectors = np.linalg.eigh(a @ a.T)
c = np.add.reduce(a, axis=0) + np.add(a, [1, 2, 3, 4]).sum(axis=0)
d = a.at[0].set(1).at[1:].add(2.5)
e = np.concatenate([a, b], axis=1).astype("float32")
n: int = a.ndim
text: str = np.array2string(a)
for row in a:
    total = float(row.sum())
q, r = np.divmod(a, 2)
with np.errstate(all="ignore"):
    f = np.sqrt(a, out=np.empty_like(a))
mesh = kiln.make_mesh((1,), "x")
rows_of: kiln.NamedSharding = kiln.NamedSharding(mesh, kiln.P("x", None))
s = kiln.device_put(a, rows_of)
t: np.ndarray = kiln.lax.with_sharding_constraint(a, rows_of)
where: kiln.sharding.Sharding = a.sharding
parts = [(q.device, q.index, q.replica_id, q.data.sum()) for q in a.addressable_shards]
spec: kiln.P = rows_of.spec
with kiln.set_mesh(mesh):
    print(spec[0], mesh.shape["x"], where.shard_shape((4, 4)), kiln.device_count(), kiln.shard_map(
        lambda v: kiln.lax.psum(v, "x"), in_specs=kiln.P("x"), out_specs=kiln.P())(a))
print(kiln.sharding.communication_of(loss, mesh, kiln.P())(a, a, a).bytes + 1.0, kiln.process_index() + 1, parts, s, t)
print(fit(a[:, :3], a[:, 0]), np.einsum("ij->j", a), c, d, e, f, np.linalg.norm(a, axis=0), places, q, r, u, vh, values)
"""
WRONG = {
    "a.shpe": "has no attribute", "np.sum(a, axes=0)": "Unexpected keyword", "a.reshape(2, 2).foo()": "has no attribute",
    "np.ones(3, dtype=3, orde='C')": "Unexpected keyword", "x: str = np.sin(a)": "Incompatible types",
    "np.add.reduce(a, axis='x', out=3)": "incompatible type", "a.at[0].sett(1)": "has no attribute",
    "a.shardings": "has no attribute", "kiln.NamedSharding(3, kiln.P())": "incompatible type",
    "kiln.make_mesh((1,), 'x').shapes": "has no attribute", "x: str = kiln.process_count()": "Incompatible types"}


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    pytest.importorskip("mypy")
    if not API.exists():
        pytest.skip("the description of the library is not here")
    folder = tmp_path_factory.mktemp("stubs")
    subprocess.run([sys.executable, TOOL, kiln._core.__file__, API, folder], check=True)
    return folder


def check(stubs, text):
    (stubs / "program.py").write_text(text)
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", stubs / "cache", "program.py"],
                          cwd=stubs, capture_output=True, text=True)


def test_a_program_that_is_right(stubs):
    done = check(stubs, RIGHT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("line", WRONG)
def test_a_line_that_is_wrong(stubs, line):
    done = check(stubs, f"import kiln\nimport kiln.numpy as np\n\na = np.ones((2, 3))\n{line}\n")
    assert done.returncode == 1 and WRONG[line] in done.stdout


def test_the_stubs_themselves(stubs):
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", stubs / "cache", "kiln"], cwd=stubs,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
