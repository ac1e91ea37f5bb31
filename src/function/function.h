/* SPDX-License-Identifier: Apache-2.0
 * function.h -- functions as values. A core says what a function is (a C function, or a transformation of another core)
 * and is interned: making the same handle again finds the same core and what was compiled for it. A handle adds the
 * captured arrays, which are operands in front of the arguments at every level. */
#ifndef KN_FUNCTION_FUNCTION_H
#define KN_FUNCTION_FUNCTION_H
#include "array/op.h"
#include "array/state.h"
#include "tree/structure.h"
#include "kiln/function.h"

typedef enum {
    KNA_FN_C,
    KNA_FN_JIT,
    KNA_FN_GRAD,
    KNA_FN_VMAP,
    KNA_FN_JACFWD,
    KNA_FN_JACREV,
    KNA_FN_JAXPR,
    KNA_FN_CUSTOM_JVP,
    KNA_FN_CUSTOM_VJP,
    KNA_FN_CHECKPOINT
} kna_fn_kind;

/* A jitted function recorded and compiled for some types. */
typedef struct kna_entry {
    kn_arena arena;
    uint32_t n_in;
    kn_type *in;            /* captured, then arguments */
    kn_dtype default_float; /* when it was recorded */
    kna_named_axis *axes;   /* bound then; in the arena */
    bool folds;             /* see recording.h */
    bool whole;             /* see ir/jaxpr.h */
    bool tracing;           /* being recorded right now */
    int running;            /* so often at this moment: it has to stay */
    kn_closed closed;
    knd_loaded *program[2]; /* [fuse], on the device that it ran on last */
    bool *donated;          /* per operand of the program, in the arena; NULL: none */
    uint64_t used;
    size_t bytes; /* as counted; 0: not counted */
    struct kna_core *core;
    uint64_t hash;                   /* in the context's map */
    size_t at;                       /* in the core's list */
    kna_state *home;                 /* whose lists it is in; NULL: none yet */
    struct kna_entry *newer, *older; /* by use, of all functions; those that are counted */
} kna_entry;

typedef struct kna_options { /* all of them plain: compared as bytes */
    kn_argnums argnums; /* JIT: those that are donated */
    bool has_aux, value, holomorphic, allow_int;
    int n_aux;             /* results at the end that are not differentiated */
    const char *in_leaves; /* of kna_intern_name: a letter per array of the arguments (leaf_code); NULL: none given */
    kn_mapping in_axes[KN_MAX_ARGS], out_axes[KN_MAX_ARGS];
    int64_t axis_size;
    const char *axis_name; /* of kna_intern_name; NULL: none */
    int64_t policy;        /* of checkpoint: a kn_save_policy, its names (of kna_intern_name) */
    const char *policy_names;
    bool allow_cse;
} kna_options;

/* A letter of in_leaves is the code of a kn_mapping and this; axes are within KN_MAX_NDIM of it. */
enum { KNA_LEAF_CODE = 127 };

/* What a transformation made of a jaxpr: found again when the same function is recorded to the same equations at the
 * same source lines, as in a training loop without jit. */
typedef struct kna_memo {
    kni_jaxpr *from, *to;
    int64_t size; /* of vmap's axis */
    uint64_t used;
} kna_memo;
enum { KNA_MAX_MEMOS = 16 };

/* The rule of a custom derivative, recorded for some types. */
typedef struct kna_rule {
    kn_arena arena;
    int which, n_in;
    kn_type *in;
    kn_dtype default_float;
    kna_named_axis *axes; /* bound then; in the arena */
    kni_jaxpr *jaxpr;
} kna_rule;
enum { KNA_MAX_RULES = 64 };

/* What a function of trees returned for some types. */
typedef struct kna_fit {
    kn_arena arena;
    int n_in;
    kn_type *in;
    kn_dtype default_float;
    kna_structure *out;
} kna_fit;
enum { KNA_MAX_FITS = 64 };
typedef struct kna_ready {
    kn_arena arena;
    kn_type *in;
    bool concrete;
    uint64_t serial; /* of the recording around it */
    kn_closed closed;
} kna_ready;

