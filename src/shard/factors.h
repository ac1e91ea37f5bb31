/* SPDX-License-Identifier: Apache-2.0
 * factors.h -- the factors of equations (ir/spread.h): what the row's column `spread` says, or what can be seen in its
 * other columns; and the equation of one device. */
#ifndef KN_SHARD_FACTORS_H
#define KN_SHARD_FACTORS_H
#include "ir/prim.h"

/* The factors of the equation; types and parameters are numbers: an axis that is an expression is in none. Lists are
 * put into the arena. */
knx_error *knshard_factors(const kni_rule *r, knx_arena *a, kni_spread *out);

/* Whether the factor can be cut into so many parts: of one that is `even`, or whose axes are multiples of its size, the
 * number divides it (1 always does). r: the whole equation. */
bool knshard_allows(const kni_factor *f, const kni_rule *r, int64_t parts);

/* The extent that a part has along an axis of the factor, whose extent in the whole is this. */
int64_t knshard_part(const kni_factor *f, int64_t parts, int64_t extent);

/* Is the equation expanded before it is cut? Its row says nothing of factors, or it could fail on padding, which only
 * its expansion tells: random_gamma, custom derivatives, a gather that checks its indices. r: types of operands, params
 * */
bool knshard_expands(const kni_rule *r);
/* open.c: j with calls inlined and such equations expanded, at any depth. */
knx_error *knshard_open(const kni_jaxpr *j, const kni_mesh *m, kni_jaxpr **out);

/* The parameters of a part's equation, whose types r->xt and r->yt are, in the arena; the caller drops them. *params
 * NULL: they are those of the whole. */
knx_error *knshard_resize(const kni_rule *r, knx_arena *a, const void **params);

#endif
