# SPDX-License-Identifier: Apache-2.0
"""rows.py -- what the programs are made of: (weight, template, how to compare, remarks).

How to compare: "x": the same bits (any NaN equals any); a number: units in the last place (of the larger part of a
complex number); "s": sums of mild numbers, "S": of products of some; "z": the same bits of real numbers, 4 units of complex ones; "o":
bits, but zeros of both signs are equal (all in compare.py). Remarks: "v": needs values, so it is refused under kn_jit;
"w": a statement that writes to `a`; "n": values are left out (np.empty)."""

UNARY_EXACT = """negative positive absolute abs fabs sign square reciprocal sqrt floor ceil trunc fix rint signbit spacing
 conjugate conj isnan isinf isfinite logical_not invert bitwise_not bitwise_invert bitwise_count real imag iscomplex isreal isposinf
 isneginf""".split()
UNARY_ULP = """exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin asin arccos acos arctan atan sinh cosh tanh arcsinh asinh
 arccosh acosh arctanh atanh cbrt deg2rad radians rad2deg degrees angle i0 sinc""".split()
BINARY_EXACT = """add subtract multiply divide true_divide floor_divide remainder mod fmod maximum minimum fmax fmin copysign nextafter
 heaviside gcd lcm left_shift right_shift bitwise_and bitwise_or bitwise_xor equal not_equal less less_equal greater
 greater_equal logical_and logical_or logical_xor bitwise_left_shift bitwise_right_shift""".split()
BINARY_ULP = "power pow float_power arctan2 atan2 hypot logaddexp logaddexp2".split()
UFUNCS = """add subtract multiply divide power maximum minimum bitwise_and bitwise_or bitwise_xor floor_divide remainder fmod
 float_power fmax fmin arctan2 hypot copysign nextafter heaviside logaddexp logaddexp2 gcd lcm left_shift right_shift equal
 not_equal less less_equal greater greater_equal logical_and logical_or logical_xor""".split()
EXACT_UFUNCS = [u for u in UFUNCS if u in BINARY_EXACT]
ORDERLESS = "maximum minimum bitwise_and bitwise_or bitwise_xor fmax fmin gcd lcm logical_and logical_or logical_xor".split()

ROWS = []


def rows(text, weight=1.0):
    """One row a line: template | how to compare | remarks."""
    for line in text.strip().splitlines():
        parts = [p.strip() for p in line.split(" | ")]
        parts += ["x", ""][len(parts) - 1:] if len(parts) < 3 else []
        ROWS.append((weight, parts[0], parts[1], parts[2]))


for name in UNARY_EXACT:
    if name in ("abs", "absolute", "sign"):
        rows(f"np.{name}({{a:cm}}) | 3", 0.2)
        rows(f"np.{name}({{a:bru}})", 0.3)
    else:
        rows(f"np.{name}({{a}}) | z", 0.4)
for name in UNARY_ULP:
    rows(f"np.{name}({{a:bru{'h' if name == 'sinc' else ''}}}) | 5", 0.4)
    rows(f"np.{name}({{a:cm}}) | 64", 0.1)
for name in BINARY_EXACT:
    how = "o" if name in ("maximum", "minimum", "fmax", "fmin") else "z"
    rows(f"np.{name}({{a}}, {{o}}) | {how}", 0.5)
    rows(f"np.{name}({{n}}, {{a}}) | {how}", 0.1)
for name in BINARY_ULP:
    rows(f"np.{name}({{a:bru}}, {{b~a:bru}}) | 8", 0.3)
    rows(f"np.{name}({{a:bru}}, {{n}}) | 8", 0.1)
    rows(f"np.{name}({{a:cm}}, {{b~a:m}}) | 256", 0.1)
