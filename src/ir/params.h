/* SPDX-License-Identifier: Apache-2.0
 * params.h -- typed parameters of primitives, and the descriptors that let one piece of code copy, hash, compare,
 * print and parse them. A field's struct member is: INT int64_t, BOOL bool, DTYPE kn_dtype, INTS kni_ints, STRING
 * const char *, JAXPR kni_jaxpr *, ENUM int64_t (index into `names`), DOUBLE double, NAMES kni_names, DOUBLES
 * kni_doubles, MESH const kni_mesh * (mesh.h; it stays, so it is copied and compared as a pointer). TEXT has no member:
 * it is something that the typed or classic form shows (a constant `text`, or what `show` writes, computed from the
 * real members, which are then hidden there); the full form shows members only.
 *
 * A row says `.fields = kni_fields_x, .params_size = sizeof(kni_p_x)`. Most sets are described in params.def, from
 * which the struct and the table of fields follow. The others have their struct here and their tables in text/fields.c,
 * as several rows show other members of one struct, or show them in another order; the struct where its name is another
 * one, and what the typed form prints:
 *     reduce_sum (kni_p_reduce)     reduce_sum[axes=(0,) out_sharding=None]; classic: axes=(0,) input_shape=(8,)
 *     reduce                       reduce_max[axes=(0, 1)]; reduce_min, reduce_and, reduce_or, reduce_xor, reduce_prod
 *     broadcast_in_dim             broadcast_in_dim[broadcast_dimensions=(1,)]; nothing shown when it is ()
 *     conj (no struct)             conj[input_dtype=complex64]
 *     window (kni_p_window)         reduce_window_max[base_dilation=(1,) padding=((0, 0),) window_dilation=(1,)
 *                                  window_dimensions=(2,) window_strides=(2,)]; reduce_window_sum, reduce_window_min
 *     reduce_window                reduce_window[base_dilation=(1,) consts=() jaxpr={ ... } padding=((0, 0),) ...]
 *     window_gather                select_and_gather_add[base_dilation=(1,) padding=((0, 0),) select_prim=ge ...]
 *     window_scatter               select_and_scatter_add[padding=((0, 0),) select_prim=ge window_dimensions=(2,)
 *                                  window_strides=(2,)]
 *     select_and_scatter           select_and_scatter[padding=((0, 0),) scatter_consts=() scatter_jaxpr={ ... }
 *                                  select_consts=() select_jaxpr={ ... } window_dimensions=(2,) window_strides=(2,)]
 *     window_choice                window_choice[base_dilation=(1,) identity=True index_dtype=int8 ...]; window_pick,
 *                                  window_place
 *     gather                       gather[dimension_numbers=GatherDimensionNumbers(offset_dims=(0,), ...)
 *                                  fill_value=None indices_are_sorted=True mode=GatherScatterMode.PROMISE_IN_BOUNDS
 *                                  slice_sizes=(1, 3) unique_indices=True]
 *     scatter                      scatter-add[dimension_numbers=ScatterDimensionNumbers(update_window_dims=(), ...)
 *                                  indices_are_sorted=True mode=GatherScatterMode.FILL_OR_DROP unique_indices=True
 *                                  update_consts=() update_jaxpr=None]; scatter, scatter-mul, -min, -max
 *     conv                         conv_general_dilated[batch_group_count=1
 *                                  dimension_numbers=ConvDimensionNumbers(lhs_spec=(0, 1), ...) feature_group_count=1
 *                                  lhs_dilation=() padding=() preferred_element_type=None ... window_strides=()]
 *     sort                         sort[dimension=0 is_stable=True num_keys=1]
 *     triangular_solve             triangular_solve[conjugate_a=False left_side=True lower=True transpose_a=False
 *                                  unit_diagonal=False]
 *     random_wrap (no struct)      random_wrap[impl=fry], random_seed; params_size is 0 and params are NULL
 *     scan                         scan[jaxpr={ ... } length=3 num_carry=1 num_consts=0 reverse=False unroll=1]
 *     cond                         cond[branches=( { ... } { ... } )]
 *     all_gather                   all_gather[all_gather_dimension=0 axis_index_groups=None axis_name=('i',)
 *                                  axis_size=4 tiled=False]
 *     all_to_all                   all_to_all[axis_index_groups=None axis_name=i concat_axis=0 split_axis=0
 *                                  tiled=False]
 *     ppermute                     ppermute[axis_name=('i',) perm=((0, 1), (1, 0))]
 *     reduce_scatter               reduce_scatter[axis_index_groups=None axis_name=('i',) axis_size=4
 *                                  scatter_dimension=0 tiled=False]
 *     debug_print (kni_p_callback)  debug_print[fmt=x {} has_placeholders=True ... ordered=False ...]
 *     debug_callback, pure_callback, io_callback (kni_p_callback)
 *                                  pure_callback[callback=<host function 1> result_avals=(ShapedArray(float32[3]),)
 *                                  sharding=None vmap_method=sequential]; behind a vmap also lanes=(3,) mapped=(1,)
 * All others have no parameters: elementwise functions, select_n, complex, stop_gradient, dynamic_update_slice,
 * threefry2x32, random_unwrap. */
