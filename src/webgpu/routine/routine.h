/* SPDX-License-Identifier: Apache-2.0
 * routine.h -- what the plans of routines share: texts with their words and grids (code.c), arrays whose elements they
 * read and write (element.c), functions of numbers (number.c). Shapes are words; what a text looks like follows from
 * dtypes, ranks and the pattern of memories alone. */
#ifndef KN_WEBGPU_ROUTINE_ROUTINE_H
#define KN_WEBGPU_ROUTINE_ROUTINE_H
#include "wgsl/piece.h"
#include "webgpu/webgpu.h"

/* A plan in the making. Without memory `failed` stays, and everything does nothing. */
typedef struct kng_maker {
    const knw_facts *facts;
    bool exact;
    const knc_program *program;
    const knc_step *step;
    const kng_pattern *at;
    knx_arena *arena;
    kng_plan *plan;
    uint32_t room; /* for dispatches */
    bool failed;
} kng_maker;
void kng_make(kng_maker *m, const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
              const kng_pattern *at, knx_arena *arena, kng_plan *out);
knx_error *kng_made(const kng_maker *m);
kng_dispatch *kng_next_dispatch(kng_maker *m); /* one more, all zeros; NULL: no memory */
/* The parameters of a routine's step. */
static inline const void *kng_params(const knc_program *p, const knc_step *s)
{
    return s->u.r.params ? s->u.r.params : p->jaxpr->eqn[s->eqn].params;
}
/* Why a routine's step has an operand or result that the device has not; NULL: it has them. */
const char *kng_unfit(const knc_step *s);
/* An array as [outer, length, inner], `axis` in the middle. */
typedef struct kng_lines {
    uint64_t outer, length, inner, lines; /* lines: outer * inner */
} kng_lines;
kng_lines kng_lines_of(kni_type t, int64_t axis);
/* So many bytes of the scratch, at a multiple of 16: their offset. */
uint64_t kng_scratch(kng_maker *m, uint64_t bytes);

/* What is done with an array's elements: as numbers of kng_type, or as bits, an u32 or (8 bytes) a vec2<u32>. What
 * many invocations do to one element at a time, in whatever order: it is added to, made smaller, larger (of integers of
 * 32 bits, added to of 64, too), the logical or, and is taken of it (of bools). One of these is all that is done to an
 * array. */
enum {
    KNG_LOAD = 1,
    KNG_STORE = 2,
    KNG_BITS = 4,
    KNG_PUT = 8,
    KNG_TALLY_ADD = 16,
    KNG_TALLY_MIN = 32,
    KNG_TALLY_MAX = 64,
    KNG_TALLY_OR = 128,
    KNG_TALLY_AND = 256,
    KNG_TALLY = 496
};

/* In the text: load_NAME(i), store_NAME(i, number), bits_NAME(i), put_NAME(i, bits), tally_NAME(i, bits), i
 * an u32 that counts elements. */
typedef struct kng_array {
    const char *name;
    kn_dtype dtype;
    uint32_t slot, use;
} kng_array;

enum { KNG_ARRAYS = 24, KNG_PIECES = 3 };

/* One dispatch: declarations and functions are added to `head`, statements of main to `body`. */
typedef struct kng_code {
    kng_maker *m;
    knw_unit unit;
    knx_str head, body;
    KN_VEC(uint32_t) word;
    KN_VEC(uint32_t) at; /* word, reference, unit of each */
    kng_array array[KNG_ARRAYS];
    int n_array;
    knw_piece piece[KNG_PIECES]; /* kernels in it, held */
    int n_piece;
    knw_memory memory[KNW_MOST_MEMORIES]; /* what all that does with memories, once it is all there */
    uint32_t lanes; /* of a workgroup */
    uint32_t record; /* a word; 0: it checks nothing */
} kng_code;

/* Statements find `group`, the number of the workgroup, `lane`, that of the invocation in it, and groups(), how many
 * workgroups there are. */
