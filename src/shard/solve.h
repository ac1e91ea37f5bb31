/* SPDX-License-Identifier: Apache-2.0
 * solve.h -- how all values of a jaxpr lie, and along which factors each equation is cut: what propagation finds and
 * the partitioner writes down. */
#ifndef KN_SHARD_SOLVE_H
#define KN_SHARD_SOLVE_H
#include "shard/factors.h"
#include "shard/shard.h"
#include "base/str.h"

/* A layout: for each dimension the axes of the mesh that cut it. */
typedef struct knshard_lay {
    kni_mesh_axes *dim;
    int16_t ndim;
    bool fixed; /* an operand, a loop's result, or asked for by the user: propagation leaves it alone */
} knshard_lay;

typedef struct knshard_solution knshard_solution;
typedef struct knshard_cut {
    kni_type *xt;             /* of the operands */
    kni_spread spread;
    kni_mesh_axes *axes;      /* per factor: by which axes it is cut; behind them room for two more such lists */
    const kni_sharding *want; /* of a constraint: how its result has to lie */
    const kni_manual *manual; /* of an equation for devices of this mesh; NULL: it is none */
    knshard_solution **body;  /* of a loop or a branch: of each jaxpr among its parameters */
    knshard_lay *operand;     /* and how its operands lay then */
    const char *why;          /* which of several ways was taken and for what reason; NULL: there was one */
} knshard_cut;
struct knshard_solution {
    const kni_jaxpr *j;
    const kni_mesh *mesh;
    knx_arena *arena;
    knshard_lay *var; /* per variable */
    knshard_cut *cut; /* per equation */
    knshard_lay *out; /* per result: how it is handed on */
    bool offers;      /* all else is known: axes that would be gathered are offered to others */
};

/* in: per operand of j, how it comes; want: NULL, or per result how it has to be (with dim NULL: as it comes). The
 * arena is the caller's and outlives the solution. */
knx_error *knshard_solve(const kni_jaxpr *j, const kni_mesh *m, knx_arena *arena, const knshard_lay *in,
                         const knshard_lay *want, knshard_solution **out);
/* loops.c: the bodies of equation i, whose operands lie as the solution says; sets how its results lie. */
knx_error *knshard_solve_bodies(knshard_solution *s, uint32_t i);
/* How operand (result) k of the loop or branch has to lie (comes): dim is in the arena. False without memory. */
bool knshard_loop_lay(const knshard_solution *s, uint32_t i, bool result, uint32_t k, knshard_lay *out);

/* manual.c: what equation i is for devices of this mesh; its results lie as it says, and its operands had better. */
knx_error *knshard_solve_manual(knshard_solution *s, uint32_t i);
bool knshard_lay_of_spec(knx_arena *a, int ndim, const kni_sharding *spec, knshard_lay *out);
/* A layout that a value had better have: longer lists of axes, unless it is settled how it lies. */
bool knshard_extend(const knshard_solution *s, kni_atom v, int d, kni_mesh_axes axes);

/* layout.c */
bool knshard_lay_new(knx_arena *a, int ndim, knshard_lay *out); /* all dimensions whole */
bool knshard_lay_copy(knx_arena *a, const knshard_lay *from, knshard_lay *out);
bool knshard_lay_equal(const knshard_lay *a, const knshard_lay *b);
uint32_t knshard_lay_set(const knshard_lay *l); /* of axes, a bit each */
int64_t knshard_lay_parts(const kni_mesh *m, const knshard_lay *l);
/* How an atom lies: nothing (ndim 0) of a literal. */
knshard_lay knshard_lay_of(const knshard_solution *s, kni_atom a);
bool knshard_is_prefix(kni_mesh_axes a, kni_mesh_axes b);
/* As much of the list, from the front, as an extent has parts for. */
kni_mesh_axes knshard_fitting(const kni_mesh *m, kni_mesh_axes a, int64_t extent);
const char *knshard_lay_text(knx_text *t, const kni_mesh *m, const knshard_lay *l);

/* halo.c: whether what parts of a result read of an operand, of so many elements, lies in a few neighbouring parts. */
bool knshard_halo_is_near(const kni_factor *f, int operand, int64_t whole, int64_t parts);
/* Or in a few parts anywhere, so that whole parts can be sent. */
bool knshard_halo_is_far(const kni_factor *f, int operand, int64_t whole, int64_t parts);

/* cost.c: bytes that each device receives, about. */
double knshard_bytes(const kni_mesh *m, kni_type t, const knshard_lay *l);
double knshard_move_cost(const kni_mesh *m, kni_type t, const knshard_lay *from, const knshard_lay *to);
/* Of equation i, cut so: its operands come into place, its partial results are joined, its results go where they are
 * known to be wanted. */
double knshard_cut_cost(const knshard_solution *s, uint32_t i, const kni_mesh_axes *axes);

/* How operand (result) k has to lie if equation i is cut so: dim is in the arena. False without memory. */
bool knshard_needed(const knshard_solution *s, uint32_t i, const kni_mesh_axes *axes, bool result, uint32_t k,
                    knshard_lay *out);
#endif