#ifndef KN_IR_PARAMS_H
#define KN_IR_PARAMS_H
#include "base/hash.h"
#include "base/str.h"
#include "ir/jaxpr.h"
#include "ir/mesh.h"
#include "ir/thunk.h"

typedef struct kni_ints {
    int n;
    const int64_t *v;
} kni_ints;
typedef struct kni_doubles {
    int n;
    const double *v;
} kni_doubles;
typedef struct kni_jaxprs {
    int n;
    kni_jaxpr *const *v;
} kni_jaxprs;
typedef struct kni_names {
    int n;
    const char *const *v;
} kni_names; /* of axes */
typedef struct kni_shardings {
    int n;
    const kni_sharding *const *v;
} kni_shardings; /* of one mesh */

typedef enum {
    KN_P_INT,
    KN_P_BOOL,
    KN_P_DTYPE,
    KN_P_INTS,
    KN_P_STRING,
    KN_P_JAXPR,
    KN_P_JAXPRS, /* kni_jaxprs */
    KN_P_ENUM,
    KN_P_DOUBLE,
    KN_P_NAMES,
    KN_P_TEXT,
    KN_P_THUNK, /* the rule of a custom derivative */
    KN_P_DOUBLES,
    KN_P_MESH, /* const kni_mesh *; NULL: none */
    KN_P_SHARDING, /* const kni_sharding *, never NULL */
    KN_P_SHARDINGS
} kni_param_kind;
enum {
    KN_PF_HIDE_TYPED = 1,   /* not shown in the typed form (always in the full form, if it is a member) */
    KN_PF_HIDE_EMPTY = 2,   /* typed form: hidden when the list is empty / the pointer is NULL */
    KN_PF_FIRST = 4,        /* printed before the alphabetical rest (name of jit) */
    KN_PF_HIDE_CLASSIC = 8, /* not shown in the classic form */
    KN_PF_NONE_EMPTY = 16,  /* typed and classic form: an empty list prints as None (strides of slice) */
    KN_PF_NAME = 32,        /* a name, not structure: does not count when parameters are compared or hashed */
    /* a TEXT that is no parameter: the classic form calls the primitive so (xla_call for jit) */
    KN_PF_PRIM_NAME = 64,
    KN_PF_TYPES = 256,     /* INTS that are the types of the results (host.h) */
    KN_PF_QUOTED = 512,    /* a string that the classic form quotes */
    KN_PF_ONE_BARE = 128,  /* typed and classic form: one name stands without parentheses */
    KN_PF_TANGENTS = 16384,    /* INTS that the classic form shows as `linear` */
    KN_PF_BARE_CLASSIC = 8192, /* the same in the classic form alone */
    KN_PF_OPTIONAL = 1024, /* a text of the full form may leave it out: then it is zero */
    /* JAXPRS of which operand 0 chooses one (kni_p_cond): the classic form shows two as the parameters false_jaxpr and
     * true_jaxpr, each over those operands only that it takes (branches.c) */
    KN_PF_BRANCHES = 2048,
    KN_PF_IF_TRUE = 32768, /* no form shows it while it is false, or none */
    /* JAXPR that elides: the classic form shows constants that it does not read as the unit * */
    KN_PF_UNITS = 4096,
    /* a member that the row's `complete` makes of the operands and of the other members: in no text */
    KN_PF_DERIVED = 65536,
    /* INT or INTS that are extents, or made of extents by sums: positions between 0 and an extent, amounts that are
     * added to one. These may be dimension expressions (base/dim.h); who replaces the extents of operands by variables
     * replaces these, too: equal numbers by the same variable, or by what is known of them. All other integers
     * (axes, counts, strides, dilations, groups) are numbers. Texts print and read expressions in any INT or INTS. */
    KN_PF_EXTENTS = 131072,
};
struct kni_parser; /* of parse.h */
typedef struct kni_param_field kni_param_field;
struct kni_param_field {
    const char *name; /* NULL ends the list; fields stand in the order that the typed form prints them */
    kni_param_kind kind;
    uint16_t offset;
    uint32_t flags;
    const char *text;                                                                 /* KN_P_TEXT */
    const char *const *names;                                                         /* KN_P_ENUM, NULL-terminated */
    void (*show)(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e); /* KN_P_TEXT without `text` */
    const char *classic_name; /* NULL: name; the classic form sorts by it */
    /* KN_P_TEXT that stands for hidden members: the inverse of `show`, for texts in the classic form. NULL: what the
     * text says is known without it */
    void (*read)(struct kni_parser *p, const kni_param_field *fields, void *params);
    uint16_t consts; /* of a JAXPR: 1 + offset of the member (int64_t) that says how many of its inputs are captured */
};

