/* SPDX-License-Identifier: Apache-2.0
 * programs.h -- random jaxprs, and all ways of running them, which have to give the same bits.
 *
 * A program is made from its number alone. What it has to contain, a row of the table of primitives at a dtype, goes
 * round by that number, so that every row occurs with every dtype that it takes. Half of the equations come from the
 * samples of the rule tests (../property/cases.h), which know legal parameters of every row; the other half are made
 * here, with parameters of any shape. What a type rule refuses is dropped. */
#ifndef KN_TEST_PROGRAMS_H
#define KN_TEST_PROGRAMS_H
#include "bench.h"
#include "host/generators.h"
#include "kernel/internal.h"

/* ---- goals.c: a row at a dtype (of casts: at two). */
typedef struct goal {
    const kni_prim *prim;
    uint8_t from, to; /* knx_dtype_id; KN_ID_COUNT: none */
    bool lanes;       /* not an equation of the finished jaxpr: collectives, derivatives of custom rules */
} goal;
enum { MAX_GOALS = 8192 };
extern goal goals[MAX_GOALS];
extern int n_goals;
void goals_find(void);
void goal_of(const kni_jaxpr *j, const kni_eqn *e, goal *g);
int goal_number(const goal *g); /* -1: not one of them */
void goals_count(const kni_jaxpr *j, uint32_t *times);

/* ---- A jaxpr and its operands. */
typedef struct program {
    kni_jaxpr *j;
    knx_buffer **x; /* n_const + n_in of them */
} program;
void program_free(program *p);
static inline int program_operands(const program *p) { return (int)(p->j->n_const + p->j->n_in); }

/* ---- make.c: random jaxprs. */
enum { POOL = 320, MAX_INPUTS = 8, MAX_BASE = 4, MAX_RESULT = 7 };
typedef struct fill {
    double lo, hi;
    bool domain, distinct;
} fill;
typedef struct maker {
    kni_builder *b;
    uint64_t state;
    kni_atom pool[POOL];
    int n, n_input;
    int64_t base[MAX_BASE]; /* the extents of this program */
    int64_t room, work;     /* elements of the largest value; what is left of all values together */
    kn_dtype t;             /* the dtype of the equation that is being made; NULL: any */
    kn_dtype to;            /* the one that it casts to; NULL: any */
    int depth;              /* inside of how many jaxprs in parameters */
    fill input_fill[MAX_INPUTS];
    kni_atom input[MAX_INPUTS];
    bool input_constant[MAX_INPUTS];
    uint32_t *times; /* goals that leave no equation of theirs */
} maker;
static inline int below(maker *m, int64_t n) { return n > 0 ? (int)(test_random(&m->state) % (uint64_t)n) : 0; }
static inline bool chance(maker *m, int in) { return !below(m, in); }
/* `times` counts goals; NULL: nobody counts. False if the number gives no program. */
bool program_make(uint64_t number, program *out, uint32_t *times);
bool affordable(maker *m, const kni_prim *p, int64_t size); /* over so many elements */
/* Emits; the results go into the pool. 0 results: refused. */
int emit(maker *m, const kni_prim *p, const void *params, int n_in, const kni_atom *in, kni_atom *out, int room);
kni_atom emit1(maker *m, const kni_prim *p, const void *params, int n_in, const kni_atom *in);
bool settle(maker *m); /* drops the builder's error: false if there was one */
kni_atom keep(maker *m, kni_atom a);
/* A value of this type, or of this dtype and any shape: from the pool, made from it, or a new operand. */
kni_atom want(maker *m, kn_dtype d, int ndim, const int64_t *dim, const fill *f);
kni_atom want_dtype(maker *m, kn_dtype d);
kni_atom want_index(maker *m, kn_dtype d, int ndim, const int64_t *dim, int64_t lo, int64_t hi);
kn_dtype any_dtype(maker *m, const char *kinds);
int any_shape(maker *m, int64_t *dim);
kni_atom without_nans(maker *m, kni_atom x);
bool make_goal(maker *m, const goal *g); /* some equation of the row */
kni_jaxpr *make_body(maker *m, int n_in, const kni_type *in, int n_out, const kni_type *out, int equations);

/* ---- make_own.c, make_index.c: equations with parameters of any shape. */
typedef bool make_fn(maker *m, const kni_prim *p);
make_fn *own_maker(const kni_prim *p); /* NULL: none */
bool runs_long(const kni_prim *p);    /* with operands outside of its samples' domain */
make_fn make_elementwise, make_gather, make_scatter, make_dynamic_slice, make_dynamic_update, make_dot, make_sort,
    make_top_k, make_square, make_solve, make_random_bits, make_call, make_loop, make_remat;
