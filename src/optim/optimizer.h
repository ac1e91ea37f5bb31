/* SPDX-License-Identifier: Apache-2.0
 * optimizer.h -- gradient transformations: what an optimizer is made of. A transformation says what its state is
 * (layout) and what one step does (update): it reads its arrays of the state in order, writes the next ones in the
 * same order, and leaves the updates for the transformation behind it. The arithmetic is optax's, operation for
 * operation. Numbers that may change from step to step (rates) are operands: a new one compiles nothing anew. */
#ifndef KN_OPTIM_OPTIMIZER_H
#define KN_OPTIM_OPTIMIZER_H
#include "tree/tree.h"
#include "kiln/optim.h"
#include <stddef.h>

typedef struct kno_transform kno_transform;
typedef struct kno_schedule kno_schedule;

/* ---- The arrays of a state. What they are first: a number; a parameter; a number times 1 + the norm of a parameter or
 * of all of them; a random key; a short vector. */
typedef enum { KNO_NUMBER, KNO_PARAMETER, KNO_NORM, KNO_NORM_OF_ALL, KNO_VECTOR } kno_first;
typedef struct kno_entry {
    kni_type type; /* dims are in the layout's arena or the parameter's */
    double fill;
    kno_first first;
    int number;    /* of the parameter, among all that the optimizer was given, and which part of it: kno_part */
    int n;         /* KNO_NORM_OF_ALL: of so many, */
    const int *numbers; /* ... which have these; NULL: of all */
    uint64_t seed; /* of a random key */
    kna_value *key; /* a random key instead of its seed: the transformation's */
    int owner;     /* 1 + the parameter, among all, that it belongs to; 0: it is no parameter's */
    const double *vector; /* static: as many as the extent says */
} kno_entry;

/* The number of a parameter, or of one of the two parts that kno_split makes of a complex one. */
enum { KNO_REAL = 1 << 29, KNO_IMAGINARY = 1 << 30 };
#define KNO_NUMBER_OF(number) ((number) & ~(KNO_REAL | KNO_IMAGINARY))

typedef struct kno_layout {
    int n; /* parameters */
    const kni_type *type;
    const int *number; /* of these parameters among all; NULL: they are all */
    kntree_structure *like; /* of the parameters; NULL: structures are not asked for */
    knx_arena arena;
    KN_VEC(kno_entry) entry;
    KN_VEC(kntree_structure *) part; /* of what was laid out and is not in a node yet */
    bool failed;                  /* no memory, or */
    knx_error *error;             /* ... what was wrong with the parameters */
} kno_layout;
void kno_lay_wrong(kno_layout *l, knx_error *e);                 /* takes e over */
void kno_lay(kno_layout *l, kni_type type, double fill);         /* one array */
void kno_lay_scalar(kno_layout *l, kn_dtype d);                  /* zero */
/* jax.random.key(seed), or this key if it is not NULL */
void kno_lay_key(kno_layout *l, uint64_t seed, kna_value *key);
void kno_lay_like(kno_layout *l, double fill);                   /* one per parameter, of its type */
void kno_lay_none(kno_layout *l);                                /* None: no array */
void kno_lay_stacked(kno_layout *l, int64_t size);               /* one per parameter: so many of its type, zeros */
void kno_lay_params(kno_layout *l);                              /* the parameters themselves */
/* One scalar of dtype d: v times 1 + the norm of all parameters. */
void kno_lay_norm_of_all(kno_layout *l, kn_dtype d, double v);
/* One scalar per parameter, of its dtype: v times 1 + its norm. */
void kno_lay_norms(kno_layout *l, double v);
void kno_lay_vector(kno_layout *l, kn_dtype d, const int64_t *n, const double *v); /* n and v are static */
/* The entries from number `from` on belong to parameter i of these. */
void kno_lay_owner(kno_layout *l, size_t from, int i);
void kno_lay_scalars(kno_layout *l, kn_dtype d);                 /* one scalar per parameter; NULL: of its dtype */
/* The last n parts become a struct of this type with these fields (NULL: a tuple). */
void kno_lay_node(kno_layout *l, const char *type, int n, const char *const *field);
void kno_layout_free(kno_layout *l);

