/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/jaxpr.hpp -- the functions of kiln/jaxpr.h in C++. */
/* Made by scripts/make-api.py from api/jaxpr.api. */
/* clang-format off */
#ifndef KILN_CPP_JAXPR_HPP
#define KILN_CPP_JAXPR_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace jaxpr {
/* Writes the text of a jaxpr in one of the three forms, and a new line; 0, or -1 with an error. */
inline int print(const ::kiln::handle<kn_jaxpr> &jaxpr, FILE *file, int form, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_jaxpr_print(jaxpr.c(), file, form)); }
/* The text of a jaxpr in one of the three forms, owned by the scope; "" for an error. */
inline std::string text(const ::kiln::handle<kn_jaxpr> &jaxpr, int form, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_jaxpr_text(jaxpr.c(), form)); }
/* Reads the full form, the values of constants with it: the jaxpr that kn_jaxpr_text wrote. ValueError with line and
 * column. */
inline handle<kn_jaxpr> parse(const ::kiln::text &text, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_jaxpr>(c_.take(kn_jaxpr_parse(text.c()))); }
/* Reads the classic form. Its types come from examples (KN_LIST): first the constants, whose values count too, then
 * the inputs. A literal takes the dtype of an operand beside it, else one of 32 bits. */
inline handle<kn_jaxpr> parse_classic(const ::kiln::text &text, const ::kiln::operands &examples, place where = here())
{ detail::call c_(where); kn_list examples_h = examples.list(); c_.here(); return
    handle<kn_jaxpr>(c_.take(kn_jaxpr_parse_classic(text.c(), examples_h))); }
/* Are they the same program with the same constants? Names and places do not count. */
inline bool equal(const ::kiln::handle<kn_jaxpr> &a, const ::kiln::handle<kn_jaxpr> &b, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_jaxpr_equal(a.c(), b.c())); }
/* A drawing for Graphviz (`dot -Tsvg`): values along the edges, nested jaxprs as clusters. Owned by the scope. */
inline std::string graphviz(const ::kiln::handle<kn_jaxpr> &jaxpr, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_jaxpr_graphviz(jaxpr.c())); }
/* What kn_jit would run: the steps (kernels, routines, copies), what became of each equation, and why. The text and
 * a drawing for Graphviz: steps, and the values that go between them through memory. Owned by the scope; "" for an
 * error. Of dimension variables it is the one for all extents. */
inline std::string program(const ::kiln::handle<kn_jaxpr> &jaxpr, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_jaxpr_program(jaxpr.c())); }
/* a drawing, for Graphviz, of what kn_jit would run: steps, and the values that go between them through memory.
 * Owned by the scope; "" for an error */
inline std::string program_graphviz(const ::kiln::handle<kn_jaxpr> &jaxpr, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_jaxpr_program_graphviz(jaxpr.c())); }
/* The groups of the program that kn_jaxpr_program shows, in the order in which they run: *n of them, the scope's.
 * NULL and *n = 0 after an error. */
inline const kn_group *groups(const ::kiln::handle<kn_jaxpr> &jaxpr, int *n, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_jaxpr_groups(jaxpr.c(), n)); }
} // namespace jaxpr
/* the jaxpr as a function, which can be called, transformed and compiled */
inline fn fn_from_jaxpr(const ::kiln::handle<kn_jaxpr> &jaxpr, place where = here())
{ detail::call c_(where); c_.here(); return fn(c_.take(kn_fn_from_jaxpr(jaxpr.c()))); }
namespace jaxpr {
/* how many constants, inputs, equations and results a jaxpr has; all -1 for an error */
inline kn_jaxpr_counts count(const ::kiln::handle<kn_jaxpr> &jaxpr, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_jaxpr_count(jaxpr.c())); }
/* how many equations; -1 for an error */
inline int equation_count(const ::kiln::handle<kn_jaxpr> &jaxpr, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_jaxpr_equation_count(jaxpr.c())); }
/* Fills *out with equation i: its primitive, operands, results and place in the source. IndexError if there is none. */
inline int equation(const ::kiln::handle<kn_jaxpr> &jaxpr, int i, kn_equation *out, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_jaxpr_equation(jaxpr.c(), i, out)); }
/* The parameters of equation i as the typed form shows them, "axes=(0,) out_sharding=None"; owned by the scope. */
inline std::string params(const ::kiln::handle<kn_jaxpr> &jaxpr, int i, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_jaxpr_params(jaxpr.c(), i)); }
/* The number of jaxprs in the parameters of equation i: bodies of loops, branches, jitted functions. */
inline int sub_count(const ::kiln::handle<kn_jaxpr> &jaxpr, int i, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_jaxpr_sub_count(jaxpr.c(), i)); }
/* the k-th jaxpr in the parameters of equation i; NULL for an error */
inline handle<kn_jaxpr> sub(const ::kiln::handle<kn_jaxpr> &jaxpr, int i, int k, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_jaxpr>(c_.take(kn_jaxpr_sub(jaxpr.c(), i, k))); }
/* Fills *out with dtype and shape of an atom; `value` is that of a literal. */
inline int variable(const ::kiln::handle<kn_jaxpr> &jaxpr, uint32_t atom, kn_variable *out, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_jaxpr_variable(jaxpr.c(), atom, out)); }
/* the atom of result i */
inline uint32_t outvar(const ::kiln::handle<kn_jaxpr> &jaxpr, int i, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_jaxpr_outvar(jaxpr.c(), i)); }
/* A constant (atom < constvars) or literal as an array. */
inline array constant(const ::kiln::handle<kn_jaxpr> &jaxpr, uint32_t atom, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_jaxpr_constant(jaxpr.c(), atom))); }
} // namespace jaxpr
} // namespace kiln
#endif