for name in EXACT_UFUNCS:
    how = "o" if name in ("maximum", "minimum", "fmax", "fmin") else "z"
    rows(f"np.{name}.outer({{a:012ms}}, {{b:012ms}}) | {how}", 0.1)
    rows(f"np.{name}.accumulate({{a:m}}<, axis={{axis}}>) | s", 0.1)
    rows(f"np.{name}.reduce({{a:m}}<, axis={{axes}}><, keepdims={{bool}}>) | s", 0.15)
    rows(f"np.{name}.reduceat({{a:m123}}, {{positions:axis}}<, axis={{axis}}>) | s | v", 0.1)
    rows(f"np.{name}.at({{a:w}}, S[{{index}}], {{at:array}}) | {how} | wv", 0.1)
for name in ORDERLESS:
    rows(f"np.{name}.reduce({{a}}<, axis={{axes}}><, keepdims={{bool}}><, initial={{n}}><, where={{c~a!:b}}>) | o", 0.2)
for name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "iand", "ior", "ixor", "ilshift", "irshift"):
    rows(f"I({{a:w}}, S[{{index}}]).{name}({{at}}) | z | wv", 0.3)
for op in ("+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>="):
    rows(f"{{a:w}} {op} {{o}} | z | w", 0.3)
rows("{a:bruw} **= {b~a!:bru} | 8 | w", 0.3)

rows("""
{a}[{basic}]
{a}[{index}] | x | v
{a}[{index}] | x | v
{a}.T
{a}[::-1]
np.transpose({a}<, {permutation}>)
np.permute_dims({a}, {permutation})
np.matrix_transpose({a:234})
np.swapaxes({a}, {axis}, {axis})
np.moveaxis({a}, {axis}, {axis})
np.rollaxis({a}, {axis}<, {int:0..2}>)
np.expand_dims({a}, {newaxis})
np.squeeze({a}<, axis={axes}>)
np.reshape({a}, {rest}<, order={order:C|F|A}><, copy={pick:None|True|False}>)
np.ravel({a}<, order={order}>)
{a}.flatten(<{order}>)
np.broadcast_to({a}, {to})
np.flip({a}<, axis={axes}>)
np.fliplr({a:1234})
np.flipud({a})
np.rot90({a:234}<, k={int:-3..5}><, axes=({axis}, {axis})>)
np.roll({a}, {int:-5..5}<, axis={axis?}>)
np.roll({a:12}, ({int:-5..5}, {int:-5..5}), axis=({axis}, {axis}))
np.atleast_1d({a})
np.atleast_2d({a})
np.atleast_3d({a})
np.diagonal({a}<, offset={int:-2..2}><, axis1={axis}, axis2={axis}>)
np.diag({a:012s}<, k={int:-2..2}>)
np.diagflat({a:01s}<, k={int:-2..2}>)
np.tril({a}<, k={int:-2..2}>)
np.triu({a}<, k={int:-2..2}>)
np.real({a:c})
np.imag({a:c})
np.copy({a}<, order={order}>)
np.asarray({a}<, dtype={dtype}><, order={order}><, copy={pick:None|True}>)
np.array({a}<, dtype={dtype}><, order={order}><, ndmin={int:0..4}><, copy={pick:None|True}>)
np.ascontiguousarray({a}<, dtype={dtype}>)
np.asfortranarray({a}<, dtype={dtype}>)
{a}.view({dtype})
np.real_if_close({a:c}) | x | v
np.broadcast_arrays({a}, {b~a})
np.unstack({a}<, axis={axis}>)
""", 1.0)

rows("""
{a:w}[{index}] = {at} | x | wv
{a:w}[{index}] = {at} | x | wv
{a:w}[{basic}] = {at} | x | w
{a:w}[{basic}] = {at} | x | w
{a:w}[...] = {b~a!} | x | w
{a:w}.fill({n}) | x | w
np.copyto({a:w}, np.positive({b~a!:n})<, casting={pick:'unsafe'|'same_kind'|'safe'|'no'|'equiv'}><, where={c~a!:b}>) | x | w
np.put({a:w}, {positions}, {b:01}<, mode={pick:'raise'|'wrap'|'clip'}>) | x | wv
np.putmask({a:w}, {c=a:b}, {b:01}) | x | w
np.place({a:w}, {c=a:b}, np.array({b:1})) | x | wv
np.fill_diagonal({a:w234}, {n}<, wrap={bool}>) | x | w
np.put_along_axis({a:w1}, np.array({ints:-3..2:2}), {n}, {axis?}) | x | wv
""", 1.5)

