/* SPDX-License-Identifier: Apache-2.0
 * c_helpers.c -- the texts of the helpers. In a text
 *     @V @I @U   vector type of the dtype, of the signed and of the unsigned integers of its size
 *     @M @W      its element and its vector in memory: at any multiple of an element, aliasing anything
 *     @B @L @F   type of a bool per lane, number of lanes, a bit for each of them
 *     @S @D @Z   size in bytes, in bits, bits less one
 *     @T @C @A   names of the dtype, of the signed and of the unsigned integers of its size
 *     @P @Q @q   in names of instructions: ps or pd; b, w, d or q; qi, hi, si or di
 *     @u @G @N   u or nothing; sb, ub, ...; bits of the vector
 *     @X @f      the vector type that integer instructions of the compiler take; the suffix of functions of floats
 *     @n @b      the numbers of the lanes, their bits
 *     @z @O      z or s; bits of a vector of 32-bit lanes
 *     @1 @2 @4 @8   the numbers of the lanes, turned by so many
 *     $name( $name.f32(   another helper, for the same or another dtype
 * Where gcc has AVX-512 (KN_512) a bool is a bit per lane, and what GNU vectors have no word for is an instruction;
 * elsewhere it is a 32-bit lane of ones or zeros, and the rest is bits and loops. */
#include "host/csource/c_helpers.h"
#include "kernel/internal.h"
#include <stdio.h>
#include <string.h>

typedef struct helper {
    const char *name, *kinds;    /* of dtypes: f floats, i signed and u unsigned integers, b bool */
    const char *result, *params; /* types */
    const char *fast[4];         /* with KN_512: the value for vectors of 512, 256, 128, 64 bits; NULL: as elsewhere */
    const char *body;            /* the value, or lines */
} helper;

/* clang-format off */
#define NOTHING      {NULL}
#define ONE          "@V a"
#define TWO          "@V a, @V b"
#define EACH(expr)   "    @V r = {0};\n    for (int j = 0; j < @L; j++)\n        r[j] = " expr ";\n    return r;\n"
#define IN_512(op)   "__builtin_ia32_" op "@P512_mask(a, b, (@V){0}, -1, 4)"
#define CMP_INTS(bits, number) "(@B)__builtin_ia32_@ucmp@Q" bits "_mask((@X)a, (@X)b, " number ", -1)"
#define COMPARE(n, number, op, bools)                                                   \
    {n, "f", "@B", TWO, {"(@B)__builtin_ia32_cmp@P512_mask(a, b, " number ", -1, 4)",   \
                         "(@B)__builtin_ia32_cmp@P256_mask(a, b, " number ", -1)"},     \
     "$bool((@I)(a " op " b))"},                                                        \
    {n, "iu", "@B", TWO, {CMP_INTS("512", number), CMP_INTS("256", number), CMP_INTS("128", number)}, \
     "$bool((@I)(a " op " b))"},                                                        \
    {n, "b", "@B", TWO, NOTHING, "(@B)(" bools ")"}
#define LEAST_INTS(n, bits, rest) "(@V)__builtin_ia32_p" n "@G" bits "((@X)a, (@X)b" rest ")"
#define LEAST(n, op, order)                                                             \
    {n, "f", "@V", TWO, {IN_512(n), "__builtin_ia32_" n "@P256(a, b)"}, "$sel($lt(" order "), a, b)"}, \
    {n, "iu", "@V", TWO, {LEAST_INTS(n, "512_mask", ", (@X){0}, -1"), LEAST_INTS(n, "256", ""),        \
                          LEAST_INTS(n, "128", "")}, "$sel($lt(" order "), a, b)"},     \
    {n, "b", "@V", TWO, NOTHING, "a " op " b"}
#define ROUND(n, number)                                                                \
    {n, "f", "@V", ONE, {"__builtin_ia32_rndscale@P_mask(a, " number ", (@V){0}, -1, 4)", \
                         "__builtin_ia32_round@P256(a, " number ")"}, EACH("__builtin_" n "@f(a[j])")}
#define BITWISE(n, op) {"comb_" n, "iub", "@V", TWO, NOTHING, "(@V)(a " op " b)"}
#define EXTREME(n)                                                                      \
    {"comb_" n, "f", "@V", TWO, NOTHING, "$sel($ne(a, a), a, $" n "(a, b))"},           \
    {"comb_" n, "iub", "@V", TWO, NOTHING, "$" n "(a, b)"}
