/* SPDX-License-Identifier: Apache-2.0
 * copy.c -- stage functions that only copy adjacent elements, of any size, or pairs of them (complex numbers): rows of
 * bytes. No machine code of their own is made for these. */
#include "base/cpu.h"
#include "host/drive.h"

static knh_copy_loop *best(void)
{
#ifdef KN_HAVE_ISA_VARIANTS
    static knh_copy_loop *const forms[] = {knh_copy_rows_base, knh_copy_rows_avx2, knh_copy_rows_avx512};
    return forms[knx_cpu_chosen()];
#else
    return knh_copy_rows_base;
#endif
}

static void copy(const knh_words *from, const knh_words *to, const knh_args *a, int64_t size)
{
    best()((char *)(intptr_t)to->at, to->row_step, (const char *)(intptr_t)from->at, from->row_step, a->rows,
           a->n * size);
}

#define ONE(size) \
    static void one_##size(knh_args *a) { copy(&a->stream[0], &a->stream[1], a, size); }
ONE(1)
ONE(2)
ONE(4)
ONE(8)
/* The first of both loads and the first of both stores. */
#define PAIR(size) \
    static void pair_##size(knh_args *a) { copy(&a->stream[0], &a->stream[2], a, 2 * size); }
PAIR(4)
PAIR(8)

static int64_t lane_step(const knh_pass *ps, int i, int64_t one_lane)
{
    return ps->lane < 0 ? one_lane : ps->stride[i * ps->n_axis + ps->lane];
}

/* Two streams, one element apart wherever they are. */
static bool are_pair(const knh_pass *ps, int i, int64_t size)
{
    const knh_stream *s = ps->facts->stream;
    bool fine = s[i].kind == KNH_MEMORY && s[i + 1].kind == KNH_MEMORY && s[i].buffer == s[i + 1].buffer &&
                ps->offset[i + 1] == ps->offset[i] + size && s[i].dtype == s[0].dtype && s[i + 1].dtype == s[0].dtype;
    for (int a = 0; fine && a < ps->n_axis; a++)
        fine = ps->stride[i * ps->n_axis + a] == ps->stride[(i + 1) * ps->n_axis + a];
    return fine && lane_step(ps, i, 2 * size) == 2 * size;
}

knh_function *knh_copy_function(const knh_pass *ps)
{
    const knh_stage_facts *f = ps->facts;
    int64_t size = f->n_stream ? knk_size(f->stream[0].dtype) : 0;
    for (int i = 0; i < f->n_stream; i++)
        if (ps->turned[i])
            return NULL;
    if (f->copies && f->n_stream == 2 && !f->stream[0].written && lane_step(ps, 0, size) == size &&
        lane_step(ps, 1, size) == size)
        return size == 1 ? one_1 : size == 2 ? one_2 : size == 4 ? one_4 : one_8;
    if (f->copies_pairs && f->n_stream == 4 && size >= 4 && are_pair(ps, 0, size) && are_pair(ps, 2, size))
        return size == 4 ? pair_4 : pair_8;
    return NULL;
}