/* The least and the largest of the parameters' dtypes, as optax.tree.dtype has them. */
kn_dtype kno_lowest_dtype(const kno_layout *l);
kn_dtype kno_highest_dtype(const kno_layout *l);
/* What an array of a state is first. n, param: all parameters. */
kni_atom kno_first_of(kna_op *op, const kno_entry *e, int n, const kni_atom *param);

/* ---- A step, as atoms of a builder. */
typedef struct kno_pass {
    kna_op *op;
    kni_builder *b;
    knx_arena *arena;
    int n;                /* parameters */
    kni_atom *u;          /* the updates so far: first the gradients */
    const kni_atom *param; /* NULL: not given */
    const kni_type *type; /* of the parameters, or of the gradients */
    kni_atom value;       /* of the loss; KN_ATOM_NONE: not given */
    const kni_atom *hessian; /* estimates of its diagonal, one per parameter; NULL: not given */
    struct kno_objective *objective; /* objective.h; NULL: this is no step of kn_optim_update */
    const kni_atom *state; /* next array to read */
    kni_atom *next;       /* next array to write */
    max_align_t nothing[16]; /* of kno_room without memory */
} kno_pass;

typedef struct kno_rule {
    const char *name;
    bool needs_params;
    void (*layout)(kno_layout *l, const kno_transform *t);
    void (*update)(kno_pass *s, const kno_transform *t);
} kno_rule;

enum { KNO_NUMBERS = 8 };
struct kno_transform {
    atomic_int refs;
    const kno_rule *rule;
    double p[KNO_NUMBERS]; /* what they are is said where the rule stands */
    bool flag[4];
    const kno_schedule *schedule; /* instead of p[0]; NULL: none */
    kna_value *number;            /* instead of p[0]: an array; NULL: none. Of noise: its key */
    int n_mask;
    bool *mask;                   /* per parameter */
    int n_sides;
    kn_optim_galore_dimension_numbers *sides; /* of galore: none, one for all, or per parameter */
    int n_child;
    kno_transform *child[];
};
/* Without memory: NULL. Children are taken over, also on failure; a NULL child is one. */
kno_transform *kno_new(const kno_rule *rule, int n_child, kno_transform *const *child);
#define KNO_NEW(rule, ...) kno_with(kno_new(&(rule), 0, NULL), (const double[KNO_NUMBERS]){__VA_ARGS__})
/* A seed among the numbers of KNO_NEW: two of them, since a double has 53 bits. */
#define KNO_SEED(seed)     (double)((uint64_t)(seed) >> 32), (double)(uint32_t)(seed)
kno_transform *kno_with(kno_transform *t, const double p[KNO_NUMBERS]); /* NULL is fine */
kno_transform *kno_retain(kno_transform *t);
void kno_release(kno_transform *t); /* NULL is fine */
kno_transform *kno_chain(int n, kno_transform *const *part);

/* ---- For rules. */
static inline kni_atom kno_take(kno_pass *s) { return *s->state++; }
static inline void kno_put(kno_pass *s, kni_atom a) { *s->next++ = a; }
/* Puts the next random key. The updates' keys come through the same equation, so that whoever evaluates updates alone
 * has the next key, too; it would wait otherwise, and be computed from the first one on in every step. */
void kno_put_key(kno_pass *s, kni_atom next, kni_atom *used);
void *kno_room(kno_pass *s, size_t n, size_t size);       /* zeroed; with the op failed there is still one element */
kni_atom kno_operand(kno_pass *s, double v);              /* a double scalar that is no part of the plan */
kni_atom kno_times(kni_builder *b, double factor, kni_atom x);
kni_atom kno_plus(kni_builder *b, kni_atom x, double number);
kni_atom kno_weighted(kni_builder *b, double p, kni_atom x, double q, kni_atom y); /* p x + q y */
kni_atom kno_squared(kni_builder *b, kni_atom g);         /* |g|^2 in g's dtype */
kni_atom kno_real_squared(kni_builder *b, kni_atom g);    /* |g|^2, a real number */
kni_atom kno_sum(kni_builder *b, kni_atom x);             /* of all elements */
kni_atom kno_mean(kni_builder *b, kni_atom x);
/* the number of elements of this shape, as a scalar of x's dtype */
kni_atom kno_count_like(kni_builder *b, kni_atom x, int ndim, const int64_t *dim);
kni_atom kno_norm_squared(kno_pass *s, const kni_atom *x); /* of all together */
kni_atom kno_vdot(kno_pass *s, const kni_atom *x, const kni_atom *y); /* the sum of conj(x) y over all parameters */
kni_atom kno_norm(kni_builder *b, kni_atom x);            /* of one array, a real number */
kni_atom kno_spread(kni_builder *b, kni_atom scalar, kni_atom like); /* in its dtype */
kni_atom kno_where(kni_builder *b, kni_atom scalar_condition, kni_atom yes, kni_atom no); /* arrays of one shape */
kni_atom kno_next_count(kni_builder *b, kni_atom count);  /* stays at the largest one */
kni_atom kno_correction(kni_builder *b, double decay, kni_atom count); /* 1 - decay^count, a double */
kni_atom kno_corrected(kni_builder *b, kni_atom moment, kni_atom correction);
/* The number of a rule that may be a schedule or an array: p[0], its value at `count`, ... as a scalar. */
kni_atom kno_rate(kno_pass *s, const kno_transform *t, kni_atom count);