rows("""
np.sum({a:m}<, axis={axes}><, dtype={dtype}><, keepdims={bool}><, initial={n}><, where={c~a!:b}>) | s
np.sum({a:ib}<, axis={axes}><, dtype={dtype:iuf}><, keepdims={bool}><, initial={n}><, where={c~a!:b}>) | s
np.prod({a:m}<, axis={axes}><, dtype={dtype}><, keepdims={bool}><, initial={n}><, where={c~a!:b}>) | s
np.mean({a:m}<, axis={axes}><, dtype={dtype}><, keepdims={bool}><, where={c~a!:b}>) | s
np.var({a:m}<, axis={axes}><, dtype={dtype:fc}><, ddof={pick:0|1|0.5|2}><, keepdims={bool}><, where={c~a!:b}>) | s
np.std({a:m}<, axis={axes}><, dtype={dtype:fc}><, ddof={pick:0|1|0.5|2}><, keepdims={bool}><, where={c~a!:b}>) | s
np.max({a}<, axis={axes}><, keepdims={bool}><, initial={n}><, where={c~a!:b}>) | o
np.min({a}<, axis={axes}><, keepdims={bool}><, initial={n}><, where={c~a!:b}>) | o
np.amax({a}<, axis={axes}><, keepdims={bool}>) | o
np.amin({a}<, axis={axes}><, keepdims={bool}>) | o
np.ptp({a}<, axis={axes}><, keepdims={bool}>)
np.any({a}<, axis={axes}><, keepdims={bool}><, where={c~a!:b}>)
np.all({a}<, axis={axes}><, keepdims={bool}><, where={c~a!:b}>)
np.argmax({a}<, axis={axis?}><, keepdims={bool}>)
np.argmin({a}<, axis={axis?}><, keepdims={bool}>)
np.count_nonzero({a}<, axis={axes}><, keepdims={bool}>)
np.nansum({a:m}<, axis={axes}><, dtype={dtype}><, keepdims={bool}><, initial={n}><, where={c~a!:b}>) | s
np.nanprod({a:m}<, axis={axes}><, dtype={dtype}><, keepdims={bool}><, initial={n}><, where={c~a!:b}>) | s
np.nanmean({a:m}<, axis={axes}><, dtype={dtype}><, keepdims={bool}><, where={c~a!:b}>) | s
np.nanvar({a:bmr}<, axis={axes}><, dtype={dtype:fc}><, ddof={pick:0|1|0.5|2}><, keepdims={bool}><, where={c~a!:b}>) | s
np.nanstd({a:bmr}<, axis={axes}><, dtype={dtype:fc}><, ddof={pick:0|1|0.5|2}><, keepdims={bool}><, where={c~a!:b}>) | s
np.nanvar({a:cm}<, axis={axes}><, ddof={pick:0|1|0.5|2}><, keepdims={bool}><, where={c~a!:b}>) | s
np.nanstd({a:cm}<, axis={axes}><, ddof={pick:0|1|0.5|2}><, keepdims={bool}><, where={c~a!:b}>) | s
np.nanmax({a}<, axis={axes}><, keepdims={bool}><, initial={n}><, where={c~a!:b}>) | o
np.nanmin({a}<, axis={axes}><, keepdims={bool}><, initial={n}><, where={c~a!:b}>) | o
np.nanargmax({a}<, axis={axis?}><, keepdims={bool}>) | x | v
np.nanargmin({a}<, axis={axis?}><, keepdims={bool}>) | x | v
np.cumsum({a:m}<, axis={axis?}><, dtype={dtype}>) | s
np.cumprod({a:m}<, axis={axis?}><, dtype={dtype}>) | s
np.nancumsum({a:m}<, axis={axis?}><, dtype={dtype}>) | s
np.nancumprod({a:m}<, axis={axis?}><, dtype={dtype}>) | s
np.cumulative_sum({a:m}<, axis={axis?}><, dtype={dtype}><, include_initial={bool}>) | s
np.cumulative_prod({a:m}<, axis={axis?}><, dtype={dtype}><, include_initial={bool}>) | s
np.median({a:rm}<, axis={axes}><, keepdims={bool}>) | s
np.nanmedian({a:rm}<, axis={axes}><, keepdims={bool}>) | s
np.average({a:m}<, axis={axes}><, keepdims={bool}>) | s
np.average({a:m}, weights={b=a:m}<, axis={axes}><, keepdims={bool}>) | s | v
np.trace({a:m}<, offset={int:-2..2}><, axis1={axis}, axis2={axis}><, dtype={dtype}>) | s
np.diff({a}<, n={int:0..3}><, axis={axis}><, prepend={n}><, append={n}>)
np.ediff1d({a}<, to_end={n}><, to_begin={n}>)
np.trapezoid({a:m}<, dx={pick:1|0.5|2}><, axis={axis}>) | s
np.gradient({a:m12}<, axis={axis}><, edge_order={int:1..2}>) | s
""", 1.0)

