/* SPDX-License-Identifier: Apache-2.0
 * dtype_names.c -- dtypes by what NumPy calls them: np.dtype's names, letters and codes with byte orders. */
#include "base/dtype.h"
#include <string.h>

/* kind and size in bytes; what has no row in dtypes.def is refused by its name. Kind 0: no kind of Kiln's at all. */
typedef struct named {
    const char *name;
    char kind;
    uint8_t size;
} named;

static const named names[] = {
    {"bool_", 'b', 1},
    {"byte", 'i', 1},
    {"short", 'i', sizeof(short)},
    {"intc", 'i', sizeof(int)},
    {"int", 'i', sizeof(intptr_t)},
    {"int_", 'i', sizeof(intptr_t)},
    {"intp", 'i', sizeof(intptr_t)},
    {"long", 'i', sizeof(long)},
    {"longlong", 'i', sizeof(long long)},
    {"ubyte", 'u', 1},
    {"ushort", 'u', sizeof(short)},
    {"uintc", 'u', sizeof(int)},
    {"uint", 'u', sizeof(uintptr_t)},
    {"uintp", 'u', sizeof(uintptr_t)},
    {"ulong", 'u', sizeof(long)},
    {"ulonglong", 'u', sizeof(long long)},
    {"half", 'f', 2},
    {"single", 'f', 4},
    {"double", 'f', 8},
    {"float", 'f', 8},
    {"csingle", 'c', 8},
    {"cdouble", 'c', 16},
    {"complex", 'c', 16},
};

/* One letter; a byte order may stand before it. */
static const named letters[] = {
    {"?", 'b', 1},
    {"b", 'i', 1},
    {"h", 'i', sizeof(short)},
    {"i", 'i', sizeof(int)},
    {"l", 'i', sizeof(long)},
    {"q", 'i', sizeof(long long)},
    {"p", 'i', sizeof(intptr_t)},
    {"n", 'i', sizeof(intptr_t)},
    {"B", 'u', 1},
    {"H", 'u', sizeof(short)},
    {"I", 'u', sizeof(int)},
    {"L", 'u', sizeof(long)},
    {"Q", 'u', sizeof(long long)},
    {"P", 'u', sizeof(uintptr_t)},
    {"N", 'u', sizeof(uintptr_t)},
    {"e", 'f', 2},
    {"f", 'f', 4},
    {"d", 'f', 8},
    {"F", 'c', 8},
    {"D", 'c', 16},
};

static const bool big_endian_host = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static bool is(const char *word, const char *s, size_t n) { return strlen(word) == n && !memcmp(word, s, n); }

static kn_dtype of_kind(char kind, unsigned size)
{
    for (kn_dtype d = knx_dtype_table; d < knx_dtype_table + KN_ID_COUNT; d++)
        if (d->kind == kind && d->size == size && d != KN_DT(BF16))
            return d;
    return NULL;
}

static kn_dtype in_list(const named *list, size_t count, const char *s, size_t n)
{
    for (size_t i = 0; i < count; i++)
        if (is(list[i].name, s, n))
            return of_kind(list[i].kind, list[i].size);
    return NULL;
}

/* A kind and a number of bytes: "i8" is int64. */
static kn_dtype by_size(const char *s, size_t n)
{
    unsigned size = 0;
    if (n < 2 || !strchr("biufc", s[0]))
        return NULL;
    for (size_t i = 1; i < n; i++) {
        if (s[i] < '0' || s[i] > '9' || size > 99)
            return NULL;
        size = size * 10 + (unsigned)(s[i] - '0');
    }
    return of_kind(s[0], size);
}

kn_dtype knx_dtype_numpy(const char *s, size_t n, bool *swapped)
{
    char order = n && strchr("<>=|", s[0]) && s[0] ? s[0] : 0;
    *swapped = false;
    for (kn_dtype d = knx_dtype_table; !order && d < knx_dtype_table + KN_ID_ALL; d++)
        if (is(d->name, s, n))
            return d;
    kn_dtype d = order ? NULL : in_list(names, sizeof names / sizeof *names, s, n);
    if (d)
        return d;
    s += order != 0;
    n -= order != 0;
    d = in_list(letters, sizeof letters / sizeof *letters, s, n);
    if (!d)
        d = by_size(s, n);
    *swapped = d && d->size > 1 && order == (big_endian_host ? '<' : '>');
    return d;
}
