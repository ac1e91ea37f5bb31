/* SPDX-License-Identifier: Apache-2.0
 * bits.c -- bit generators as handles: made, copied, jumped, advanced, saved. */
#include "array/handle.h"
#include "array/recording.h"
#include "lib/internal.h"
#include "rng/bits.h"
#include "rng/functions.h"
#include "rng/pieces.h"
#include <string.h>

knrng_bits *knrng_bits_new(const knrng_kind *kind, knrng_seed *seed)
{
    knrng_bits *g = knx_alloc_zero(sizeof *g);
    if (!g) {
        knrng_seed_release(seed);
        return NULL;
    }
    *g = (knrng_bits){.refs = 1, .kind = kind, .seed = seed};
    if (seed)
        kind->seed(g, seed);
    return g;
}

knrng_bits *knrng_bits_retain(knrng_bits *g)
{
    g->refs++;
    return g;
}

void knrng_bits_release(knrng_bits *g)
{
    if (g && --g->refs == 0) {
        knrng_seed_release(g->seed);
        knx_free(g);
    }
}

void knrng_halves(knrng_bits *g, size_t n, uint32_t *out)
{
    if (g->kind->pairs) {
        g->kind->fill32(g, n, out);
        return;
    }
    size_t i = 0;
    if (n && g->has_half)
        out[i++] = knrng_half(g);
#if defined(__BYTE_ORDER__) && \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ /* the halves lie in a word as they are given */
    if (n - i >= 2 && (uintptr_t)(out + i) % sizeof(uint64_t) == 0) {
        size_t words = (n - i) / 2;
        g->kind->fill(g, words, (uint64_t *)(out + i));
        i += 2 * words;
        g->half = out[i - 1];
    }
#endif
    for (uint64_t w[64]; n - i >= 2;) {
        size_t words = (n - i) / 2 < 64 ? (n - i) / 2 : 64;
        g->kind->fill(g, words, w);
        for (size_t k = 0; k < words; k++, i += 2) {
            out[i] = (uint32_t)w[k];
            out[i + 1] = (uint32_t)(w[k] >> 32);
        }
        g->half = out[i - 1]; /* as it stays where halves are given one by one */
    }
    if (i < n)
        out[i] = knrng_half(g);
}

knx_error *knrng_bits_child(const knrng_bits *g, knrng_bits **out)
{
    knrng_seed *s;
    if (!g->seed)
        return knx_error_new(KN_ERROR_TYPE, "The underlying SeedSequence does not implement spawning.");
    KN_TRY(knrng_seed_child(g->seed, &s));
    *out = knrng_bits_new(g->kind, s);
    return *out ? NULL : knx_error_nomem();
}

/* ---- Handles and arguments. */

static void drop_bits(void *p) { knrng_bits_release(p); }

kn_bit_generator knrng_bits_handle(knrng_bits *g) { return kna_handle_new(KN_H_BIT_GENERATOR, g, drop_bits); }

knrng_bits *knrng_bits_in(kna_op *op, kn_bit_generator handle) { return kna_handle_in(op, KN_H_BIT_GENERATOR, handle); }

bool knrng_may_draw(kna_op *op)
{
    const kna_recording *r = kna_recording_current();
    if (r)
        kna_fail(
            op, KN_ERROR_MUTATION,
            "random numbers of a generator would be drawn once, while %s is traced by %s, and not in each call; draw "
            "them outside, or use kn_random_* with a key",
            r->function, r->transformation);
    return !kna_failed(op);
}

bool knrng_words_of(kna_op *op, kn_array x, const char *name, int n, uint64_t *out)
{
    kni_type t = kna_type(op, x);
    if (!kna_failed(op) && !knx_is_integer(t.dtype) && t.dtype->kind != KN_KIND_BOOL)
        kna_fail(op, KN_ERROR_TYPE, "%s must be an integer, or an array of words", name);
    if (!kna_failed(op) && t.ndim && (t.ndim != 1 || t.dim[0] != n))
        kna_fail(op, KN_ERROR_VALUE, "%s must have %d elements when using array form", name, n);
    const char *at = kna_failed(op) ? NULL : kna_look(op, x, &t);
    if (!at)
        return false;
    bool is_signed = t.dtype->kind == KN_KIND_INT;
    for (int64_t i = 0; i < kni_type_size(t); i++)
        knx_convert(t.dtype, at + (size_t)i * t.dtype->size, is_signed ? KN_DT(I64) : KN_DT(U64), &out[i]);
    for (int i = 1; t.ndim == 0 && i < n; i++)
        out[i] = is_signed && out[0] >> 63 ? UINT64_MAX : 0;
    return true;
}

static kn_bit_generator made(kna_op *op, const knrng_kind *kind, kn_array seed, kn_seed_sequence sequence)
{
    knrng_seed *s = NULL;
    if (sequence && seed)
        kna_fail(op, KN_ERROR_VALUE, "seed and seed_seq cannot be both used");
    else
        s = sequence ? knrng_seed_retain(knrng_seed_in(op, sequence)) : knrng_seed_of(op, seed);
    knrng_bits *g = s ? knrng_bits_new(kind, s) : NULL;
    if (s && !g)
        kna_fail_with(op, knx_error_nomem());
    if (!kna_end_plain(op)) {
        knrng_bits_release(g);
        return NULL;
    }
    return g ? knrng_bits_handle(g) : NULL;
}

