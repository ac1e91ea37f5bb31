/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/nn/embedding.hpp -- the functions of kiln/nn/embedding.h in C++. */
/* Made by scripts/make-api.py from api/nn/embedding.api. */
/* clang-format off */
#ifndef KILN_CPP_NN_EMBEDDING_HPP
#define KILN_CPP_NN_EMBEDDING_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace nn {
struct embed_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* of ids outside of the table, as kn_take */
    KILN_OPTION((::kiln::array), padding_id, {}) /* a single id whose row gets no gradient */
    kn_nn_embed_opts c() const {
        kn_nn_embed_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode);
        to_.padding_id = detail::c_of(padding_id); return to_; }
};
struct embed_attend_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* of the result */
    kn_nn_embed_attend_opts c() const {
        kn_nn_embed_attend_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype); return to_; }
};
struct rope_opts {
    KILN_OPTION((::kiln::array), positions, {}) /* numbers of shape (T), or (..., T) */
    KILN_OPTION((double), base, 10000)
    KILN_OPTION((int64_t), features, {}) /* how many of the H features are rotated, the first ones: an even number */
    KILN_OPTION((bool), interleaved, {})
    KILN_OPTION((::kiln::array), frequencies, {}) /* of R / 2 pairs; instead of base */
    KILN_OPTION((::kiln::array), cos, {})
    KILN_OPTION((::kiln::array), sin, {}) /* beside cos */
    kn_nn_rope_opts c() const {
        kn_nn_rope_opts to_ = {}; to_.size_ = sizeof to_; to_.positions = detail::c_of(positions);
        to_.base = detail::c_of(base); to_.features = detail::c_of(features);
        to_.interleaved = detail::c_of(interleaved); to_.frequencies = detail::c_of(frequencies);
        to_.cos = detail::c_of(cos); to_.sin = detail::c_of(sin); return to_; }
};
struct rope_tables_opts {
    KILN_OPTION((double), base, 10000)
    KILN_OPTION((::kiln::dtype), dtype, {}) /* float32 */
    kn_nn_rope_tables_opts c() const {
        kn_nn_rope_tables_opts to_ = {}; to_.size_ = sizeof to_; to_.base = detail::c_of(base);
        to_.dtype = detail::c_of(dtype); return to_; }
};
struct sinusoidal_opts {
    KILN_OPTION((double), base, 10000)
    KILN_OPTION((bool), interleaved, true) /* sin and cos take turns; else all sin, then all cos */
    KILN_OPTION((::kiln::dtype), dtype, {}) /* float32 */
    kn_nn_sinusoidal_opts c() const {
        kn_nn_sinusoidal_opts to_ = {}; to_.size_ = sizeof to_; to_.base = detail::c_of(base);
        to_.interleaved = detail::c_of(interleaved); to_.dtype = detail::c_of(dtype); return to_; }
};
/* flax.linen.Embed: the rows of a table (V, ...) at ids, integers of any shape: the gradient of a row is the sum of
 * those of its uses. IndexError for ids outside of the table unless .mode says what they become */
inline array embed(const ::kiln::operand &table, const ::kiln::operand &ids, const ::kiln::nn::embed_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array table_h = table.c(); kn_array ids_h = ids.c(); kn_nn_embed_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_nn_embed(table_h, ids_h, &opts_c))); }
/* the products of x (..., D) with all rows of a table (V, D): (..., V), the logits of a language model whose output
 * is tied to its embeddings (flax.linen.Embed.attend) */
inline array embed_attend(const ::kiln::operand &x, const ::kiln::operand &table, const ::kiln::nn::embed_attend_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array table_h = table.c(); kn_nn_embed_attend_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_nn_embed_attend(x_h, table_h, &opts_c))); }
/* rotary position embeddings: of x (..., T, N, H), queries or keys, the features in pairs are rotated by the angle
 * position base^(-2 i / R), i being the number of the pair. The dot product of a rotated query with a rotated key
 * depends on the difference of their positions. float16 and bfloat16 are computed in float32. ValueError for shapes
 * that do not fit */
inline array rope(const ::kiln::operand &x, const ::kiln::nn::rope_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_rope_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_rope(x_h, &opts_c))); }
struct rope_table { array cos; array sin; };
/* the cosines and sines of kn_nn_rope for positions 0 .. length - 1, each (length, features / 2), so that they are
 * computed once */
inline ::kiln::nn::rope_table rope_tables(int64_t length, int64_t features, const ::kiln::nn::rope_tables_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_nn_rope_tables_opts opts_c = opts.c(); c_.here(); kn_nn_rope_table
    r_ = c_.value(kn_nn_rope_tables(length, features, &opts_c)); return ::kiln::nn::rope_table{array::share(r_.cos),
    array::share(r_.sin)}; }
using sinusoidal_positions_opts = ::kiln::nn::sinusoidal_opts;
/* a vector of waves for each position, sin(position base^(-2 i / features)) and the cosine of it for each i: (...,
 * features), as the first transformers added them to their embeddings */
inline array sinusoidal_positions(const ::kiln::operand &positions, int64_t features, const ::kiln::nn::sinusoidal_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array positions_h = positions.c(); kn_nn_sinusoidal_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_nn_sinusoidal_positions(positions_h, features, &opts_c))); }
/* how fast attention falls off with the distance in each head of a model with linear biases (ALiBi), float32: 2^(-8
 * / n), 2^(-16 / n), ... for n heads, a power of two, and numbers between them for the rest. The bias of query t and
 * key s is slope (s - t) */
inline array alibi_slopes(int64_t num_heads, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_nn_alibi_slopes(num_heads))); }
} // namespace nn
} // namespace kiln
#endif
