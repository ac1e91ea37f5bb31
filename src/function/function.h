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
    KNF_FN_C,
    KNF_FN_JIT,
    KNF_FN_GRAD,
    KNF_FN_VMAP,
    KNF_FN_JACFWD,
    KNF_FN_JACREV,
    KNF_FN_JAXPR,
    KNF_FN_CUSTOM_JVP,
    KNF_FN_CUSTOM_VJP,
    KNF_FN_CHECKPOINT,
    KNF_FN_SHARD_MAP,
    KNF_FN_PMAP
} knf_fn_kind;

/* A jitted function recorded and compiled for some types. */
typedef struct knf_elsewhere {
    knd_loaded *program;
    bool fuse;
} knf_elsewhere;
typedef struct knf_entry {
    knx_arena arena;
    uint32_t n_in;
    kni_type *in;           /* captured, then arguments */
    kn_dtype default_float; /* when it was recorded */
    kna_named_axis *axes;   /* bound then; in the arena */
    kna_how how;            /* things were recorded then */
    bool tracing;           /* being recorded right now */
    int running;            /* so often at this moment: it has to stay */
    kna_closed closed;
    knd_loaded *program[2]; /* [fuse], on the device that it ran on last */
    KN_VEC(knf_elsewhere) elsewhere; /* on other devices */
    struct knf_variant *variant; /* of an entry with dimension variables: the programs in place of these */
    struct knf_conditions *conditions; /* under which it holds; NULL: none. symbolic.h */
    bool *donated;          /* per operand of the program, in the arena; NULL: none */
    uint64_t used;
    size_t bytes; /* as counted; 0: not counted */
    size_t recorded; /* of the jaxpr */
    struct knf_core *core;
    uint64_t hash;                   /* in the context's map */
    size_t at;                       /* in the core's list */
    kna_state *home;                 /* whose lists it is in; NULL: none yet */
    struct knf_entry *newer, *older; /* by use, of all functions; those that are counted */
} knf_entry;

typedef struct knf_options { /* all of them plain: compared as bytes */
    kn_argnums argnums; /* JIT: those that are donated */
    bool has_aux, value, holomorphic, allow_int;
    int n_aux;             /* results at the end that are not differentiated */
    const char *in_leaves; /* of knf_intern_name: a letter per array of the arguments (leaf_code); NULL: none given */
    kn_mapping in_axes[KN_MAX_ARGS], out_axes[KN_MAX_ARGS];
    int64_t axis_size;
    const char *axis_name; /* of knf_intern_name; NULL: none */
    const char *symbolic, *constraints; /* JIT; of knf_intern_name; NULL: not given */
    bool checks;
    int64_t policy;        /* of checkpoint: a kni_save_policy, its names (of knf_intern_name) */
    const char *policy_names;
    bool allow_cse;
    const struct kni_mesh *mesh;       /* of shard_map, and its specs (manual.c), of knf_intern_name */
    const char *in_specs, *out_specs;
    bool check_vma;
} knf_options;

/* A letter of in_leaves is the code of a kn_mapping and this; axes are within KN_MAX_NDIM of it. */
enum { KNF_LEAF_CODE = 127 };

/* What a transformation made of a jaxpr: found again when the same function is recorded to the same equations at the
 * same source lines, as in a training loop without jit. */
typedef struct knf_memo {
    kni_jaxpr *from, *to;
    int64_t size; /* of vmap's axis */
    uint64_t used;
} knf_memo;
enum { KNF_MAX_MEMOS = 16 };

/* The rule of a custom derivative, recorded for some types. */
typedef struct knf_rule {
    knx_arena arena;
    int which, n_in;
    uint16_t events; /* the error state */
    kni_type *in;
    kn_dtype default_float;
    kna_named_axis *axes; /* bound then; in the arena */
    kntree_structure *pair; /* CUSTOM_VJP, rules of trees: what the forward one returned, the backward one is for */
    kni_jaxpr *jaxpr;
} knf_rule;
/* What a forward rule returned, if it is a tree: the backward rule takes the residuals as trees like that. */
typedef struct knf_pair {
    knx_arena arena;
    kntree_structure *structure;
    int n; /* residuals */
    kni_type *type;
} knf_pair;
enum { KNF_MAX_RULES = 64 };