/* ---- The rules, by file. */
extern const kno_rule kno_adam, kno_amsgrad, kno_adamax, kno_belief, kno_yogi, kno_radam, kno_adan, kno_lion,
    kno_novograd;                                                                            /* adam.c */
extern const kno_rule kno_rss, kno_rms, kno_stddev, kno_adadelta, kno_rprop, kno_sign, kno_trust_ratio, kno_sm3,
    kno_optimistic, kno_polyak, kno_block_norm, kno_block_rms, kno_factored;                 /* scale.c */
extern const kno_rule kno_identity, kno_set_to_zero, kno_scale, kno_decay, kno_trace, kno_ema, kno_clip,
    kno_clip_norm, kno_clip_rms, kno_adaptive_clip, kno_centralize, kno_zero_nans, kno_normalize, kno_nonnegative,
    kno_noise;                                                                               /* basic.c */
extern const kno_rule kno_dog, kno_dowg, kno_over, kno_cocob, kno_madgrad, kno_dadapt, kno_prodigy; /* distance.c */
extern const kno_rule kno_acprop, kno_ademamix, kno_simplified, kno_adopt, kno_sophia, kno_muon,
    kno_by_shape;                                                                            /* newer.c */
extern const kno_rule kno_momo, kno_plateau;                                                 /* by_loss.c */
extern const kno_rule kno_mechanic;                                                          /* mechanic.c */
extern const kno_rule kno_private;                                                           /* private.c */
extern const kno_rule kno_galore;                                                            /* galore.c */
extern const kno_rule kno_split;                                                             /* split.c */
extern const kno_rule kno_lbfgs;                                                             /* lbfgs.c */
extern const kno_rule kno_backtracking;                                                      /* backtracking.c */
extern const kno_rule kno_zoom;                                                              /* zoom.c */
kno_transform *kno_zoom_search(int max_linesearch_steps); /* that of lbfgs, which begins with a step of 1 */
extern const kno_rule kno_schedule_free, kno_sam, kno_partition, kno_when, kno_flatten;      /* wrap_more.c */
extern const kno_rule kno_chained, kno_masked, kno_if_finite, kno_apply_every, kno_multi_steps,
    kno_lookahead;                                                                           /* wrap.c */

void kno_update(kno_pass *s, const kno_transform *t); /* t's step, after checking that it has what it needs */
/* A step of a child with these parameters: its updates, from s's on, in `u`. */
void kno_child_step(kno_pass *s, const kno_transform *child, const kni_atom *param, kni_atom *u);
int kno_state_size(kno_pass *s, const kno_transform *t); /* how many arrays its state has */
/* Whether its gradients are those of examples, with one more axis in front than the parameters have: private.c. */
bool kno_takes_examples(const kno_transform *t);

/* ---- Handles. */
kno_transform *kno_get(kna_op *op, kn_optimizer o);
/* Ends the operation: t (taken over; NULL is no memory) as a handle, NULL if the operation failed. */
kn_optimizer kno_finish(kna_op *op, kno_transform *t);

/* ---- Schedules: schedule.c. */
kni_atom kno_schedule_at(kno_pass *s, const kno_schedule *schedule, kni_atom count);
kno_schedule *kno_schedule_get(kna_op *op, kn_schedule schedule);
kno_schedule *kno_schedule_retain(const kno_schedule *s);
void kno_schedule_release(const kno_schedule *s); /* NULL is fine */
#endif
