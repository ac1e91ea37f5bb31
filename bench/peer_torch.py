# SPDX-License-Identifier: Apache-2.0
"""The functions of tables (work.h) with PyTorch, by name, as in peer_functions.py."""
import torch

from peer_functions import assign, assign_pairs, copies, gray, halved, moments, nbody, stencil_inside, stencil_rolled, taken, written


def viewed(name):
    """What has a negative stride with NumPy is a copy here."""
    return {"flip_rows": lambda x: torch.flip(x, (1,)), "flip_all": lambda x: torch.flip(x, (0,))}.get(name)


def padded(mode):
    return lambda x: torch.nn.functional.pad(x[None, None], (16, 16, 16, 16), mode=mode)[0, 0]


def torch_functions():
    def scattered(product=lambda x: x):
        return lambda x, at, like: torch.zeros_like(like).index_add_(0, at, product(x))

    def segments(n):
        return lambda x, at: torch.zeros((n, *x.shape[1:]), dtype=x.dtype).index_add_(0, at, x)

    def maxima(x, at, n=1000):
        return torch.zeros(n, dtype=x.dtype).scatter_reduce_(0, at.long(), x, "amax", include_self=True)

    quantiles = torch.tensor([0.05, 0.5, 0.95])
    return {
        # sorting
        "sort": lambda x: torch.sort(x).values,
        "argsort": (torch.argsort, taken()),
        "sort_axis0": lambda x: torch.sort(x, dim=0).values,
        "argsort_axis0": (lambda x: torch.argsort(x, dim=0), taken(0)),
        "sort_descending": lambda x: torch.sort(x, descending=True).values,
        "median": torch.median,
        "median_rows": lambda x: torch.median(x, dim=-1).values,
        "percentiles": lambda x: torch.quantile(x, quantiles),
        "top_k": lambda x: torch.topk(x, 100).values,
        "top_k_rows": lambda x: torch.topk(x, 10).values,
        "searchsorted": torch.searchsorted,
        "isin": torch.isin,
        "unique": torch.unique,
        "unique_counts": lambda x: torch.unique(x, return_counts=True),
        "unique_inverse": lambda x: torch.unique(x, return_inverse=True),
        # searching
        "nonzero": torch.nonzero,
        "nonzero_2d": lambda x: torch.nonzero(x, as_tuple=True),
        "flatnonzero": torch.nonzero,
        "mask_select": lambda x, mask: x[mask],
        "mask_assign": written(lambda x, mask: assign(x, mask, 0)),
        "where_clip": lambda x: torch.where(x > 0.5, torch.clip(x, 0.25, 0.75), x * x),
        "select3": lambda x: torch.where(x < 0.25, x * 2, torch.where(x < 0.5, -x, 0.0)),
        "argmax": torch.argmax,
        "argmin": torch.argmin,
        "argmax_axis0": lambda x: torch.argmax(x, dim=0),
        "argmax_axis1": lambda x: torch.argmax(x, dim=1),
        "any": torch.any,
        "all": torch.all,
        "any_axis1": lambda x: torch.any(x, dim=1),
        "any_above": lambda x: torch.any(x > 2),
        "count_nonzero": torch.count_nonzero,
        "count_axis0": lambda x: torch.count_nonzero(x, dim=0),
        "bincount": torch.bincount,
        "bincount_weights": torch.bincount,
        "histogram": lambda x: torch.histc(x, 256, 0, 1),
        "histogram_edges": lambda x, edges: torch.histogram(x, edges)[0],
        "digitize": lambda x, bins: torch.bucketize(x, bins, right=True),
        # indexing
        "gather": lambda x, at: x[at.int() if at.dtype == torch.uint8 else at],
        "gather_rows": lambda x, at: x[at],
        "gather_columns": lambda x, at: x[:, at],
        "gather_pairs": lambda x, i, k: x[i, k],
        "gather_number": lambda x, at: x[at, 1],
        "gather_some_columns": lambda x, at: x[:4, at],
        "gather_strided": lambda x, at: x[::2][at],
        "gather_mask": lambda x, mask: x[mask],
        "take_along": lambda x, at: torch.gather(x, -1, at),
        "take_along_axis0": lambda x, at: torch.gather(x, 0, at),
        "scatter_add": scattered(),
        "scatter_max": lambda x, at, like: maxima(x, at, like.numel()),
        "scatter_product": scattered(lambda x: (x - 0.5) * x),
        "add_at": written(lambda x, at, v: x.index_add_(0, at, v)),
        "write_at": written(assign),
        "write_number_at": written(assign),
        "write_rows": written(assign),
        "write_pairs": written(assign_pairs),
        "segment_sum_1e3": segments(1000),
        "segment_sum_1e6": segments(1000000),
        "segment_max_1e3": maxima,
        # scanning
        "cumsum": lambda x: torch.cumsum(x, 0),
        "cumprod": lambda x: torch.cumprod(x, 0),
        "cummax": lambda x: torch.cummax(x, 0).values,
        "cummin": lambda x: torch.cummin(x, 0).values,
        "cumlogsumexp": lambda x: torch.logcumsumexp(x, 0),
        "cumsum_reverse": lambda x: torch.flip(torch.cumsum(torch.flip(x, (0,)), 0), (0,)),
        "cumsum_axis0": lambda x: torch.cumsum(x, 0),
        "cumsum_axis1": lambda x: torch.cumsum(x, 1),
        "cumprod_axis0": lambda x: torch.cumprod(x, 0),
        "cumprod_axis1": lambda x: torch.cumprod(x, 1),
        "cummax_axis0": lambda x: torch.cummax(x, 0).values,
        "cummax_axis1": lambda x: torch.cummax(x, 1).values,
        "cumlogsumexp_axis0": lambda x: torch.logcumsumexp(x, 0),
        "cumlogsumexp_axis1": lambda x: torch.logcumsumexp(x, 1),
        "cumsum_of_product": lambda x: torch.cumsum(x * (x + 0.5), 0) * 2,
        "diff": torch.diff,
        # strides
        **{name: viewed(name) or f for name, f in copies(torch.permute, torch.Tensor.contiguous).items()},
        "complex_mul": torch.mul,
        "complex_magnitude": torch.abs,
        "complex_exp": torch.exp,
        "complex_real": lambda x: x.real + x.imag,
        "gray": gray(torch.Tensor.float),
        "even_times_odd": lambda x: x[::2] * x[1::2],
        "halved": halved,
        "stack_last": lambda *x: torch.stack(x, dim=-1),
        "stack_two": lambda *x: torch.stack(x, dim=-1),
        "add_flipped": lambda x: x + torch.flip(x, (0,)),
        "unit_rows": lambda x: x / torch.sqrt((x * x).sum(dim=-1, keepdim=True)),
        "cross": lambda x, y: torch.linalg.cross(x, y),
        "nbody": nbody(torch.sqrt),
        "sum_last": lambda x: x.sum(dim=-1),
        "sum_first": lambda x: x.sum(dim=0),
        "sum_middle": lambda x: x.sum(dim=1),
        "sum_outer": lambda x: x.sum(dim=(0, 2)),
        "sum_leading": lambda x: x.sum(dim=(0, 1)),
        "max_middle": lambda x: torch.amax(x, dim=1),
        "mean_first": lambda x: x.mean(dim=0),
        "sum_of_all": torch.sum,
        "max_last": lambda x: torch.amax(x, dim=-1),
        "max_first": lambda x: torch.amax(x, dim=0),
        "prod_of_all": torch.prod,
        "var_first": lambda x: torch.var(x, dim=0, correction=0),
        "var_last": lambda x: torch.var(x, dim=1, correction=0),
        "std_of_all": lambda x: torch.std(x, correction=0),
        "norm": torch.linalg.norm,
        "logsumexp_last": lambda x: torch.logsumexp(x, dim=-1),
        # copies
        "concatenate4": lambda x, y, z: torch.cat([x, y, z, x]),
        "concatenate_columns": lambda x, y: torch.cat([x, y], dim=1),
        "roll_both": lambda x: torch.roll(x, (100, 100), (0, 1)),
        "roll_flat": lambda x: torch.roll(x, 1000),
        "pad_zeros": padded("constant"),
        "pad_reflect": padded("reflect"),
        "pad_edge": padded("replicate"),
        "repeat3": lambda x: torch.repeat_interleave(x, 3),
        "tile1000": lambda x: torch.tile(x, (1000, 1)),
        "outer": torch.outer,
        "tril": torch.tril,
        "stencil_rolled": stencil_rolled(torch.roll),
        "stencil_inside": stencil_inside,
        "range": lambda x: torch.arange(x.numel()),
        "zeros": torch.zeros_like,
        "permutation": (lambda x: x[torch.randperm(x.numel())], moments),
    }