#define TURN(h)                                                                         \
    {"turn" h, "fiu", "@V", ONE, NOTHING, "__builtin_shufflevector(a, a, @" h ")"},     \
    {"turn" h, "b", "@V", ONE, {"(@V)(a >> " h ")", "(@V)(a >> " h ")", "(@V)(a >> " h ")", "(@V)(a >> " h ")"}, \
     "__builtin_shufflevector(a, a, @" h ")"}
#define EIGHTS(how)                                                                     \
    {"join_" how, "fiub", "@V", "const @V *t", NOTHING,                                 \
     "    const @V even = $comb_" how "($comb_" how "(t[0], t[2]), $comb_" how "(t[4], t[6]));\n" \
     "    const @V odd = $comb_" how "($comb_" how "(t[1], t[3]), $comb_" how "(t[5], t[7]));\n"  \
     "    const @V w = $comb_" how "(even, odd), w4 = $comb_" how "(w, $turn4(w));\n"   \
     "    const @V w2 = $comb_" how "(w4, $turn2(w4));\n"                               \
     "    return $comb_" how "(w2, $turn1(w2));\n"}
#define SIXTEENS(how)                                                                   \
    {"joint_" how, "fiub", "@V", "const @V *t", NOTHING,                                \
     "    const @V w = $comb_" how "($comb_" how "(t[0], t[1]), $comb_" how "(t[2], t[3]));\n" \
     "    const @V w8 = $comb_" how "(w, $turn8(w)), w4 = $comb_" how "(w8, $turn4(w8));\n"    \
     "    const @V w2 = $comb_" how "(w4, $turn2(w4));\n"                               \
     "    return $comb_" how "(w2, $turn1(w2));\n"}
#define WIDEN             "__builtin_ia32_pmov@zx@Qd@O_mask((@X)a, (v@Li32){0}, -1)"
#define MASKED(op, rest)  "__builtin_ia32_" op "dqu@q@N_mask((void *)p, " rest ")"

