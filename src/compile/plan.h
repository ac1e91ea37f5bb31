/* SPDX-License-Identifier: Apache-2.0
 * plan.h -- what the passes of compile.c share while a program is made. */
#ifndef KN_COMPILE_PLAN_H
#define KN_COMPILE_PLAN_H
#include "compile/step.h"

/* How an equation is lowered: asked of its row. */
typedef enum knc_class {
    KNC_ELEMENTWISE,
    KNC_VIEW,    /* an index map */
    KNC_RESHAPE, /* a view without an index map: an alias of its stored operand */
    KNC_PULL,
    KNC_REDUCE,
    KNC_RUN,
    KNC_EITHER,   /* computed by a kernel that reads it, or a routine where it is stored */
    KNC_IDENTITY, /* returns its operand */
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

/* The loops that a group has. OPEN: those over the points of its results. A group that joins elements has rows (the
 * parallel loops) and elements (rows and the joined axes); its points before that became known are either. */
typedef enum knc_loops { KNC_LOOPS_OPEN, KNC_LOOPS_ROWS, KNC_LOOPS_FULL } knc_loops;
/* Where in its loops a group evaluates a value. POINT: each axis that is longer than 1 runs along one loop, and all
 * such loops are there, in order. KEPT: along some of the loops, in order (`keep`; a scalar has none). From
 * KNC_FIRST_FAR on each number is one position that a view or computed index leads to. */
enum { KNC_POINT, KNC_KEPT, KNC_FIRST_FAR };
typedef struct knc_use {
    uint64_t keep; /* KNC_KEPT: of the loops with more than one turn, bit k for the k-th */
    uint32_t group, point;
    uint16_t stages; /* passes over a row that read it, counted from the last one; see docs/compiler.md */
    uint8_t loops;   /* knc_loops */
    uint8_t depth;   /* pulled rows on the way */
    uint16_t more;   /* elements beside one that they look at (kni_prim.looks): the value is worked out so often more */
} knc_use;
enum {
    KNC_MAX_USES = 8,
    KNC_MAX_DEPTH = 6,
    KNC_MAX_WEIGHT = 400,
    KNC_MAX_STORES = 16,
    KNC_MAX_STAGES = 8,
    KNC_CHEAP_OPS = 6,
    KNC_CHEAP_READS = 2,
    KNC_RUN_BYTES = 512 /* elements apart from each other share pages and lines with those of as many rows beside */
};

typedef struct knc_value {
    uint32_t eqn;               /* KNC_NO: an operand */
    uint32_t first_use;         /* in knc_plan.use */
    uint32_t group;             /* that stores or reduces it, or the routine */
    uint32_t next, next_reduce; /* in the group's lists of stores and reductions */
    uint32_t slot;
    size_t offset;       /* bytes in the slot */
    int32_t need_height; /* of the steps that read it from memory whatever the grouping; -1: none */
    uint32_t need_level; /* of the same steps */
    uint32_t level;      /* updates on the longest way to it (updates.c) */
    uint32_t whole;      /* the value whose memory it shows as a whole: itself if it is no view */
    uint32_t updated_at; /* level of the last update that may be made in its memory; 0: none */
    uint32_t old;        /* a value that it reads and that is updated later, in its memory if it was read before */
    uint32_t rows;       /* equation of a reduction: it has one element for each of its rows; KNC_NO */
    uint32_t spread;     /* equation of a reduction whose results it reads for all elements of the rows; KNC_NO */
    uint16_t ops;        /* to recompute it, at most; saturates */
    uint8_t reads, state, why, n_use, far_readers;
    bool constant;        /* made of literals: folded where it is read */
    bool cheap;           /* as part of a reader */
    bool costly;          /* itself */
    uint8_t loops, stage; /* where it is stored or, a reduction, known; lower.c settles open ones */
    bool need, is_output, many, joined;
    bool kept;    /* its memory is an output's */
    bool aligned; /* its memory is read as larger elements too */
    bool put;     /* an update whose new elements a kernel puts there: puts.c */
    uint32_t place; /* 1 + variable of a put, of which the maker of its elements reads this where they go; 0: none */
} knc_value;

/* A step in the making. Groups that merged point to one another: what a group was when it merged still says where its
 * own points are in the loops of the whole. */
typedef struct knc_group {
    uint32_t parent;
    uint8_t form;        /* knc_loops of the points it began with */
    uint8_t stage;       /* and the pass that they belong to */
    int32_t height;      /* above all steps that read its results */
    int32_t ceiling;     /* below all groups that store what it reads: so far it may rise */
    uint32_t level;      /* the highest of what it stores */
    uint32_t limit;      /* of a level below it the group reads no value after its update */
    uint32_t eqn;        /* the last one that stores: the key of its place in the program */
    bool routine, plain; /* plain: no views, no computed positions, no reductions */
    bool puts;           /* stores updates */
    bool absent;         /* the target lacks a dtype of its equations, so it will not run on the device */
    uint16_t n_store, weight;
    uint32_t n_read; /* values that it reads from memory, as far as is known: at most */
    kni_type par;    /* extents of the points; once there are rows: of those */
    kni_type inner;  /* rows: extents of their elements ... */
    kni_ints axes;   /* ... and which of them are joined */
    uint64_t kept;   /* rows: the loops over elements that are loops over rows, as knc_use.keep */
    uint32_t first_store, last_store, first_reduce, last_reduce, n_reduce; /* variables */
    uint32_t first_row, last_row;                                          /* in knc_plan.row */
    uint32_t step;
} knc_group;

/* A value that a group works out once per row, in this pass. */
typedef struct knc_row {
    uint32_t var, next;
    uint8_t stage;
} knc_row;

/* Memory of a stored value. */
typedef struct knc_slot {
    uint8_t space;
    uint32_t index; /* of operand, output, literal */
    size_t bytes, offset;
    uint32_t maker;       /* step; KNC_NO: none */
    uint32_t first, last; /* steps */
    uint32_t over;        /* the slot whose place it has, KNC_NO: its own */
    bool overwritten;     /* a donated operand that a temporary has the place of */
    bool in_blocks;       /* in a band: it has no memory of its own */
    bool made_again;      /* in another band */
} knc_slot;

typedef struct knc_use_link {
    knc_use use;
    uint32_t next;
} knc_use_link;

/* Two slots of a step that may share a place: the kernel reads `from` only where it writes `to`. */
typedef struct knc_reuse {
    uint32_t step, from, to;
} knc_reuse;

/* An update as two steps: a copy of the old elements, and the routine that replaces some. The copy goes away where the
 * new value has the old one's place. */
typedef struct knc_update {
    uint32_t eqn, copy, step; /* steps */
    uint32_t from, to;        /* slots */
    bool whole;               /* the operand is all of its slot */
    bool held;                /* order.c: waits for the last reader of the old value */
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
    const bool *read;       /* of knc_read; NULL: nobody has asked */
    uint32_t next_point;
    int32_t effect_height; /* of the effects that have their groups */
    bool failed;           /* no memory for a vector */
} knc_plan;

/* classes.c */
knc_class knc_class_of(const kni_jaxpr *j, const kni_eqn *e);
/* The map of a view: axes of the operand as functions of the result's axes (its loops). NULL without memory. */
kni_index *knc_view_map(const kni_jaxpr *j, const kni_eqn *e, knx_arena *a);
/* Is it one scalar, repeated to a shape? */
bool knc_spreads_scalar(const kni_jaxpr *j, const kni_eqn *e);
/* Do the elements of the view lie in the operand's memory in C order, from element *first on? */
bool knc_lies_in_order(const kni_jaxpr *j, const kni_eqn *e, knx_arena *a, int64_t *first);
/* Per variable: does an equation read it, or is it a result? NULL without memory. */
const bool *knc_find_read(const kni_jaxpr *j, knx_arena *a);
extern atomic_uint_fast64_t knc_read_looked; /* for tests: equations that were looked at for that */
const bool *knc_read(knc_plan *p); /* of the plan's, found once for all equations */
/* 2 for complex numbers and keys */
static inline int knc_parts(kn_dtype d) { return d->kind == KN_KIND_COMPLEX || d->kind == KN_KIND_KEY ? 2 : 1; }
knx_dtype_id knc_part(kn_dtype d); /* the dtype of a part in memory */
static inline kni_type knc_type(const knc_plan *p, kni_atom a) { return kni_atom_type(p->j, a); }

enum { KNC_MANY_LOOKS = 4096 };
/* How many elements of an operand the equation looks at for one of its result; at most KNC_MANY_LOOKS. */
unsigned knc_looks(const kni_jaxpr *j, const kni_eqn *e);

/* The passes. */
knx_error *knc_group_equations(knc_plan *p);
knx_error *knc_place_values(knc_plan *p);
knx_error *knc_lower(knc_plan *p);
knx_error *knc_make_bands(knc_plan *p); /* bands.c */
knx_error *knc_attach(knc_plan *p);    /* attach.c */
extern bool knc_attach_small;          /* for tests: whatever the sizes */
knx_error *knc_order_steps(knc_plan *p);
/* segments.c: kernels whose points ask where they lie are cut into segments, if that pays */
knx_error *knc_cut_kernels(knc_plan *p);
knx_error *knc_settle_products(knc_plan *p); /* settle.c: descriptions that the program keeps */
knx_error *knc_plan_memory(knc_plan *p);
knx_error *knc_record(knc_plan *p); /* record.c */

/* Scalar operations of an equation per element, from 1 on (measure.c). */
unsigned knc_weight(const kni_jaxpr *j, const kni_eqn *e, knx_arena *a);
/* numbers.c: is the literal a number that kernels are given, rather than one that they know? */
bool knc_is_given(const kni_literal *x);
knx_error *knc_hand_numbers(const kni_jaxpr *j, kni_jaxpr **out); /* loop_numbers.c */
knx_error *knc_separate_fills(const kni_jaxpr *j, kni_jaxpr **out); /* fills.c */
/* Loops that may fail as kernels, with the loop itself behind them for its error. */
knx_error *knc_guard_loops(const kni_jaxpr *j, const knc_compile_options *o, kni_jaxpr **out); /* guard.c */
knx_error *knc_carry_reshapes(const kni_jaxpr *j, kni_jaxpr **out); /* reshapes.c */
knx_error *knc_delay_reshapes(const kni_jaxpr *j, kni_jaxpr **out); /* delay.c */
/* updates.c */
void knc_find_updates(knc_plan *p); /* before grouping: which reads belong before which updates */
uint32_t knc_update_limit(const knc_plan *p, uint32_t var); /* a step of this level or above would read it too late */
bool knc_reads_too_late(const knc_plan *p, const kni_eqn *e, bool moves, uint32_t level); /* and is better stored */
knx_error *knc_settle_updates(knc_plan *p); /* once places are known: copies that are left, and why */
knx_error *knc_drop_copies(knc_plan *p);   /* those that are not */

/* puts.c: may a kernel put the new elements of this update there? Then its group begins with their points, and what
 * reads the old elements where the new ones go may be worked out in it. */
bool knc_can_put(const knc_plan *p, const kni_eqn *e);
void knc_note_place(knc_plan *p, const kni_eqn *e);
bool knc_reads_at_place(knc_plan *p, const kni_eqn *e, uint32_t group);

/* control.c: an equation with KN_LOOPS becomes a kernel, or programs that the executor drives. s: a routine's step,
 * with its references but for a workspace. What it holds then is given back by knc_drop_step. */
knx_error *knc_make_control(knc_plan *p, const kni_eqn *e, knc_step *s);
void knc_drop_step(const knc_step *s);

/* In whole units of what the target wants everything to lie at. */
static inline size_t knc_in_units(const knc_plan *p, size_t bytes)
{
    size_t unit = p->o->target->alignment;
    return (bytes + unit - 1) & ~(unit - 1);
}
/* memory.c */
bool knc_is_donated(const knc_plan *p, const knc_slot *s); /* and not an output, or taken */
/* The slot whose place this one has; `over` never leads on. */
static inline uint32_t knc_place_of(const knc_plan *p, uint32_t slot)
{
    return p->slot.at[slot].over == KNC_NO ? slot : p->slot.at[slot].over;
}

/* place.c: where a value lies; also of operands and literals. */
uint32_t knc_slot_of(knc_plan *p, kni_atom a, size_t *offset);
uint32_t knc_find(knc_plan *p, uint32_t group);
/* uses.c: of the points that a group began with: which loops of the group it is part of now, and in which pass */
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
                           knk_kernel **kernel); /* replaced by an equal one of the cache, or put there */
#endif
