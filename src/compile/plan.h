/* SPDX-License-Identifier: Apache-2.0
 * plan.h -- the records and functions that the passes of compile.c share while a program is made. */
#ifndef KN_COMPILE_PLAN_H
#define KN_COMPILE_PLAN_H
#include "compile/step.h"

/* How an equation is lowered, which the row of its primitive says. */
typedef enum knc_class {
    KNC_ELEMENTWISE,
    KNC_VIEW,    /* an index map */
    KNC_RESHAPE, /* a view without an index map: an alias of its stored operand */
    KNC_PULL,
    KNC_REDUCE,
    KNC_RUN,
    KNC_EITHER,   /* a kernel that reads the value computes it; a routine does if the value has to be stored */
    KNC_IDENTITY, /* the result is the operand */
    KNC_UNKNOWN,
} knc_class;

/* What became of a value. */
typedef enum knc_state {
    KNC_DEAD,
    KNC_GIVEN /* an operand of the program */,
    KNC_INLINE,
    KNC_STORED,
    KNC_ALIAS
} knc_state;

#define KNC_REASONS(X)                                                            \
    X(NOTHING, "")                                                                \
    X(UNREAD, "nothing reads it")                                                 \
    X(ONE_READER, "one kernel reads it, at the same points")                      \
    X(MOVED, "one kernel reads it, at other points but each at most once")        \
    X(PICKED, "its readers read each element about once")                         \
    X(VIEW, "a view costs an index map only")                                     \
    X(CHEAP, "recomputing it costs less than storing it")                         \
    X(CONSTANT, "it is a constant")                                               \
    X(EPILOGUE, "the kernel that reads it runs over the same points")             \
    X(RESULT, "a result of the program")                                          \
    X(ROUTINE, "a routine reads it")                                              \
    X(RUN, "made by a routine")                                                   \
    X(PUT, "put there by the kernel that makes it")                               \
    X(MAY_FAIL, "it may fail, so it runs")                                        \
    X(ALIASED, "a view that lies in the same order shares its memory")            \
    X(IN_ORDER, "its elements already lie in this order")                         \
    X(SEVERAL, "read in several places and too expensive to recompute")           \
    X(REPEATED, "its reader would compute elements more than once")               \
    X(MANY, "read in too many places")                                            \
    X(FULL, "the kernel that reads it is full")                                   \
    X(ABSENT, "the device has the dtypes of one of the two only")                 \
    X(BUFFERS, "the kernel that reads it would have too many buffers")            \
    X(DEEP, "too many computed positions inside each other")                      \
    X(REDUCTION, "a reduction read outside of its kernel")                        \
    X(ROW, "worked out once for each row of the kernel that reads it")            \
    X(PASSES, "read in several passes over a row and too expensive to recompute") \
    X(LONG, "the rows that are joined do not fit into the cache")                 \
    X(STAGES, "too many passes over a row")                                       \
    X(OLD, "it reads a value that is updated before its readers run")             \
    X(UNFUSED, "fusion is off")                                                   \
    X(FINISH, "the kernel that reads it is a part of the product's step")         \
    X(SHARED, "a kernel of the product's step reads it, and others do")           \
    X(FILL, "worked out where a product reads it")                                \
    X(STRIDES, "a product goes along the strides of where it comes from")         \
    X(PLACED, "the product puts it where its reader would move it to")            \
    X(JOINED, "the kernel beside the product joins elements")                     \
    X(UNEVEN, "the kernel beside the product has other loops")                    \
    X(SMALL, "it costs little to pass it through memory")                         \
    X(CIRCLE, "the kernel that reads it waits for another reader")                \
    X(OFTEN, "the product would work it out too often")                           \
    X(WIDELY, "not only one product reads it")                                    \
    X(WINDOWS, "its elements are read through windows")                           \
    X(BLOCKS, "the steps around it share rows")                                   \
    X(AGAIN, "the steps around it share rows; made again where it is read later") \
    X(ROWS, "the steps around it have no rows in common")                         \
    X(WHOLE, "a block of its rows would read too much beside it")                 \
    X(RETURNS, "what is made of it comes back through other steps")               \
    X(KEPT, "steps that do not share its rows read it too")
