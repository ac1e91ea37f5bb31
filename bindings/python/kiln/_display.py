# SPDX-License-Identifier: Apache-2.0
"""What notebooks show: arrays as tables and images, jaxprs as text."""
import html as _html
import struct as _struct
import zlib as _zlib

from . import _core
from ._core import Array
from ._jaxpr import Jaxpr

_numpy = _core.functions("kiln.numpy")
_EDGE, _MOST = 5, 16  # of long axes so many are shown at both ends; axes up to so many are shown whole
_SMALLEST, _LARGEST = 160, 1024  # of an image, in pixels


def _shown(n):
    """Indices along an axis of n, None for those left out."""
    return list(range(n)) if n <= _MOST else [*range(_EDGE), None, *range(n - _EDGE, n)]


def _cell(x):
    return f"<td>{_html.escape(str(x))}</td>"


def _table(rows, first_row, n_columns):
    columns = _shown(n_columns)
    head = "".join("<th>…</th>" if c is None else f"<th>{c}</th>" for c in columns)
    lines = [f"<tr><th></th>{head}</tr>"]
    for i, row in rows:
        cells = "".join("<td>…</td>" if c is None or i is None else _cell(row[c]) for c in columns)
        lines.append(f"<tr><th>{'…' if i is None else i if first_row else ''}</th>{cells}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _repr_html(self):
    """A table of arrays with one or two axes, the text of others."""
    title = f"<div><code>Array</code> {_html.escape(f'{self.shape} {self.dtype.name}')}</div>"
    try:
        if self.ndim == 1:
            return title + _table([(0, self)], False, self.shape[0])
        if self.ndim == 2:
            rows = [(i, None if i is None else self[i]) for i in _shown(self.shape[0])]
            return title + _table(rows, True, self.shape[1])
        return f"{title}<pre>{_html.escape(repr(self))}</pre>"
    except TypeError:  # its values are not known: it is being traced
        return title


def _png(width, height, color, rows):
    """A PNG file of rows of bytes; color: 0 grey, 2 RGB, 4 grey with alpha, 6 RGB with alpha."""
    def chunk(name, data):
        return _struct.pack(">I", len(data)) + name + data + _struct.pack(">I", _zlib.crc32(name + data))

    head = _struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)
    data = b"".join(b"\0" + row for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", _zlib.compress(data, 6)) + chunk(b"IEND", b""))


def _thinned(x):
    steps = [max(1, -(-n // _LARGEST)) for n in x.shape[:2]]
    return x[::steps[0], ::steps[1]]


def _bytes_of(x):
    """Finite numbers from the least to the greatest as 0 to 255, and which are finite."""
    n = _numpy
    finite = n["isfinite"](x)
    low = float(n["min"](x, where=finite, initial=float("inf")))
    high = float(n["max"](x, where=finite, initial=float("-inf")))
    scale = 255 / (high - low) if high > low else 0.0
    grey = n["where"](finite, (x - (low if high >= low else 0.0)) * scale, 0.0)
    return grey.astype("uint8"), finite


def _repr_png(self):
    """Two axes of real numbers as grey, the least black and the greatest white, what is not finite transparent; a third
    axis of 3 or 4 bytes as colours. None of other arrays."""
    image = self.ndim == 2 or (self.ndim == 3 and self.shape[2] in (3, 4) and self.dtype.name == "uint8")
    if not image or self.size == 0 or self.dtype.kind not in "biuf":
        return None
    try:
        x = _thinned(self)
        if self.ndim == 3:
            pixels, color, depth = x, 2 if x.shape[2] == 3 else 6, x.shape[2]
        else:
            grey, finite = _bytes_of(x.astype("float64"))
            pixels = _numpy["stack"]([grey, finite.astype("uint8") * 255], axis=2).astype("uint8")
            color, depth = 4, 2
        data = pixels.tobytes()
    except TypeError:  # its values are not known: it is being traced
        return None
    height, width = x.shape[:2]
    times = max(1, _SMALLEST // max(height, width))
    rows = []
    for i in range(height):
        line = data[i * width * depth:(i + 1) * width * depth]
        if times > 1:
            line = b"".join(line[k:k + depth] * times for k in range(0, len(line), depth))
        rows += [line] * times
    return _png(width * times, height * times, color, rows)


def _jaxpr_html(self):
    """A jaxpr as text of fixed width."""
    return f'<pre style="line-height:1.3">{_html.escape(str(self))}</pre>'


def install():
    """Gives the types what is written here."""
    Array._repr_html_ = _repr_html
    Array._repr_png_ = _repr_png
    Jaxpr._repr_html_ = _jaxpr_html


install()