static kn_bit_generator bit_generator(const knrng_kind *kind, kn_array seed, const kn_bit_generator_opts *opts)
{
    kna_op op;
    kna_begin(&op, kind->name);
    return made(&op, kind, seed, opts ? opts->seed_seq : NULL);
}

kn_bit_generator kn_PCG64(kn_array seed, const kn_bit_generator_opts *opts)
{
    return bit_generator(&knrng_kind_pcg64, seed, opts);
}

kn_bit_generator kn_PCG64DXSM(kn_array seed, const kn_bit_generator_opts *opts)
{
    return bit_generator(&knrng_kind_pcg64dxsm, seed, opts);
}

kn_bit_generator kn_MT19937(kn_array seed, const kn_bit_generator_opts *opts)
{
    return bit_generator(&knrng_kind_mt19937, seed, opts);
}

kn_bit_generator kn_SFC64(kn_array seed, const kn_bit_generator_opts *opts)
{
    return bit_generator(&knrng_kind_sfc64, seed, opts);
}

/* Words of a key or a counter; one integer must not be negative. */
static void philox_words(kna_op *op, kn_array x, const char *name, int n, uint64_t *out)
{
    kni_type t = kna_type(op, x);
    if (knrng_words_of(op, x, name, n, out) && t.ndim == 0 && t.dtype->kind == KN_KIND_INT && out[0] >> 63)
        kna_fail(op, KN_ERROR_VALUE, "%s must be positive and less than 2**%d.", name, 64 * n);
}

kn_bit_generator kn_Philox(kn_array seed, const kn_philox_opts *opts)
{
    kna_op op;
    uint64_t key[2], counter[4] = {0};
    kna_begin(&op, "Philox");
    kn_philox_opts o = opts ? *opts : kn_philox_opts_default();
    if ((seed || o.seed_seq) && o.key)
        kna_fail(&op, KN_ERROR_VALUE, "seed and key cannot be both used");
    if (o.key && !kna_failed(&op))
        philox_words(&op, o.key, "key", 2, key);
    if (o.counter && !kna_failed(&op))
        philox_words(&op, o.counter, "counter", 4, counter);
    if (kna_failed(&op)) {
        kna_end_plain(&op);
        return NULL;
    }
    kn_bit_generator b = made(&op, &knrng_kind_philox, seed, o.seed_seq);
    knx_error *e = NULL;
    knrng_bits *g = b ? kna_handle_get(KN_H_BIT_GENERATOR, b, &e) : NULL;
    if (g && o.counter)
        memcpy(g->philox.counter, counter, sizeof counter);
    if (g && o.key) {
        memcpy(g->philox.key, key, sizeof key);
        knrng_seed_release(g->seed);
        g->seed = NULL;
    }
    return b;
}

const char *kn_bit_generator_name(kn_bit_generator bit_generator)
{
    kna_op op;
    kna_begin(&op, "bit_generator_name");
    const knrng_bits *g = knrng_bits_in(&op, bit_generator);
    return kna_end_plain(&op) && g ? g->kind->name : NULL;
}

kn_seed_sequence kn_bit_generator_seed_seq(kn_bit_generator bit_generator)
{
    kna_op op;
    kna_begin(&op, "seed_seq");
    const knrng_bits *g = knrng_bits_in(&op, bit_generator);
    return kna_end_plain(&op) && g && g->seed ? knrng_seed_handle(knrng_seed_retain(g->seed)) : NULL;
}

/* ---- Words, jumps and children. */

static void fill_words(knrng_reader *r, size_t n, void *out, const void *env)
{
    (void)env;
    r->g->kind->fill(r->g, n, out);
}

kn_array kn_bit_generator_random_raw(kn_bit_generator bit_generator, const kn_shape *size)
{
    kna_op op;
    kna_begin(&op, "random_raw");
    knrng_bits *g = knrng_bits_in(&op, bit_generator);
    kn_shape none = {0};
    const kn_shape *shape = !size || size->ndim == -1 ? &none : kna_shape(&op, size);
    kni_type t = kni_type_of(KN_DT(U64), shape->ndim, shape->dim);
    for (int i = 0; i < t.ndim && !kna_failed(&op); i++)
        if (t.dim[i] < 0)
            kna_fail(&op, KN_ERROR_VALUE, "negative dimensions are not allowed");
    if (!g || kna_failed(&op) || !knrng_may_draw(&op))
        return kna_end(&op, KN_ATOM_NONE);
    knx_buffer *b = knx_buffer_new(kni_type_bytes(t));
    size_t n = (size_t)kni_type_size(t);
    uint64_t *out = b ? b->data : NULL;
    if (out && !g->kind->pairs) {
        knrng_reader r;
        knrng_choose_functions();
        knrng_read(&r, g);
        knrng_fill_in_pieces(&r, &(const knrng_task){fill_words, NULL, sizeof *out, false}, n, out);
    } else if (out) { /* from the end, where each half lies before the word that it becomes */
        uint32_t *half = (uint32_t *)out;
        g->kind->fill32(g, n, half);
        for (size_t i = n; i-- > 0;)
            out[i] = half[i];
    }
    return kna_from_buffer(&op, t, b);
}

