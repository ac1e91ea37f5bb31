# SPDX-License-Identifier: Apache-2.0
"""mesh_program.py over eight devices of JAX and of Kiln: each part prints the same."""
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("jax")
PROGRAM = pathlib.Path(__file__).parent / "mesh_program.py"
PARTS = ["texts", "indices", "operations", "trees", "made_of_parts", "drawings", "shard_maps", "pmaps", "errors"]


def parts_of(which):
    done = subprocess.run([sys.executable, PROGRAM, which], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return dict(part.split("\n", 1) for part in done.stdout.split("@@ ")[1:])


@pytest.fixture(scope="module")
def both():
    return parts_of("jax"), parts_of("kiln")


def test_all_parts_are_here(both):
    assert list(both[0]) == list(both[1]) == PARTS


@pytest.mark.parametrize("part", PARTS)
def test_prints_what_jax_prints(both, part):
    assert both[1][part].splitlines() == both[0][part].splitlines()