/* What a function of trees returned for some types. */
typedef struct knf_fit {
    knx_arena arena;
    int n_in;
    kni_type *in;
    kn_dtype default_float;
    kntree_structure *out;  /* of C */
    struct knf_core *fitted; /* JIT: what it became; it may go at any time, and leaves NULL here then */
} knf_fit;
enum { KNF_MAX_FITS = 64 };
typedef struct knf_ready {
    knx_arena arena;
    kni_type *in;
    bool concrete;
    uint64_t serial; /* of the recording around it */
    kna_closed closed;
} knf_ready;

typedef struct knf_core {
    atomic_int refs;
    knf_fn_kind kind;
    uint64_t hash;
    const kn_function *c;
    void *env;        /* C */
    kni_jaxpr *jaxpr; /* JAXPR: inputs are captured, then arguments; no constvars */
    struct knf_core *inner;
    struct knf_core *rule[2]; /* CUSTOM: jvp; or fwd, bwd. Their captured arrays come first, in order. C: made.h */
    knf_options o;
    const char *name;
    int n_captured, n_args, arrays[KN_MAX_ARGS], n_in /* arrays of all arguments */, n_out;
    KN_VEC(knf_entry *) entry; /* JIT */
    int trace_count;
    struct knf_symbolic *symbolic; /* JIT: what o.symbolic says, once it was read */
    struct knf_automatic *automatic; /* JIT: which extents change from call to call */
    struct knf_calls *calls;       /* JIT: the last calls with dimension variables (recall.c) */
    KN_VEC(knf_memo) memo;
    KN_VEC(knf_rule) rules;
    KN_VEC(knf_pair) pairs; /* CUSTOM_VJP: one for each list of types of residuals */
    /* fit.c: trees of any structure, and arguments whose values are part of the function */
    bool open_in, open_out; /* trees whose structure each call shows; arguments that are static */
    bool tree_out;          /* of C: the result is a tree */
    unsigned static_args;   /* JIT: bits */
    unsigned const_args;    /* bits of those among the fixed ones that are told apart by where they lie */
    kntree_structure *in_structure[KN_MAX_ARGS], *out_structure; /* where they are known */
    kntree_structure *captured_structure; /* of a captured tree; of C with a rule: what its options speak of */
    kna_value **fixed;                 /* of C: the value of each array of the arguments that is static; or NULL */
    struct knf_core *made_of;          /* what it was fitted from */
    KN_VEC(struct knf_fit) fits;       /* of C: what it returned. JIT: what it was fitted to */
    struct knf_ready *ready;           /* of C: recorded to see what it returns; the next recording is that one */
    bool interned; /* in the context's table, which has a reference */
    size_t bytes;  /* counted: its own, without entries */
    uint64_t used;
    struct knf_core *newer, *older; /* by use: interned ones */
    struct knf_over { /* interned ones whose `inner` it is, and whose `made_of`; where it is in such lists itself */
        struct knf_core *first, *next, **link;
    } over[2];
} knf_core;

typedef struct knf_fn {
    knf_core *core;
    kna_value **captured;
} knf_fn;

/* An equal string that lives as long as the context; NULL without memory. */
const char *knf_intern_name(const char *name);
/* The names of argument i (-1: of the result) of a C function; NULL if it has none. */
static inline const kn_fields *knf_function_fields(const kn_function *c, int i)
{
    return c->size_ < sizeof *c ? NULL : i < 0 ? c->out_fields : c->arg_fields[i];
}
/* For messages: the path of array k of argument arg (-1: of the result) with a blank in front, as " .w1"; "" if it has
 * no name. */
const char *knf_leaf_name(knx_text *text, const knf_core *f, int arg, int k);

/* Lists of named axes. A copy is in the arena; false without memory. */
bool knf_same_axes(const kna_named_axis *a, const kna_named_axis *b);
bool knf_copy_axes(knx_arena *a, const kna_named_axis *from, kna_named_axis **to);

void knf_core_release(knf_core *c);
/* What says which function it is, without what was recorded of it: to be changed and interned. */
knf_core knf_core_draft(const knf_core *c);
/* A new reference, as if it was interned again; false: it is not in the table any more. */
bool knf_core_use(knf_core *c);
/* transforms.c: how many results a transformation of draft->inner has, if those are known, or what is wrong. */
knx_error *knf_results_of(knf_core *draft);
/* transforms.c: options of vmap by array, as letters for the arrays of f. */
knx_error *knf_close_leaves(const knf_core *f, const char *open, const char **letters);

/* ---- fit.c: functions of trees of any structure, and of static arguments. A call with such arguments fits the
 * function: what is then made and recorded is an ordinary function with so many arrays. A new reference each. */
