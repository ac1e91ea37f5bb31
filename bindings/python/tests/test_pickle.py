# SPDX-License-Identifier: Apache-2.0
"""Pickles, copies, formats, weak references and what notebooks show."""

import copy
import gc
import pickle
import struct
import sys
import weakref
import zlib

import numpy
import pytest

import kiln
import kiln.numpy as np


def arrays():
    x = np.arange(12.0).reshape(3, 4)
    return [
        x,
        x.T,
        x[:, ::2],
        x[0, 0],
        np.zeros((0, 3)),
        np.zeros(()),
        x.astype(complex),
        x > 3,
        x.astype("bfloat16"),
        x.astype("uint64"),
    ]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("i", range(len(arrays())))
def test_pickles_of_every_protocol(protocol, i):
    x = arrays()[i]
    y = pickle.loads(pickle.dumps(x, protocol))
    assert y.shape == x.shape and y.dtype == x.dtype and y.tobytes() == x.tobytes()
    assert y.flags["F_CONTIGUOUS"] or not x.flags["F_CONTIGUOUS"]
    if x.ndim:
        y[...] = y  # it may be written to


def test_out_of_band_buffers_share_memory():
    x, buffers = np.arange(1000.0), []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(data) < 300 and len(buffers) == 1
    y = pickle.loads(data, buffers=buffers)
    x[0] = 5
    assert y[0].item() == 5
    z = pickle.loads(data, buffers=[b.raw().tobytes() for b in buffers])
    z[0] = 6
    assert y[0].item() == 5 and z[1].item() == 1


def test_copies():
    x = np.arange(3.0)
    for y in (copy.copy(x), copy.deepcopy(x), copy.deepcopy({"a": [x]})["a"][0]):
        y[0] = 9
        assert x[0].item() == 0
    assert copy.copy(np.arange(6).reshape(2, 3).T).flags["F_CONTIGUOUS"]


def test_dtypes_are_pickled_as_themselves():
    assert pickle.loads(pickle.dumps(np.zeros(1, dtype="float16").dtype)) == "float16"


def test_formats():
    x = np.asarray(2.5)
    assert f"{x:.3f}" == "2.500" and f"{np.asarray(7):04d}" == "0007" and f"{x}" == str(x)
    assert f"{np.arange(3)}" == "[0 1 2]"
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{np.arange(3):.2f}"


def test_arrays_are_not_hashable():
    with pytest.raises(TypeError, match="unhashable type"):
        hash(np.arange(3))


def test_weak_references():
    x, gone = np.arange(3), []
    r = weakref.ref(x, gone.append)
    assert r() is x
    del x
    gc.collect()
    assert r() is None and len(gone) == 1


def test_sizeof_counts_what_it_owns():
    x = np.zeros(1000)
    assert sys.getsizeof(x) >= 8000 and sys.getsizeof(x[1:]) < 1000


def chunks(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, found = 8, {}
    while at < len(png):
        n, name = struct.unpack(">I4s", png[at : at + 8])
        assert zlib.crc32(png[at + 4 : at + 8 + n]) == struct.unpack(">I", png[at + 8 + n : at + 12 + n])[0]
        found[name] = png[at + 8 : at + 8 + n]
        at += 12 + n
    return found


def test_images_of_two_axes():
    x = np.arange(200.0 * 300).reshape(200, 300)
    x[0, 0] = float("nan")
    c = chunks(x._repr_png_())
    width, height, depth, color = struct.unpack(">IIBB", c[b"IHDR"][:10])
    assert (width, height, depth, color) == (300, 200, 8, 4)
    rows = zlib.decompress(c[b"IDAT"])
    assert len(rows) == 200 * (1 + 600)
    assert rows[1:5] == bytes([0, 0, 0, 255]) and rows[-2:] == bytes([255, 255])


def test_images_of_colours_and_none_of_others():
    assert chunks(np.zeros((4, 4, 3), dtype="uint8")._repr_png_())[b"IHDR"][9] == 2
    for x in (np.zeros(3), np.zeros((0, 3)), np.zeros((2, 2), dtype=complex), np.zeros((2, 2, 2))):
        assert x._repr_png_() is None
    assert np.zeros((2, 2))._repr_png_() and np.full((2, 2), float("inf"))._repr_png_()
    assert np.zeros((5000, 3), dtype=bool)._repr_png_()


def test_tables():
    html = np.arange(100).reshape(5, 20)._repr_html_()
    assert html.count("<tr>") == 6 and html.count("<td>") == 5 * 11 and "<td>99</td>" in html and "…" in html
    assert "&lt;" not in np.arange(3)._repr_html_() and "<pre>array(1.)</pre>" in np.asarray(1.0)._repr_html_()
