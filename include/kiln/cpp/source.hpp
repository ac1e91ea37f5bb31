/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/source.hpp -- the functions of kiln/source.h in C++. */
/* Made by scripts/make-api.py from api/source.api. */
/* clang-format off */
#ifndef KILN_CPP_SOURCE_HPP
#define KILN_CPP_SOURCE_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/provider.hpp"

namespace kiln {
/* for functions of a table: the kernel of a step as WGSL: 0, also where there is none and `why` says why; or -1 and
 * an error, and what it fills in is empty. Places of one memory need one binding: memory[p] is the number of place
 * p's memory, below n_memory, which is at most 31. Scratch is memory n_memory. The text depends on the kernel's
 * structure, on the facts and on which places share a memory; numbers are in the words */
inline int step_wgsl(const kn_provider_step &step, const kn_wgsl_facts &facts, int n_memory, const uint8_t *memory,
    kn_source *out, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_step_wgsl(&step, &facts, n_memory, memory, out)); }
/* for functions of a table: the kernel of a step as fragment shaders: 0, also where there are none and `why` says
 * why; or -1 and an error, and what it fills in is empty. Texts depend on the kernel's structure, on the facts and
 * on whether rows are long; numbers are in the words */
inline int step_glsl(const kn_provider_step &step, const kn_glsl_facts &facts, kn_source *out, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_step_glsl(&step, &facts, out)); }
/* for functions of a table: the kernel of a step as C: 0, also where there is none and `why` says why; or -1 and an
 * error. The text needs no header of Kiln and defines one function of this name, which runs all points on one
 * thread; docs/providers.md has its arguments. gcc 12 and clang 14, or later, compile it with -ffp-contract=off; it
 * links libm */
inline int step_c(const kn_provider_step &step, const ::kiln::text &name, kn_source *out, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_step_c(&step, name.c(), out)); }
/* gives back what was made for it, and empties it. NULL and an empty one are fine */
inline void source_free(kn_source *source, place where = here())
{ detail::call c_(where); c_.here(); kn_source_free(source); detail::check(); }
} // namespace kiln
#endif