static const helper helpers[] = {
    /* constants, bools and vectors of ones and zeros */
    {"k", "fiu", "@V", "@A b", NOTHING, "(@V)((@U){0} + b)"},
    {"k", "b", "@B", "int b", {"(@B)-b", "(@B)-b", "(@B)-b", "(@B)-b"}, "(@B){0} - b"},
    {"bool", "iu", "@B", "@I k", {"(@B)__builtin_ia32_cvt@Q2mask512((@X)k)", "(@B)__builtin_ia32_cvt@Q2mask256((@X)k)",
                                  "(@B)__builtin_ia32_cvt@Q2mask128((@X)k)",
                                  "(@B)__builtin_ia32_cvtw2mask128(__builtin_convertvector(k, v8i16))"},
     "__builtin_convertvector(k, @B)"},
    {"bool", "f", "@B", "@I k", NOTHING, "$bool.@C(k)"},
    {"wide", "iu", "@I", "@B m", {"(@I)__builtin_ia32_cvtmask2@Q512(m)", "(@I)__builtin_ia32_cvtmask2@Q256(m)",
                                  "(@I)__builtin_ia32_cvtmask2@Q128(m)",
                                  "__builtin_convertvector(__builtin_ia32_cvtmask2w128(m), @I)"},
     "__builtin_convertvector(m, @I)"},
    {"wide", "f", "@I", "@B m", NOTHING, "$wide.@C(m)"},
    {"live", "b", "@B", "u32 live", {"(@B)live", "(@B)live", "(@B)live", "(@B)live"},
     "((v@Li32){@b} & (i32)live) != 0"},
    {"any", "b", "int", "@B m", {"m != 0", "m != 0", "m != 0", "m != 0"},
     "    i32 some = 0;\n    for (int j = 0; j < @L; j++)\n        some |= m[j];\n    return some != 0;\n"},
    {"iota", "i", "@V", "void", NOTHING, "(@V){@n}"},
    {"sel", "fiu", "@V", "@B m, @V yes, @V no",
     {"(@V)__builtin_ia32_blendm@Q_512_mask((@X)no, (@X)yes, m)",
      "(@V)__builtin_ia32_blendm@Q_256_mask((@X)no, (@X)yes, m)",
      "(@V)__builtin_ia32_blendm@Q_128_mask((@X)no, (@X)yes, m)"},
     "    const @I k = $wide(m);\n    return (@V)((k & (@I)yes) | (~k & (@I)no));\n"},
    {"sel", "b", "@V", "@B m, @V yes, @V no", NOTHING, "(@V)((m & yes) | (~m & no))"},
    /* arithmetic */
    COMPARE("eq", "0", "==", "~(a ^ b)"),
    COMPARE("lt", "1", "<", "~a & b"),
    COMPARE("le", "2", "<=", "~a | b"),
    COMPARE("ne", "4", "!=", "a ^ b"),
    LEAST("min", "&", "a, b"),
    LEAST("max", "|", "b, a"),
    {"fma", "f", "@V", "@V a, @V b, @V c", {"__builtin_ia32_vfmadd@P512_mask(a, b, c, -1, 4)",
                                           "__builtin_ia32_vfmadd@P256(a, b, c)"},
     EACH("__builtin_fma@f(a[j], b[j], c[j])")},
    {"sqrt", "f", "@V", ONE, {"__builtin_ia32_sqrt@P512_mask(a, (@V){0}, -1, 4)", "__builtin_ia32_sqrt@P256(a)"},
     EACH("__builtin_sqrt@f(a[j])")},
    ROUND("rint", "8"),
    ROUND("floor", "9"),
    ROUND("trunc", "11"),
    {"rem", "f", "@V", TWO, NOTHING, EACH("__builtin_fmod@f(a[j], b[j])")},
    {"scalb", "f", "@V", TWO, {IN_512("scalef"), "__builtin_ia32_scalef@P256_mask(a, b, (@V){0}, -1)"},
     "    const @T most = sizeof(@T) == 8 ? 1200 : 200;\n"
     "    const @V low = $sel($lt($vec(-most), b), b, $vec(-most));\n"
     "    const @V clamped = $sel($lt(low, $vec(most)), low, $vec(most));\n"
     "    const @I whole = __builtin_convertvector(clamped, @I), half = whole >> 1;\n"
     "    const @I bias = (@I){0} + (sizeof(@T) == 8 ? 1023 : 127);\n"
     "    const int fraction = sizeof(@T) == 8 ? 52 : 23;\n"
     "    return a * (@V)((half + bias) << fraction) * (@V)((whole - half + bias) << fraction);\n"},
    {"vec", "f", "@V", "@T x", NOTHING, EACH("x")},
    {"div", "i", "@V", TWO, NOTHING,
     "    const @I zero = b == 0, over = b == -1, k = zero | over;\n"
     "    const @V q = a / ((b & ~k) - k);\n"
     "    return zero | (over & (@V)(-(@U)a)) | (~k & q);\n"},
    {"rem", "i", "@V", TWO, NOTHING,
     "    const @I zero = b == 0, k = zero | (b == -1);\n"
     "    return (zero & a) | (~k & (a % ((b & ~k) - k)));\n"},
    {"div", "u", "@V", TWO, NOTHING, "    const @V k = (@V)(b == 0);\n    return k | (a / (b - k));\n"},
    {"rem", "u", "@V", TWO, NOTHING, "    const @V k = (@V)(b == 0);\n    return (k & a) | (~k & (a % (b - k)));\n"},
    {"abs", "i", "@V", ONE, NOTHING, "    const @U s = (@U)(a >> @Z);\n    return (@V)(((@U)a ^ s) - s);\n"},
    {"shl", "iu", "@V", TWO, NOTHING, "(@V)(((@U)a << ((@U)b & @Z)) & (@U)((@U)b < @D))"},
    {"shr", "iu", "@V", TWO, NOTHING, "(@V)(((@U)a >> ((@U)b & @Z)) & (@U)((@U)b < @D))"},
    {"sar", "iu", "@V", TWO, NOTHING,
     "    const @U k = (@U)((@U)b < @D), n = ((@U)b & k) | (@Z & ~k);\n    return (@V)((@I)a >> (@I)n);\n"},
    /* reductions: joining two, and the 64 accumulators */
    {"comb_add", "f", "@V", TWO, NOTHING, "a + b"},
    {"comb_add", "iu", "@V", TWO, NOTHING, "(@V)((@U)a + (@U)b)"},
    {"comb_add", "b", "@V", TWO, NOTHING, "a | b"},
    {"comb_mul", "f", "@V", TWO, NOTHING, "a * b"},
    {"comb_mul", "iu", "@V", TWO, NOTHING, "(@V)((@U)a * (@U)b)"},
    {"comb_mul", "b", "@V", TWO, NOTHING, "a & b"},
    EXTREME("min"), EXTREME("max"),
    BITWISE("and", "&"), BITWISE("or", "|"), BITWISE("xor", "^"),
    TURN("1"), TURN("2"), TURN("4"), TURN("8"),
    EIGHTS("add"), EIGHTS("mul"), EIGHTS("min"), EIGHTS("max"), EIGHTS("and"), EIGHTS("or"), EIGHTS("xor"),
    SIXTEENS("add"), SIXTEENS("mul"), SIXTEENS("min"), SIXTEENS("max"), SIXTEENS("and"),
    SIXTEENS("or"), SIXTEENS("xor"),
    {"put_one", "fiu", "void", "char *p, @V a", NOTHING, "    *(@M *)(void *)p = a[0];\n"},
    {"put_one", "b", "void", "char *p, @V a", NOTHING, "    *p = (char)KN_LANE(a, 0);\n"},
    /* casts that are no plain conversion */
    {"to_i32", "f", "v@Li32", ONE, {"KN_TO_I32_@T_512(a)", "__builtin_ia32_cvttps2dq256(a)"},
     "    const @I ok = (a >= KN_LEAST_@T) & (a < 0x1p31@f);\n"
     "    const v@Li32 k = __builtin_convertvector(ok, v@Li32);\n"
     "    return (__builtin_convertvector((@V)((@I)a & ok), v@Li32) & k) | (~k & (-2147483647 - 1));\n"},
    {"to_i64", "f", "v@Li64", ONE, {"__builtin_ia32_cvttpd2qq512_mask(a, (v8i64){0}, -1, 4)"},
     "    const @I ok = (a >= -0x1p63) & (a < 0x1p63);\n"
     "    return (__builtin_convertvector((@V)((@I)a & ok), v@Li64) & ok) | (~ok & (-0x7fffffffffffffffLL - 1));\n"},
    {"to_u64", "f", "v@Lu64", ONE, NOTHING,
     "    const @I big = a >= 0x1p63;\n"
     "    return (v8u64)($to_i64(a - (@V)(big & 0x43e0000000000000LL)) ^ (big & (-0x7fffffffffffffffLL - 1)));\n"},
    {"to_u32", "f", "v@Lu32", ONE, NOTHING,
     "    v@Lu32 r = {0};\n    for (int j = 0; j < @L; j++)\n"
     "        r[j] = a[j] >= -0x1p63@f && a[j] < 0x1p63@f ? (u32)(i64)a[j] : 0;\n    return r;\n"},
    {"from_f16", "f", "@V", "v@Lu16 h", {"__builtin_ia32_vcvtph2ps512_mask((v16i16)h, (@V){0}, -1, 4)",
                                        "__builtin_ia32_vcvtph2ps256((v8i16)h)"},
     "    const @U x = __builtin_convertvector(h, @U), sign = (x & 0x8000) << 16, rest = x & 0x7fff;\n"
     "    const @U big = (@U)(rest >= 0x7c00), normal = (@U)(rest >= 0x400);\n"
     "    const @U special = 0x7f800000u | ((@U)(rest > 0x7c00) & 0x400000u) | (rest & 0x3ff) << 13;\n"
     "    const @U small = (@U)(__builtin_convertvector((@I)rest, @V) * 0x1p-24f);\n"
     "    const @U r = (normal & ((rest << 13) + (112u << 23))) | (~normal & small);\n"
     "    return (@V)(sign | (big & special) | (~big & r));\n"},
    {"to_f16", "f", "v@Lu16", ONE, {"(v16u16)__builtin_ia32_vcvtps2ph512_mask(a, 0, (v16i16){0}, -1)",
                                   "(v8u16)__builtin_ia32_vcvtps2ph256(a, 0)"},
     "    const @U x = (@U)a, sign = x >> 16 & 0x8000, m = x & 0x7fffffff;\n"
     "    const @U nan = (@U)(m > 0x7f800000), big = (@U)(m >= 0x47800000), small = (@U)(m < 0x38800000);\n"
     "    const @U low = (@U)((@V)(m & small) + 0.5f) - 0x3f000000u;\n"
     "    const @U plain = (m - (112u << 23) + 0xfffu + (m >> 13 & 1)) >> 13;\n"
     "    const @U r = (small & low) | (~small & plain), s = (big & 0x7c00) | (~big & r);\n"
     "    return __builtin_convertvector(sign | (nan & (0x7e00 | (m >> 13 & 0x3ff))) | (~nan & s), v@Lu16);\n"},
    {"from_bf16", "f", "@V", "v@Lu16 h", NOTHING, "(@V)((@U)$widen.u16(h) << 16)"},
    {"to_bf16", "f", "v@Lu16", ONE, NOTHING,
     "    const @U x = (@U)a, plain = (x + 0x7fffu + (x >> 16 & 1)) >> 16;\n"
     "    return $narrow.u32($sel.u32($ne(a, a), x >> 16 | 0x40, plain));\n"},
    {"widen", "iu", "v@Li32", ONE, {NULL, WIDEN, WIDEN}, "__builtin_convertvector(a, v@Li32)"},
    {"narrow", "u", "v@Lu16", ONE, {"(v@Lu16)__builtin_ia32_pmovdw@N_mask((@X)a, (v@Li16){0}, -1)",
                                   "(v@Lu16)__builtin_ia32_pmovdw@N_mask((@X)a, (v@Li16){0}, -1)"},
     "__builtin_convertvector(a, v@Lu16)"},
    {"to_odd", "f", "v@Lf32", ONE, NOTHING, /* float64 */
     "    const v@Lf32 f = __builtin_convertvector(a, v@Lf32);\n"
     "    const v@Lu32 bits = (v@Lu32)f;\n"
     "    const @V back = __builtin_convertvector(f, @V);\n"
     "    const @I magnitude = (@I){0} + 0x7fffffffffffffffLL;\n"
     "    const @I exact = (a != a) | (back == a), more = (@V)((@I)back & magnitude) > (@V)((@I)a & magnitude);\n"
     "    const v@Lu32 same = (v@Lu32)__builtin_convertvector(exact, v@Li32) | -(bits & 1);\n"
     "    const v@Lu32 less = (v@Lu32)__builtin_convertvector(more, v@Li32);\n"
     "    return (v@Lf32)((same & bits) | (~same & ((less & (bits - 1)) | (~less & (bits | 1)))));\n"},
    /* memory */
    {"load", "fiu", "@V", "const char *p, u32 live", NOTHING,
     "    if (live == @F)\n        return (@V) * (const @W *)(const void *)p;\n"
     "#if KN_512 && @D * @L >= 128\n    return (@V)" MASKED("load", "(@X){0}, (@B)live") ";\n"
     "#else\n    @V r = {0};\n    for (int j = 0; j < @L; j++)\n        if (live >> j & 1)\n"
     "            r[j] = ((const @M *)(const void *)p)[j];\n    return r;\n#endif\n"},
    {"load", "b", "@V", "const char *p, u32 live", NOTHING, "$bool.u8((v@Li8)($load.u8(p, live) != 0))"},
    {"store", "fiu", "void", "char *p, @V a, u32 live", NOTHING,
     "    if (live == @F) {\n        *(@W *)(void *)p = (@W)a;\n        return;\n    }\n"
     "#if KN_512 && @D * @L >= 128\n    " MASKED("store", "(@X)a, (@B)live") ";\n"
     "#else\n    for (int j = 0; j < @L; j++)\n        if (live >> j & 1)\n"
     "            ((@M *)(void *)p)[j] = a[j];\n#endif\n"},
    {"store", "b", "void", "char *p, @V a, u32 live", NOTHING, "    $store.u8(p, (v@Lu8)($wide.u8(a) & 1), live);\n"},
    {"splat", "fiu", "@V", "const char *p", NOTHING, "(@V)((@U){0} + *(const m_@A *)(const void *)p)"},
    {"splat", "b", "@V", "const char *p", NOTHING, "$k(*p != 0)"},
    {"load_by", "fiu", "@V", "const char *p, i64 step, u32 live", NOTHING,
     "    @V r = {0};\n    for (int j = 0; j < @L; j++)\n        if (live == @F || live >> j & 1)\n"
     "            r[j] = *(const @M *)(const void *)(p + j * step);\n    return r;\n"},
    {"load_by", "b", "@V", "const char *p, i64 step, u32 live", NOTHING,
     "$bool.u8((v@Li8)($load_by.u8(p, step, live) != 0))"},
    {"store_by", "fiu", "void", "char *p, i64 step, @V a, u32 live", NOTHING,
     "    for (int j = 0; j < @L; j++)\n        if (live == @F || live >> j & 1)\n"
     "            *(@M *)(void *)(p + j * step) = a[j];\n"},
    {"store_by", "b", "void", "char *p, i64 step, @V a, u32 live", NOTHING,
     "    $store_by.u8(p, step, (v@Lu8)($wide.u8(a) & 1), live);\n"},
    {"pick", "fiu", "@V", "const char *p, @B pred, @V other", NOTHING, /* adjacent elements */
     "#if KN_512 && @D * @L >= 128\n    return (@V)" MASKED("load", "(@X)other, pred") ";\n"
     "#else\n    @V r = other;\n    for (int j = 0; j < @L; j++)\n        if (KN_LANE(pred, j))\n"
     "            r[j] = ((const @M *)(const void *)p)[j];\n    return r;\n#endif\n"},
    {"pick_by", "fiu", "@V", "const char *p, i64 step, @B pred, @V other", NOTHING,
     "    @V r = other;\n    for (int j = 0; j < @L; j++)\n        if (KN_LANE(pred, j))\n"
     "            r[j] = *(const @M *)(const void *)(p + j * step);\n    return r;\n"},
    {"gather", "fiu", "@V", "const char *p, v@Li64 at, @B pred, @V other", NOTHING, /* 16 lanes: one place for all */
     "#if KN_512 && @S >= 4 && @L == 8\n    return (@V)__builtin_ia32_gatherdiv@g((@X)other, p, at, pred, 1);\n"
     "#else\n    @V r = other;\n    for (int j = 0; j < @L; j++)\n        if (KN_LANE(pred, j))\n"
     "            r[j] = *(const @M *)(const void *)(p + at[j]);\n    return r;\n#endif\n"},
    {"pick", "b", "@V", "const char *p, @B pred, @V other", NOTHING,
     "$bool.u8((v@Li8)($pick.u8(p, pred, (v@Lu8)$wide.u8(other)) != 0))"},
    {"pick_by", "b", "@V", "const char *p, i64 step, @B pred, @V other", NOTHING,
     "$bool.u8((v@Li8)($pick_by.u8(p, step, pred, (v@Lu8)$wide.u8(other)) != 0))"},
    {"gather", "b", "@V", "const char *p, v@Li64 at, @B pred, @V other", NOTHING,
     "$bool.u8((v@Li8)($gather.u8(p, at, pred, (v@Lu8)$wide.u8(other)) != 0))"},
};
/* clang-format on */
_Static_assert(sizeof helpers / sizeof *helpers <= KNH_C_HELPERS, "KNH_C_HELPERS is too small");