typedef enum knc_why {
#define KNC_X(id, text) KNC_BECAUSE_##id,
    KNC_REASONS(KNC_X)
#undef KNC_X
} knc_why;

/* The loops that a group has. OPEN: loops over the points of its results. A group that joins elements has loops over
 * rows (ROWS: the parallel loops) and over elements (FULL: the rows and the joined axes); the points that it had before
 * it took in a reduction have become the one or the other. */
typedef enum knc_loops { KNC_LOOPS_OPEN, KNC_LOOPS_ROWS, KNC_LOOPS_FULL } knc_loops;
/* At which position a group evaluates a value. POINT: each axis longer than 1 runs along one loop, and the axes run
 * along all loops with more than one turn, in order. KEPT: the axes run along some of the loops, in order (`keep`; a
 * scalar has none). From KNC_FIRST_FAR on: each number is one position that a view or a computed index leads to. */
enum { KNC_POINT, KNC_KEPT, KNC_FIRST_FAR };
typedef struct knc_use {
    uint64_t keep; /* KNC_KEPT: bit k: along the k-th of the loops with more than one turn */
    uint32_t group, point;
    uint16_t stages; /* passes over a row that read it, counted from the last one; see docs/compiler.md */
    uint8_t loops;   /* knc_loops */
    uint8_t depth;   /* rows with `pull` between the value and the stored result */
    uint16_t more;   /* how many more times the value is computed because these rows read several elements of an operand
                        for one of their result (kni_prim.looks) */
    int64_t most;    /* so many elements are computed for it at most, since rows with KN_PICKS lie between; 0: as many
                        as the group has points */
} knc_use;
enum {
    KNC_MAX_USES = 8,
    KNC_MAX_DEPTH = 6,
    KNC_MAX_WEIGHT = 400,
    KNC_MAX_STORES = 16,
    KNC_MAX_STAGES = 8,
    KNC_CHEAP_OPS = 6,
    KNC_CHEAP_READS = 2,
    KNC_RUN_BYTES = 512 /* what a run of adjacent elements counts for in the cache, at least: a short run shares its
                           lines and pages with the runs of the rows beside it */
};

typedef struct knc_value {
    uint32_t eqn;               /* that makes it; KNC_NO: it is an operand */
    uint32_t first_use;         /* in knc_plan.use */
    uint32_t group;             /* that stores it, computes its reduction or runs its routine */
    uint32_t next, next_reduce; /* in the group's lists of stores and reductions */
    uint32_t slot;
    knx_bytes offset;       /* bytes in the slot */
    int32_t need_height; /* largest height of the steps that read it from memory whatever the grouping; -1: none */
    uint32_t need_level; /* largest level of these steps */
    uint32_t level;      /* number of updates on the longest path of equations to it (updates.c) */
    uint32_t whole;      /* the value whose memory it shows as a whole: itself if it is no view */
    uint32_t updated_at; /* level of the last update that may be made in its memory; 0: none */
    uint32_t old;        /* a value that it reads and that is updated later, in its memory if it was read before */
    uint32_t rows;       /* equation of a reduction: the value has one element for each of its rows; KNC_NO */
    uint32_t spread;     /* equation of a reduction: the value reads its results for all elements of the rows; KNC_NO */
    uint16_t ops;        /* operations that computing it again takes, at most; saturates */
    uint8_t reads, state, why, n_use, far_readers;
    bool constant;        /* made of literals alone: folded in each kernel that reads it */
    bool cheap;           /* to compute as a part of a reader */
    bool costly;          /* its own equation is */
    uint8_t loops, stage; /* in which it is stored or, as a reduction, known; lower.c settles OPEN loops */
    bool need, is_output, many, joined;
    bool kept;    /* its memory is that of an output */
    bool aligned; /* its memory is also read as elements of a larger type */
    bool put;     /* an update whose new elements a kernel puts there: puts.c */
    uint32_t place; /* 1 + variable of a put whose new elements are computed from this value, read at the very positions
                       where they go; 0: none */
} knc_value;

