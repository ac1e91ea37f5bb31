/* SPDX-License-Identifier: Apache-2.0
 * wav.c -- sound in RIFF, RIFX (numbers with the highest byte first) and RF64 (long) files, as scipy.io.wavfile has
 * it. */
#include "media/media.h"
#include "kiln/media/sound.h"
#include <stdlib.h>
#include <string.h>

enum { PCM = 1, FLOAT = 3, EXTENSIBLE = 0xfffe };

typedef struct sound {
    const char *op;
    const uint8_t *at; /* the whole file */
    uint64_t n;
    bool big, has_format, has_data;
    int format, channels, bits, frame; /* frame: bytes of one sample of each channel */
    uint64_t rate, data, bytes;        /* data: where its samples begin, how many bytes they have */
    uint64_t long_bytes;               /* of the data of an RF64 file */
} sound;

static int damaged(const sound *s, const char *what)
{
    return knbeside_fail(s->op, KN_ERROR_VALUE, "the WAV file is damaged: %s", what);
}

static uint64_t number(const sound *s, uint64_t at, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)s->at[at + (uint64_t)i] << 8 * (s->big ? bytes - 1 - i : i);
    return v;
}

static bool is_word(const sound *s, uint64_t at, const char *word) { return !memcmp(s->at + at, word, 4); }