rows("""
np.concatenate({list:x}<, axis={axis?}><, dtype={dtype}><, casting={pick:'unsafe'|'same_kind'|'safe'}>)
np.stack({list}<, axis={newaxis}><, dtype={dtype}><, casting={pick:'unsafe'|'same_kind'|'safe'}>)
np.vstack({list:x})
np.hstack({list:x})
np.dstack({list:x})
np.column_stack({list:x})
np.block({list:x})
np.split({a}, {int:1..3}<, axis={axis}>)
np.split({a}, {ints:-4..6}<, axis={axis}>)
np.array_split({a}, {int:1..4}<, axis={axis}>)
np.hsplit({a}, {int:1..3})
np.vsplit({a}, {int:1..3})
np.dsplit({a}, {int:1..3})
np.tile({a:s}, {int:0..3})
np.tile({a:s}, ({int:0..2}, {int:1..3}))
np.repeat({a}, {int:0..3}<, axis={axis?}>)
np.repeat({a}, {ints:0..3}<, axis={axis?}>) | x | v
np.append({a}, {b~a}<, axis={axis?}>)
np.delete({a}, {positions:axis}<, axis={axis?}>) | x | v
np.insert({a}, {positions:axis}, {n}<, axis={axis?}>) | x | v
np.insert({a}, {int:-3..3}, {b~a}<, axis={axis?}>) | x | v
np.resize({a}, {shape})
np.trim_zeros({a}<, trim={pick:'fb'|'f'|'b'}>) | x | v
np.pad({a}, {int:0..3}<, mode={pick:'edge'|'reflect'|'symmetric'|'wrap'|'maximum'|'minimum'|'empty'}>) | o | n
np.pad({a}, {int:0..2}, mode='constant'<, constant_values={n}>)
np.pad({a:mk}, {int:0..3}, mode={pick:'mean'|'median'}<, stat_length={int:1..3}>) | s
np.pad({a}, {int:0..4}, mode={pick:'maximum'|'minimum'}<, stat_length={int:1..3}>) | o
np.pad({a}, {int:0..4}, mode={pick:'reflect'|'symmetric'}, reflect_type={pick:'even'|'odd'})
np.pad({a:mk}, {int:0..3}, mode='linear_ramp'<, end_values={n}>) | s
np.pad({a:12}, [({int:0..2}, {int:0..3})]<, mode={pick:'edge'|'reflect'|'symmetric'|'wrap'}>)
np.unique({a}<, axis={axis?}><, equal_nan={bool}><, return_index={bool}, return_inverse={bool}, return_counts={bool}>) | o | v
np.unique_all({a}) | o | v
np.unique_counts({a}) | o | v
np.unique_inverse({a}) | o | v
np.isin({a}, {b:01}<, invert={bool}><, assume_unique={bool}>)
np.union1d({a}, {b}) | o | v
np.intersect1d({a}, {b}<, return_indices={bool}>) | o | v
np.setdiff1d({a}, {b}) | o | v
np.setxor1d({a}, {b}) | o | v
np.take({a}, {positions:axis}<, axis={axis?}><, mode={pick:'raise'|'wrap'|'clip'}>) | x | v
np.take_along_axis({a:1}, {b:i1}<, axis={axis?}>) | x | v
np.choose({b:ik1}, [{a}, {c=a}]<, mode={pick:'raise'|'wrap'|'clip'}>) | x | v
np.select([{c~a:b}, {d~a:b}], [{a}, {b~a}]<, default={n}>)
np.where({c~a:b}, {a}, {o})
np.where({b}, {n}, {n})
np.nonzero({a}) | x | v
np.argwhere({a}) | x | v
np.flatnonzero({a}) | x | v
np.compress({b:b1}, {a}<, axis={axis?}>) | x | v
np.extract({b=a:b}, {a}) | x | v
np.unravel_index({a:i}, {shape}<, order={order:C|F}>) | x | v
np.packbits({a:bi}<, axis={axis?}><, bitorder={pick:'big'|'little'}>)
np.unpackbits({a:u}<, axis={axis?}><, bitorder={pick:'big'|'little'}>)
np.unpackbits({a:u+}<, axis={axis?}><, count={int:-3..9}><, bitorder={pick:'big'|'little'}>)
np.ix_({a:1is}, {b:1b}) | x | v
np.meshgrid({a:01s}, {b:01s}<, indexing={pick:'xy'|'ij'}><, sparse={bool}>)
""", 0.7)

