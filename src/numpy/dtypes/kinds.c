/* SPDX-License-Identifier: Apache-2.0
 * kinds.c -- of which kinds dtypes are, and what NumPy calls letters of types. */
#include "numpy/dtypes/internal.h"
#include <string.h>

/* ---- The hierarchy: an abstract type and the one above it. What is below comes later. */

enum { GENERIC, NUMBER, INTEGER, SIGNED, UNSIGNED, INEXACT, FLOATING, COMPLEX, FLEXIBLE, CHARACTER, N_ABSTRACT };
static const struct abstract {
    const char *name;
    int above;
} hierarchy[N_ABSTRACT] = {
    [GENERIC] = {KN_GENERIC, -1},
    [NUMBER] = {KN_NUMBER, GENERIC},
    [INTEGER] = {KN_INTEGER, NUMBER},
    [SIGNED] = {KN_SIGNEDINTEGER, INTEGER},
    [UNSIGNED] = {KN_UNSIGNEDINTEGER, INTEGER},
    [INEXACT] = {KN_INEXACT, NUMBER},
    [FLOATING] = {KN_FLOATING, INEXACT},
    [COMPLEX] = {KN_COMPLEXFLOATING, INEXACT},
    [FLEXIBLE] = {KN_FLEXIBLE, GENERIC},
    [CHARACTER] = {KN_CHARACTER, FLEXIBLE},
};

/* The abstract type of this name; -1: none. */
static int abstract_named(const char *text)
{
    int found = -1;
    for (int i = 0; text && i < N_ABSTRACT; i++)
        if (!strcmp(text, hierarchy[i].name))
            found = i;
    return found;
}

static int right_above(kn_dtype d)
{
    switch (knn_kind_of(d)) {
    case KN_KIND_INT: return SIGNED;
    case KN_KIND_UINT: return UNSIGNED;
    case KN_KIND_FLOAT: return FLOATING;
    case KN_KIND_COMPLEX: return COMPLEX;
    case KN_KIND_BOOL:
    case KN_KIND_KEY: break;
    }
    return GENERIC;
}

bool kn_issubdtype(kn_dtype_like arg1, kn_dtype_like arg2)
{
    kna_op op;
    kna_begin(&op, "issubdtype");
    int low = abstract_named(arg1.text), high = abstract_named(arg2.text);
    kn_dtype a = low < 0 ? knn_dtype_like(&op, arg1) : NULL, b = high < 0 ? knn_dtype_like(&op, arg2) : NULL;
    bool yes = a && a == b;
    if (a)
        low = right_above(a);
    while (low >= 0 && high >= 0 && low != high)
        low = hierarchy[low].above;
    yes = yes || (high >= 0 && low == high);
    return kna_end_plain(&op) && yes;
}

/* The letters of the kinds that a word of n letters speaks of; NULL: no word of the array API. */
static const char *kinds_of(const char *word, size_t n)
{
    static const struct {
        const char *word, *kinds;
    } words[] = {{"bool", "b"},          {"signed integer", "i"},   {"unsigned integer", "u"}, {"integral", "iu"},
                 {"real floating", "f"}, {"complex floating", "c"}, {"numeric", "iufc"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == n && !memcmp(word, words[i].word, n))
            return words[i].kinds;
    return NULL;
}

bool kn_isdtype(kn_dtype dtype, kn_dtype_like kind)
{
    kna_op op;
    kna_begin(&op, "isdtype");
    bool yes = false;
    if (!dtype)
        kna_null(&op, "dtype");
    else if (!kind.text)
        yes = knn_dtype_like(&op, kind) == dtype;
    for (const char *word = dtype ? kind.text : NULL; word && !kna_failed(&op);) {
        size_t n = strcspn(word, ",");
        const char *kinds = kinds_of(word, n), *next = word[n] ? word + n + 1 : NULL;
        if (!kinds)
            kna_fail(&op, KN_ERROR_VALUE, "kind argument is a string, but '%.*s' is not a known kind name.", (int)n,
                     word);
        yes = yes || (kinds && strchr(kinds, knn_kind_of(dtype)));
        word = next ? next + strspn(next, " ") : NULL;
    }
    return kna_end_plain(&op) && yes;
}

/* ---- Letters. */

typedef struct entry {
    const char *key, *text;
} entry;

static const char *find(const char *operation, const entry *list, size_t n, const char *key)
{
    const char *found = NULL;
    kna_op op;
    kna_begin(&op, operation);
    bool given = kna_given_pointer(&op, key, "key");
    for (size_t i = 0; given && i < n; i++)
        if (!strcmp(key, list[i].key))
            found = list[i].text;
    if (given && !found)
        kna_fail(&op, KN_ERROR_KEY, "'%s'", key);
    return kna_end_plain(&op) ? found : NULL;
}

const char *kn_typename(const char *char_)
{
    static const entry names[] = {
        {"S1", "character"},
        {"?", "bool"},
        {"b", "signed char"},
        {"B", "unsigned char"},
        {"h", "short"},
        {"H", "unsigned short"},
        {"i", "integer"},
        {"I", "unsigned integer"},
        {"l", "long integer"},
        {"L", "unsigned long integer"},
        {"q", "long long integer"},
        {"Q", "unsigned long long integer"},
        {"f", "single precision"},
        {"d", "double precision"},
        {"g", "long precision"},
        {"F", "complex single precision"},
        {"D", "complex double precision"},
        {"G", "complex long double precision"},
        {"S", "string"},
        {"U", "unicode"},
        {"V", "void"},
        {"O", "object"},
    };
    return find("typename", names, sizeof names / sizeof *names, char_);
}

const char *kn_typecodes(const char *kind)
{
    static const entry codes[] = {
        {"Character", "c"},      {"Integer", "bhilqnp"}, {"UnsignedInteger", "BHILQNP"},
        {"Float", "efdg"},       {"Complex", "FDG"},     {"AllInteger", "bBhHiIlLqQnNpP"},
        {"AllFloat", "efdgFDG"}, {"Datetime", "Mm"},     {"All", "?bhilqnpBHILQNPefdgFDGSUVOMm"},
    };
    return find("typecodes", codes, sizeof codes / sizeof *codes, kind);
}
