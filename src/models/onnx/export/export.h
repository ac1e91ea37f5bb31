/* SPDX-License-Identifier: Apache-2.0
 * export.h -- jaxprs as ONNX files. An equation becomes nodes by the function of its primitive (knonnx_writers); jaxprs
 * that are called are written in place, bodies of loops and branches as subgraphs. Extents that are unknown are worked
 * out by nodes from the shapes of the inputs. Names in a graph are texts in the arena; after a failure nothing is
 * written any more and names are "". */
#ifndef KN_MODELS_ONNX_EXPORT_EXPORT_H
#define KN_MODELS_ONNX_EXPORT_EXPORT_H
#include "models/onnx/onnx.h"
#include "models/onnx/proto.h"

typedef struct knout_out {
    const char *operation;
    knmodels_arena *arena;
    struct knout_out *outermost; /* of the model: initializers and extents are written there */
    int *names;                  /* how many have been made */
    char prefix[24];             /* of the outermost: what they begin with */
    bool *failed;
    knbeside_bytes nodes, init, attrs; /* attrs: of the next node */
    int64_t opset;
    const kn_place *place; /* of the equation that is written, for messages */
    /* Of the outermost: variables of unknown extents, and what was made of them. */
    int n_dims, room_dims;
    struct {
        const char *text, *name;
    } * dim;
} knout_out;

typedef struct knout_var {
    kn_dtype dtype;
    int ndim;
    const int64_t *dim;
} knout_var;

typedef struct knout_eqn {
    knout_out *w;
    kn_jaxpr jaxpr;
    int index, n_in, n_out;
    const char *prim, *params; /* as the typed form shows them */
    const char *const *in;
    const char **out;
    const knout_var *in_var, *out_var;
} knout_eqn;

typedef struct knout_writer {
    const char *prim;
    void (*write)(knout_eqn *e);
    const char *op; /* for those that are one node without attributes: `write` is NULL */
} knout_writer;

/* Families of writers; each ends with a NULL prim. */
extern const knout_writer knout_write_elementwise[], knout_write_shapes[], knout_write_indexing[],
    knout_write_reductions[], knout_write_products[], knout_write_control[];

/* Writes the equations of a jaxpr whose constants and inputs have names; the names of its results. 0, or -1 with an
 * error. */
int knout_write_jaxpr(knout_out *w, kn_jaxpr j, const char *const *in, const char **out);

/* ---- Nodes. */
void knout_out_fail(knout_out *w, kn_error_kind kind, const char *format, ...) KN_PRINTF_LIKE(3, 4);
void knout_refuse(knout_eqn *e, const char *why); /* NotImplementedError that names primitive and place */
const char *knout_new_name(knout_out *w);
void knout_put_attr_int(knout_out *w, const char *name, int64_t v);
void knout_put_attr_float(knout_out *w, const char *name, double v);
void knout_put_attr_text(knout_out *w, const char *name, const char *v);
void knout_put_attr_ints(knout_out *w, const char *name, int n, const int64_t *v);
void knout_put_attr_graph(knout_out *w, const char *name, const knbeside_bytes *graph);
void knout_emit_many(knout_out *w, const char *op, int n_in, const char *const *in, int n_out, const char *const *out);
const char *knout_emit(knout_out *w, const char *op, int n_in, const char *const *in);
#define OP(w, op, ...) \
    knout_emit(w, op, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), (const char *const[]){__VA_ARGS__})
const char *knout_cast(knout_out *w, const char *x, kn_dtype to);

/* ---- Constants. */
const char *knout_initializer(knout_out *w, const char *name, kn_array x); /* name NULL: a new one */
const char *knout_const_ints(knout_out *w, int n, const int64_t *v);
const char *knout_number(knout_out *w, kn_dtype dtype, double v);       /* without axes */
const char *knout_extreme(knout_out *w, kn_dtype dtype, bool smallest); /* infinities of floats; without axes */

/* ---- Extents and shapes. */
bool knout_is_number(int64_t d);
const char *knout_extent(knout_out *w, int64_t d);                   /* one of them, int64 of shape (1) */
const char *knout_shape(knout_out *w, int ndim, const int64_t *dim); /* int64 of shape (ndim) */
bool knout_static(const knout_var *v);
bool knout_same_dims(const knout_var *a, const knout_var *b);
const char *knout_reshape(knout_out *w, const char *x, int ndim, const int64_t *dim);
const char *knout_transpose(knout_out *w, const char *x, int ndim, const int64_t *perm); /* x itself for the identity */
/* A boolean, text or number among the parameters; lists of numbers, into memory for KN_MAX_NDIM. */
/* How many; -1: there is no such list, or an unknown extent in it. */
int knout_param_ints(const knout_eqn *e, const char *name, int64_t *to);
int64_t knout_param_int(const knout_eqn *e, const char *name, int64_t otherwise);
bool knout_param_is(const knout_eqn *e, const char *name, const char *text);
const char *knout_param_at(const knout_eqn *e, const char *name); /* where the value begins; NULL */
int knout_list_at(const char **at, int64_t *to); /* the next list in brackets of any kind, from *at on */
#endif