rows("""
np.sort({a}<, axis={axis?}><, kind={pick:'quicksort'|'stable'|'mergesort'|'heapsort'}>) | o
np.argsort({a}<, axis={axis?}>, kind='stable')
np.lexsort([{a}, {b=a}]<, axis={axis}>)
np.sort_complex({a}) | o
np.partition({a:1}, 0)[0] | o
np.partition({a:1}, 2)[2] | o
np.partition({a:1}, -2)[-2] | o
np.searchsorted(np.sort({a:1}), {b}<, side={pick:'left'|'right'}>)
np.digitize({a:ru}, np.sort({b:1iu})<, right={bool}>) | x | v
np.quantile({a:rm+}, {pick:0.5|0.25|1|0|0.9|[0.1, 0.5]}<, axis={axes}><, keepdims={bool}><, method={pick:'linear'|'lower'|'higher'|'nearest'|'midpoint'|'hazen'|'weibull'|'inverted_cdf'|'averaged_inverted_cdf'|'closest_observation'|'median_unbiased'|'normal_unbiased'|'interpolated_inverted_cdf'}>) | s
np.percentile({a:rm+}, {pick:50|25|100|0|90|[10, 50]}<, axis={axes}><, keepdims={bool}>) | s
np.nanquantile({a:rm+}, {pick:0.5|0.25|1|0|0.9|[0.1, 0.5]}<, axis={axes}><, keepdims={bool}>) | s
np.bincount({a:uik1}<, minlength={int:0..5}>) | x | v
np.bincount({a:b1}<, weights={b=a:rm}>) | s | v
np.histogram({a:rm}<, bins={int:1..6}><, range=({int:-4..0}, {int:1..5})><, density={bool}>) | s | v
np.cov({a:rm12}<, rowvar={bool}><, bias={bool}><, ddof={int:0..1}>) | s
np.corrcoef({a:rm12+}<, rowvar={bool}>) | s
np.convolve({a:1m}, {b:1m}<, mode={pick:'full'|'same'|'valid'}>) | s
np.correlate({a:1m}, {b:1m}<, mode={pick:'full'|'same'|'valid'}>) | s
np.interp({a:rm}, np.sort({b:1rm}), {c=b:rm}<, left={n}><, right={n}>) | s
np.unwrap({a:ifm}<, axis={axis}>) | s
np.cross({a:m12}, {b=a:m}<, axis={axis}>) | s
np.clip({a}, {n}, {n}) | o
np.clip({a}, None, {o}) | o
np.clip({a}, {o}, None) | o
np.round({a}<, decimals={int:-2..4}>) | 1
np.around({a}<, decimals={int:-2..4}>) | 1
np.nan_to_num({a}<, nan={n}><, posinf={n}><, neginf={n}>)
np.divmod({a}, {o})
np.modf({a})
np.frexp({a})
np.ldexp({a}, {b~a:i})
np.isclose({a}, {o}<, rtol={pick:0|1e-3}><, atol={pick:0|1e-3}><, equal_nan={bool}>)
np.allclose({a}, {b~a}<, equal_nan={bool}>) | x | v
np.array_equal({a}, {b=a}<, equal_nan={bool}>) | x | v
np.array_equiv({a}, {b~a}) | x | v
np.matmul({a:m123s}, {b:m123s}) | s
np.matmul({a:m12s}, {a}.T) | s
np.dot({a:m012s}, {b:m012s}) | s
np.vdot({a:m}, {b=a:m}) | s
np.inner({a:ms}, {b=a:ms}) | s
np.outer({a:ms}, {b:ms}) | s
np.vecdot({a:m}, {b~a:m}) | s
np.tensordot({a:m12s}, {b:m12s}<, axes={int:0..2}>) | s
np.kron({a:ms}, {b:m012s}) | s
np.einsum('ij->ji', {a:2})
np.einsum('ii->i', {a:2})
np.einsum('ij,ij->i', {a:m2}, {b=a:m}) | s
np.einsum('i,j->ij', {a:m1s}, {b:m1s}) | s
np.einsum('...->...', {a})
np.einsum({einsum:mhs}) | s
np.einsum({einsum:mhs}) | s
np.einsum({einsum:mhs}, optimize={pick:True|False|'greedy'|'optimal'}) | s
""", 0.7)

