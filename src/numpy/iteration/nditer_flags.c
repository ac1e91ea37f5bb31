/* SPDX-License-Identifier: Apache-2.0
 * nditer_flags.c -- the words that NumPy's iterator is asked by, and which of them go together. */
#include "numpy/iteration/nditer.h"
#include <string.h>

typedef struct word {
    const char *name;
    uint32_t flag;
} word;

static const word global_words[] = {
    {"c_index", KNN_C_INDEX},
    {"f_index", KNN_F_INDEX},
    {"multi_index", KNN_MULTI_INDEX},
    {"external_loop", KNN_EXTERNAL_LOOP},
    {"common_dtype", KNN_COMMON_DTYPE},
    {"refs_ok", KNN_REFS_OK},
    {"zerosize_ok", KNN_ZEROSIZE_OK},
    {"reduce_ok", KNN_REDUCE_OK},
    {"ranged", KNN_RANGED},
    {"buffered", KNN_BUFFERED},
    {"growinner", KNN_GROWINNER},
    {"grow_inner", KNN_GROWINNER},
    {"delay_bufalloc", KNN_DELAY_BUFALLOC},
    {"copy_if_overlap", KNN_COPY_IF_OVERLAP},
    {NULL, 0},
};
static const word op_words[] = {
    {"readonly", KNN_READONLY},
    {"readwrite", KNN_READWRITE},
    {"writeonly", KNN_WRITEONLY},
    {"copy", KNN_COPY},
    {"updateifcopy", KNN_UPDATEIFCOPY},
    {"nbo", KNN_NBO},
    {"aligned", KNN_ALIGNED},
    {"contig", KNN_CONTIG},
    {"allocate", KNN_ALLOCATE},
    {"no_subtype", KNN_NO_SUBTYPE},
    {"virtual", KNN_VIRTUAL},
    {"no_broadcast", KNN_NO_BROADCAST},
    {"writemasked", KNN_WRITEMASKED},
    {"arraymask", KNN_ARRAYMASK},
    {"overlap_assume_elementwise", KNN_ELEMENTWISE},
    {NULL, 0},
};

static uint32_t read_words(kna_op *op, const char *text, const word *list, const char *unknown)
{
    static const char between[] = " ,|";
    uint32_t flags = 0;
    for (const char *at = text ? text : ""; *(at += strspn(at, between)) && !kna_failed(op);) {
        size_t n = strcspn(at, between);
        const word *w = list;
        while (w->name && (strlen(w->name) != n || memcmp(w->name, at, n) != 0))
            w++;
        if (!w->name)
            kna_fail(op, KN_ERROR_VALUE, unknown, (int)(n < 100 ? n : 100), at);
        flags |= w->flag;
        at += n;
    }
    return flags;
}

uint32_t knn_nditer_read_flags(kna_op *op, const char *words)
{
    return read_words(op, words, global_words, "Unexpected iterator global flag \"%.*s\"");
}

uint32_t knn_nditer_read_op_flags(kna_op *op, const char *words)
{
    return read_words(op, words, op_words, "Unexpected per-op iterator flag \"%.*s\"");
}

void knn_nditer_check_flags(kna_op *op, uint32_t flags)
{
    bool index = flags & (KNN_C_INDEX | KNN_F_INDEX);
    if ((flags & KNN_C_INDEX) && (flags & KNN_F_INDEX))
        kna_fail(op, KN_ERROR_VALUE, "Iterator flags C_INDEX and F_INDEX cannot both be specified");
    else if ((flags & KNN_EXTERNAL_LOOP) && (index || (flags & KNN_MULTI_INDEX)))
        kna_fail(op, KN_ERROR_VALUE,
                 "Iterator flag EXTERNAL_LOOP cannot be used if an index or multi-index is being tracked");
    else if ((flags & KNN_RANGED) && (flags & KNN_EXTERNAL_LOOP) && !(flags & KNN_BUFFERED))
        kna_fail(op, KN_ERROR_VALUE,
                 "Iterator flag RANGED cannot be used with the flag EXTERNAL_LOOP unless BUFFERED is also enabled");
}

void knn_nditer_check_op_flags(kna_op *op, uint32_t flags)
{
    uint32_t access = flags & (KNN_READONLY | KNN_READWRITE | KNN_WRITEONLY);
    bool write = flags & (KNN_READWRITE | KNN_WRITEONLY);
    if (kna_failed(op))
        return;
    if (!access)
        kna_fail(op, KN_ERROR_VALUE,
                 "None of the iterator flags READWRITE, READONLY, or WRITEONLY were specified for an operand");
    else if (access & (access - 1))
        kna_fail(op, KN_ERROR_VALUE,
                 "Only one of the iterator flags READWRITE, READONLY, and WRITEONLY may be specified for an operand");
    else if (write && (flags & (KNN_COPY | KNN_UPDATEIFCOPY)) == KNN_COPY)
        kna_fail(op, KN_ERROR_VALUE,
                 "If an iterator operand is writeable, must use the flag UPDATEIFCOPY instead of COPY");
    else if ((flags & KNN_WRITEMASKED) && !write)
        kna_fail(op, KN_ERROR_VALUE, "The iterator flag WRITEMASKED may only be used with READWRITE or WRITEONLY");
    else if ((flags & KNN_WRITEMASKED) && (flags & KNN_ARRAYMASK))
        kna_fail(op, KN_ERROR_VALUE, "The iterator flag WRITEMASKED may not be used together with ARRAYMASK");
    else if ((flags & KNN_VIRTUAL) && !(flags & KNN_READWRITE))
        kna_fail(op, KN_ERROR_VALUE, "The iterator flag VIRTUAL should be be used together with READWRITE");
}