int knh_c_storage(int dtype) { return knk_is_half_id(dtype) ? KN_ID_U16 : dtype; }
const char *knh_c_name(int dtype) { return knx_dtype_table[dtype].short_name; }

static char kind_of(int d)
{
    return d == KN_ID_BOOL ? 'b' : knk_is_float_id(d) ? 'f' : knk_is_signed_id(d) ? 'i' : 'u';
}

static int find_helper(const char *name, size_t length, int dtype)
{
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        if (strlen(helpers[i].name) == length && !strncmp(helpers[i].name, name, length) &&
            strchr(helpers[i].kinds, kind_of(dtype)))
            return (int)i;
    return -1;
}

static int find_dtype(const char *name, size_t length)
{
    for (int d = 0; d < KN_ID_COUNT; d++)
        if (strlen(knh_c_name(d)) == length && !strncmp(knh_c_name(d), name, length))
            return d;
    return -1;
}

/* Places in a text. */
typedef struct form {
    int dtype, size, lanes; /* bools: the size of their bytes in memory */
} form;

static int log2_of(int size) { return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3; }

static void add_numbers(knx_str *t, const form *f, char which)
{
    int by = which == 'n' || which == 'b' ? 0 : which - '0';
    for (int j = 0; j < f->lanes; j++)
        knx_str_printf(t, "%s%d", j ? ", " : "", which == 'b' ? 1 << j : (j + by) % f->lanes);
}

