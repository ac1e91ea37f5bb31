# SPDX-License-Identifier: Apache-2.0
"""Operators and control flow under the names of jax.lax."""
import enum as _enum
import typing as _typing

from .. import _core
from .._sharded import with_sharding_constraint
from ..tree_util import tree_flatten as _flatten, tree_map as _tree_map
from ._control import associative_scan, cond, fori_loop, map, reduce, reduce_window, scan, switch, while_loop
from ._solves import custom_linear_solve, custom_root

_c = _core.functions("kiln.lax")
globals().update({k: f for k, f in _c.items() if k[0] != "_"})
_numpy = _core.functions("kiln.numpy")


# ---- Dimension numbers and words.

class ConvDimensionNumbers(_typing.NamedTuple):
    """Which axes of a convolution's operands are what, as positions. (jax.lax.ConvDimensionNumbers)"""
    lhs_spec: tuple
    rhs_spec: tuple
    out_spec: tuple


class GatherDimensionNumbers(_typing.NamedTuple):
    """Which axes of a gather are what. (jax.lax.GatherDimensionNumbers)"""
    offset_dims: tuple
    collapsed_slice_dims: tuple
    start_index_map: tuple
    operand_batching_dims: tuple = ()
    start_indices_batching_dims: tuple = ()


class ScatterDimensionNumbers(_typing.NamedTuple):
    """Which axes of a scatter are what. (jax.lax.ScatterDimensionNumbers)"""
    update_window_dims: tuple
    inserted_window_dims: tuple
    scatter_dims_to_operand_dims: tuple
    operand_batching_dims: tuple = ()
    scatter_indices_batching_dims: tuple = ()


class GatherScatterMode(_enum.Enum):
    """What becomes of places outside of the array. (jax.lax.GatherScatterMode)"""
    CLIP = 1
    FILL_OR_DROP = 2
    PROMISE_IN_BOUNDS = 3

    @staticmethod
    def from_any(s):
        if isinstance(s, GatherScatterMode):
            return s
        words = {"clip": 1, None: 2, "fill": 2, "drop": 2, "promise_in_bounds": 3}
        if s not in words:
            raise ValueError(f'Unknown gather mode "{s}"')
        return GatherScatterMode(words[s])


class RoundingMethod(_enum.IntEnum):
    """What becomes of halves. (jax.lax.RoundingMethod)"""
    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


class RandomAlgorithm(_enum.IntEnum):
    """Generators of rng_bit_generator. (jax.lax.RandomAlgorithm)"""
    RNG_DEFAULT = 0
    RNG_THREE_FRY = 1
    RNG_PHILOX = 2


class FftType(_enum.IntEnum):
    """Transforms of fft. (jax.lax.FftType)"""
    FFT = 0
    IFFT = 1
    RFFT = 2
    IRFFT = 3


class Precision(_enum.Enum):
    """Taken and not needed: products are as precise as their dtype. (jax.lax.Precision)"""
    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2


def conv_dimension_numbers(lhs_shape, rhs_shape, dimension_numbers):
    """Positions of axes, from words like ("NCHW", "OIHW", "NCHW"). (jax.lax.conv_dimension_numbers)"""
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    r = _c["_conv_dimension_numbers"](lhs_shape, rhs_shape, dimension_numbers)
    return ConvDimensionNumbers(r.lhs_spec, r.rhs_spec, r.out_spec)


def conv_general_permutations(dimension_numbers):
    """Positions of axes, from words. (jax.lax.conv_general_permutations)"""
    shape = (1,) * len(dimension_numbers[0])
    return tuple(conv_dimension_numbers(shape, shape, dimension_numbers))


def _mode(mode):
    return 0 if mode is None else GatherScatterMode.from_any(mode).value


def gather(operand, start_indices, dimension_numbers, slice_sizes, *, unique_indices=False, indices_are_sorted=False,
           mode=None, fill_value=None):
    """Slices of these sizes from the places that start_indices name. (jax.lax.gather)"""
    return _c["_gather"](operand, start_indices, dimension_numbers, slice_sizes, unique_indices=unique_indices,
                         indices_are_sorted=indices_are_sorted, mode=_mode(mode), fill_value=fill_value)