/* The equations that will be one step. A group that has merged into another one points to it (`parent`); its own record
 * stays, and says where the points that it began with are in the loops of the merged group. */
typedef struct knc_group {
    uint32_t parent;
    uint8_t form;        /* knc_loops of the points that it began with */
    uint8_t stage;       /* the pass over a row that these points belong to */
    int32_t height;      /* larger than that of all steps that read its results */
    int32_t ceiling;     /* up to which the height may rise: smaller than that of all groups that store what it reads */
    uint32_t level;      /* the highest level of the values that it stores */
    uint32_t limit;      /* while the level is below this one the group reads no value after its update */
    uint32_t eqn;        /* the last equation whose result it stores: it decides the position among the steps */
    bool routine, plain; /* plain: no views, no computed positions, no reductions */
    bool puts;           /* stores updates */
    bool absent;         /* the target lacks a dtype of its equations, so it will not run on the device */
    uint16_t n_store, weight;
    uint32_t n_read; /* an upper bound of the values that it reads from memory */
    kni_type par;    /* extents of the points; of a group with rows: of the rows */
    kni_type inner;  /* of a group with rows: extents of the elements ... */
    kni_ints axes;   /* ... and the axes of them that are joined */
    uint64_t kept;   /* of a group with rows: which loops over elements are loops over rows, as in knc_use.keep */
    uint32_t first_store, last_store, first_reduce, last_reduce, n_reduce; /* variables */
    uint32_t first_row, last_row;                                          /* in knc_plan.row */
    uint32_t step;
} knc_group;

/* A value that a group computes once per row, in the pass `stage`. */
typedef struct knc_row {
    uint32_t var, next;
    uint8_t stage;
} knc_row;

/* Memory of a stored value. */
typedef struct knc_slot {
    uint8_t space;
    uint32_t index; /* of operand, output, literal */
    knx_bytes bytes, offset;
    uint32_t maker;       /* the step that writes it; KNC_NO: none */
    uint32_t first, last; /* the first and the last step that refer to it */
    uint32_t over;        /* the slot whose memory it shares; KNC_NO: it has memory of its own */
    bool overwritten;     /* a donated operand whose memory a temporary takes over */
    bool in_blocks;       /* it exists in the blocks of a band only and has no memory of its own */
    bool made_again;      /* a further band makes it again, in blocks */
} knc_slot;

typedef struct knc_use_link {
    knc_use use;
    uint32_t next;
} knc_use_link;

/* Two slots of a step that may share memory: the step reads each element of `from` only where it then writes `to`. */
typedef struct knc_reuse {
    uint32_t step, from, to;
} knc_reuse;

/* An update as two steps: a copy of the old value, and the step that replaces some elements of the copy. The copy goes
 * away if the new value can have the memory of the old one. */
typedef struct knc_update {
    uint32_t eqn, copy, step; /* steps */
    uint32_t from, to;        /* slots */
    bool whole;               /* the operand is all of its slot */
    bool held;                /* order.c: the copy waits for the last reader of the old value */
    uint32_t next_held;
} knc_update;

typedef struct knc_plan {
    const kni_jaxpr *j;
    const knc_compile_options *o;
    knc_program *p;
    knx_arena scratch;
    knc_value *value; /* per variable */
    KN_VEC(knc_group) group;
    KN_VEC(knc_use_link) use;
    KN_VEC(knc_row) row;
    KN_VEC(knc_slot) slot;
    KN_VEC(knc_step) step;
    KN_VEC(knc_reuse) reuse;
    KN_VEC(knc_update) update;
    uint32_t *literal_slot; /* per literal, KNC_NO */
    const knc_path_note **path_end; /* where the next note of a path goes; NULL: it is the first one */
    const bool *read;       /* the answer of knc_read, per variable; NULL: not yet asked for */
    uint32_t next_point;
    int32_t effect_height; /* the largest height of a group with an effect */
    bool symbolic; /* extents may be dimension expressions: the program is one of variables */
    bool failed;           /* there was no memory for a vector */
    bool left_out;         /* an optional pass cannot work with these expressions */
} knc_plan;