typedef struct kna_core {
    atomic_int refs;
    kna_fn_kind kind;
    uint64_t hash;
    const kn_function *c;
    void *env;        /* C */
    kni_jaxpr *jaxpr; /* JAXPR: inputs are captured, then arguments; no constvars */
    struct kna_core *inner;
    struct kna_core *rule[2]; /* CUSTOM: jvp; or fwd, bwd. Their captured arrays come first, in order */
    kna_options o;
    const char *name;
    int n_captured, n_args, arrays[KN_MAX_ARGS], n_in /* arrays of all arguments */, n_out;
    KN_VEC(kna_entry *) entry; /* JIT */
    int trace_count;
    KN_VEC(kna_memo) memo;
    KN_VEC(kna_rule) rules;
    /* fit.c: trees of any structure, and arguments whose values are part of the function */
    bool open_in, open_out; /* trees whose structure each call shows; arguments that are static */
    bool tree_out;          /* of C: the result is a tree */
    unsigned static_args;   /* JIT: bits */
    kna_structure *in_structure[KN_MAX_ARGS], *out_structure; /* where they are known */
    kna_structure *captured_structure; /* of a captured tree */
    kn_value **fixed;                  /* of C: the value of each array of the arguments that is static; or NULL */
    struct kna_core *made_of;          /* what it was fitted from */
    KN_VEC(struct kna_fit) fits;       /* of C */
    struct kna_ready *ready;           /* of C: recorded to see what it returns; the next recording is that one */
    bool interned; /* in the context's table, which has a reference */
    size_t bytes;  /* counted: its own, without entries */
    uint64_t used;
    struct kna_core *newer, *older; /* by use: interned ones */
} kna_core;

typedef struct kna_fn {
    kna_core *core;
    kn_value **captured;
} kna_fn;

/* An equal string that lives as long as the context; NULL without memory. */
const char *kna_intern_name(const char *name);
/* The names of argument i (-1: of the result) of a C function; NULL if it has none. */
static inline const kn_fields *kna_function_fields(const kn_function *c, int i)
{
    return c->size_ < sizeof *c ? NULL : i < 0 ? c->out_fields : c->arg_fields[i];
}
/* For messages: the path of array k of argument arg (-1: of the result) with a blank in front, as " .w1"; "" if it has
 * no name. */
const char *kna_leaf_name(kn_text *text, const kna_core *f, int arg, int k);

/* Lists of named axes. A copy is in the arena; false without memory. */
bool kna_same_axes(const kna_named_axis *a, const kna_named_axis *b);
bool kna_copy_axes(kn_arena *a, const kna_named_axis *from, kna_named_axis **to);

void kna_core_release(kna_core *c);
/* What says which function it is, without what was recorded of it: to be changed and interned. */
kna_core kna_core_draft(const kna_core *c);
/* transforms.c: how many results a transformation of draft->inner has, if those are known, or what is wrong. */
kn_error *kna_results_of(kna_core *draft);
/* transforms.c: options of vmap by array, as letters for the arrays of f. */
kn_error *kna_close_leaves(const kna_core *f, const char *open, const char **letters);

/* ---- fit.c: functions of trees of any structure, and of static arguments. A call with such arguments fits the
 * function: what is then made and recorded is an ordinary function with so many arrays. A new reference each. */
static inline bool kna_is_open(const kna_core *f) { return f->open_in || f->open_out; }
/* The structures of the arguments, and static values (not allowed in bodies of loops and branches: by != NULL). */
kn_error *kna_fit_inputs(kna_core *f, const kn_args *args, const char *by, kna_core **out);
/* What it returns for these types (captured, then arguments). */
kn_error *kna_fit_outputs(kna_core *f, const kn_type *in, kn_value *const *known, const char *why, kna_core **out);
/* For a call; *out is f itself if nothing is open. What it returns is seen as it will be recorded: from the values, if
 * they may be looked at, or from types alone. */
typedef enum { KNA_FIT_INPUTS, KNA_FIT_CALL, KNA_FIT_ABSTRACT } kna_fit_how;
kn_error *kna_fit_call(const kna_fn *fn, const kn_args *args, kna_fit_how how, kna_core **out);
void kna_fit_end(kna_core *f); /* releases it, and what was recorded and is not needed */
void kna_ready_free(kna_core *c);
void kna_fits_free(kna_core *c);
kna_structure *kna_argument_structure(const kna_core *f, const kn_args *args, int i);
/* One argument, or a tuple of all. */
kna_structure *kna_arguments_structure(const kna_core *f, const kn_args *args);
kna_structure *kna_result_structure(const kna_core *f, const kn_args *args); /* NULL: not known */
/* function.c. A C function's recording, and what tree it returned. */
kn_error *kna_derive_tree(kna_core *f, const kn_type *in, kn_value *const *known, const char *why, kn_closed *out,
                          kna_structure **structure);
/* Calls the C function of a core on handles, captured and arguments; *n results, of the structure *structure if it
 * returns a tree. To be freed. */
kn_error *kna_call_c(const kna_core *f, const kn_array *in, kn_array **out, int *n, kna_structure **structure);
/* derive.c. The types that a mapped function sees; axis: per array, -1 where it is not mapped. */
kn_error *kna_map_inputs(const kna_core *f, const kn_type *in, int *axis, kn_type *inner, kn_arena *a, int64_t *size);
/* The interned core equal to *draft (whose inner and env are copied or retained when it is new); a new reference,
 * NULL without memory. */
kna_core *kna_core_intern(const kna_core *draft);
kn_fn kna_fn_handle(kna_core *core /* taken over */, int n_captured, kn_value *const *captured /* retained */);
kna_fn *kna_fn_get(kna_op *op, kn_fn fn);
#ifdef __clang_analyzer__
#define kna_fn_get(op, fn) KNA_NULL_IF_FAILED(op, (kna_fn_get)(op, fn))
#endif
void kna_functions_free(void);

