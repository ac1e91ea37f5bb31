/* SPDX-License-Identifier: Apache-2.0
 * parse.h -- the reader of the full form: where it stands, and its small parts (words, numbers, strings, types,
 * literals). */
#ifndef KN_IR_TEXT_PARSE_H
#define KN_IR_TEXT_PARSE_H
#include "base/hash.h"
#include "ir/builder.h"

typedef struct kni_parser {
    const char *text, *at;
    knx_error *error; /* the first; then everything does nothing */
    knx_arena arena; /* names, strings, lists: as long as the parsing */
    knx_table shared; /* hash of a name -> jaxprs of `let $1 = ... in` */
    int depth;       /* of nested jaxprs */
    knx_dim_scope dims; /* of its dimension variables */
} kni_parser;

typedef struct kni_word {
    const char *s;
    size_t n;
} kni_word; /* a piece of the text */

/* One jaxpr being read: its names and the builder that they speak to. On the heap: the stack carries only calls. */
typedef struct kni_parse_variable {
    kni_word name;
    kni_atom atom;
} kni_parse_variable;
typedef struct kni_parse_binder {
    kni_word name;
    kni_type type;
    char *text; /* of a constant, or NULL */
} kni_parse_binder;
typedef struct kni_parse_scope {
    kni_builder b;
    knx_table variables;
    KN_VEC(kni_parse_binder) binders; /* of the list or equation being read */
    KN_VEC(kni_atom) atoms;          /* its operands, then its results */
    KN_VEC(char *) consts;
    char *name;
} kni_parse_scope;
kni_parse_variable *kni_scope_find(const kni_parse_scope *s, kni_word name); /* NULL if it is not bound */
void kni_scope_bind(kni_parser *p, kni_parse_scope *s, kni_word name, kni_atom atom);
/* What the builder has to say goes with the place in the text; false if there is an error. */
bool kni_scope_ok(kni_parser *p, kni_parse_scope *s, const char *at);
void kni_scope_free(kni_parse_scope *s);
/* A scope for the jaxpr that comes next, one level deeper; NULL without memory. *start: where it stands. */
kni_parse_scope *kni_scope_begin(kni_parser *p, const char **start);
/* The jaxpr of what was read, with the atoms as results, one level up; NULL with an error. The scope stays. */
kni_jaxpr *kni_scope_end(kni_parser *p, kni_parse_scope *s, const char *start);
uint64_t kni_word_hash(kni_word w);
bool kni_word_same(kni_word a, kni_word b);
bool kni_parse_is_name(kni_word w);
bool kni_parse_no_memory(kni_parser *p); /* false */
/* The value of a member into params; jaxprs as the full form has them. */
void kni_parse_field(kni_parser *p, const kni_param_field *f, void *params);

/* All of these skip blanks first, set p->error where the text is not what they want, and return false or something
 * empty then. */
KNX_COLD void kni_parse_fail(kni_parser *p, const char *at, kn_error_kind kind, const char *format, ...)
    KN_PRINTF_LIKE(4, 5);
/* somebody's error, with line and column; takes e over */
void kni_parse_wrap(kni_parser *p, const char *at, knx_error *e);
void *kni_parse_alloc(kni_parser *p, size_t bytes); /* zeroed, in the arena */
bool kni_parse_is(kni_parser *p, char c);          /* does c come next? */
bool kni_parse_take(kni_parser *p, char c);        /* takes it if it does */
bool kni_parse_need(kni_parser *p, char c);
/* the word that comes next (letters, digits, _ - . $), may be empty */
kni_word kni_parse_peek(kni_parser *p);
kni_word kni_parse_word(kni_parser *p, const char *what);
bool kni_parse_need_word(kni_parser *p, const char *word);
bool kni_word_is(kni_word w, const char *s);
bool kni_parse_int(kni_parser *p, int64_t *v);
bool kni_parse_dim(kni_parser *p, int64_t *v); /* or an expression of dimension variables: 2*b + 3 */
char *kni_parse_string(kni_parser *p); /* in double quotes */
kn_dtype kni_parse_dtype(kni_parser *p);
bool kni_parse_type(kni_parser *p, kni_type *t);     /* f32[3,4]* */
bool kni_parse_literal(kni_parser *p, kni_literal *l); /* 1.0:f32[] */
bool kni_parse_is_literal(kni_parser *p);            /* does one come next? */
bool kni_parse_ints(kni_parser *p, kni_ints *v);
bool kni_parse_sharding(kni_parser *p, const kni_sharding **out); /* NamedSharding(Mesh('x': 4), (x, None)) */
bool kni_parse_mesh(kni_parser *p, const kni_mesh **out); /* Mesh('x': 4, 'y': 2; 7, 6, ...), None */
bool kni_parse_shardings(kni_parser *p, kni_shardings *v); /* (Mesh('x': 4); P('x', None)) */
bool kni_parse_names(kni_parser *p, kni_names *v); /* ("i","j") */
bool kni_bits_value(const char **s, size_t size, knx_scalar_bits *out); /* bits(0x..) at *s, which moves on */
bool kni_parse_double(kni_parser *p, double *v); /* or bits(0x..) */
bool kni_parse_doubles(kni_parser *p, kni_doubles *v);
#endif