/* classes.c */
knc_class knc_class_of(const kni_jaxpr *j, const kni_eqn *e);
/* The origin of ndim axes as functions of n_loop loops: NULL without memory. */
kni_index *knc_new_index(knx_arena *a, int n_loop, int ndim);
/* The map of a view: axes of the operand as functions of the result's axes (its loops). NULL without memory. */
kni_index *knc_view_map(const kni_jaxpr *j, const kni_eqn *e, knx_arena *a);
/* Does the equation repeat one scalar to a shape? */
bool knc_spreads_scalar(const kni_jaxpr *j, const kni_eqn *e);
/* Do the elements of the view lie in the operand's memory in C order, from element *first on? */
bool knc_lies_in_order(const kni_jaxpr *j, const kni_eqn *e, knx_arena *a, int64_t *first);
/* Per variable: does an equation read it, or is it a result? NULL without memory. */
const bool *knc_find_read(const kni_jaxpr *j, knx_arena *a);
extern atomic_uint_fast64_t knc_read_looked; /* for tests: equations that knc_find_read visited */
const bool *knc_read(knc_plan *p); /* the same of the plan's jaxpr, computed at the first call */
/* 2 for complex numbers and keys */
static inline int knc_parts(kn_dtype d) { return 1 + knx_is_pair(d); }
knx_dtype_id knc_part(kn_dtype d); /* the dtype of a part in memory */
static inline kni_type knc_type(const knc_plan *p, kni_atom a) { return kni_atom_type(p->j, a); }

enum { KNC_MANY_LOOKS = 4096 };
/* How many elements of an operand the equation reads for one element of its result; at most KNC_MANY_LOOKS. */
unsigned knc_looks(const kni_jaxpr *j, const kni_eqn *e);

/* The passes. */
knx_error *knc_group_equations(knc_plan *p);
knx_error *knc_place_values(knc_plan *p);
knx_error *knc_lower(knc_plan *p);
knx_error *knc_make_bands(knc_plan *p); /* bands.c */
knx_error *knc_attach(knc_plan *p);    /* attach.c */
extern int64_t knc_short_rows;         /* short rows are written out where there are so many (lower.c); tests set it */
extern bool knc_attach_small;          /* for tests: kernels join products whatever the sizes */
knx_error *knc_order_steps(knc_plan *p);
/* segments.c: kernels whose points ask where they lie are cut into segments, if that pays */
knx_error *knc_cut_kernels(knc_plan *p);
knx_error *knc_settle_products(knc_plan *p); /* settle.c: packs the descriptions that the program keeps */
knx_error *knc_plan_memory(knc_plan *p);
knx_error *knc_record(knc_plan *p); /* record.c */

/* Scalar operations that an equation takes per element, at least 1 (measure.c). */
unsigned knc_weight(const kni_jaxpr *j, const kni_eqn *e, knx_arena *a);
/* numbers.c: do kernels get the literal as an operand, rather than as a constant of their code? */
bool knc_is_given(const kni_literal *x);
knx_error *knc_hand_numbers(const kni_jaxpr *j, kni_jaxpr **out); /* loop_numbers.c */
knx_error *knc_separate_fills(const kni_jaxpr *j, kni_jaxpr **out); /* fills.c */
/* Makes loops that may fail kernels, followed by a branch that runs the loop itself for its error. */
knx_error *knc_guard_loops(const kni_jaxpr *j, const knc_compile_options *o, kni_jaxpr **out); /* guard.c */
knx_error *knc_carry_reshapes(const kni_jaxpr *j, kni_jaxpr **out); /* reshapes.c */
knx_error *knc_delay_reshapes(const kni_jaxpr *j, kni_jaxpr **out); /* delay.c */
/* updates.c */
void knc_find_updates(knc_plan *p); /* before grouping: finds which reads have to come before which updates */
uint32_t knc_update_limit(const knc_plan *p, uint32_t var); /* a step of this level or above would read var too late */
bool knc_reads_too_late(const knc_plan *p, const kni_eqn *e, bool moves, uint32_t level); /* and is better stored */
knx_error *knc_settle_updates(knc_plan *p); /* once memory is shared: which copies are left, and why */
knx_error *knc_drop_copies(knc_plan *p);   /* removes the steps of the other copies */