/* One @ of a text. */
static void add_place(knx_str *t, const form *f, char which)
{
    static const char *const piece[] = {"b", "w", "d", "q"}, *const mode[] = {"qi", "hi", "si", "di"};
    bool is_signed = kind_of(f->dtype) == 'i', single = f->dtype == KN_ID_F32, is_bool = f->dtype == KN_ID_BOOL;
    int bits = 8 * f->size, l = log2_of(f->size);
    const char *name = is_bool ? "u8" : knh_c_name(f->dtype);
    switch (which) {
    case 'V': is_bool ? knx_str_printf(t, "b%d", f->lanes) : knx_str_printf(t, "v%d%s", f->lanes, name); break;
    case 'I': knx_str_printf(t, "v%di%d", f->lanes, bits); break;
    case 'U': knx_str_printf(t, "v%du%d", f->lanes, bits); break;
    case 'M': knx_str_printf(t, "m_%s", name); break;
    case 'W': knx_str_printf(t, "w%d%s", f->lanes, name); break;
    case 'B': knx_str_printf(t, "b%d", f->lanes); break;
    case 'L': knx_str_printf(t, "%d", f->lanes); break;
    case 'F': knx_str_printf(t, "0x%xu", (1u << f->lanes) - 1); break;
    case 'S': knx_str_printf(t, "%d", f->size); break;
    case 'D': knx_str_printf(t, "%d", bits); break;
    case 'Z': knx_str_printf(t, "%d", bits - 1); break;
    case 'T': knx_str_printf(t, "%s", name); break;
    case 'C': knx_str_printf(t, "i%d", bits); break;
    case 'A': knx_str_printf(t, "u%d", bits); break;
    case 'P': knx_str_printf(t, "%s", single ? "ps" : "pd"); break;
    case 'Q': knx_str_printf(t, "%s", piece[l]); break;
    case 'q': knx_str_printf(t, "%s", mode[l]); break;
    case 'g': knx_str_printf(t, "%s", f->size == 8 ? "8di" : "16si"); break;
    case 'z': knx_str_printf(t, "%s", is_signed ? "s" : "z"); break;
    case 'O': knx_str_printf(t, "%d", 32 * f->lanes); break;
    case 'u': knx_str_printf(t, "%s", is_signed ? "" : "u"); break;
    case 'G': knx_str_printf(t, "%c%s", is_signed ? 's' : 'u', piece[l]); break;
    case 'N': knx_str_printf(t, "%d", bits * f->lanes); break;
    case 'X': f->size == 1 ? knx_str_printf(t, "q%d", f->lanes) : knx_str_printf(t, "v%di%d", f->lanes, bits); break;
    case 'f': knx_str_printf(t, "%s", single ? "f" : ""); break;
    default: add_numbers(t, f, which);
    }
}

