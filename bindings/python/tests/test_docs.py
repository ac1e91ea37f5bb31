# SPDX-License-Identifier: Apache-2.0
"""Examples in docs/python.md, in the tutorial's page on Python and in docstrings of what is written in Python; the stubs and the demonstration."""

import contextlib
import doctest
import importlib
import io
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import kiln
import kiln.demo

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODULES = ["kiln._interop", "kiln._progress"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted and not result.failed


@pytest.mark.parametrize("page", ["docs/python.md", "docs/tutorial/12-python.md"])
def test_examples_of_the_page(page):
    text = (ROOT / page).read_text()
    examples = doctest.DocTestParser().get_doctest(text.replace("```\n", "\n"), {}, page, page, 0)
    runner, out = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL), io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        result = runner.run(examples, out=out.write)
    assert result.attempted > 10 and not result.failed, out.getvalue()


def test_the_version_is_that_of_the_package():
    assert (
        kiln.__version__
        == re.search(r'^version = "(.*)"', (ROOT / "bindings/python/pyproject.toml").read_text(), re.M)[1]
    )


def test_the_demonstration_learns():
    p, loss = kiln.demo.learning(500)
    assert float(loss) < 1e-6
    with contextlib.redirect_stdout(io.StringIO()) as out:
        kiln.demo.main()
    assert "hessian" in out.getvalue()


def test_progress_is_shown_inside_of_jit_and_only_in_the_block():
    out = io.StringIO()

    def body(c, x):
        return c + x, kiln.numpy.sort(kiln.numpy.stack([c, x]))

    f = kiln.jit(lambda xs: kiln.lax.scan(body, 0.0, xs))
    with kiln.progress("p", file=out):
        assert float(f(kiln.numpy.arange(50.0))[0]) == 1225
    shown = out.getvalue()
    assert "p: 50/50" in shown and shown.endswith("\n")
    f(kiln.numpy.arange(50.0))
    assert out.getvalue() == shown


def test_stubs_have_every_name_and_types(tmp_path):
    core = kiln._core.__file__
    package = pathlib.Path(kiln.__file__).parent
    if not (package / "py.typed").exists():
        subprocess.run(
            [sys.executable, ROOT / "bindings/python/tools/make-stubs.py", core, ROOT / "docs/api.json", tmp_path],
            check=True,
        )
        package = tmp_path / "kiln"
    text = (package / "numpy/__init__.pyi").read_text()
    missing = [n for n in kiln.numpy.__all__ if not re.search(rf"\b{n}\b", text)]
    assert missing == []
    for path in package.rglob("*.pyi"):
        compile(path.read_text(), str(path), "exec")
    assert re.search(r"def sort\(a: .*-> Array: \.\.\.", text)


def test_the_extension_loads_into_a_running_process():
    """Its thread-local variables have room where a module is loaded late: glibc keeps 1664 bytes for all of them."""
    if not shutil.which("readelf"):
        pytest.skip("there is no readelf")
    found = subprocess.run(["readelf", "-lW", kiln._core.__file__], capture_output=True, text=True)
    sizes = [int(line.split()[5], 16) for line in found.stdout.splitlines() if line.split()[:1] == ["TLS"]]
    assert sum(sizes) < 1400