void program_derive(maker *m, program *p); /* make_derived.c: a transformation of it in its place, or nothing */
/* ---- make_sample.c */
bool make_sample(maker *m, const goal *g);

/* ---- ways.c, backends.c: ways to run a program. */
typedef struct way {
    const char *name;
    bool fuse, cached, donate, parsed;
    bool as_used;         /* with the executor's own choice of everything */
    bool bands;           /* wherever steps can be cut */
    bool far;             /* on the device of tests/devices */
    bool mine;            /* on the device of the user's of tests/devices */
    bool offload;         /* by the device "auto" over it, with costs that send some steps there */
    unsigned takes;       /* what it does not refuse there (FAR_...) */
    int lanes;            /* of the interpreter: KNK_LANES_ */
    const knh_generator *generator; /* NULL: the interpreter */
    int threads;
} way;
extern const way *way_now; /* how kernels run at the moment; NULL: as in use */
/* webgpu.c: the device of the ways "far"; ends the program with 77 if there is none. */
const knd_device *far_now(void);
void far_or_skip(void);
knx_error *way_run(const way *w, const program *p, uint64_t seed, knx_buffer **out);
int ways_of(uint64_t seed, way *list, bool all); /* the ways for a program, the meaning first */
enum { MAX_WAYS = 40 };
/* All launches through C source that a compiler makes into code; false: no compiler, or no such source yet. */
bool c_source_run(const program *p, knx_buffer **out, knx_error **error);

/* ---- check.c */
typedef struct verdict {
    bool failed, ran; /* ran: it ended without an error */
    bool taken, refused; /* of check_symbolic: there are variables; an equation refuses them */
    int sets;
    char what[512];
} verdict;
void check_program(const program *p, uint64_t seed, bool all, verdict *v);
void check_public(const program *p, uint64_t seed, knx_buffer *const *want, knx_error *error, verdict *v); /* public.c */
struct kn_array_s *operand_array(const program *p, int i); /* its operand, where KN_SCOPE is */
/* The same without constants, which have no values in a text, with all results (-1) or one of them, and without what no result
 * needs if `drop_dead`; its text. NULL: there is none. */
kni_jaxpr *program_open(const kni_jaxpr *j, int only, bool drop_dead);
char *program_text(const kni_jaxpr *open);
/* placed.c: the text is the program's without constants */
void check_placed(const program *p, const char *text, knx_buffer *const *want, uint64_t seed, verdict *v);
/* vmap.c */
enum { LANES = 3 };
void check_lanes_alone(const program *p, uint64_t seed, verdict *v);
bool program_is_pure(const kni_jaxpr *j); /* neither the user's code nor effects nor errors of one lane */
/* Operand i of so many lanes along this axis: of type `many`. */
knx_buffer *lanes_of_operand(const program *p, int i, int axis, kni_type many);
/* eager.c: equation by equation over values with tangents, on a tape and with batch axes; check_program is this one instead if
 * `eager`. */
extern bool eager;
void check_eager(const program *p, uint64_t seed, bool all, verdict *v);
/* symbolic.c: with dimension variables, for many sets of numbers; check_program is this one instead if `symbolic`. */
extern bool symbolic;
void check_symbolic(const program *p, uint64_t seed, verdict *v);
/* sharded.c: cut for the devices of random meshes; check_program is this one instead if `sharded`. */
extern bool sharded;
/* Before there is any mesh: so many devices as a mesh may have, of this process or of all that were started together; and the end: the
 * exit status. */
bool sharded_begin(bool processes);
int sharded_end(void);
void check_sharded(const program *p, uint64_t seed, bool all, verdict *v);
void fails(verdict *v, const char *format, ...) KN_PRINTF_LIKE(2, 3);
/* Equal bits; all NaNs are equal. The element that differs, or -1. */
int64_t first_difference(kni_type t, const void *a, const void *b);
void compare(verdict *v, const char *name, const kni_jaxpr *j, knx_buffer *const *want, const knx_error *want_error,
             knx_buffer *const *got, const knx_error *got_error);
void release_all(int n, knx_buffer **x);

/* ---- shrink.c: makes a failing program smaller as long as it fails. */
void shrink(program *p, uint64_t seed, bool all);
bool fails_alone(const program *p, uint64_t seed, bool all, verdict *v); /* in a process of its own */

/* ---- store.c */
bool program_write(const program *p, const char *why, const char *path);
bool program_read(const char *path, program *p);
void program_print(const program *p);
#endif
