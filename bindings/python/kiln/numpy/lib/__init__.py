# SPDX-License-Identifier: Apache-2.0
"""What NumPy has in numpy.lib: stride_tricks, array_utils, npyio, NumpyVersion, Arrayterator."""
from ... import _core
from .._iteration import Arrayterator
from . import array_utils, npyio, stride_tricks

_c = _core.functions("kiln.numpy")


class NumpyVersion:
    """A version text that can be compared. (numpy.lib.NumpyVersion)

    >>> import kiln.numpy as knp
    >>> knp.lib.NumpyVersion("1.10.0") > "1.9.2"
    True
    """

    __hash__ = None

    def __init__(self, vstring):
        self.vstring = vstring
        _c["_NumpyVersion"](vstring, vstring)

    def _against(self, other):
        if not isinstance(other, (str, NumpyVersion)):
            raise ValueError("Invalid object to compare with NumpyVersion.")
        return _c["_NumpyVersion"](self.vstring, other.vstring if isinstance(other, NumpyVersion) else other)

    def __eq__(self, other):
        return self._against(other) == 0

    def __ne__(self, other):
        return self._against(other) != 0

    def __lt__(self, other):
        return self._against(other) < 0

    def __le__(self, other):
        return self._against(other) <= 0

    def __gt__(self, other):
        return self._against(other) > 0

    def __ge__(self, other):
        return self._against(other) >= 0

    def __repr__(self):
        return f"NumpyVersion({self.vstring})"


__all__ = ["Arrayterator", "NumpyVersion", "array_utils", "npyio", "stride_tricks"]