rows("""
np.zeros({shape}<, dtype={dtype}><, order={order:C|F}>)
np.ones({shape}<, dtype={dtype}><, order={order:C|F}>)
np.empty({shape}<, dtype={dtype}><, order={order:C|F}>) | x | n
np.full({shape}, {n}<, dtype={dtype}><, order={order:C|F}>)
np.zeros_like({a}<, dtype={dtype}><, order={order}><, shape={shape}>)
np.ones_like({a}<, dtype={dtype}><, order={order}><, shape={shape}>)
np.empty_like({a}<, dtype={dtype}><, order={order}><, shape={shape}>) | x | n
np.full_like({a}, {n}<, dtype={dtype}><, order={order}><, shape={shape}>)
np.arange({int:-3..4}, {int:-3..9}, {pick:1|2|3|-1}<, dtype={dtype}>)
np.arange({int:-3..4}, {int:-3..9}, {pick:0.5|0.25|-0.5}<, dtype={dtype}>)
np.linspace({int:-3..4}, {int:-3..9}, {int:0..6}<, endpoint={bool}><, dtype={dtype}>) | 2
np.logspace({int:-1..2}, {int:-1..3}, {int:0..6}<, endpoint={bool}><, dtype={dtype:fc}>) | 8
np.geomspace({int:1..4}, {int:1..9}, {int:0..6}<, endpoint={bool}>) | 8
np.eye({int:0..4}<, M={int:0..5}><, k={int:-3..3}><, dtype={dtype}><, order={order:C|F}>)
np.identity({int:0..4}<, dtype={dtype}>)
np.tri({int:0..4}<, M={int:0..5}><, k={int:-3..3}><, dtype={dtype}>)
np.vander({a:1ms}<, N={int:0..4}><, increasing={bool}>) | s
np.indices({shape}<, dtype={dtype:iu}>)
np.diag_indices({int:0..4}<, ndim={int:1..3}>)
np.tril_indices({int:0..4}<, k={int:-2..2}><, m={int:0..5}>)
np.triu_indices({int:0..4}<, k={int:-2..2}><, m={int:0..5}>)
np.bartlett({int:0..9}) | 8
np.hanning({int:0..9}) | 40
np.hamming({int:0..9}) | 40
np.blackman({int:0..9}) | s
np.kaiser({int:0..9}, {pick:0|1.5|8.6}) | 40
""", 0.35)