static inline bool knf_is_open(const knf_core *f) { return f->open_in || f->open_out; }
/* The structures of the arguments, and static values (not allowed in bodies of loops and branches: by != NULL). */
knx_error *knf_fit_inputs(knf_core *f, const kn_args *args, const char *by, knf_core **out);
/* What it returns for these types (captured, then arguments). */
knx_error *knf_fit_outputs(knf_core *f, const kni_type *in, kna_value *const *known, const char *why, knf_core **out);
/* For a call; *out is f itself if nothing is open. What it returns is seen as it will be recorded: from the values, if
 * they may be looked at, or from types alone. */
typedef enum { KNF_FIT_INPUTS, KNF_FIT_CALL, KNF_FIT_ABSTRACT } knf_fit_how;
knx_error *knf_fit_call(const knf_fn *fn, const kn_args *args, knf_fit_how how, knf_core **out);
void knf_fit_end(knf_core *f); /* releases it, and what was recorded and is not needed */
void knf_ready_free(knf_core *c);
void knf_fits_free(knf_core *c);
kntree_structure *knf_argument_structure(const knf_core *f, const kn_args *args, int i);
/* One argument, or a tuple of all. */
kntree_structure *knf_arguments_structure(const knf_core *f, const kn_args *args);
kntree_structure *knf_result_structure(const knf_core *f, const kn_args *args); /* NULL: not known */
/* function.c. A C function's recording, and what tree it returned. */
knx_error *knf_derive_tree(knf_core *f, const kni_type *in, kna_value *const *known, const char *why, kna_closed *out,
                          kntree_structure **structure);
/* Calls the C function of a core on handles, captured and arguments; *n results, of the structure *structure if it
 * returns a tree. To be freed. */
knx_error *knf_call_c(const knf_core *f, const kn_array *in, kn_array **out, int *n, kntree_structure **structure);
/* derive.c. The types that a mapped function sees; axis: per array, -1 where it is not mapped. */
knx_error *knf_map_inputs(const knf_core *f, const kni_type *in, int *axis, kni_type *inner, knx_arena *a,
                          int64_t *size);
/* The draft of a transformation of this function: the same arguments, results and captured arrays; no options. */
knf_core knf_transformed(knf_fn_kind kind, const knf_core *inner);
/* The interned core equal to *draft (whose inner and env are copied or retained when it is new); a new reference,
 * NULL without memory. */
knf_core *knf_core_intern(const knf_core *draft);
kn_fn knf_fn_handle(knf_core *core /* taken over */, int n_captured, kna_value *const *captured /* retained */);
knf_fn *knf_fn_get(kna_op *op, kn_fn fn);
#ifdef __clang_analyzer__
#define knf_fn_get(op, fn) KNA_NULL_IF_FAILED(op, (knf_fn_get)(op, fn))
#endif
void knf_functions_free(void);

/* What f computes for inputs of these types (captured, then arguments), as a jaxpr with captured constants. With
 * `known` (a value per input) the recording is concrete. `why`: the transformation to name when a value cannot be
 * looked at. */
knx_error *knf_derive(knf_core *f, const kni_type *in, kna_value *const *known, const char *why, kna_closed *out);
/* The same, abstractly. A C function gets given[i] itself as its input i where that is not NULL: the jaxpr's input is
 * there, but nothing reads it. */
knx_error *knf_derive_given(knf_core *f, const kni_type *in, kna_value *const *given, const char *why, kna_closed *out);
/* Where vmap maps array `leaf` of the arguments, which belongs to argument arg. */
kn_mapping knf_leaf_mapping(const knf_core *f, int arg, int leaf);
/* derive.c: grad, vmap, jacobians */
knx_error *knf_derive_transformed(knf_core *f, const kni_type *in, kna_value *const *known, const char *why,
                                 kna_closed *out);
/* jaxpr_handle.c. The jaxpr of fn for arguments of the types of args; *core: what fn is for them, a reference that
 * knf_fit_end takes. x: what is said of their extents (symbolic.h), to be dropped also after an error; NULL: no
 * more. */
struct knf_extents;
knx_error *knf_derive_for(kna_op *op, kn_fn fn, const kn_args *args, const char *why, struct knf_extents *x,
                          kna_closed *out, knf_core **core);
/* entries.c. Of a JIT core; *once: not cached, the caller frees it */
/* dims: the numbers of dimension variables in this call (symbolic.h); n is 0 where there are none. NULL: the types are
 * taken as they are */
