/* SPDX-License-Identifier: Apache-2.0
 * kiln/nn/embedding.h -- embeddings: rows of a table for integers, and what tells positions apart. */
/* Made by scripts/make-api.py from api/nn/embedding.api. */
/* clang-format off */
#ifndef KILN_NN_EMBEDDING_H
#define KILN_NN_EMBEDDING_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_nn_embed_opts {
    size_t size_;
    const char *mode;    /* NULL, "raise"; or "wrap", "clip": of ids outside of the table, as kn_take */
    kn_array padding_id; /* a single id whose row gets no gradient */
} kn_nn_embed_opts;
KN_API kn_nn_embed_opts kn_nn_embed_opts_default(void);
typedef struct kn_nn_embed_attend_opts {
    size_t size_;
    kn_dtype dtype; /* NULL, that of x and table: of the result */
} kn_nn_embed_attend_opts;
KN_API kn_nn_embed_attend_opts kn_nn_embed_attend_opts_default(void);
typedef struct kn_nn_rope_opts {
    size_t size_;
    kn_array positions;   /* NULL, 0, 1, ...: numbers of shape (T), or (..., T) */
    double base;          /* 10000 */
    int64_t features;     /* all: how many of the H features are rotated, the first ones: an even number */
    bool interleaved;     /* pairs are neighbours, (0, 1), (2, 3), ...; else halves, (0, R / 2), (1, R / 2 + 1), ... */
    kn_array frequencies; /* NULL, base^(-2 i / R): of R / 2 pairs; instead of base */
    /* with sin, instead of computing them: tables as kn_nn_rope_tables makes them (with positions their rows there),
     * or numbers of shape (..., T, R / 2) */
    kn_array cos;
    kn_array sin;         /* beside cos */
} kn_nn_rope_opts;
KN_API kn_nn_rope_opts kn_nn_rope_opts_default(void);
typedef struct kn_nn_rope_tables_opts {
    size_t size_;
    double base;    /* 10000 */
    kn_dtype dtype; /* NULL, float32 */
} kn_nn_rope_tables_opts;
KN_API kn_nn_rope_tables_opts kn_nn_rope_tables_opts_default(void);
typedef struct kn_nn_sinusoidal_opts {
    size_t size_;
    double base;      /* 10000 */
    bool interleaved; /* true: sin and cos take turns; else all sin, then all cos */
    kn_dtype dtype;   /* NULL, float32 */
} kn_nn_sinusoidal_opts;
KN_API kn_nn_sinusoidal_opts kn_nn_sinusoidal_opts_default(void);

/* ---- Tables. */
/* flax.linen.Embed: the rows of a table (V, ...) at ids, integers of any shape: the gradient of a row is the sum of
 * those of its uses. IndexError for ids outside of the table unless .mode says what they become */
KN_API kn_array kn_nn_embed(kn_array table, kn_array ids, const kn_nn_embed_opts *opts);
/* the products of x (..., D) with all rows of a table (V, D): (..., V), the logits of a language model whose output
 * is tied to its embeddings (flax.linen.Embed.attend) */
KN_API kn_array kn_nn_embed_attend(kn_array x, kn_array table, const kn_nn_embed_attend_opts *opts);

/* ---- Positions. */
/* rotary position embeddings: of x (..., T, N, H), queries or keys, the features in pairs are rotated by the angle
 * position base^(-2 i / R), i being the number of the pair. The dot product of a rotated query with a rotated key
 * depends on the difference of their positions. float16 and bfloat16 are computed in float32. ValueError for shapes
 * that do not fit */
KN_API kn_array kn_nn_rope(kn_array x, const kn_nn_rope_opts *opts);
typedef struct kn_nn_rope_table { kn_array cos, sin; } kn_nn_rope_table;
/* the cosines and sines of kn_nn_rope for positions 0 .. length - 1, each (length, features / 2), so that they are
 * computed once */
KN_API kn_nn_rope_table kn_nn_rope_tables(int64_t length, int64_t features, const kn_nn_rope_tables_opts *opts);
/* a vector of waves for each position, sin(position base^(-2 i / features)) and the cosine of it for each i: (...,
 * features), as the first transformers added them to their embeddings */
KN_API kn_array kn_nn_sinusoidal_positions(kn_array positions, int64_t features, const kn_nn_sinusoidal_opts *opts);
/* how fast attention falls off with the distance in each head of a model with linear biases (ALiBi), float32: 2^(-8
 * / n), 2^(-16 / n), ... for n heads, a power of two, and numbers between them for the rest. The bias of query t and
 * key s is slope (s - t) */
KN_API kn_array kn_nn_alibi_slopes(int64_t num_heads);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_nn_embed(table, ids, ...) KN_F2O(kn_nn_embed, kn_nn_embed_opts, (), table, ids, __VA_ARGS__)
#define kn_nn_embed_attend(x, table, ...) KN_F2O(kn_nn_embed_attend, kn_nn_embed_attend_opts, (), x, table, __VA_ARGS__)
#define kn_nn_rope(x, ...) KN_F1O(kn_nn_rope, kn_nn_rope_opts, (.base = 10000, ), x, __VA_ARGS__)
#define kn_nn_rope_tables(length, features, ...)                                                                       \
    KN_G2O(kn_nn_rope_tables, kn_nn_rope_tables_opts, (.base = 10000, ), int64_t, length, int64_t, features,           \
    __VA_ARGS__)
#define kn_nn_sinusoidal_positions(positions, features, ...)                                                           \
    KN_H1O(kn_nn_sinusoidal_positions, kn_nn_sinusoidal_opts, (.base = 10000, .interleaved = true, ), positions,       \
    int64_t, features, __VA_ARGS__)
#define kn_nn_alibi_slopes(num_heads) KN_G1(kn_nn_alibi_slopes, int64_t, num_heads)
#endif
#endif
