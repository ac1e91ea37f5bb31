/* SPDX-License-Identifier: Apache-2.0
 * attributes.c -- what a dtype says of itself, as np.dtype has it; byte orders; comparisons. */
#include "base/context.h"
#include "base/options.h"
#include "numpy/dtypes/internal.h"
#include <ctype.h>
#include <string.h>

static bool is_given(const char *operation, kn_dtype d)
{
    if (!d)
        knx_report_new(operation, KN_ERROR_TYPE, "null dtype");
    return d != NULL;
}

/* ---- Letters, numbers and codes. */

/* NumPy's letters in the order of its numbers. */
static const char letters[] = "?bBhHiIlLqQfdgFDGOSUVMme";

static char letter_of(kn_dtype d)
{
    static const char signed_[] = "bhilq", unsigned_[] = "BHILQ"; /* of 1, 2, 4 and 8 bytes; the last two are one */
    int which = d->size == 1 ? 0 : d->size == 2 ? 1 : d->size == 4 ? 2 : sizeof(long) == 8 ? 3 : 4;
    static const char stored[] = {
#define KN_STORED(ID, NAME, SHORT, LETTER, ...) LETTER,
#include "base/dtypes.def"
#undef KN_STORED
    };
    if (knx_is_stored(d))
        return stored[d->id - KN_ID_COUNT];
    switch ((knx_kind)d->kind) {
    case KN_KIND_BOOL: return '?';
    case KN_KIND_INT: return signed_[which];
    case KN_KIND_UINT: return unsigned_[which];
    case KN_KIND_FLOAT: return (char)(d == KN_DT(BF16) ? 'E' : "eefd"[which < 3 ? which : 3]);
    case KN_KIND_COMPLEX: return d->size == 8 ? 'F' : 'D';
    case KN_KIND_KEY: break;
    }
    return 'k';
}

/* Is it one of NumPy's own? */
static bool is_numpys(kn_dtype d) { return d->id < KN_ID_COUNT && d != KN_DT(BF16) && d != KN_DT(KEY); }

/* Does it say a byte order? ml_dtypes has one also where there is one byte. */
static bool has_order(kn_dtype d) { return (d->size > 1 && d != KN_DT(KEY)) || knx_is_stored(d); }

char kn_dtype_char(kn_dtype dtype) { return (char)(is_given("dtype_char", dtype) ? letter_of(dtype) : 0); }

int kn_dtype_num(kn_dtype dtype)
{
    if (!is_given("dtype_num", dtype))
        return -1;
    if (is_numpys(dtype))
        return (int)(strchr(letters, letter_of(dtype)) - letters);
    return dtype == KN_DT(BF16) ? 256 : 257 + dtype->id - KN_ID_KEY;
}

const char *kn_dtype_str(kn_dtype dtype)
{
    static const char *const texts[][2] = {
#define KN_DTYPE(ID, NAME, SHORT, KIND, SIZE, CTYPE, CODE) {"|" CODE, KN_ORDER CODE},
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define KN_ORDER ">"
#else
#define KN_ORDER "<"
#endif
#define KN_STORED(ID, NAME, SHORT, LETTER, CODE, ...) {KN_ORDER CODE, KN_ORDER CODE},
#include "base/dtypes.def"
#undef KN_DTYPE
#undef KN_STORED
    };
    return is_given("dtype_str", dtype) ? texts[dtype->id][has_order(dtype)] : NULL;
}

const char *kn_dtype_descr(kn_dtype dtype)
{
    static const char *const texts[][2] = {
#define KN_DTYPE(ID, NAME, SHORT, KIND, SIZE, CTYPE, CODE) {"[('', '|" CODE "')]", "[('', '" KN_ORDER CODE "')]"},
#define KN_STORED(ID, NAME, SHORT, LETTER, CODE, ...)      {NULL, "[('', '" KN_ORDER CODE "')]"},
#include "base/dtypes.def"
#undef KN_DTYPE
#undef KN_STORED
    };
    return is_given("dtype_descr", dtype) ? texts[dtype->id][has_order(dtype)] : NULL;
}