static void expand(knh_c_unit *u, knx_str *t, const form *f, const char *s)
{
    while (*s) {
        size_t plain = strcspn(s, "@$");
        knx_str_add(t, s, plain);
        s += plain;
        if (*s == '@') {
            add_place(t, f, s[1]);
            s += 2;
        } else if (*s == '$') {
            char name[32], dtype_name[16];
            size_t n = strcspn(s + 1, ".("), m = 0;
            int dtype = f->dtype;
            memcpy(name, s + 1, n);
            name[n] = 0;
            s += 1 + n;
            if (*s == '.') {
                m = strcspn(s + 1, "(");
                if (s[1] == '@')
                    snprintf(dtype_name, sizeof dtype_name, "i%d", 8 * f->size);
                else
                    snprintf(dtype_name, sizeof dtype_name, "%.*s", (int)m, s + 1);
                dtype = find_dtype(dtype_name, strlen(dtype_name));
                s += 1 + m;
            }
            knh_c_need(u, name, dtype, f->lanes);
            knx_str_printf(t, "%s_%s_%d", name, knh_c_name(dtype), f->lanes);
        }
    }
}

static void add_lines(knh_c_unit *u, knx_str *t, const form *f, const char *s)
{
    bool lines = strchr(s, '\n') != NULL;
    knx_str_printf(t, "%s", lines ? "" : "    return ");
    expand(u, t, f, s);
    knx_str_printf(t, "%s", lines ? "" : ";\n");
}

