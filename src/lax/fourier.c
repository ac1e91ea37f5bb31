/* SPDX-License-Identifier: Apache-2.0
 * fourier.c -- jax.lax.fft. */
#include "lax/internal.h"
#include "lib/internal.h"
#include <strings.h>

kn_array kn_lax_fft(kn_array x, const char *fft_type, const kn_shape *fft_lengths)
{
    static const char *const names[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    kna_op op;
    kna_begin(&op, "fft");
    const kn_shape *lengths = kna_shape(&op, fft_lengths);
    kni_atom a = kna_in(&op, x);
    int type = 0;
    while (fft_type && type < 4 && strcasecmp(fft_type, names[type]) != 0)
        type++;
    if (!kna_failed(&op) && (!fft_type || type == 4))
        kna_fail(&op, KN_ERROR_VALUE, "Unknown FFT type '%s'", fft_type ? fft_type : "NULL");
    if (kna_failed(&op) || knl_not_a_number(&op, "fft", knb_type(op.b, a).dtype))
        return kna_end(&op, KN_ATOM_NONE);
    kn_dtype d = knl_inexact_for(knb_type(op.b, a).dtype);
    bool single = knx_is_complex(d) ? d == KN_DT(C64) : d->size <= 4;
    if (type != KN_RFFT)
        d = single ? KN_DT(C64) : KN_DT(C128);
    else if (knx_is_complex(d))
        kna_fail(&op, KN_ERROR_VALUE, "only real valued inputs supported for rfft");
    a = kna_failed(&op) ? KN_ATOM_NONE : knb_convert(op.b, a, d);
    if (lengths->ndim)
        a = knb_fft(op.b, a,
                    &(kni_p_fft){.fft_lengths = {lengths->ndim, (int64_t *)(uintptr_t)lengths->dim}, .fft_type = type});
    return kna_end(&op, a);
}