/* The tables of text/fields.c that are not of params.def. */
extern const kni_param_field kni_fields_debug_print[], kni_fields_debug_callback[], kni_fields_pure_callback[],
    kni_fields_io_callback[], kni_fields_all_gather[], kni_fields_all_to_all[], kni_fields_ppermute[],
    kni_fields_reduce_scatter[], kni_fields_reduce_sum[], kni_fields_reduce[], kni_fields_broadcast_in_dim[],
    kni_fields_conj[], kni_fields_window[], kni_fields_reduce_window[], kni_fields_window_gather[],
    kni_fields_window_scatter[], kni_fields_select_and_scatter[], kni_fields_window_choice[],
    kni_fields_window_pick[], kni_fields_window_place[], kni_fields_gather[], kni_fields_scatter[], kni_fields_conv[],
    kni_fields_sort[], kni_fields_triangular_solve[], kni_fields_random_wrap[], kni_fields_scan[], kni_fields_cond[];

/* Texts that tables of fields share: param_text.c. */
/* with `tuple`: (0,) has its comma */
void kni_show_ints(knx_str *t, const char *open, kni_ints v, const char *close, bool tuple);
void kni_show_int(knx_str *t, int64_t v);
void kni_show_gather(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_fill_value(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_scatter(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_dot_general(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_conv_numbers(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_conv_padding(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_conv_preferred(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_pad(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_read_members(struct kni_parser *p, const kni_param_field *fields, void *params);
void kni_read_dot_general(struct kni_parser *p, const kni_param_field *fields, void *params);
void kni_read_pad(struct kni_parser *p, const kni_param_field *fields, void *params);
void kni_read_conv_padding(struct kni_parser *p, const kni_param_field *fields, void *params);
void kni_show_window_padding(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_read_window_padding(struct kni_parser *p, const kni_param_field *fields, void *params);
void kni_show_mapped(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_read_linear(struct kni_parser *p, const kni_param_field *fields, void *params);
kni_ints kni_read_truths(struct kni_parser *p);
void kni_read_mapped(struct kni_parser *p, const kni_param_field *fields, void *params);
void kni_show_mesh(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e); /* of shard_map */
void kni_show_manual_axes(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_in_zeros(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_policy(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_placeholders(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_in_tree(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_host(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_effect(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_results(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_pairs(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e); /* of ppermute */
void kni_show_second_shape(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_in_shape(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_in_dtype(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_show_forward(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e); /* of scan */
void kni_show_linear(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e);
void kni_read_forward(struct kni_parser *p, const kni_param_field *fields, void *params);

/* The jaxprs that a field holds: one, several, or none. */
kni_jaxprs kni_field_jaxprs(const kni_param_field *f, const void *params);
/* deep; retains jaxprs; false without memory */
bool kni_params_copy(knx_arena *a, const kni_prim *p, const void *params, const void **out);
void kni_params_drop(const kni_prim *p, const void *params); /* releases jaxprs */
/* A copy that one owner keeps: in a piece of the owner's memory, if kni_params_room says how many bytes that takes; 0:
 * they hold more than numbers and lists of them, and the owner's arena, empty before, gets them. */
size_t kni_params_room(const kni_prim *p, const void *params);
bool kni_params_keep(const kni_prim *p, const void *params, void *room, knx_arena *a, const void **out);
void kni_params_let_go(const kni_prim *p, const void *params, knx_arena *a);
bool kni_params_equal(const kni_prim *p, const void *a, const void *b);
/* For comparing jaxprs: `known` maps a jaxpr to those that were found equal to it, so that shared ones are compared
 * once. */
bool kni_params_equal_known(const kni_prim *p, const void *a, const void *b, knx_table *known);
bool kni_equal_known(const kni_jaxpr *a, const kni_jaxpr *b, knx_table *known);
/* Are they equal but for extents (KN_PF_EXTENTS), of which there are as many? */
bool kni_params_alike(const kni_prim *p, const void *a, const void *b);
/* Calls visit for each of their extents, in the order of the fields; false: a call said so, and was the last. The
 * parameters may be written to if they are the caller's own. */
bool kni_params_visit_extents(const kni_prim *p, const void *params, bool (*visit)(void *env, int64_t *extent),
                              void *env);
bool kni_params_are_symbolic(const kni_prim *p, const void *params); /* is an integer a dimension expression? */
uint64_t kni_params_hash(const kni_prim *p, const void *params, uint64_t seed);
uint64_t kni_field_hash(const kni_param_field *f, const void *params, uint64_t seed);
/* How many results at most: those of a row without a fixed number follow its operands or its jaxprs. */
size_t kni_result_room(const kni_prim *p, const void *params, int n_in);

typedef enum {
    KN_GATHER_CLIP,
    KN_GATHER_FILL,
    KN_GATHER_PROMISE,
    KN_GATHER_CHECK /* IndexError while running, NumPy's text */,
    KN_GATHER_FILL_ZERO /* tangents of FILL: zero where there was no value */
} kni_gather_mode;

/* The sets of params.def: struct kni_p_NAME. Its members' C types: */
#define KN_C_INT int64_t
#define KN_C_BOOL bool
#define KN_C_DTYPE kn_dtype
#define KN_C_INTS kni_ints
#define KN_C_STRING const char *
#define KN_C_JAXPR kni_jaxpr *
#define KN_C_ENUM int64_t
#define KN_C_NAMES kni_names
#define KN_C_THUNK kni_thunk *
#define KN_C_MESH const kni_mesh *
#define KN_C_SHARDING const kni_sharding *
#define KN_C_SHARDINGS kni_shardings
#define KN_SET(set) extern const kni_param_field kni_fields_##set[]; typedef struct {
#define KN_SET_MEMBER(set, kind, member, ...) KN_C_##kind member;
#define KN_SET_TEXT(name, value, ...)
#define KN_SET_SHOW(name, function, ...)
#define KN_SET_END(set) } kni_p_##set;
#include "ir/params.def"
#undef KN_SET
#undef KN_SET_MEMBER
#undef KN_SET_TEXT
#undef KN_SET_SHOW
#undef KN_SET_END

/* reduce_sum, reduce_max, ... ; axes sorted */
typedef struct {
    kni_ints axes;
} kni_p_reduce;
typedef struct {
    kni_ints shape, broadcast_dimensions;
} kni_p_broadcast_in_dim;
enum { KN_ROUND_AWAY_FROM_ZERO, KN_ROUND_TO_NEAREST_EVEN };
/* Windows. lo, hi: the padding, which may be negative. Rows read what they have fields for only. Jaxprs have no
 * constvars. */
typedef enum { KN_SELECT_GE, KN_SELECT_LE } kni_window_select;
typedef struct {
    kni_ints base_dilation, lo, hi, window_dilation, window_dimensions, window_strides;
    int64_t select_prim; /* kni_window_select: what has to hold for the element before to stay */
    kni_jaxpr *jaxpr, *select_jaxpr, *scatter_jaxpr; /* two (sets of) scalars -> one, or one boolean */
    bool identity;        /* of choices: the identity stands before the window, and stays where nothing is better */
    kn_dtype index_dtype; /* of choices */
    kni_ints shape;       /* of what is placed */
} kni_p_window;
enum { KN_RNG_DEFAULT, KN_RNG_THREE_FRY, KN_RNG_PHILOX };
typedef struct {
    kni_ints offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims, start_indices_batching_dims,
        slice_sizes;
    int64_t mode;
    bool indices_are_sorted, unique_indices;
    bool wraps; /* negative numbers of a start count from the end of their axis (programs only: rows' `simplify`) */
    /* as jax.lax.GatherDimensionNumbers; fill value: NaN, or the smallest integer (JAX) */
} kni_p_gather;
typedef struct {
    kni_ints update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, operand_batching_dims,
        scatter_indices_batching_dims;
    int64_t mode;
    bool indices_are_sorted, unique_indices, wraps;
    /* updates are applied in C order of the updates array */
} kni_p_scatter;
/* Of each spatial dimension: stride, padding (may be negative), dilations. Specs as jax.lax.ConvDimensionNumbers: of
 * lhs and out batch, feature, spatial ...; of rhs output feature, input feature, spatial ... */
typedef struct {
    kni_ints window_strides, lo, hi, lhs_dilation, rhs_dilation, lhs_spec, rhs_spec, out_spec;
    int64_t feature_group_count, batch_group_count;
    kn_dtype preferred_element_type; /* may be NULL */
} kni_p_conv;
typedef struct {
    int64_t dimension, num_keys;
    bool is_stable;
} kni_p_sort;
/* LinAlgError of this operation while running if there is no factor, or a pivot is zero */
typedef enum {
    KN_CHECK_NONE,
    KN_CHECK_CHOLESKY,
    KN_CHECK_INV,
    KN_CHECK_SOLVE,
    KN_CHECK_EIGH,
    KN_CHECK_SVD,
    KN_CHECK_EIG,
    KN_CHECK_BANDED,
    KN_CHECK_BANDED_HERMITIAN
} kni_factor_check;
extern const char *const kni_check_names[];
typedef struct {
    bool left_side, lower, transpose_a, conjugate_a, unit_diagonal;
} kni_p_triangular_solve;
enum { KN_FFT, KN_IFFT, KN_RFFT, KN_IRFFT }; /* fft_type of kni_p_fft */
/* Operands: num_consts constants, num_carry carries, inputs whose first axis has `length`. Results: carries, outputs
 * with that axis in front. jaxpr: constants, carries, elements of the inputs -> carries, elements of the outputs. */
typedef struct {
    kni_jaxpr *jaxpr;
    int64_t length, num_carry, num_consts;
    bool reverse;
    int64_t unroll;
    /* What reverse mode keeps: 0: every step's residuals; k > 0: the carry before every k-th step, the residuals of k
     * steps being computed again; KN_CHECKPOINT_ROOT: k is the square root of the length, rounded up */
    int64_t checkpoint;
    int64_t accept; /* bits of kni_loop_path: others are refused; 0: any */
    /* Number of a host function (host.h) that is called after each step, 0: none: with two int64[] operands, the step
     * (1, 2, ... as they run) and the length, for no results. It does not call Kiln; an error ends the scan. */
    int64_t on_step;
    kni_ints linear; /* as in kni_p_cond: of all operands */
} kni_p_scan;
#define KN_CHECKPOINT_ROOT (-1)
/* How a loop runs: one native function; a list of kernels and routines whose places are found once; its body as any
 * program. */
typedef enum kni_loop_path { KN_PATH_COMPILED = 1, KN_PATH_CALLS = 2, KN_PATH_STEPWISE = 4 } kni_loop_path;
/* Operands: index (int32; below 0 it is 0, beyond the last branch that), then what all branches take: what functions
 * captured, then their arguments. All jaxprs take all of these and give results of the same types. consts, for the
 * classic form only: of each captured one, the branch that captured it, or -1: several; then, where each branch has
 * arguments of its own, KN_OPERAND_OF the branch; empty: no one knows. linear, for texts too: which operands behind the
 * index are tangents or cotangents; empty: none. */
#define KN_OPERAND_OF(branch) (-2 - (int64_t)(branch))
typedef struct {
    kni_jaxprs branches;
    kni_ints consts, linear;
} kni_p_cond;
/* What the derivative of remat2 may keep; all else is computed again. */
typedef enum {
    KN_SAVE_NOTHING,
    KN_SAVE_EVERYTHING,
    KN_SAVE_PRODUCTS,
    KN_SAVE_PRODUCTS_WITHOUT_BATCH,
    KN_SAVE_THESE_NAMES,
    KN_SAVE_OTHER_NAMES /* any name but these */
} kni_save_policy;
/* Collectives. sizes: the extents of the axes, axis_size their product. mesh: the names are those of its axes, and the
 * lanes its devices, each of which runs the jaxpr; NULL: they are those of a vmap. */
typedef struct {
    int64_t all_gather_dimension;
    kni_names axis_name;
    kni_ints sizes;
    int64_t axis_size;
    bool tiled;
    const kni_mesh *mesh;
} kni_p_all_gather;
typedef struct {
    kni_names axis_name;
    kni_ints sizes;
    int64_t axis_size, concat_axis, split_axis;
    bool tiled;
    const kni_mesh *mesh;
} kni_p_all_to_all;
typedef struct {
    kni_names axis_name;
    kni_ints perm; /* source, destination; source, destination; ... */
    const kni_mesh *mesh;
    kni_ints sizes; /* of several axes; of one: none */
} kni_p_ppermute;
typedef struct {
    kni_names axis_name;
    kni_ints sizes;
    int64_t axis_size, scatter_dimension;
    bool tiled;
    const kni_mesh *mesh;
    bool minus_zeros;
} kni_p_reduce_scatter;
/* The user's code. lanes: extents of the axes that vmaps added, each lane being a call of its own; mapped[k]: bit l
 * says that operand k has lane axis l; those that it has are its first axes, in order, and results have all of them.
 * What a row has no field for is zero. */
typedef enum {
    KN_VMAP_SEQUENTIAL,
    KN_VMAP_SEQUENTIAL_UNROLLED,
    KN_VMAP_EXPAND_DIMS, /* one call; operands that are not mapped have a batch axis of 1 */
    KN_VMAP_BROADCAST_ALL
} kni_vmap_method;
extern const char *const kni_vmap_methods[];
typedef struct {
    const char *fmt;
    int64_t callback; /* of host.h */
    bool ordered;
    kni_ints results, lanes, mapped;
    int64_t vmap_method;
} kni_p_callback; /* debug_print, debug_callback, pure_callback, io_callback */
/* OverflowError if the dtype that it has to fit into does not hold this number of the dimension (an expression is
 * none). */
knx_error *kni_dim_fits(const kni_p_dim *p, int64_t number);
#endif