/* puts.c: may the kernel that computes the new elements of this update store them into the updated value itself? Its
 * group then begins with the points of the new elements, and may compute values that read the old elements at the
 * positions where the new ones go. */
bool knc_can_put(const knc_plan *p, const kni_eqn *e);
void knc_note_place(knc_plan *p, const kni_eqn *e);
bool knc_reads_at_place(knc_plan *p, const kni_eqn *e, uint32_t group);

/* control.c: makes an equation with KN_LOOPS a kernel, or programs that the executor runs. s: the step of a routine,
 * whose references are complete but for the workspace. knc_drop_step releases the kernels and programs that a step
 * holds. */
knx_error *knc_make_control(knc_plan *p, const kni_eqn *e, knc_step *s);
void knc_drop_step(const knc_step *s);

/* Guards of the dimension variables' scope (base/dim.h). A pass that tries something notes how many there are, and
 * drops those of the attempt if it comes to nothing: what is left undone is right for all numbers. */
static inline size_t knc_guards(void)
{
    const knx_dim_scope *s = knx_dim_now();
    return s ? s->guard.n : 0;
}
static inline void knc_drop_guards(size_t n)
{
    knx_dim_scope *s = knx_dim_now();
    if (s)
        s->guard.n = n;
}

static inline bool knc_dims_failed(void)
{
    const knx_dim_scope *s = knx_dim_now();
    return s && s->error;
}
/* Has an attempt failed because an expression got too long, or a number in it too large? Then the error is taken back:
 * what was attempted can be left undone. failed: what knc_dims_failed said before. */
static inline bool knc_dims_forgive(bool failed)
{
    knx_dim_scope *s = knx_dim_now();
    if (failed || !s || !s->error || s->error->kind != KN_ERROR_DIMENSION)
        return false;
    knx_error_release(knx_dim_take_error(s));
    return true;
}
/* Is a a multiple of b, whatever numbers the variables have? */
static inline bool knc_divides(int64_t b, int64_t a) { return knx_dim_same(knx_dim_mod(a, b), 0); }
/* Bytes of a slot, to judge by. */
static inline knx_bytes knc_slot_hint(const knc_plan *p, uint32_t slot)
{
    return (knx_bytes)knx_dim_hint((int64_t)p->slot.at[slot].bytes);
}

/* The bytes, rounded up to the target's alignment. */
static inline knx_bytes knc_in_units(const knc_plan *p, knx_bytes bytes)
{
    size_t unit = p->o->target->alignment;
    return (bytes + unit - 1) & ~(unit - 1);
}
/* memory.c */
bool knc_is_donated(const knc_plan *p, const knc_slot *s); /* and no output or temporary has its memory */
/* The slot whose memory this one has; that slot has memory of its own (its `over` is KNC_NO). */
static inline uint32_t knc_place_of(const knc_plan *p, uint32_t slot)
{
    return p->slot.at[slot].over == KNC_NO ? slot : p->slot.at[slot].over;
}

/* place.c: the slot of a value, an operand or a literal, and the value's offset in it in bytes. */
uint32_t knc_slot_of(knc_plan *p, kni_atom a, knx_bytes *offset);
uint32_t knc_find(knc_plan *p, uint32_t group);
/* uses.c: which loops of the merged group the points are that this group began with, and in which pass over a row */
knc_loops knc_base_of(knc_plan *p, uint32_t group, uint8_t *stage);
static inline uint32_t knc_max_buffers(const knc_plan *p)
{
    return p->o->max_buffers > 0 ? (uint32_t)p->o->max_buffers : p->o->target->max_buffers;
}
static inline bool knc_has_rows(const knc_group *g) { return g->form != KNC_LOOPS_OPEN; }

const char *knc_path_text(kni_loop_path path, bool branch);
void knc_log_copies(const knc_program *p); /* text.c */
void knc_log_paths(const knc_program *p);
const char *knc_why_text(knc_why why);

knx_error *knc_share_kernel(knc_kernel_cache *c,
                           knk_kernel **kernel); /* replaced by an equal one of the cache, or added to it */
#endif