kn_bit_generator kn_bit_generator_jumped(kn_bit_generator bit_generator, const kn_bit_generator_jumped_opts *opts)
{
    kna_op op;
    kna_begin(&op, "jumped");
    int64_t jumps = opts ? opts->jumps : 1;
    knrng_bits *g = knrng_bits_in(&op, bit_generator), *made_one = NULL;
    if (g && !g->kind->jump)
        kna_fail(&op, KN_ERROR_NOT_IMPLEMENTED, "%s has no jumps", g->kind->name);
    else if (g && g->kind == &knrng_kind_mt19937 && jumps > 1 << 20)
        kna_fail(&op, KN_ERROR_VALUE, "MT19937 jumps one by one: %lld are too many", (long long)jumps);
    else if (g) {
        knrng_seed *fresh = knrng_seed_of(&op, NULL); /* as in NumPy: what it spawns is not what g spawns */
        made_one = fresh ? knrng_bits_new(g->kind, fresh) : NULL;
        if (!made_one && !kna_failed(&op))
            kna_fail_with(&op, knx_error_nomem());
    }
    if (made_one) {
        knrng_seed *fresh = made_one->seed;
        *made_one = *g;
        made_one->refs = 1;
        made_one->seed = fresh;
        g->kind->jump(made_one, jumps);
    }
    return kna_end_plain(&op) && made_one ? knrng_bits_handle(made_one) : NULL;
}

int kn_bit_generator_advance(kn_bit_generator bit_generator, kn_array delta)
{
    kna_op op;
    uint64_t step[4] = {0};
    kna_begin(&op, "advance");
    knrng_bits *g = knrng_bits_in(&op, bit_generator);
    if (g && !g->kind->advance)
        kna_fail(&op, KN_ERROR_NOT_IMPLEMENTED, "%s cannot be advanced", g->kind->name);
    else if (g && knrng_words_of(&op, delta, "delta", g->kind == &knrng_kind_philox ? 4 : 2, step))
        g->kind->advance(g, step);
    return kna_end_plain(&op) ? 0 : -1;
}

static knx_error *make_child(void *parent, void *children, int i)
{
    knrng_bits *child = NULL;
    kn_bit_generator *to = (kn_bit_generator *)children + i;
    *to = NULL;
    KN_TRY(knrng_bits_child(parent, &child));
    *to = knrng_bits_handle(child);
    return *to ? NULL : knx_error_nomem();
}

int kn_bit_generator_spawn(kn_bit_generator bit_generator, int n, kn_bit_generator *children)
{
    kna_op op;
    kna_begin(&op, "spawn");
    return knrng_spawn(&op, knrng_bits_in(&op, bit_generator), n, children, make_child);
}

/* ---- The state. */

kn_bit_generator_state kn_bit_generator_get_state(kn_bit_generator bit_generator)
{
    kna_op op;
    kn_bit_generator_state state = {0};
    kna_begin(&op, "get_state");
    const knrng_bits *g = knrng_bits_in(&op, bit_generator);
    if (g)
        knrng_get_state(g, &state);
    kna_end_plain(&op);
    return state;
}

void knrng_get_state(const knrng_bits *g, kn_bit_generator_state *state)
{
    memcpy(state->bit_generator, g->kind->name, strlen(g->kind->name) + 1);
    g->kind->get(g, state);
    state->has_uint32 = g->has_half;
    state->uinteger = g->half;
}

bool knrng_set_state(kna_op *op, knrng_bits *g, const kn_bit_generator_state *state)
{
    const char *name = g->kind->name;
    bool has_longer_name = g->kind->pairs || g->kind == &knrng_kind_philox;
    if (!kna_given_pointer(op, state, "state"))
        return false;
    if (strncmp(state->bit_generator, name, sizeof state->bit_generator) != 0)
        kna_fail(op, KN_ERROR_VALUE, "state must be for a %s %s", name, has_longer_name ? "PRNG" : "RNG");
    else if (state->mt_pos < 0 || state->mt_pos > KNRNG_MT_WORDS || state->buffer_pos < 0 || state->buffer_pos > 4)
        kna_fail(op, KN_ERROR_VALUE, "a position of the state is out of bounds");
    if (kna_failed(op))
        return false;
    g->kind->set(g, state);
    g->has_half = !g->kind->pairs && state->has_uint32 != 0;
    g->half = g->kind->pairs ? 0 : state->uinteger;
    return true;
}

int kn_bit_generator_set_state(kn_bit_generator bit_generator, const kn_bit_generator_state *state)
{
    kna_op op;
    kna_begin(&op, "set_state");
    knrng_bits *g = knrng_bits_in(&op, bit_generator);
    if (g)
        knrng_set_state(&op, g, state);
    return kna_end_plain(&op) ? 0 : -1;
}
