# SPDX-License-Identifier: Apache-2.0
"""Bars that show how far scans are, in terminals and in notebooks."""

import html as _html
import sys as _sys
import time as _time

from . import _core

__all__ = ["progress"]


def _notebook():
    """IPython's display where a notebook shows it, else None."""
    ipython = _sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import HTML, display

    return lambda text, handle: display(HTML(text), display_id=True) if handle is None else handle.update(HTML(text))


class progress:
    """Scans that are called, or recorded by jit, inside of the block show how far they are.

    >>> import io, kiln, kiln.numpy as knp
    >>> out = io.StringIO()
    >>> with kiln.progress("adding", file=out):
    ...     total, _ = kiln.lax.scan(lambda c, x: (c + x, None), 0.0, knp.arange(100.0))
    >>> float(total), "adding: 100/100" in out.getvalue()
    (4950.0, True)
    """

    def __init__(self, title="scan", *, file=None, width=40):
        self.title, self.file, self.width = title, file, width

    def __enter__(self):
        self._begin, self._handle, self._shown = None, None, 0
        self._display = _notebook() if self.file is None else None
        self._before = _core.set_progress(self._told)
        return self

    def __exit__(self, *exception):
        _core.set_progress(self._before)
        self._before = None
        if self._shown and self._display is None:
            (self.file or _sys.stderr).write("\n")

    def _told(self, step, length):
        now = _time.monotonic()
        if self._begin is None or step < self._last:
            self._begin = now
        self._last = step
        left = (now - self._begin) * (length - step) / step
        text = f"{self.title}: {step}/{length}, {now - self._begin:.1f} s" + (
            f", {left:.1f} s left" if step < length else ""
        )
        if self._display:
            bar = f'<progress value="{step}" max="{length}" style="width:{self.width}ch"></progress>'
            shown = self._display(f"{bar} {_html.escape(text)}", self._handle)
            self._handle = self._handle or shown
            return
        full = self.width * step // length
        line = f"|{'█' * full}{' ' * (self.width - full)}| {text}"
        file = self.file or _sys.stderr
        file.write("\r" + line + " " * (self._shown - len(line)))
        file.flush()
        self._shown = len(line)