/* What f computes for inputs of these types (captured, then arguments), as a jaxpr with captured constants. With
 * `known` (a value per input) the recording is concrete. `why`: the transformation to name when a value cannot be
 * looked at. */
kn_error *kna_derive(kna_core *f, const kn_type *in, kn_value *const *known, const char *why, kn_closed *out);
/* The same, abstractly. A C function gets given[i] itself as its input i where that is not NULL: the jaxpr's input is
 * there, but nothing reads it. */
kn_error *kna_derive_given(kna_core *f, const kn_type *in, kn_value *const *given, const char *why, kn_closed *out);
/* Where vmap maps array `leaf` of the arguments, which belongs to argument arg. */
kn_mapping kna_leaf_mapping(const kna_core *f, int arg, int leaf);
/* derive.c: grad, vmap, jacobians */
kn_error *kna_derive_transformed(kna_core *f, const kn_type *in, kn_value *const *known, const char *why,
                                 kn_closed *out);
/* jaxpr_handle.c. The jaxpr of fn for arguments of the types of args; *core: what fn is for them, a reference that
 * kna_fit_end takes. */
kn_error *kna_derive_for(kna_op *op, kn_fn fn, const kn_args *args, const char *why, kn_closed *out, kna_core **core);
/* entries.c. Of a JIT core; *once: not cached, the caller frees it */
kn_error *kna_entry_for(kna_core *f, const kn_type *in, kna_entry **out, kna_entry **once);
void kna_entry_free(kna_entry *e);
extern const kna_entry_rules kna_entries;
bool kna_drop_oldest_entry(const kna_entry *needed); /* false: there is none */
size_t kna_memos_free(kna_core *c);                  /* derive.c; what they were counted as */
void kna_bound_entries(const kna_entry *needed);     /* entries go until those of the context fit; `needed` stays */
/* Makes room: what the core of this context that was used longest ago remembers, or all of it if no one has it. False:
 * nothing went. */
bool kna_drop_oldest_core(void);
uint64_t kna_oldest_core_used(void);            /* UINT64_MAX: there is none */
void kna_drop_idle_core(kna_core *c);           /* it goes if no one has it and nothing was recorded of it */
void kna_core_count(kna_core *c, size_t bytes); /* so many more are remembered with it */
kn_error *kna_entry_program(kna_entry *e, knd_loaded **out);

/* Outside of transformations a custom derivative or a checkpoint is the function itself: that one, and in *skip how
 * many captured arrays are not its own. */
kna_core *kna_plain(kna_core *f, int *skip);
/* Applies f to values (captured, then arguments); results are new references. */
kn_error *kna_apply(kna_core *f, kn_value *const *in, kn_value **out);
/* Inlines a closed jaxpr into the current recorder. */
/* The jaxpr with its constvars made inputs in front. */
kn_error *kna_constants_as_inputs(const kni_jaxpr *j, kni_jaxpr **out);
kn_error *kna_inline_closed(const kn_closed *c, kn_value *const *in, kn_value **out);
/* Whether values may be looked at while f is recorded now, and if not which transformation forbids it. */
bool kna_may_be_concrete(const char **why);

/* call.c: structs of arrays as arguments. Reads the arrays of args into values (references retained), checking the
 * counts against f. */
kn_error *kna_read_args(const char *what, kna_core *f, const kn_args *args, kn_value **values);
/* The same; C numbers come as they are, without a dtype yet. */
kn_error *kna_read_args_as(kna_core *f, const kn_args *args, bool numbers_wait, kn_value **values);
kn_error *kna_check_outs(const char *what, int n_out, const kn_outs *outs);
int kna_outs_size(const kn_outs *outs); /* arrays; -1: as many as there are (a new tree) */
void kna_write_outs(const kn_outs *outs, int n, kn_value **values /* taken over */);
/* The same; they are results from number `first` on of a function that returns `whole` (NULL: not known). */
void kna_write_results(const kn_outs *outs, int first, int n, kn_value **values, const kna_structure *whole);
/* Results of f that are a carry, then outputs: trees among outs have the structure of the arguments from number `first`
 * on, where these are trees, else that of what f returns. n_carry == 0: that of what f returns. */
void kna_write_carry(const kn_outs *outs, const kna_core *f, const kn_args *args, int first, int n_carry, int n,
                     kn_value **values /* taken over */);
void kna_write_error(const kn_outs *outs, kn_error *e);
void kna_release_values(int n, kn_value **v);
/* apply.c. give[i]: the program may write over the buffer of in[i]; NULL: of none. */
kn_error *kna_run_entry(kna_entry *e, kn_value *const *in, const bool *give, kn_value **out);
kn_type *kna_types_of(int n, kn_value *const *v, kn_type few[32]); /* few or to be freed; NULL without memory */
#endif