rows("""
{a}.astype({dtype})
{a}.astype({dtype}<, casting={pick:'unsafe'|'same_kind'|'safe'|'equiv'|'no'}><, copy={bool}>)
np.array_repr({a})
np.array_str({a})
np.array_repr({a})
""", 3.0)

LAYOUT = "<, precision={int:0..10}><, suppress={bool}><, floatmode={pick:'fixed'|'unique'|'maxprec'|'maxprec_equal'}><, sign={pick:'+'|'-'|' '}>" \
    "<, linewidth={pick:20|40|75|120}><, threshold={pick:0|5|1000}><, edgeitems={int:1..3}><, nanstr={pick:'nan'|'NaN'|'-'}><, infstr={pick:'inf'|'oo'}>"
rows(f"P({{a}}, 'repr'{LAYOUT})\nP({{a}}, 'str'{LAYOUT})", 4.0)

rows("""
{a}[{basic}] = {at} | x | w
{a} += {n} | z | w
np.copyto({a}, {n}) | x | w
{a:w}.setflags(write=False) | x | w
""", 0.5)

rows("""
np.abs({n})
np.sqrt({n}) | z
np.negative({n}) | z
np.add({n}, {n}) | z
np.multiply({n}, {n}) | z
np.divide({n}, {n}) | z
np.maximum({n}, {n}) | z
np.less({n}, {n})
np.sum({n}) | s
np.max({n})
np.asarray({n}<, dtype={dtype}>)
np.reshape({n}, (1, 1))
np.full({shape}, {n})
np.expand_dims({n}, 0)
np.isfinite({n})
np.concatenate([{a:1}, [1, 2]])
np.clip({n}, {n}, {n}) | o
""", 0.1)

rows("""
np.emath.sqrt({a}) | 8 | v
np.emath.log({a:bru}) | 8 | v
np.emath.log2({a:bru}) | 8 | v
np.emath.log10({a:bru}) | 8 | v
np.emath.arcsin({a:rm}) | s | v
np.emath.power({a:rm}, {int:0..3}) | 16 | v
""", 0.2)

NORM = "<, norm={pick:'ortho'|'forward'|'backward'}>"
for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    rows(f"np.fft.{name}({{a:m}}<, n={{int:1..9}}><, axis={{axis}}>{NORM}) | s", 0.15)
for name in ("fft2", "ifft2", "rfft2"):
    rows(f"np.fft.{name}({{a:m234}}{NORM}) | s", 0.1)
for name in ("fftn", "ifftn", "rfftn", "irfftn"):
    rows(f"np.fft.{name}({{a:m}}<, axes=({{axis}},)>{NORM}) | s", 0.1)
rows("""
np.fft.fftshift({a}<, axes={axes}>)
np.fft.ifftshift({a}<, axes={axes}>)
np.fft.fftfreq({int:1..9}<, d={pick:0.5|2.0}>) | 1
np.fft.rfftfreq({int:1..9}<, d={pick:0.5|2.0}>) | 1
""", 0.2)

