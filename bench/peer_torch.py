# SPDX-License-Identifier: Apache-2.0
"""The functions of tables (work.h) with PyTorch, by name, as in peer_functions.py."""
import torch

from peer_functions import moments, taken


def torch_functions():
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
        "permutation": (lambda x: x[torch.randperm(x.numel())], moments),
    }
