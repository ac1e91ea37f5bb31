# SPDX-License-Identifier: Apache-2.0
"""Polynomials of one variable, and fitting them."""
import re as _re
import warnings as _warnings

from .. import _core
from .._core import Array
from ._creation import array, asarray
from .exceptions import RankWarning

_c = _core.functions("kiln.numpy")


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial with the least squares of differences. (numpy.polyfit)

    >>> import kiln.numpy as knp
    >>> knp.polyfit([0., 1., 2.], [1., 3., 5.], 1).round(6)
    array([2., 1.])
    """
    if full:
        c, resid, rank, s = _c["_polyfit"](x, y, deg, rcond=rcond, w=w, residuals=True, rank=True, singular_values=True)
        x = asarray(x)
        if rcond is None:
            rcond = len(x) * _c["_finfo"](x.dtype if x.dtype.kind == "f" else "float64").eps
        return c, resid, rank.astype("int32"), s, rcond
    options = {"cov": True, "unscaled": cov == "unscaled"} if cov else {}
    c, rank, *covariance = _c["_polyfit"](x, y, deg, rcond=rcond, w=w, rank=True, **options)
    try:
        if rank.item() != deg + 1:
            _warnings.warn("Polyfit may be poorly conditioned", RankWarning, stacklevel=2)
    except _core.ConcretizationTypeError:
        pass
    return (c, *covariance) if cov else c


class poly1d:
    """A polynomial of one variable, by its coefficients from the highest power on, or by its roots. (numpy.poly1d)

    >>> import kiln.numpy as knp
    >>> p = knp.poly1d([1, 2, 3])
    >>> print(p(2), p[1], (p * p).coeffs)
    11 2 [ 1  4 10 12  9]
    """

    __hash__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, poly1d):
            self._coeffs, self._variable = c_or_r._coeffs, c_or_r._variable
        else:
            self._coeffs, self._variable = _c["_poly1d"](c_or_r, r=r), "x"
        if variable is not None:
            self._variable = variable

    @property
    def coeffs(self):
        """The coefficients, from the highest power on."""
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value):
        if value is not self._coeffs:
            raise AttributeError("Cannot set attribute")

    c = coef = coefficients = coeffs

    @property
    def variable(self):
        """The name of the variable."""
        return self._variable

    @property
    def order(self):
        """The degree."""
        return len(self._coeffs) - 1

    o = order

    @property
    def roots(self):
        """The roots."""
        return roots(self)

    r = roots

    def __array__(self, dtype=None, copy=None):
        return self._coeffs.__array__(dtype)

    def __kiln_array__(self):
        return self._coeffs

    def __repr__(self):
        return f"poly1d({repr(self._coeffs)[6:-1]})"

    def __len__(self):
        return self.order

    def __str__(self):
        coeffs = self._coeffs.tolist()
        lead = 0
        while lead < len(coeffs) - 1 and coeffs[lead] == 0:
            lead += 1
        coeffs, n, text = coeffs[lead:], len(coeffs) - lead - 1, ""

        def number(q):
            s = f"{q:.4g}" if not isinstance(q, complex) or q.imag == 0 else (
                f"{q.imag:.4g}j" if q.real == 0 else f"({q.real:.4g} + {q.imag:.4g}j)")
            return s[:-5] if s.endswith(".0000") else s

        for k, coeff in enumerate(coeffs):
            s, power = number(coeff.real if isinstance(coeff, complex) and coeff.imag == 0 else coeff), n - k
            if power == 0:
                part = s if s != "0" or k == 0 else ""
            elif power == 1:
                part = "" if s == "0" else f"{s} {self._variable}"
            else:
                part = "" if s == "0" else f"{s} {self._variable}**{power}"
            if k == 0:
                text = part
            elif part:
                text += f" - {part[1:]}" if part.startswith("-") else f" + {part}"
        line1, line2, done, n = "", "", " ", 0
        for found in _re.finditer(r"\*\*([0-9]*)", text):  # exponents go to a line of their own, above
            power, part = found[1], text[n:found.start()]
            below, above, n = part + " " * (len(power) - 1), " " * (len(part) - 1) + power, found.end()
            if len(line2) + len(below) > 70 or len(line1) + len(above) > 70:
                done += line1 + "\n" + line2 + "\n "
                line1 = line2 = ""
            line1, line2 = line1 + above, line2 + below
        return done + line1 + "\n" + line2 + text[n:]

    def __call__(self, val):
        if isinstance(val, poly1d):
            y = poly1d(0)
            for c in self._coeffs:
                y = y * val + poly1d(c)
            return y
        return _c["polyval"](self._coeffs, val)

    def _with(self, other, f, swap=False):
        other = poly1d(other)
        return poly1d(f(other._coeffs, self._coeffs) if swap else f(self._coeffs, other._coeffs))

    def __neg__(self):
        return poly1d(-self._coeffs)

    def __pos__(self):
        return self

    def __add__(self, other):
        return self._with(other, _c["polyadd"])

    __radd__ = __add__

    def __sub__(self, other):
        return self._with(other, _c["polysub"])

    def __rsub__(self, other):
        return self._with(other, _c["polysub"], True)

    def __mul__(self, other):
        return poly1d(self._coeffs * other) if isinstance(other, (int, float, complex)) else self._with(
            other, _c["polymul"])

    __rmul__ = __mul__

    def __pow__(self, val):
        if not isinstance(val, int) or val < 0:
            raise ValueError("Power to non-negative integers only.")
        y = poly1d([1])
        for _ in range(val):
            y = y * self
        return y

    def __truediv__(self, other):
        if isinstance(other, (int, float, complex)):
            return poly1d(self._coeffs / other)
        q, r = polydiv(self, poly1d(other))
        return q, r

    def __rtruediv__(self, other):
        return polydiv(poly1d(other), self)

    def __eq__(self, other):
        return isinstance(other, poly1d) and self._coeffs.shape == other._coeffs.shape and bool(
            (self._coeffs == other._coeffs).all())

    def __ne__(self, other):
        return not self == other

    def __getitem__(self, val):
        at = self.order - val
        return 0 if val > self.order or val < 0 else self._coeffs[at]

    def __setitem__(self, key, val):
        at = self.order - key
        if key < 0:
            raise ValueError("Does not support negative powers.")
        if key > self.order:
            self._coeffs, at = _c["concatenate"](
                [_c["zeros"](key - self.order, dtype=self._coeffs.dtype), self._coeffs]), 0
        self._coeffs[at] = val

    def __iter__(self):
        return iter(self._coeffs)

    def integ(self, m=1, k=0):
        """The antiderivative. (numpy.poly1d.integ)"""
        return poly1d(_c["polyint"](self._coeffs, m=m, k=k))

    def deriv(self, m=1):
        """The derivative. (numpy.poly1d.deriv)"""
        return poly1d(_c["polyder"](self._coeffs, m=m))


def _of(f, *polys, **kw):
    """f of coefficients; a poly1d if one of them is."""
    made = f(*[p._coeffs if isinstance(p, poly1d) else p for p in polys], **kw)
    if not any(isinstance(p, poly1d) for p in polys):
        return made
    return tuple(poly1d(m) for m in made) if isinstance(made, tuple) else poly1d(made)


def polyadd(a1, a2):
    """The sum of polynomials. (numpy.polyadd)"""
    return _of(_c["polyadd"], a1, a2)


def polysub(a1, a2):
    """The difference of polynomials. (numpy.polysub)"""
    return _of(_c["polysub"], a1, a2)


def polymul(a1, a2):
    """The product of polynomials. (numpy.polymul)"""
    return _of(_c["polymul"], a1, a2)


def polydiv(u, v):
    """The quotient of polynomials, and what is left. (numpy.polydiv)"""
    made = _c["polydiv"](*[p._coeffs if isinstance(p, poly1d) else p for p in (u, v)])
    return tuple(poly1d(m) for m in made) if isinstance(u, poly1d) or isinstance(v, poly1d) else tuple(made)


def polyder(p, m=1):
    """The derivative. (numpy.polyder)"""
    return _of(_c["polyder"], p, m=m)


def polyint(p, m=1, k=None):
    """The antiderivative. (numpy.polyint)"""
    return _of(_c["polyint"], p, m=m, k=k)


def polyval(p, x):
    """The polynomial's value. (numpy.polyval)"""
    p = p._coeffs if isinstance(p, poly1d) else p
    if isinstance(x, poly1d):
        return poly1d(p)(x)
    return _c["polyval"](p, x)


def roots(p):
    """The roots of a polynomial. (numpy.roots)"""
    from .linalg import real_if_real
    return real_if_real(_c["roots"](p._coeffs if isinstance(p, poly1d) else p))


def poly(seq_of_zeros):
    """The polynomial with these roots, or the characteristic one of a matrix. (numpy.poly)"""
    return _c["poly"](seq_of_zeros)


__all__ = [
    "poly",
    "poly1d",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
     "roots"]
