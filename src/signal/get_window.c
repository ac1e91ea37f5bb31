/* SPDX-License-Identifier: Apache-2.0
 * get_window.c -- scipy.signal.get_window: windows by their names, periodic or symmetric. */
#include "kiln/signal.h"
#include "lib/compose.h"
#include "numpy/creation/windows.h"
#include <math.h>
#include <string.h>

typedef enum window_kind { COSINES, BARTLETT, TRIANGLE, COSINE, KAISER } window_kind;

typedef struct named_window {
    const char *name, *other[4];
    window_kind kind;
    int count; /* of the sum's coefficients */
    double c[5];
} named_window;

static const named_window windows[] = {
    {"boxcar", {"box", "ones", "rect", "rectangular"}, COSINES, 1, {1}},
    {"triang", {"triangle", "tri"}, TRIANGLE, 0, {0}},
    {"bartlett", {"bart", "brt"}, BARTLETT, 0, {0}},
    {"hann", {"han"}, COSINES, 2, {0.5, 0.5}},
    {"hamming", {"hamm", "ham"}, COSINES, 2, {0.54, 0.46}},
    {"blackman", {"black", "blk"}, COSINES, 3, {0.42, 0.5, 0.08}},
    {"nuttall", {"nutl", "nut"}, COSINES, 4, {0.3635819, 0.4891775, 0.1365995, 0.0106411}},
    {"blackmanharris", {"blackharr", "bkh"}, COSINES, 4, {0.35875, 0.48829, 0.14128, 0.01168}},
    {"flattop", {"flat", "flt"}, COSINES, 5, {0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368}},
    {"cosine", {"halfcosine"}, COSINE, 0, {0}},
    {"kaiser", {"ksr"}, KAISER, 0, {0}},
};

static const named_window *find(const char *name)
{
    for (size_t i = 0; name && i < sizeof windows / sizeof *windows; i++) {
        if (!strcmp(name, windows[i].name))
            return &windows[i];
        for (int j = 0; j < 4 && windows[i].other[j]; j++)
            if (!strcmp(name, windows[i].other[j]))
                return &windows[i];
    }
    return NULL;
}

/* A window of straight lines, or a half of a sine's period; M > 1 samples. */
static kn_array shaped(knl_body *c, window_kind kind, int64_t M)
{
    kni_builder *b = c->op.b;
    kn_dtype d = KN_DT(F64);
    kni_atom k = knb_astype(b, knb_iota(b, KN_DT(I64), 1, &M, 0), d), y;
    if (kind == COSINE) {
        y = knb_sin(b, knb_mul(b, knb_add(b, k, knb_number(b, d, 0.5)), knb_number(b, d, M_PI / (double)M)));
    } else {
        kni_atom n = knb_sub(b, knb_mul(b, k, knb_number(b, d, 2)), knb_number(b, d, (double)(M - 1)));
        kni_atom slope = knb_div(b, knb_abs(b, n), knb_number(b, d, (double)(M | 1) + (M & 1 ? 1 : -1)));
        y = knb_sub(b, knb_number(b, d, 1), slope);
    }
    return knl_made(c, kna_failed(&c->op) ? KN_ATOM_NONE : knb_astype(b, y, kna_default_float()));
}

kn_array kn_signal_get_window(const char *window, int64_t Nx, const kn_signal_get_window_opts *opts)
{
    KNX_OPTS(kn_signal_get_window_opts, o, opts);
    knl_body c;
    knl_begin(&c, "get_window");
    const named_window *w = find(window);
    kn_array y = NULL;
    int64_t M = Nx < INT64_MAX ? Nx + o.fftbins : Nx;
    if (!kna_given_pointer(&c.op, window, "window") || !kna_need_number(&c.op, Nx, "as the length of a window"))
        ;
    else if (!w)
        kna_fail(&c.op, KN_ERROR_VALUE, "Invalid window name '%s' in parameter window='%s'!", window, window);
    else if (Nx < 1)
        kna_fail(&c.op, KN_ERROR_VALUE, "Parameter Nx=%lld is not a positive integer", (long long)Nx);
    else if (w->kind == KAISER && isnan(o.beta))
        kna_fail(&c.op, KN_ERROR_VALUE, "'%s' must have parameters, but window='%s'!", window, window);
    else if (Nx == 1 || w->count == 1)
        y = kn_ones(&(kn_shape){.ndim = 1, .dim = {Nx}}, NULL);
    else if (w->kind == COSINES)
        y = knn_cosine_window("get_window", M, w->count, w->c);
    else if (w->kind == BARTLETT)
        y = kn_bartlett(M);
    else if (w->kind == KAISER)
        y = kn_kaiser(M, kn_like_double(o.beta));
    else
        y = shaped(&c, w->kind, M);
    if (y && M > Nx && Nx > 1 && w->count != 1)
        y = knl_part("get_window", y, 0, 0, Nx);
    return knl_end(&c, y);
}