static int read_format(sound *s, uint64_t at, uint64_t n)
{
    static const uint8_t rest[12] = {0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    if (n < 16)
        return damaged(s, "its format is too short");
    s->format = (int)number(s, at, 2);
    s->channels = (int)number(s, at + 2, 2);
    s->rate = number(s, at + 4, 4);
    s->frame = (int)number(s, at + 12, 2);
    s->bits = (int)number(s, at + 14, 2);
    if (s->format == EXTENSIBLE && n >= 40) {
        uint32_t sub = (uint32_t)number(s, at + 24, 4);
        const uint8_t *tail =
            s->at + at + 28; /* the same in files of both orders of bytes, but for its 16 bit numbers */
        bool known = s->big ? !memcmp(tail, (const uint8_t[]){0, 0, 0, 0x10}, 4) && !memcmp(tail + 4, rest + 4, 8)
                            : !memcmp(tail, rest, sizeof rest);
        s->format = known && sub <= 0xffff ? (int)sub : EXTENSIBLE;
    }
    if (s->format != PCM && s->format != FLOAT)
        return knbeside_fail(s->op, KN_ERROR_NOT_IMPLEMENTED,
                             "WAV files of format 0x%04x are not read: PCM and floats are", s->format);
    if (s->channels == 0)
        return damaged(s, "it has no channels");
    int size = s->frame / s->channels;
    if (s->frame % s->channels || size * 8 < s->bits || s->bits == 0)
        return damaged(s, "its sizes of samples and frames do not go together");
    if (s->format == FLOAT ? (s->bits != 32 && s->bits != 64) || size * 8 != s->bits
                           : (size != 1 && size != 2 && size != 3 && size != 4 && size != 8))
        return knbeside_fail(s->op, KN_ERROR_NOT_IMPLEMENTED, "%s of %d bits in %d bytes are not read",
                             s->format == FLOAT ? "floats" : "integers", s->bits, size);
    s->has_format = true;
    return 0;
}

/* Goes through the chunks; those that are not known are left out, as is what follows the samples. */
static int read_chunks(sound *s)
{
    bool rf64 = s->n >= 12 && is_word(s, 0, "RF64");
    s->big = s->n >= 12 && is_word(s, 0, "RIFX");
    if (s->n < 12 || !(rf64 || s->big || is_word(s, 0, "RIFF")) || !is_word(s, 8, "WAVE"))
        return knbeside_fail(s->op, KN_ERROR_VALUE, "this is no WAV file");
    for (uint64_t at = 12; s->n - at >= 8 && !s->has_data;) {
        uint64_t n = number(s, at + 4, 4), left = s->n - at - 8;
        bool data = is_word(s, at, "data");
        if (data && rf64 && n == UINT32_MAX)
            n = s->long_bytes;
        if (data && !s->has_format)
            return damaged(s, "its samples come before their format");
        if (data) {
            s->has_data = true;
            s->data = at + 8;
            s->bytes = n;
        } else if (n > left) {
            return damaged(s, "it ends in the middle of a chunk");
        } else if (is_word(s, at, "fmt ") && read_format(s, at + 8, n)) {
            return -1;
        } else if (rf64 && is_word(s, at, "ds64") && n >= 24) {
            s->long_bytes = number(s, at + 16, 8);
        }
        if (n > left && !data)
            break;
        at += data ? 0 : 8 + n;
        if (n % 2 && !data && at < s->n)
            at++;
    }
    if (!s->has_format || !s->has_data)
        return damaged(s, s->has_format ? "it has no samples" : "it has no format");
    if (s->bytes > s->n - s->data)
        return damaged(s, "it ends too early");
    return 0;
}

/* Samples as the machine has them; 24 bits become the upper ones of 32. */
static void convert(const sound *s, uint64_t n, int size, uint8_t *to)
{
    const uint16_t one = 1;
    bool machine_big = !*(const uint8_t *)&one;
    const uint8_t *from = s->at + s->data;
    int wide = size == 3 ? 4 : size;
    for (uint64_t i = 0; i < n; i++, from += size, to += wide)
        for (int k = 0; k < wide; k++) { /* byte k from the lowest one */
            int source = k - (wide - size);
            uint8_t v = source < 0 ? 0 : from[s->big ? size - 1 - source : source];
            to[machine_big ? wide - 1 - k : k] = v;
        }
}

static kn_dtype dtype_of(const sound *s, int size)
{
    if (s->format == FLOAT)
        return size == 8 ? KN_F64 : KN_F32;
    return size == 1 ? KN_U8 : size == 2 ? KN_I16 : size == 8 ? KN_I64 : KN_I32;
}

static kn_array samples(const sound *s)
{
    int size = s->frame / s->channels;
    uint64_t frames = s->bytes / (uint64_t)s->frame, n = frames * (uint64_t)s->channels;
    const int64_t dim[2] = {(int64_t)frames, s->channels};
    void *to = knbeside_alloc(n, (size_t)(size == 3 ? 4 : size));
    if (to)
        convert(s, n, size, to);
    return knmedia_array(s->op, to, s->channels == 1 ? 1 : 2, dim, dtype_of(s, size));
}

kn_array kn_wav_load(const char *path, const kn_wav_load_opts *opts)
{
    KNX_OPTS(kn_wav_load_opts, o, opts);
    knbeside_bytes in = {0};
    sound s = {.op = "wav_load"};
    kn_scope scope = kn_scope_begin();
    int status = knbeside_read(s.op, path, o.file, &in);
    s.at = in.at;
    s.n = in.n;
    if (!status)
        status = read_chunks(&s);
    kn_array x = status ? knbeside_failed() : samples(&s);
    knbeside_bytes_free(&in);
    if (!status && o.rate)
        *o.rate = (int64_t)s.rate;
    kn_keep(x);
    kn_scope_end(&scope);
    return x;
}

/* ---- Writing. */

static int check_save(sound *s, kn_array x, int64_t rate, int bits)
{
    kn_dtype d = kn_dtype_of(x);
    kn_shape shape = kn_shape_of(x);
    if (!d || shape.ndim < 0)
        return -1;
    bool known = d == KN_U8 || d == KN_I16 || d == KN_I32 || d == KN_I64 || d == KN_F32 || d == KN_F64;
    if (!known)
        return knbeside_fail(s->op, KN_ERROR_TYPE,
                             "sound is uint8, int16, int32, int64, float32 or float64, not %s; kn_astype converts",
                             kn_dtype_name(d));
    if (shape.ndim < 1 || shape.ndim > 2)
        return knbeside_fail(s->op, KN_ERROR_VALUE, "sound has the shape (frames) or (frames, channels), not %d axes",
                             shape.ndim);
    s->channels = shape.ndim == 2 ? (int)(shape.dim[1] > 65536 ? 65536 : shape.dim[1]) : 1;
    if (bits != 0 && (bits != 24 || d != KN_I32) && bits != 8 * (int)kn_dtype_size(d))
        return knbeside_fail(s->op, KN_ERROR_VALUE, "%s has %d bits%s, not %d", kn_dtype_name(d),
                             8 * (int)kn_dtype_size(d), d == KN_I32 ? " or 24" : "", bits);
    s->bits = bits ? bits : 8 * (int)kn_dtype_size(d);
    s->format = kn_dtype_kind(d) == 'f' ? FLOAT : PCM;
    if (s->channels < 1 || s->channels * s->bits / 8 > 65535)
        return knbeside_fail(s->op, KN_ERROR_VALUE, "a WAV file cannot have %lld channels", (long long)shape.dim[1]);
    s->frame = s->channels * s->bits / 8;
    if (rate < 1 || rate > UINT32_MAX / s->frame)
        return knbeside_fail(s->op, KN_ERROR_VALUE, "a rate of %lld frames in a second cannot be written",
                             (long long)rate);
    s->rate = (uint64_t)rate;
    s->bytes = (uint64_t)shape.dim[0] * (uint64_t)s->frame;
    if (s->bytes > UINT32_MAX - 64)
        return knbeside_fail(s->op, KN_ERROR_VALUE, "a WAV file holds 4 GiB, the sound has %llu bytes",
                             (unsigned long long)s->bytes);
    return 0;
}

static void put_header(const sound *s, knbeside_bytes *out)
{
    /* As SciPy: what is not PCM has an empty extension and says how many frames there are. */
    bool more = s->format != PCM;
    knbeside_puts(out, "RIFF");
    knbeside_put_le(out, 4 + 24 + (more ? 2 + 12 : 0) + 8 + s->bytes + s->bytes % 2, 4);
    knbeside_puts(out, "WAVEfmt ");
    knbeside_put_le(out, more ? 18 : 16, 4);
    knbeside_put_le(out, (uint64_t)s->format, 2);
    knbeside_put_le(out, (uint64_t)s->channels, 2);
    knbeside_put_le(out, s->rate, 4);
    knbeside_put_le(out, s->rate * (uint64_t)s->frame, 4);
    knbeside_put_le(out, (uint64_t)s->frame, 2);
    knbeside_put_le(out, (uint64_t)s->bits, 2);
    if (more) {
        knbeside_put_le(out, 0, 2);
        knbeside_puts(out, "fact");
        knbeside_put_le(out, 4, 4);
        knbeside_put_le(out, s->bytes / (uint64_t)s->frame, 4);
    }
    knbeside_puts(out, "data");
    knbeside_put_le(out, s->bytes, 4);
}

static void put_samples(const sound *s, const uint8_t *from, int wide, knbeside_bytes *out)
{
    int size = s->bits / 8;
    const uint16_t one = 1;
    if (*(const uint8_t *)&one && size == wide) {
        knbeside_put(out, from, (size_t)s->bytes);
    } else {
        for (uint64_t i = 0; i < s->bytes / (uint64_t)size; i++, from += wide) {
            uint64_t v = 0;
            for (int k = 0; k < wide; k++)
                v |= (uint64_t)from[*(const uint8_t *)&one ? k : wide - 1 - k] << 8 * k;
            knbeside_put_le(out, v >> 8 * (wide - size), size);
        }
    }
    if (s->bytes % 2)
        knbeside_put(out, "", 1);
}

int kn_wav_save(const char *path, kn_array x, int64_t rate, const kn_wav_save_opts *opts)
{
    KNX_OPTS(kn_wav_save_opts, o, opts);
    knbeside_bytes out = {0};
    sound s = {.op = "wav_save"};
    kn_scope scope = kn_scope_begin();
    int status = knbeside_check_target(s.op, path, o.file);
    if (!status)
        status = x ? check_save(&s, x, rate, o.bits) : knbeside_null(s.op, "x");
    const void *from = status ? NULL : kn_data_bytes(x, kn_dtype_of(x));
    if (from) {
        put_header(&s, &out);
        put_samples(&s, from, (int)kn_dtype_size(kn_dtype_of(x)), &out);
    } else {
        status = -1;
    }
    status = knbeside_write(s.op, path, o.file, &out, status);
    kn_scope_end(&scope);
    return status;
}
