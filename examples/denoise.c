/* SPDX-License-Identifier: Apache-2.0
 * denoise.c -- two tones under noise: found in an average of spectra, then the signal without the noise, in segments
 * whose weak frequencies are left out. */
#include <kiln/kiln.h>
#include <math.h>

enum { SAMPLES = 4096, RATE = 1000 /* a second */, SEGMENT = 256 };

static kn_array loudness(kn_array x) { return kn_sqrt(kn_mean(kn_square(x))); }

int main(void)
{
    KN_SCOPE;
    kn_array t = kn_div(kn_arange(0, SAMPLES, 1), (double)RATE);
    kn_array clean = kn_add(kn_sin(kn_mul(2 * M_PI * 62.5, t)), kn_mul(0.5, kn_cos(kn_mul(2 * M_PI * 187.5, t))));
    kn_array noise = kn_mul(0.5, kn_sin(kn_mul(kn_square(kn_arange(0, SAMPLES, 1, .dtype = KN_F64)), 1.2345)));
    kn_array noisy = kn_add(clean, noise);

    kn_signal_spectrum power = kn_signal_welch(noisy, .fs = RATE, .nperseg = SEGMENT);
    kn_array v = power.values, middle = kn_at(v, "1:-1");
    kn_array peak = kn_logical_and(kn_greater(middle, kn_at(v, ":-2")), kn_greater(middle, kn_at(v, "2:")));
    kn_array loudest = kn_at(kn_argsort(kn_where(peak, middle, 0)), "-2:");
    kn_array tones = kn_sort(kn_take(kn_at(power.frequencies, "1:-1"), loudest));
    kn_printf("tones at %.1f and %.1f Hz\n", kn_at(tones, "0"), kn_at(tones, "1"));

    kn_signal_spectra parts = kn_signal_stft(noisy, .fs = RATE, .nperseg = SEGMENT);
    kn_array strength = kn_abs(parts.values);
    kn_array kept = kn_where(kn_greater(strength, 0.1), parts.values, 0);
    kn_array found = kn_at(kn_signal_istft(kept, .fs = RATE, .nperseg = SEGMENT).values, ":%", SAMPLES);

    kn_printf("%.1f %% of %d numbers are kept\n", kn_mul(100, kn_mean(kn_greater(strength, 0.1))), kn_size(strength));
    kn_printf("noise before %.3f, after %.3f\n", loudness(noise), loudness(kn_sub(found, clean)));
    return kn_finish();
}
