# SPDX-License-Identifier: Apache-2.0
"""Arrays in files: npy, npz, texts, bytes, and files as memory."""
import os as _os
import shutil as _shutil
import tempfile as _tempfile
import zipfile as _zipfile

from .. import _core
from .._core import Array
from ._creation import asarray, frombuffer

_c = _core.functions("kiln.numpy")
_n = _core.functions("npz")


def _is_path(file):
    return isinstance(file, (str, bytes)) or hasattr(file, "__fspath__")


def _path(file):
    return _os.fsdecode(file)


# ---- npy and npz.

def save(file, arr, allow_pickle=True):
    """An array as an npy file. (numpy.save)

    >>> import io, kiln.numpy as knp
    >>> f = io.BytesIO()
    >>> knp.save(f, knp.arange(3))
    >>> _ = f.seek(0)
    >>> knp.load(f)
    array([0, 1, 2])
    """
    data = _core.npy_of(asarray(arr))
    if not _is_path(file):
        file.write(data)
        return
    path = _path(file)
    with open(path if path.endswith(".npy") else path + ".npy", "wb") as f:
        f.write(data)


def _savez(file, args, kwds, compressed):
    named = dict(kwds)
    for i, x in enumerate(args):
        if f"arr_{i}" in named:
            raise ValueError(f"Cannot use un-named variables and keyword arr_{i}")
        named[f"arr_{i}"] = x
    names, arrays = list(named), [asarray(x) for x in named.values()]
    if _is_path(file):
        _core.savez(_path(file), names, arrays, compressed)
        return
    with _tempfile.TemporaryDirectory() as folder:
        path = _os.path.join(folder, "a.npz")
        _core.savez(path, names, arrays, compressed)
        with open(path, "rb") as f:
            _shutil.copyfileobj(f, file)


def savez(file, *args, allow_pickle=True, **kwds):
    """Several arrays as one npz file. (numpy.savez)"""
    _savez(file, args, kwds, False)


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    """Several arrays as one npz file, compressed. (numpy.savez_compressed)"""
    _savez(file, args, kwds, True)


class NpzFile:
    """The arrays of an npz file, which are read when they are asked for. (numpy.lib.npyio.NpzFile)"""

    def __init__(self, fid, own_fid=False):
        self.fid, self._file = fid if own_fid else None, fid
        if not own_fid:  # the library reads from a file of its own
            self._file = open(_os.memfd_create("npz"), "w+b")
            _shutil.copyfileobj(fid, self._file)
            self._file.flush()
        try:
            self._archive = _n["load_npz"](f"/proc/self/fd/{self._file.fileno()}")
        except BaseException:
            self.close()
            raise
        self.files = [_n["archive_name"](self._archive, i) for i in range(_n["archive_count"](self._archive))]

    @property
    def zip(self):
        """It as Python's zip file."""
        return _zipfile.ZipFile(self._file)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        """Closes the file."""
        if self._file is not None:
            self._file.close()
        self.fid = self._file = self._archive = None

    def __del__(self):
        if hasattr(self, "_file"):
            self.close()

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __contains__(self, key):
        return key in self.files or (isinstance(key, str) and key.removesuffix(".npy") in self.files)

    def __getitem__(self, key):
        if key not in self:
            raise KeyError(f"{key} is not a file in the archive")
        if self._archive is None:
            raise ValueError("the npz file is closed")
        try:
            return _n["archive_get"](self._archive, key)
        except ValueError:
            data = self.zip.read(key) if key in self.zip.namelist() else b"\x93NUMPY"
            if data[:6] == b"\x93NUMPY":  # an array it ought to be
                raise
            return data

    def keys(self):
        """The names."""
        return dict.fromkeys(self.files).keys()

    def values(self):
        """The arrays."""
        return [self[k] for k in self.files]

    def items(self):
        """Names and arrays."""
        return [(k, self[k]) for k in self.files]

    def get(self, key, default=None):
        """The array of a name, or the default."""
        return self[key] if key in self else default

    def __repr__(self):
        name = getattr(self.fid, "name", "object")
        some = ", ".join(self.files[:5]) + ("..." if len(self.files) > 5 else "")
        return f"NpzFile {name!r} with keys: {some}"


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *, max_header_size=10000):
    """The array of an npy file, or the arrays of an npz file. (numpy.load)"""
    if _is_path(file):
        f = open(_path(file), "rb")
        try:
            made = _load(f, allow_pickle, max_header_size, mmap_mode, _path(file))
        except BaseException:
            f.close()
            raise
        if not isinstance(made, NpzFile):
            f.close()
        return made
    return _load(file, allow_pickle, max_header_size, mmap_mode, None)