def _scatter(name, doc):
    row = _c["_" + name]

    def f(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False, unique_indices=False,
          mode=None):
        return row(operand, scatter_indices, updates, dimension_numbers, indices_are_sorted=indices_are_sorted,
                   unique_indices=unique_indices, mode=_mode(mode))

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"operand, with the updates {doc} at places that scatter_indices name. (jax.lax.{name})"
    return f


scatter = _scatter("scatter", "written")
scatter_add = _scatter("scatter_add", "added")
scatter_sub = _scatter("scatter_sub", "taken away")
scatter_mul = _scatter("scatter_mul", "multiplied")
scatter_min = _scatter("scatter_min", "joined as minima")
scatter_max = _scatter("scatter_max", "joined as maxima")


def round(x, rounding_method=RoundingMethod.AWAY_FROM_ZERO):
    """The nearest integer, as a float. (jax.lax.round)"""
    return _c["_round"](x, rounding_method)


def fft(x, fft_type, fft_lengths):
    """The discrete Fourier transform over the last axes. (jax.lax.fft)"""
    if not isinstance(fft_type, str):
        fft_type = FftType(fft_type).name
    return _c["_fft"](x, fft_type.upper(), tuple(fft_lengths))


def rng_bit_generator(key, shape, dtype="uint32", algorithm=RandomAlgorithm.RNG_DEFAULT, *, out_sharding=None):
    """(next key, random bits). (jax.lax.rng_bit_generator)"""
    return tuple(_c["_rng_bit_generator"](key, shape, dtype, int(algorithm)))


def dot(lhs, rhs, *, dimension_numbers=None, precision=None, preferred_element_type=None, out_sharding=None):
    """The product of vectors and matrices, or dot_general. (jax.lax.dot)"""
    if dimension_numbers is not None:
        return _c["dot_general"](lhs, rhs, dimension_numbers, precision, preferred_element_type)
    return _c["_dot"](lhs, rhs, precision, preferred_element_type)


def full_like(x, fill_value, dtype=None, shape=None, sharding=None):
    """An array like x, of one value. (jax.lax.full_like)"""
    return _c["_full_like"](x, fill_value, dtype, shape)


def sort(operand, dimension=-1, is_stable=True, num_keys=1):
    """Sorts along an axis, an array or several by the first ones. (jax.lax.sort)"""
    if not isinstance(operand, (tuple, list)):
        if num_keys != 1:
            raise ValueError(f"{num_keys=} must equal 1 for a single operand.")
        return _c["_sort_one"](operand, dimension, is_stable)
    if not operand:
        raise TypeError("Sort requires at least one operand")
    if not 1 <= num_keys <= len(operand):
        raise ValueError(f"{num_keys=} must be between 1 and {len(operand)=}")
    return _c["_sort"](operand, dimension, is_stable, num_keys)


def _starts(indices):
    """Start indices as a list: a vector is as many numbers."""
    ndim = getattr(indices, "ndim", None)
    return list(indices) if ndim is None or ndim == 1 else indices


def dynamic_slice(operand, start_indices, slice_sizes, *, allow_negative_indices=True):
    """A slice whose place may be traced; it is moved inside. (jax.lax.dynamic_slice)"""
    return _c["_dynamic_slice"](operand, _starts(start_indices), slice_sizes,
                                allow_negative_indices=allow_negative_indices)


def dynamic_update_slice(operand, update, start_indices, *, allow_negative_indices=True):
    """operand, with the update at a place that may be traced. (jax.lax.dynamic_update_slice)"""
    return _c["_dynamic_update_slice"](operand, update, _starts(start_indices),
                                       allow_negative_indices=allow_negative_indices)


def approx_max_k(operand, k, reduction_dimension=-1, recall_target=0.95, reduction_input_size_override=-1,
                 aggregate_to_topk=True):
    """The k largest, and where they are; exact here. (jax.lax.approx_max_k)"""
    return tuple(_c["_approx_max_k"](operand, k, reduction_dimension))


def approx_min_k(operand, k, reduction_dimension=-1, recall_target=0.95, reduction_input_size_override=-1,
                 aggregate_to_topk=True):
    """The k smallest, and where they are; exact here. (jax.lax.approx_min_k)"""
    return tuple(_c["_approx_min_k"](operand, k, reduction_dimension))


def broadcast_shapes(*shapes):
    """The shape that these broadcast to. (jax.lax.broadcast_shapes)"""
    return _numpy["broadcast_shapes"](*shapes)