char kn_dtype_byteorder(kn_dtype dtype)
{
    return (char)(!is_given("dtype_byteorder", dtype) ? 0 : has_order(dtype) ? '=' : '|');
}

size_t kn_dtype_alignment(kn_dtype dtype) { return is_given("dtype_alignment", dtype) ? dtype->align : 0; }
bool kn_dtype_isnative(kn_dtype dtype) { return is_given("dtype_isnative", dtype); }

int kn_dtype_isbuiltin(kn_dtype dtype) { return !is_given("dtype_isbuiltin", dtype) ? -1 : is_numpys(dtype) ? 1 : 2; }

int kn_dtype_ndim(kn_dtype dtype) { return is_given("dtype_ndim", dtype) ? 0 : -1; }
kn_shape kn_dtype_shape(kn_dtype dtype) { return (kn_shape){.ndim = is_given("dtype_shape", dtype) ? 0 : -1}; }
kn_dtype kn_dtype_base(kn_dtype dtype) { return is_given("dtype_base", dtype) ? dtype : NULL; }

kn_dtype kn_dtype_newbyteorder(kn_dtype dtype, const kn_dtype_newbyteorder_opts *opts)
{
    KNX_OPTS(kn_dtype_newbyteorder_opts, o, opts);
    kna_op op;
    kna_begin(&op, "newbyteorder");
    const char native = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 'B' : 'L';
    bool given = kna_given_pointer(&op, dtype, "dtype") && kna_given_pointer(&op, o.new_order, "new_order");
    char order = (char)(given ? toupper((unsigned char)*o.new_order) : 'N');
    order = (char)(order == '<' ? 'L' : order == '>' ? 'B' : order == '=' ? 'N' : order == '|' ? 'I' : order);
    if (!order || !strchr("SLBNI", order))
        kna_fail(&op, KN_ERROR_VALUE, "byteorder not recognized (got '%s')", o.new_order);
    else if (given && dtype->size > 1 && (order == 'S' || (strchr("LB", order) && order != native)))
        kna_fail(&op, KN_ERROR_TYPE, "%s in the other byte order is a dtype that arrays never have here", dtype->name);
    return kna_end_plain(&op) ? dtype : NULL;
}

/* ---- Comparisons. */

bool kn_dtype_eq(kn_dtype a, kn_dtype_like b)
{
    kna_op op;
    kna_begin(&op, "dtype_eq");
    kn_dtype other = NULL;
    if (!a)
        kna_null(&op, "dtype");
    else if (b.text)
        knx_error_release(knn_dtype_named(b.text, &other));
    else
        other = knn_dtype_like(&op, b);
    return kna_end_plain(&op) && a == other;
}

/* May the one be cast to the other safely? down: b to a. */
static bool ordered(const char *operation, kn_dtype a, kn_dtype_like b, bool down, bool or_same)
{
    kna_op op;
    kna_begin(&op, operation);
    if (!a)
        kna_null(&op, "dtype");
    kn_dtype other = knn_dtype_like(&op, b);
    bool yes = a && other && knx_can_cast(down ? other : a, down ? a : other, KN_CAST_SAFE);
    return kna_end_plain(&op) && yes && (or_same || a != other);
}

bool kn_dtype_lt(kn_dtype a, kn_dtype_like b) { return ordered("dtype_lt", a, b, false, false); }
bool kn_dtype_le(kn_dtype a, kn_dtype_like b) { return ordered("dtype_le", a, b, false, true); }
bool kn_dtype_gt(kn_dtype a, kn_dtype_like b) { return ordered("dtype_gt", a, b, true, false); }
bool kn_dtype_ge(kn_dtype a, kn_dtype_like b) { return ordered("dtype_ge", a, b, true, true); }

uint64_t kn_dtype_hash(kn_dtype dtype)
{
    return is_given("dtype_hash", dtype) ? (dtype->id + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15) : 0;
}