rows("""
np.linalg.det({square}) | S
np.linalg.slogdet({square}) | s
np.linalg.inv({square}) | s
np.linalg.solve({square}, {b:m12}) | s
np.linalg.cholesky({square:p}<, upper={bool}>) | s
np.linalg.eigvalsh({square:p}) | s
np.linalg.svdvals({a:m2}) | s
np.linalg.svd({a:m2}, compute_uv=False) | s
np.linalg.matrix_rank({square}) | x
np.linalg.pinv({square}) | s
np.linalg.qr({square:d}<, mode={pick:'reduced'|'complete'|'r'}>) | s
np.linalg.matrix_power({square}, {int:0..3}) | s
np.linalg.norm({a:m}<, axis={axis}><, keepdims={bool}>) | s
np.linalg.norm({a:m12}<, ord={pick:1|2|inf|-inf|0|'fro'|'nuc'}>) | s
np.linalg.vector_norm({a:m}<, axis={axes}><, keepdims={bool}><, ord={pick:1|2|inf|-inf|0|3}>) | s
np.linalg.matrix_norm({a:m23}<, keepdims={bool}><, ord={pick:1|2|inf|-inf|'fro'|'nuc'}>) | s
np.linalg.cond({square}<, p={pick:1|2|inf|'fro'}>) | s
np.linalg.trace({a:m23}<, offset={int:-2..2}><, dtype={dtype}>) | s
np.linalg.diagonal({a:23}<, offset={int:-2..2}>)
np.linalg.matrix_transpose({a:123})
np.linalg.outer({a:m12s}, {b:m1s}) | s
np.linalg.cross({a:m12}, {b=a:m}<, axis={axis}>) | s
np.linalg.vecdot({a:m}, {b~a:m}<, axis={axis}>) | s
np.linalg.multi_dot([{a:m12s}, {b:m2s}, {c:m12s}]) | s
np.linalg.tensordot({a:m12s}, {b:m12s}<, axes={int:0..2}>) | s
np.matvec({a:m23s}, {b:m12s}) | s
np.vecmat({a:m12s}, {b:m23s}) | s
""", 0.2)

ENDS = "<, precision={int:0..12}><, unique={bool}><, trim={pick:'k'|'.'|'0'|'-'}><, sign={bool}><, pad_left={int:0..6}><, min_digits={int:0..6}>"
rows(f"""
np.array2string({{a}}<, max_line_width={{pick:20|40|80}}><, precision={{int:0..9}}><, suppress_small={{bool}}><, separator={{pick:', '|' '|';'}}><, prefix={{pick:'ab('|''}}><, suffix={{pick:')'|''}}><, threshold={{pick:0|5|1000}}><, edgeitems={{int:1..3}}><, sign={{pick:'+'|'-'|' '}}><, floatmode={{pick:'fixed'|'unique'|'maxprec'|'maxprec_equal'}}>)
np.format_float_positional({{a:f0}}[()]{ENDS}<, fractional={{bool}}><, pad_right={{int:0..6}}>)
np.format_float_scientific({{a:f0}}[()]{ENDS}<, exp_digits={{int:0..4}}>)
""", 2.0)
rows("""
np.base_repr({int:-300..300}<, base={int:2..36}><, padding={int:0..4}>)
np.binary_repr({int:-300..300}<, width={int:1..12}>)
np.result_type({a}, {o})
np.result_type({a}, {o}, {dtype})
np.result_type({dtype}, {dtype}, {n})
np.promote_types({dtype}, {dtype})
np.can_cast({dtype}, {dtype}, casting={pick:'unsafe'|'same_kind'|'safe'|'equiv'|'no'})
np.min_scalar_type({n})
np.min_scalar_type({a:0})
np.common_type({a}, {b})
""", 0.3)
