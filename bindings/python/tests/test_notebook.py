# SPDX-License-Identifier: Apache-2.0
"""What notebooks ask of values and of bars, without IPython: its formatters call these methods, a stand-in is its display."""
import io
import re
import sys
import types
from html.parser import HTMLParser

import numpy
import pytest

import kiln
import kiln.numpy as np

ARRAYS = {
    "scalar": lambda: np.asarray(1.5), "vector": lambda: np.arange(3), "matrix": lambda: np.ones((2, 3)), "image": lambda: np.zeros((4, 4, 3), dtype="uint8"),
    "bool": lambda: np.asarray([[True, False]]), "complex": lambda: np.ones((2, 2), dtype=complex), "no elements": lambda: np.zeros((0, 3)),
    "no column": lambda: np.zeros((3, 0)), "key": lambda: kiln.random.key(0), "keys": lambda: kiln.random.split(kiln.random.key(0), 3),
    "bfloat16": lambda: np.ones((2, 2), dtype="bfloat16"), "long": lambda: np.zeros((1000, 1000)),
    "view": lambda: np.arange(12.0).reshape(3, 4)[::-1, ::2],
    "four axes": lambda: np.zeros((2, 2, 2, 2)), "not finite": lambda: np.asarray([[float("nan"), float("inf")]]),
}


class Balanced(HTMLParser):
    """Whether all tags are closed, in their order, and the text between them."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.text = [], [], ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def asked(value):
    """What IPython's formatters take: the results of the methods that are there, of the right types, or None."""
    assert getattr(value, "_ipython_canary_method_should_not_exist_", None) is None
    methods = {"_repr_html_": str, "_repr_png_": bytes, "_repr_jpeg_": bytes, "_repr_svg_": str, "_repr_latex_": str, "_repr_markdown_": str,
               "_repr_json_": dict, "_repr_javascript_": str, "_repr_pdf_": bytes, "_repr_mimebundle_": (dict, tuple)}
    found = {}
    for name, kind in methods.items():
        method = getattr(value, name, None)
        if method is not None:
            result = method(include=None, exclude=None) if name == "_repr_mimebundle_" else method()
            assert result is None or isinstance(result, kind)
            found[name] = result
    assert getattr(value, "_ipython_display_", None) is None  # which would come before all of these
    return found


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_answer_what_formatters_ask(name):
    found = asked(ARRAYS[name]())
    page = Balanced(found["_repr_html_"])
    assert set(found) == {"_repr_html_", "_repr_png_"} and page.seen[0] == "div" and "Array" in page.text
    png = found["_repr_png_"]
    assert png is None or (png[:8] == b"\x89PNG\r\n\x1a\n" and png[-8:-4] == b"IEND")
    assert (png is not None) == (name in ("matrix", "image", "bool", "bfloat16", "long", "view", "not finite"))


def test_long_arrays_are_short_pages():
    assert len(np.zeros((100000, 1000))._repr_html_()) < 20000


def test_names_of_dtypes_are_no_markup():
    assert "key&lt;fry&gt;" in kiln.random.key(0)._repr_html_()


def test_classes_answer_nothing():
    """A formatter that is given a class finds methods of its instances, which it must not call."""
    with pytest.raises(TypeError):
        kiln.Array._repr_html_()


def test_tracers_answer_without_values():
    pages = []

    def f(x):
        pages.append(asked(x))
        return x * 2

    kiln.jit(f)(np.ones((2, 2)))
    assert pages and Balanced(pages[0]["_repr_html_"]).text and pages[0]["_repr_png_"] is None


def test_what_is_shown_changes_nothing():
    x = np.arange(12.0).reshape(3, 4)
    first = asked(x)
    assert asked(x) == first and numpy.array_equal(numpy.asarray(x), numpy.arange(12.0).reshape(3, 4))


def test_jaxprs_are_text_of_fixed_width():
    jaxpr = kiln.make_jaxpr(lambda x: x < 1)(np.ones(2))
    for value in (jaxpr, jaxpr.jaxpr):
        found = asked(value)
        page = Balanced(found["_repr_html_"])
        assert page.seen == ["pre"] and page.text == str(value) and "lt" in page.text


class Screen:
    """Stands for IPython with a kernel: what was displayed, and what came in its place."""

    def __init__(self, monkeypatch, kernel=True):
        self.first, self.later = [], []
        ipython, display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
        shell = types.SimpleNamespace(**({"kernel": object()} if kernel else {}))
        ipython.get_ipython, ipython.display = lambda: shell, display
        display.HTML, display.display = lambda text: types.SimpleNamespace(data=text), self.display
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        monkeypatch.setitem(sys.modules, "IPython.display", display)

    def display(self, value, display_id=None):
        assert display_id is True
        self.first.append(value.data)
        return types.SimpleNamespace(update=lambda value: self.later.append(value.data))


def scan(n=50):
    return kiln.lax.scan(lambda c, x: (c + x, np.sort(np.stack([c, x]))), 0.0, np.arange(float(n)))


def test_a_notebook_has_one_bar_that_moves(monkeypatch, capsys):
    screen = Screen(monkeypatch)
    with kiln.progress("<sum>"):
        scan()
    assert len(screen.first) == 1 and screen.later
    pages = [Balanced(text) for text in screen.first + screen.later]
    assert all(page.seen == ["progress"] and page.text.startswith(" <sum>: ") for page in pages)
    at = [int(re.search(r'value="(\d+)" max="50"', text)[1]) for text in screen.first + screen.later]
    assert at == sorted(at) and at[-1] == 50
    assert capsys.readouterr() == ("", "")


def test_bars_of_two_blocks_are_two(monkeypatch):
    screen = Screen(monkeypatch)
    for _ in range(2):
        with kiln.progress():
            scan()
    assert len(screen.first) == 2


def test_a_bar_goes_to_its_file_and_to_terminals(monkeypatch, capsys):
    screen, file = Screen(monkeypatch), io.StringIO()
    with kiln.progress("p", file=file):
        scan()
    assert "50/50" in file.getvalue() and screen.first == []
    screen = Screen(monkeypatch, kernel=False)
    with kiln.progress("p"):
        scan()
    assert "50/50" in capsys.readouterr().err and screen.first == []


def test_without_a_shell_ipython_is_not_asked(monkeypatch, capsys):
    screen = Screen(monkeypatch)
    sys.modules["IPython"].get_ipython = lambda: None
    with kiln.progress("p"):
        scan()
    assert "50/50" in capsys.readouterr().err and screen.first == []


def test_a_display_that_fails_is_told_and_the_scan_goes_on(monkeypatch):
    told = []
    Screen(monkeypatch)
    monkeypatch.setattr(sys, "unraisablehook", lambda failure: told.append(str(failure.exc_value)))

    def fail(value, display_id=None):
        raise OSError("no screen")

    sys.modules["IPython.display"].display = fail
    with kiln.progress():
        assert float(scan()[0]) == 1225
    assert told and set(told) == {"no screen"}
