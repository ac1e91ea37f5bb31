/* SPDX-License-Identifier: Apache-2.0
 * export.h -- jaxprs as ONNX files. An equation becomes nodes by the function of its primitive (knonnx_writers); jaxprs that are called are
 * written in place, bodies of loops and branches as subgraphs. Extents that are unknown are worked out by nodes from the shapes of the
 * inputs. Names in a graph are texts in the arena; after a failure nothing is written any more and names are "". */
#ifndef KN_MODELS_ONNX_EXPORT_EXPORT_H
#define KN_MODELS_ONNX_EXPORT_EXPORT_H
#include "models/onnx/onnx.h"
#include "models/onnx/proto.h"

typedef struct knonnx_out {
    const char *operation;
    knmodels_arena *arena;
    struct knonnx_out *outermost; /* of the model: initializers and extents are written there */
    int *names;                   /* how many have been made */
    bool *failed;
    knbeside_bytes nodes, init, attrs; /* attrs: of the next node */
    int64_t opset;
    const kn_place *place; /* of the equation that is written, for messages */
    /* Of the outermost: variables of unknown extents, and what was made of them. */
    int n_dims, room_dims;
    struct { const char *text, *name; } *dim;
} knonnx_out;

typedef struct knonnx_var { kn_dtype dtype; int ndim; const int64_t *dim; } knonnx_var;

typedef struct knonnx_eqn {
    knonnx_out *w;
    kn_jaxpr jaxpr;
    int index, n_in, n_out;
    const char *prim, *params; /* as the typed form shows them */
    const char *const *in;
    const char **out;
    const knonnx_var *in_var, *out_var;
} knonnx_eqn;

typedef struct knonnx_writer {
    const char *prim;
    void (*write)(knonnx_eqn *e);
    const char *op; /* for those that are one node without attributes: `write` is NULL */
} knonnx_writer;

/* Families of writers; each ends with a NULL prim. */
extern const knonnx_writer knonnx_write_elementwise[], knonnx_write_shapes[], knonnx_write_indexing[], knonnx_write_reductions[],
    knonnx_write_products[], knonnx_write_control[];

/* Writes the equations of a jaxpr whose constants and inputs have names; the names of its results. 0, or -1 with an error. */
int knonnx_write_jaxpr(knonnx_out *w, kn_jaxpr j, const char *const *in, const char **out);

/* ---- Nodes. */
void knonnx_out_fail(knonnx_out *w, kn_error_kind kind, const char *format, ...) KN_PRINTF_LIKE(3, 4);
void knonnx_refuse(knonnx_eqn *e, const char *why); /* NotImplementedError that names primitive and place */
const char *knonnx_new_name(knonnx_out *w);
void knonnx_put_attr_int(knonnx_out *w, const char *name, int64_t v);
void knonnx_put_attr_float(knonnx_out *w, const char *name, double v);
void knonnx_put_attr_text(knonnx_out *w, const char *name, const char *v);
void knonnx_put_attr_ints(knonnx_out *w, const char *name, int n, const int64_t *v);
void knonnx_put_attr_graph(knonnx_out *w, const char *name, const knbeside_bytes *graph);
void knonnx_emit_many(knonnx_out *w, const char *op, int n_in, const char *const *in, int n_out, const char *const *out);
const char *knonnx_emit(knonnx_out *w, const char *op, int n_in, const char *const *in);
#define OP(w, op, ...)                                                                                                              \
    knonnx_emit(w, op, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), (const char *const[]){__VA_ARGS__})
const char *knonnx_cast(knonnx_out *w, const char *x, kn_dtype to);

/* ---- Constants. */
const char *knonnx_initializer(knonnx_out *w, const char *name, kn_array x); /* name NULL: a new one */
const char *knonnx_const_ints(knonnx_out *w, int n, const int64_t *v);
const char *knonnx_number(knonnx_out *w, kn_dtype dtype, double v); /* without axes */

/* ---- Extents and shapes. */
bool knonnx_is_number(int64_t d);
const char *knonnx_extent(knonnx_out *w, int64_t d);                       /* one of them, int64 of shape (1) */
const char *knonnx_shape(knonnx_out *w, int ndim, const int64_t *dim);     /* int64 of shape (ndim) */
bool knonnx_static(const knonnx_var *v);
bool knonnx_same_dims(const knonnx_var *a, const knonnx_var *b);
const char *knonnx_reshape(knonnx_out *w, const char *x, int ndim, const int64_t *dim);
const char *knonnx_transpose(knonnx_out *w, const char *x, int ndim, const int64_t *perm); /* x itself for the identity */
/* A boolean, text or number among the parameters; lists of numbers, into memory for KN_MAX_NDIM. */
int knonnx_param_ints(const knonnx_eqn *e, const char *name, int64_t *to); /* how many; -1: there is no such list, or an unknown extent in it */
int64_t knonnx_param_int(const knonnx_eqn *e, const char *name, int64_t otherwise);
bool knonnx_param_is(const knonnx_eqn *e, const char *name, const char *text);
const char *knonnx_param_at(const knonnx_eqn *e, const char *name); /* where the value begins; NULL */
int knonnx_list_at(const char **at, int64_t *to); /* the next list in brackets of any kind, from *at on */
#endif