void kng_begin(kng_code *c, kng_maker *m, uint32_t lanes);
void kng_end(kng_code *c, uint64_t groups);
/* A number of the launch: NAME() in the text, an u32. */
void kng_word(kng_code *c, const char *name, uint64_t value);
void kng_words(kng_code *c, const char *name, int i, uint64_t value); /* NAMEi() */
/* An array at a reference of the step; in the scratch. `use` may be added to by naming the array again. */
void kng_ref(kng_code *c, const char *name, kn_dtype dtype, uint32_t ref, uint32_t use);
void kng_room(kng_code *c, const char *name, kn_dtype dtype, uint64_t place, uint32_t use);
/* The records of checks: `record`, atomic words; at_record(): where the run's begins; line(): whose check it is. */
void kng_record(kng_code *c);
#define KNG_HEAD(c, ...) knx_str_printf(&(c)->head, __VA_ARGS__)
#define KNG_BODY(c, ...) knx_str_printf(&(c)->body, __VA_ARGS__)
/* attached.c: a kernel of the step as a function NAME(batch, row, column) that gives an element of dtype d or, if the
 * kernel takes it, NAME(batch, row, column, element): elements as numbers of kng_type(kng_wide(d)). */
void kng_attach(kng_code *c, const char *name, const knc_attached *x, kn_dtype d);
/* Why the device's texts cannot have it; NULL: they can. */
const char *kng_attach_refuses(const knc_attached *x);
/* Statements "if (i >= N) { return; }" with i, the number of the invocation in all, which they declare. */
void kng_each(kng_code *c, uint64_t n);
static inline uint64_t kng_groups(uint64_t n, uint32_t lanes) { return (n + lanes - 1) / lanes; }

/* The words outer, length, inner and lines, and place(line, i): the number of an element. */
void kng_along(kng_code *c, const kng_lines *l);

/* Function NAME(number), of an index in C order of n extents: k sums of its parts times strides, an u32 or a vec. */
void kng_fn_places(kng_code *c, const char *name, int n, const int64_t *extent, int k, const int64_t *const *stride);

/* element.c: the functions of all arrays. */
void kng_elements(kng_code *c, knx_str *out);
bool kng_is_part(kn_dtype d); /* less than a word */
const char *kng_words_of(const kng_code *c, uint32_t slot); /* the type of a memory's words */

/* number.c. Numbers that are computed with: 16-bit floats are float32, complex numbers vec2<f32>. */
const char *kng_type(kn_dtype d);
const char *kng_bits_type(kn_dtype d);
kn_dtype kng_work(kn_dtype d); /* the dtype of the arithmetic: float32 for 16-bit floats, else itself */
kn_dtype kng_wide(kn_dtype d); /* one of at least a word, but for bool: whose numbers have the same type */
/* Does the device have it? */
bool kng_has(kn_dtype d);
/* Functions of numbers of d, called NAME: */
void kng_fn_binary(kng_code *c, const char *name, knk_op op, kn_dtype d);      /* (a, b), a bool of comparisons */
void kng_fn_join(kng_code *c, const char *name, knk_reduction how, kn_dtype d); /* (left, right) */
void kng_fn_multiply_add(kng_code *c, const char *name, kn_dtype d);            /* (sum, a, b) */
void kng_fn_convert(kng_code *c, const char *name, kn_dtype from, kn_dtype to); /* (a) */
void kng_fn_round(kng_code *c, const char *name, kn_dtype d); /* (a): as a store and a load would do */
void kng_fn_less(kng_code *c, const char *name, kn_dtype d);   /* (a, b): complex numbers by real parts first */
void kng_fn_is_nan(kng_code *c, const char *name, kn_dtype d); /* (a) */
/* The expressions 0 and, of a reduction, what it begins with. */
void kng_zero(kng_code *c, knx_str *t, kn_dtype d);
void kng_identity(kng_code *c, knx_str *t, knk_reduction how, kn_dtype d);
/* Is the device's fma as good as any here? Else it is many instructions. */
bool kng_quick(const kng_maker *m);

/* image.c: unsigned words in the order of numbers, as one u32 or (two words) a vec2<u32>, the higher one first. */
int kng_image_words(kn_dtype d);
void kng_fn_image(kng_code *c, const char *name, kn_dtype d); /* (a) */

/* May an invocation go through so many turns of loops? Else a plan has to be another one, or the step is refused. */
static inline bool kng_turns(const knw_facts *f, uint64_t turns)
{
    enum { SPARE = 256 };
    return !f->most_turns || turns + SPARE <= f->most_turns;
}
static const char KNG_TOO_MANY_TURNS[] = "a loop of more turns than the device makes";

/* Elements that 32 bits can number. */
static inline bool kng_numbers(uint64_t n) { return n < UINT64_C(1) << 31; }
#endif
