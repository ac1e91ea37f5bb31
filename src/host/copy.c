/* SPDX-License-Identifier: Apache-2.0
 * copy.c -- stage functions that only copy adjacent elements, of any size, or pairs of them (complex numbers), forwards
 * or backwards, or small ones that lie a few elements apart. No machine code of their own is made for these. */
#include "base/cpu.h"
#include "host/drive.h"

#ifdef KN_HAVE_ISA_VARIANTS
#define BEST(loop) ((loop##_loop *const[]){KNX_ISA_FORMS(knh_##loop)})[knx_cpu_chosen()]
#else
#define BEST(loop) knh_##loop##_base
#endif
typedef knh_copy_loop copy_rows_loop;
typedef knh_reverse_loop reverse_rows_loop;
typedef knh_weave_loop weave_loop;

/* Lanes to so many bytes each; the loops take elements that are written forwards. */
static void copy(const knh_words *from, const knh_words *to, const knh_args *a, int64_t size, bool bypass)
{
    int64_t step = from->lane_step, bytes = a->n * size, back = to->lane_step < 0 ? a->n - 1 : 0;
    char *y = (char *)(intptr_t)(to->at + back * to->lane_step);
    const char *x = (const char *)(intptr_t)(from->at + back * step);
    step = to->lane_step < 0 ? -step : step;
    if (step == -size)
        BEST(reverse_rows)(y, to->row_step, x + size - bytes, from->row_step, a->rows, bytes, (int)size, bypass);
    else if (step <= size || a->n == 1) /* of one lane any step is right */
        BEST(copy_rows)(y, to->row_step, x, from->row_step, a->rows, bytes, bypass);
    else
        for (int64_t r = 0; r < a->rows; r++, y += to->row_step, x += from->row_step)
            knh_transpose()((int)size, y, bytes, x, step, a->n, 1, bypass);
}

/* The first of both loads and the first of both stores, if they are pairs. */
#define COPY(size, pair)                                                                                        \
    static void copy_##size##_##pair(knh_args *a) { copy(a->stream, a->stream + pair, a, size * pair, false); } \
    static void past_##size##_##pair(knh_args *a) { copy(a->stream, a->stream + pair, a, size * pair, true); }
COPY(1, 1)
COPY(2, 1)
COPY(4, 1)
COPY(8, 1)
COPY(4, 2)
COPY(8, 2)

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
    return fine;
}

/* Adjacent elements, either way, or, if they are read, some that the machine code takes one by one. */
static bool can_copy(int64_t from, int64_t to, int64_t size)
{
    int64_t step = to < 0 ? -from : from;
    return (to == size || to == -size) &&
           (step == size || step == -size || (size <= 2 && step > 0 && step <= KNH_MOST_WOVEN * size));
}

bool knh_find_copy(knh_pass *ps)
{
    static const struct {
        knh_function *plain, *past;
    } one[] = {{copy_1_1, past_1_1}, {copy_2_1, past_2_1}, {copy_4_1, past_4_1}, {copy_8_1, past_8_1}},
      two[] = {{copy_4_2, past_4_2}, {copy_8_2, past_8_2}};
    const knh_stage_facts *f = ps->facts;
    int64_t size = f->n_stream ? knk_size(f->stream[0].dtype) : 0;
    for (int i = 0; i < f->n_stream; i++)
        if (ps->turned[i])
            return false;
    if (f->copies && f->n_stream == 2 && !f->stream[0].written &&
        can_copy(lane_step(ps, 0, size), lane_step(ps, 1, size), size)) {
        ps->f = one[size / 2 - (size == 8)].plain;
        ps->nontemporal = one[size / 2 - (size == 8)].past;
    } else if (f->copies_pairs && f->n_stream == 4 && size >= 4 && are_pair(ps, 0, size) && are_pair(ps, 2, size) &&
               can_copy(lane_step(ps, 0, 2 * size), lane_step(ps, 2, 2 * size), 2 * size)) {
        ps->f = two[size / 8].plain;
        ps->nontemporal = two[size / 8].past;
    }
    return ps->f != NULL;
}