struct knf_dims;
/* For a call with these operands (captured, then arguments): dims->device, where it runs, ValueError if they are apart;
 * and the entry. */
knx_error *knf_find_entry(knf_core *f, const kni_type *types, kna_value *const *in, struct knf_dims *dims,
                          knf_entry **e, knf_entry **once);
knx_error *knf_entry_for(knf_core *f, const kni_type *in, struct knf_dims *dims, knf_entry **out, knf_entry **once);
/* Whether what is recorded now holds only under conditions that the scope collects: then it is not remembered, and
 * nothing is recalled, whose conditions would be missed. */
static inline bool knf_is_assuming(void) { return knx_dim_now() && knx_dim_now()->assumes; }
void knf_show_array(knx_text *t, const knf_core *f, int i); /* "argument 0 .w"; i counts captured arrays, too */
void knf_entry_free(knf_entry *e);
extern const kna_entry_rules knf_entries;
bool knf_drop_oldest_entry(const knf_entry *needed); /* false: there is none */
size_t knf_memos_free(knf_core *c);                  /* derive.c; what they were counted as */
void knf_bound_entries(const knf_entry *needed);     /* entries go until those of the context fit; `needed` stays */
/* Makes room: what the core of this context that was used longest ago remembers, or all of it if no one has it. False:
 * nothing went. */
bool knf_drop_oldest_core(void);
uint64_t knf_oldest_core_used(void);            /* UINT64_MAX: there is none */
/* Those that were fitted from f, which is the one before the first; NULL behind the last. */
const knf_core *knf_made_of(const knf_core *f, const knf_core *after);
void knf_drop_idle_core(knf_core *c);           /* it goes if no one has it and nothing was recorded of it */
void knf_core_count(knf_core *c, size_t bytes); /* so many more are remembered with it */
/* A new reference. */
knx_error *knf_entry_program(knf_entry *e, const struct knf_dims *dims, knd_loaded **out);

/* Outside of transformations a custom derivative or a checkpoint is the function itself: that one, and in *skip how
 * many captured arrays are not its own. */
knf_core *knf_plain(knf_core *f, int *skip);
/* Applies f to values (captured, then arguments); results are new references. */
knx_error *knf_apply(knf_core *f, kna_value *const *in, kna_value **out);
/* Inlines a closed jaxpr into the current recorder. */
/* The jaxpr with its constvars made inputs in front. */
knx_error *knf_constants_as_inputs(const kni_jaxpr *j, kni_jaxpr **out);
knx_error *knf_inline_closed(const kna_closed *c, kna_value *const *in, kna_value **out);
/* Whether values may be looked at while f is recorded now, and if not which transformation forbids it. */
bool knf_may_be_concrete(const char **why);

/* call.c: structs of arrays as arguments. Reads the arrays of args into values (references retained), checking the
 * counts against f. */
knx_error *knf_read_args(const char *what, knf_core *f, const kn_args *args, kna_value **values);
/* The same; C numbers come as they are, without a dtype yet. */
knx_error *knf_read_args_as(knf_core *f, const kn_args *args, bool numbers_wait, kna_value **values);
knx_error *knf_check_outs(const char *what, int n_out, const kn_outs *outs);
int knf_outs_size(const kn_outs *outs); /* arrays; -1: as many as there are (a new tree) */
void knf_write_outs(const kn_outs *outs, int n, kna_value **values /* taken over */);
/* The same; they are results from number `first` on of a function that returns `whole` (NULL: not known). */
void knf_write_results(const kn_outs *outs, int first, int n, kna_value **values, const kntree_structure *whole);
/* Results of f that are a carry, then outputs: trees among outs have the structure of the arguments from number `first`
 * on, where these are trees, else that of what f returns. n_carry == 0: that of what f returns. */
void knf_write_carry(const kn_outs *outs, const knf_core *f, const kn_args *args, int first, int n_carry, int n,
                     kna_value **values /* taken over */);
void knf_write_error(const kn_outs *outs, knx_error *e);
void knf_release_values(int n, kna_value **v);
/* apply.c. give[i]: the program may write over the buffer of in[i]; NULL: of none. */
knx_error *knf_run_entry(knf_entry *e, const struct knf_dims *dims, kna_value *const *in, const bool *give,
                         kna_value **out);
kni_type *knf_types_of(int n, kna_value *const *v, kni_type few[32]); /* few or to be freed; NULL without memory */
#endif