def optimization_barrier(operand, /):
    """The operands, none of which is used before all are there. (jax.lax.optimization_barrier)"""
    leaves, treedef = _flatten(operand)
    return treedef.unflatten(_c["_optimization_barrier"](leaves))


def stop_gradient(x):
    """x, a constant to derivatives. (jax.lax.stop_gradient)"""
    return _tree_map(_c["_stop_gradient"], x)


# ---- Collectives, over axes with names: of vmap and pmap, and of the mesh in a shard_map.

def psum(x, axis_name, *, axis_index_groups=None):
    """The sum over the lanes of a mapped axis. (jax.lax.psum)"""
    return _tree_map(lambda v: _c["_psum"](v, axis_name, axis_index_groups=axis_index_groups), x)


def pmean(x, axis_name, *, axis_index_groups=None):
    """The mean over the lanes. (jax.lax.pmean)"""
    return _tree_map(lambda v: _c["_pmean"](v, axis_name, axis_index_groups=axis_index_groups), x)


def pmax(x, axis_name, *, axis_index_groups=None):
    """The maximum over the lanes. (jax.lax.pmax)"""
    return _tree_map(lambda v: _c["_pmax"](v, axis_name, axis_index_groups=axis_index_groups), x)


def pmin(x, axis_name, *, axis_index_groups=None):
    """The minimum over the lanes. (jax.lax.pmin)"""
    return _tree_map(lambda v: _c["_pmin"](v, axis_name, axis_index_groups=axis_index_groups), x)


def all_gather(x, axis_name, *, axis_index_groups=None, axis=0, tiled=False, to="varying"):
    """The values of all lanes along a new axis, or along an old one. (jax.lax.all_gather)"""
    return _tree_map(lambda v: _c["_all_gather"](v, axis_name, axis_index_groups=axis_index_groups, axis=axis,
                                                 tiled=tiled), x)


def all_to_all(x, axis_name, split_axis, concat_axis, *, axis_index_groups=None, tiled=False):
    """Parts of each lane's value go to all lanes. (jax.lax.all_to_all)"""
    return _tree_map(lambda v: _c["_all_to_all"](v, axis_name, split_axis, concat_axis,
                                                 axis_index_groups=axis_index_groups, tiled=tiled), x)


def psum_scatter(x, axis_name, *, scatter_dimension=0, axis_index_groups=None, tiled=False):
    """Each lane's part of the sum over the lanes. (jax.lax.psum_scatter)"""
    return _tree_map(lambda v: _c["_psum_scatter"](v, axis_name, scatter_dimension=scatter_dimension,
                                                   axis_index_groups=axis_index_groups, tiled=tiled), x)


def ppermute(x, axis_name, perm):
    """Values go from lane to lane, by pairs (from, to). (jax.lax.ppermute)"""
    return _tree_map(lambda v: _c["_ppermute"](v, axis_name, perm), x)


def pshuffle(x, axis_name, perm):
    """Lane i gets the value of lane perm[i]. (jax.lax.pshuffle)"""
    return _tree_map(lambda v: _c["_pshuffle"](v, axis_name, perm), x)


def pswapaxes(x, axis_name, axis, *, axis_index_groups=None):
    """Swaps the mapped axis with one of the value's. (jax.lax.pswapaxes)"""
    return _tree_map(lambda v: _c["_pswapaxes"](v, axis_name, axis), x)


def pcast(x, axis_name, *, to):
    """x, which counts as one that may differ from device to device (to="varying"): what does is found without being
    told. (jax.lax.pcast)"""
    if to != "varying":
        raise ValueError(f'pcast: to has to be "varying", not {to!r}: {to} values are no types of their own here')
    axes = axis_name if isinstance(axis_name, (tuple, list)) else (axis_name,)
    for a in axes:
        _c["axis_size"](a)  # is there such an axis?
    return x


def pvary(x, axis_name):
    """x, which counts as one that may differ from device to device. (jax.lax.pvary)"""
    return pcast(x, axis_name, to="varying")


def pbroadcast(x, axis_name, source):
    """The value of one lane, in all. (jax.lax.pbroadcast)"""
    return _tree_map(lambda v: _c["_pbroadcast"](v, axis_name, source), x)


from . import linalg

__all__ = sorted(n for n, v in globals().items() if n[0] != "_" and callable(v)) + ["linalg"]
