/* SPDX-License-Identifier: Apache-2.0
 * speech.c -- where in a recording somebody speaks: a trained network in ONNX's format (of the package silero-vad) hears it
 * piece by piece, with a state from each piece to the next.
 * usage: speech [FOLDER [SOUND.wav]]   with silero_ifless.onnx, which scripts/models-venv.sh puts into
 *                                      build/peers-models/packages, and "Front Center" of Debian's alsa-utils; without them
 *                                      it says so and ends with status 77 */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <kiln/models.h>
#include <stdio.h>
#include <unistd.h>

enum { RATE = 16000, PIECE = 512, BEFORE = 64, TAPS = 97 };

/* Every k-th sample behind a filter (a windowed sinc) that keeps what k times fewer samples can say. */
static kn_array fewer(kn_array x, int k)
{
    if (k == 1)
        return x;
    kn_array t = kn_div(kn_arange(-(TAPS / 2), TAPS / 2 + 1, 1, .dtype = KN_F32), k);
    kn_array filter = kn_mul(kn_sinc(t), kn_astype(kn_hanning(TAPS), KN_F32));
    return kn_at(kn_convolve(x, kn_div(filter, kn_sum(filter)), "same"), "::%", k);
}

static kn_array load(const char *path)
{
    int64_t rate;
    kn_array x = kn_wav_load(path, .rate = &rate);
    if (kn_error_pending() || kn_ndim(x) != 1 || rate % RATE) {
        fprintf(stderr, "%s: one channel with a multiple of %d samples a second is wanted\n", path, RATE);
        return NULL;
    }
    return fewer(kn_div(kn_astype(x, KN_F32), 32768), (int)(rate / RATE));
}

/* Each piece is heard with the last samples before it; somebody speaks where the network is surer than one half. */
static int listen(kn_onnx model, kn_array sound)
{
    int64_t pieces = kn_dim(sound, 0) / PIECE;
    kn_array state = kn_zeros(KN_SHAPE(2, 1, 128), .dtype = KN_F32);
    kn_array padded = kn_lax_pad(sound, 0, KN_PADDING({BEFORE, 0, 0}));
    bool speaks = false;
    int words = 0;
    for (int64_t i = 0; i <= pieces && !kn_error_pending(); i++) {
        double sure = 0;
        if (i < pieces) {
            kn_array input = kn_at(padded, "None, %:%", i * PIECE, i * PIECE + PIECE + BEFORE);
            kn_tree out =
                kn_onnx_run(model, kn_tree_dict("input", input, "state", state, "sr", kn_astype(RATE, KN_I64)));
            state = kn_tree_at(out, "stateN");
            sure = kn_item(kn_tree_at(out, "output"));
        }
        if (speaks != (sure > 0.5)) {
            speaks = !speaks;
            words += speaks;
            printf(speaks ? "speech from %.2f s" : " to %.2f s\n", (double)(i * PIECE) / RATE);
        }
    }
    int status = kn_finish();
    return status ? status : !words;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "build/peers-models/packages";
    const char *sound = argc > 2 ? argv[2] : "/usr/share/sounds/alsa/Front_Center.wav";
    char path[4096];
    snprintf(path, sizeof path, "%s/silero_ifless.onnx", folder);
    if (access(path, R_OK) || access(sound, R_OK)) {
        printf("skipped: %s is not there\n", access(path, R_OK) ? path : sound);
        return 77;
    }
    KN_SCOPE;
    kn_onnx model = kn_onnx_load(path);
    kn_array x = load(sound);
    if (!model || !x)
        return kn_finish() | 1;
    printf("%.2f s of sound\n", (double)kn_dim(x, 0) / RATE);
    return listen(model, x);
}
