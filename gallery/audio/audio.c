/* SPDX-License-Identifier: Apache-2.0
 * audio.c -- plucked strings by Karplus and Strong: noise goes round in a delay line and loses its edges, period by
 * period. A chord, as a WAV file and as a spectrogram. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { RATE = 22050, SECONDS = 4, SAMPLES = RATE * SECONDS, NOTES = 6 };

/* y[n] = (y[n - period] + y[n - period - 1]) / 2, a whole period at a time: the carry is the last period, and the
 * sample in front of it. */
typedef struct {
    kn_array period, before;
} Line;
typedef struct {
    Line line;
    kn_array sound;
} Round;
static Round pass(const Line *s)
{
    kn_array shifted = kn_concatenate(KN_LIST(kn_expand_dims(s->before, KN_AXIS(0)), kn_at(s->period, ":-1")));
    kn_array next = kn_mul(0.4985, kn_add(s->period, shifted)); /* a little less than a half: it dies away */
    return (Round){{next, kn_at(s->period, "-1")}, next};
}
KN_FUNCTION(pass, Round, Line)

/* A string of that many samples a period, plucked. */
static kn_array pluck(kn_array key, int period)
{
    kn_array noise = kn_random_uniform(key, KN_SHAPE(period), .minval = kn_num(-1), .maxval = kn_num(1));
    Line start = {kn_sub(noise, kn_mean(noise)), kn_scalar(0.0)};
    Round out;
    kn_scan(KN_FN(pass), &out, &start, KN_NOTHING, .length = SAMPLES / period + 1);
    return kn_at(kn_ravel(out.sound), ":%", SAMPLES);
}

/* The frequency of the strongest line of a spectrum, between bins by a parabola through its logarithm. */
static double pitch(kn_array sound, double low, double high)
{
    kn_array window = kn_hanning(SAMPLES), power = kn_square(kn_abs(kn_fft_rfft(kn_mul(sound, window))));
    kn_array hertz = kn_fft_rfftfreq(SAMPLES, .d = 1.0 / RATE);
    kn_array near = kn_logical_and(kn_greater(hertz, low), kn_less(hertz, high));
    int64_t i = kn_item_int(kn_argmax(kn_where(near, power, 0)));
    kn_array three = kn_log(kn_at(power, "%:%", i - 1, i + 2));
    double a = kn_item(three, 0), b = kn_item(three, 1), c = kn_item(three, 2);
    return ((double)i + 0.5 * (a - c) / (a - 2 * b + c)) / SECONDS;
}

int main(void)
{
    KN_SCOPE;
    static const char *const names[NOTES] = {"E2", "B2", "E3", "G#3", "B3", "E4"};
    static const double wanted[NOTES] = {82.407, 123.471, 164.814, 207.652, 246.942, 329.628};
    kn_array mix = kn_zeros(KN_SHAPE(SAMPLES)), key = kn_random_key(5);
    for (int i = 0; i < NOTES; i++) {
        int period = (int)lround(RATE / wanted[i] - 0.5),
            from = RATE * i / 4; /* the mean of two delays half a sample */
        kn_array sound = pluck(kn_random_fold_in(key, i), period);
        kn_printf("%-3s %7.2f Hz heard, %7.2f Hz by the length of the line\n", names[i],
                  pitch(sound, 0.9 * wanted[i], 1.1 * wanted[i]), RATE / (period + 0.5));
        kn_iadd(kn_at(mix, "%:", from), kn_at(sound, ":%", SAMPLES - from));
    }
    kn_array loud = kn_div(mix, kn_max(kn_abs(mix)));
    kn_wav_save("audio.wav", kn_astype(kn_round(kn_mul(loud, 32767)), KN_I16), RATE);
    int64_t rate;
    kn_array back = kn_wav_load("audio.wav", .rate = &rate);
    kn_printf("audio.wav: %d samples of %d a second, %s, off by at most %.1e\n", kn_size(back), rate,
              kn_dtype_name(kn_dtype_of(back)), kn_max(kn_abs(kn_sub(kn_div(back, 32767.0), loud))));

    kn_signal_spectra s = kn_signal_stft(loud, .fs = RATE, .nperseg = 1024, .noverlap = 512);
    kn_array kept = kn_at(s.values, ":100"), level = kn_mul(20, kn_log10(kn_maximum(kn_abs(kept), 1e-6)));
    kn_plot p = kn_plot_grid(2, 1, .width = 600, .height = 400);
    kn_plot top = kn_plot_panel(p, 0, 0, .title = "Six plucked strings", .ylabel = "sound", .xlim = {0, SECONDS});
    kn_array blocks = kn_reshape(loud, KN_SHAPE(-1, 180)), t = kn_linspace(0, SECONDS, SAMPLES / 180);
    kn_plot_area(top, t, kn_min(blocks, KN_AXIS(1)), kn_max(blocks, KN_AXIS(1)), .alpha = 1);
    kn_plot bottom = kn_plot_panel(p, 1, 0, .xlabel = "seconds", .ylabel = "Hz", .no_grid = true, .xlim = {0, SECONDS});
    kn_plot_image(bottom, level, .vmin = -80, .vmax = -20, .origin = "lower", .colormap = "magma",
                  .extent = {0, SECONDS, 0, 100.0 * RATE / 1024});
    kn_plot_save(p, "audio.png", .scale = 1);
    return kn_finish();
}