def _load(f, allow_pickle, limit, mmap_mode, path):
    at = f.tell() if f.seekable() else None
    data = f.read() if at is None else None
    magic = data[:6] if data is not None else f.read(6)
    if not magic:
        raise EOFError("No data left in file")
    if at is not None:
        f.seek(at)
    if magic[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return NpzFile(f, path is not None)
    if magic != b"\x93NUMPY":
        raise ValueError("Cannot load file containing pickled data when allow_pickle=False"
                         if not allow_pickle else "the file is not an npy file")
    if mmap_mode is not None:
        if path is None:
            raise ValueError("Filename must be a string or a path-like object. Memmap cannot use "
                             "existing file handles.")
        return _c["_load"](path, mmap_mode=mmap_mode, max_header_size=limit)
    data = f.read() if data is None else data
    x, used = _core.of_npy(data, limit, allow_pickle)
    if at is not None:
        f.seek(at + used)
    return x


# ---- Bytes.

def fromfile(file, dtype=None, count=-1, sep="", offset=0, *, like=None):
    """The numbers in a file, without a header. (numpy.fromfile)"""
    if _is_path(file):
        return _c["_fromfile"](_path(file), dtype=dtype, count=count, sep=sep, offset=offset)
    if sep:
        return _c["_fromstring"](file.read() if not hasattr(file, "mode") or "b" not in file.mode else
                                 file.read().decode(), sep, dtype=dtype, count=count)
    if offset:
        file.seek(offset, 1)
    size = _core.dtype(dtype or float).itemsize
    data = file.read() if count < 0 else file.read(count * size)
    return frombuffer(data[:len(data) // size * size], dtype).copy()


def _tofile(self, fid, /, sep="", format="%s"):
    """The elements in C order, without a header. (numpy.ndarray.tofile)"""
    if _is_path(fid):
        _c["_tofile"](self, _path(fid), sep=sep, format=format)
    elif sep == "":
        fid.write(self.tobytes())
    else:
        text = sep.join(format % v for v in self.reshape(-1).tolist())
        fid.write(text.encode() if "b" in getattr(fid, "mode", "b") else text)


Array.tofile = _tofile
Array.tofile.__name__ = "tofile"


class memmap:
    """A file as an array: memmap(filename, dtype, mode, offset, shape, order) is an array. (numpy.memmap)"""

    def __new__(cls, filename, dtype="uint8", mode="r+", offset=0, shape=None, order="C"):
        shape = None if shape is None else shape if isinstance(shape, tuple) else (shape,)
        return _c["_memmap"](_path(filename), dtype=dtype, mode=mode, offset=offset, shape=shape, order=order)

    @staticmethod
    def flush(x):
        """What was written is in the file."""
        _c["_memmap_flush"](x)


# ---- Texts.

def _open(path, mode, **options):
    """A file, compressed where its name says so."""
    if path.endswith(".gz"):
        import gzip
        return gzip.open(path, mode, **options)
    if path.endswith(".bz2"):
        import bz2
        return bz2.open(path, mode, **options)
    if path.endswith(".xz"):
        import lzma
        return lzma.open(path, mode, **options)
    return open(path, mode, **options)


def _text_of(fname, encoding):
    """The text of a path (also .gz, .bz2, .xz), of an open file, or of lines."""
    encoding = None if encoding == "bytes" else encoding
    if _is_path(fname):
        path = _path(fname)
        if not _os.path.exists(path):
            raise FileNotFoundError(f"{path} not found.")
        with _open(path, "rb") as f:
            return f.read().decode(encoding or "utf-8")
    if hasattr(fname, "read"):
        data = fname.read()
        return data.decode(encoding or "utf-8") if isinstance(data, bytes) else data
    lines = [line.decode(encoding or "utf-8") if isinstance(line, bytes) else line for line in fname]
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def loadtxt(fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False,
            ndmin=0, encoding=None, max_rows=None, *, quotechar=None, like=None):
    """Rows of numbers in a text. (numpy.loadtxt)

    >>> import io, kiln.numpy as knp
    >>> knp.loadtxt(io.StringIO("1 2\\n3 4"))
    array([[1., 2.],
           [3., 4.]])
    """
    if usecols is not None:
        usecols = [usecols] if hasattr(usecols, "__index__") else list(usecols)
    comments = [] if comments is None else [comments] if isinstance(comments, (str, bytes)) else list(comments)
    comments = [c.decode("latin1") if isinstance(c, bytes) else c for c in comments]
    delimiter = delimiter.decode("latin1") if isinstance(delimiter, bytes) else delimiter
    return _core.loadtxt(_text_of(fname, encoding), {
        "dtype": dtype, "comments": comments, "delimiter": delimiter, "converters": converters,
        "skiprows": skiprows, "usecols": usecols, "unpack": unpack, "ndmin": ndmin, "max_rows": max_rows,
        "quotechar": quotechar})


def genfromtxt(
    fname,
    dtype=float,
    comments="#",
    delimiter=None,
    skip_header=0,
    skip_footer=0,
    converters=None,
    missing_values=None,
    filling_values=None,
    usecols=None,
    names=None,
    excludelist=None,
    deletechars=" !#$%&'()*+,-./:;<=>?@[\\]^{|}~",
    replace_space="_",
    autostrip=False,
    case_sensitive=True,
    defaultfmt="f%i",
    unpack=None,
    usemask=False,
    loose=True,
    invalid_raise=True,
    max_rows=None,
    encoding=None,
    *,
    ndmin=0,
     like=None):
    """Rows of numbers in a text, of which some are missing. (numpy.genfromtxt)

    >>> import io, kiln.numpy as knp
    >>> knp.genfromtxt(io.StringIO("1,2\\n3,"), delimiter=",")
    array([[ 1.,  2.],
           [ 3., nan]])
    """
    if names is not None or usemask:
        raise NotImplementedError("structured arrays and masked arrays are not supported")
    if usecols is not None:
        usecols = [int(c) for c in usecols.split(",")] if isinstance(usecols, str) else (
            [usecols] if hasattr(usecols, "__index__") else list(usecols))
    if isinstance(missing_values, (list, tuple)):
        missing_values = dict(enumerate(missing_values))
    per_column = {}
    if isinstance(missing_values, dict):
        per_column = {k: [v, None] for k, v in missing_values.items()}
        missing_values = None
    if isinstance(filling_values, dict):
        for k, v in filling_values.items():
            per_column.setdefault(k, [None, None])[1] = v
        filling_values = None
    return _core.genfromtxt(_text_of(fname, encoding), {
        "dtype": dtype, "comments": comments, "delimiter": delimiter, "skip_header": skip_header,
        "skip_footer": skip_footer,
        "converters": converters, "missing_values": missing_values, "filling_values": filling_values,
        "per_column": per_column, "usecols": usecols, "autostrip": autostrip, "unpack": bool(unpack), "loose": loose,
        "invalid_raise": invalid_raise, "max_rows": max_rows, "ndmin": ndmin})


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
    """Rows of numbers as a text. (numpy.savetxt)

    >>> import io, kiln.numpy as knp
    >>> f = io.StringIO()
    >>> knp.savetxt(f, [[1, 2], [3, 4]], fmt="%d")
    >>> f.getvalue()
    '1 2\\n3 4\\n'
    """
    X = asarray(X)
    if isinstance(fmt, (list, tuple)):
        fmt = list(fmt)
        if X.ndim in (1, 2) and len(fmt) != (X.shape[1] if X.ndim == 2 else 1):
            raise AttributeError(f"fmt has wrong shape.  {fmt}")
    text = _core.savetxt(X, {"fmt": fmt, "delimiter": delimiter, "newline": newline, "header": header,
                                      "footer": footer, "comments": comments})
    if _is_path(fname):
        path = _path(fname)
        with _open(path, "wb") as f:
            f.write(text.encode(encoding or "latin1"))
    else:
        try:
            fname.write(text)
        except TypeError:
            fname.write(text.encode(encoding or "latin1"))


__all__ = ["fromfile", "genfromtxt", "load", "loadtxt", "memmap", "save", "savetxt", "savez", "savez_compressed"]