void knh_c_need(knh_c_unit *u, const char *name, int dtype, int lanes)
{
    dtype = knh_c_storage(dtype);
    int which = find_helper(name, strlen(name), dtype), bit = lanes == 16 ? 2 : 1;
    if (which < 0) { /* a mistake in the table: the compiler will say what is missing */
        knx_str_printf(&u->helpers, "#error no helper %s_%s_%d\n", name, knh_c_name(dtype), lanes);
        return;
    }
    if (u->have[which][dtype] & bit)
        return;
    u->have[which][dtype] |= (uint8_t)bit;
    const helper *h = &helpers[which];
    const form f = {dtype, dtype == KN_ID_BOOL ? 1 : knk_size(dtype), lanes};
    int bits = 8 * f.size * lanes;
    const char *fast = h->fast[dtype == KN_ID_BOOL || bits == 512 ? 0 : bits == 256 ? 1 : bits == 128 ? 2 : 3];
    knx_str t = {0}; /* what it calls comes first */
    knx_str_printf(&t, "KN_INLINE ");
    expand(u, &t, &f, h->result);
    knx_str_printf(&t, " %s_%s_%d(", name, knh_c_name(dtype), lanes);
    expand(u, &t, &f, h->params);
    knx_str_printf(&t, ")\n{\n");
    if (fast) {
        knx_str_printf(&t, "#if KN_512\n");
        add_lines(u, &t, &f, fast);
        knx_str_printf(&t, "#else\n");
    }
    add_lines(u, &t, &f, h->body);
    knx_str_printf(&t, "%s}\n\n", fast ? "#endif\n" : "");
    if (t.s)
        knx_str_add(&u->helpers, t.s, t.n);
    u->helpers.failed |= t.failed;
    knx_free(t.s);
}

