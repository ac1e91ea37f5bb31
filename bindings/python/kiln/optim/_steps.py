# SPDX-License-Identifier: Apache-2.0
"""Conditions on the number of a step, as the library has them: a range of steps. A function like
lambda step: (step >= 10) & (step % 2 == 0) is called with a step that notes what it is compared with."""


class _Range:
    """The steps start, start + every, ..., below stop."""

    def __init__(self, start=0, stop=2 ** 53, every=1):
        self.start, self.stop, self.every = max(start, 0), stop, every

    def __and__(self, other):
        if not isinstance(other, _Range):
            return NotImplemented
        if self.every > 1 and other.every > 1:
            return NotImplemented
        every, rest = max((self.every, self.start), (other.every, other.start))
        start = max(self.start, other.start)
        return _Range(start + (rest - start) % every, min(self.stop, other.stop), every)

    def __bool__(self):
        raise TypeError("a condition on a step has no value yet; combine conditions with &")


class _Rest:
    """The remainder of a step."""

    def __init__(self, every):
        self._every = every

    def __eq__(self, rest):
        return _Range(rest, every=self._every) if isinstance(rest, int) and 0 <= rest < self._every else NotImplemented

    __hash__ = None


class _Step:
    """A step that can be compared with integers."""

    def __ge__(self, n):
        return _Range(n) if isinstance(n, int) else NotImplemented

    def __gt__(self, n):
        return _Range(n + 1) if isinstance(n, int) else NotImplemented

    def __lt__(self, n):
        return _Range(stop=n) if isinstance(n, int) else NotImplemented

    def __le__(self, n):
        return _Range(stop=n + 1) if isinstance(n, int) else NotImplemented

    def __eq__(self, n):
        return _Range(n, n + 1) if isinstance(n, int) else NotImplemented

    def __mod__(self, every):
        return _Rest(every) if isinstance(every, int) and every > 0 else NotImplemented

    __hash__ = None


def steps_of(name, condition):
    """The options of the library for a condition, a function of the step."""
    try:
        found = condition(_Step())
    except TypeError as e:
        raise TypeError(f"{name}: the condition has to be a range of steps, of comparisons with integers ({e})") from e
    if not isinstance(found, _Range):
        raise TypeError(f"{name}: the condition has to be a range of steps, as lambda step: step >= 10, not {found!r}")
    return {"from": found.start, "to": found.stop, "every": found.every}