/* The types: vectors of 8 and 16 lanes, and their elements and themselves in memory. */
void knh_c_prologue(knx_str *t)
{
    static const struct {
        const char *name, *c;
        int size;
    } type[] = {
        {"i8", "signed char", 1}, {"u8", "unsigned char", 1}, {"i16", "short", 2},     {"u16", "unsigned short", 2},
        {"i32", "int", 4},        {"u32", "unsigned", 4},     {"i64", "long long", 8}, {"u64", "unsigned long long", 8},
        {"f32", "float", 4},      {"f64", "double", 8}};
    knx_str_printf(t,
                   "/* Stage functions. Compile without contraction: -ffp-contract=off. */\n"
                   "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC diagnostic ignored \"-Wpsabi\"\n#endif\n"
                   "#define KN_INLINE static inline __attribute__((always_inline))\n");
    for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
        const char *n = type[i].name;
        knx_str_printf(t, "typedef %s %s;\ntypedef %s m_%s __attribute__((may_alias));\n", type[i].c, n, type[i].c, n);
        for (int lanes = 8; lanes <= 16; lanes += 8) {
            knx_str_printf(t, "typedef %s v%d%s __attribute__((vector_size(%d)));\n", n, lanes, n,
                           lanes * type[i].size);
            knx_str_printf(t, "typedef %s w%d%s __attribute__((vector_size(%d), aligned(%d), may_alias));\n", n, lanes,
                           n, lanes * type[i].size, type[i].size);
        }
    }
    knx_str_printf(
        t, "#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__) && defined(__AVX512VL__) && \\\n"
           "    defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__FMA__) && defined(__F16C__)\n"
           "#define KN_512 1\n"
           "typedef u16 b16; /* a bit per lane */\ntypedef u8 b8;\n"
           "#define KN_LANE(m, j) ((m) >> (j) & 1)\n");
    knx_str_printf(t, "typedef char q16 __attribute__((vector_size(16)));\n"
                      "#define KN_TO_I32_f32_512(a) __builtin_ia32_cvttps2dq512_mask(a, (v16i32){0}, -1, 4)\n"
                      "#define KN_TO_I32_f64_512(a) __builtin_ia32_cvttpd2dq512_mask(a, (v8i32){0}, -1, 4)\n"
                      "#else\n"
                      "#define KN_512 0\n"
                      "typedef v16i32 b16; /* ones or zeros */\ntypedef v8i32 b8;\n"
                      "#define KN_LANE(m, j) ((m)[j] & 1)\n"
                      "#endif\n"
                      "#define KN_LEAST_f32 (-0x1p31f)\n"
                      "#define KN_LEAST_f64 (-0x1.00000001fffffp31) /* the next after -2^31 - 1 */\n\n");
    knx_str_printf(t, "struct knh_asking {\n"
                      "    i64 left, (*ask)(struct knh_asking *asking);\n};\n"
                      "struct knh_args {\n"
                      "    i64 rows, n, phase;\n"
                      "    struct knh_asking *asking;\n"
                      "    struct {\n        i64 at, row_step, lane_step;\n    } stream[];\n};\n\n");
}
