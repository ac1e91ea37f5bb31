/* SPDX-License-Identifier: Apache-2.0
 * parse.h -- the reader of the full form: where it stands, and its small parts (words, numbers, strings, types,
 * literals). */
#ifndef KN_IR_TEXT_PARSE_H
#define KN_IR_TEXT_PARSE_H
#include "base/hash.h"
#include "ir/builder.h"

typedef struct kn_parser {
    const char *text, *at;
    kn_error *error; /* the first; then everything does nothing */
    kn_arena arena;  /* names, strings, lists: as long as the parsing */
    kn_map shared;   /* hash of a name -> jaxprs of `let $1 = ... in` */
    int depth;       /* of nested jaxprs */
} kn_parser;

typedef struct kn_word {
    const char *s;
    size_t n;
} kn_word; /* a piece of the text */

/* One jaxpr being read: its names and the builder that they speak to. On the heap: the stack carries only calls. */
typedef struct kn_parse_variable {
    kn_word name;
    kn_atom atom;
} kn_parse_variable;
typedef struct kn_parse_binder {
    kn_word name;
    kn_type type;
    char *text; /* of a constant, or NULL */
} kn_parse_binder;
typedef struct kn_parse_scope {
    kn_builder b;
    kn_map variables;
    KN_VEC(kn_parse_binder) binders; /* of the list or equation being read */
    KN_VEC(kn_atom) atoms;           /* its operands, then its results */
    KN_VEC(char *) consts;
    char *name;
} kn_parse_scope;
kn_parse_variable *kni_scope_find(const kn_parse_scope *s, kn_word name); /* NULL if it is not bound */
void kni_scope_bind(kn_parser *p, kn_parse_scope *s, kn_word name, kn_atom atom);
/* What the builder has to say goes with the place in the text; false if there is an error. */
bool kni_scope_ok(kn_parser *p, kn_parse_scope *s, const char *at);
void kni_scope_free(kn_parse_scope *s);
uint64_t kni_word_hash(kn_word w);
bool kni_word_same(kn_word a, kn_word b);
bool kni_parse_is_name(kn_word w);
bool kni_parse_no_memory(kn_parser *p); /* false */
/* The value of a member into params; jaxprs as the full form has them. */
void kni_parse_field(kn_parser *p, const kn_param_field *f, void *params);

/* All of these skip blanks first, set p->error where the text is not what they want, and return false or something
 * empty then. */
void kni_parse_fail(kn_parser *p, const char *at, kn_error_kind kind, const char *format, ...) KN_PRINTF_LIKE(4, 5);
/* somebody's error, with line and column; takes e over */
void kni_parse_wrap(kn_parser *p, const char *at, kn_error *e);
void *kni_parse_alloc(kn_parser *p, size_t bytes); /* zeroed, in the arena */
bool kni_parse_is(kn_parser *p, char c);           /* does c come next? */
bool kni_parse_take(kn_parser *p, char c);         /* takes it if it does */
bool kni_parse_need(kn_parser *p, char c);
/* the word that comes next (letters, digits, _ - . $), may be empty */
kn_word kni_parse_peek(kn_parser *p);
kn_word kni_parse_word(kn_parser *p, const char *what);
bool kni_parse_need_word(kn_parser *p, const char *word);
bool kni_word_is(kn_word w, const char *s);
bool kni_parse_int(kn_parser *p, int64_t *v);
char *kni_parse_string(kn_parser *p); /* in double quotes */
kn_dtype kni_parse_dtype(kn_parser *p);
bool kni_parse_type(kn_parser *p, kn_type *t);       /* f32[3,4]* */
bool kni_parse_literal(kn_parser *p, kn_literal *l); /* 1.0:f32[] */
bool kni_parse_is_literal(kn_parser *p);             /* does one come next? */
bool kni_parse_ints(kn_parser *p, kn_ints *v);
bool kni_parse_names(kn_parser *p, kn_names *v); /* ("i","j") */
bool kni_bits_value(const char **s, size_t size, kn_scalar_bits *out); /* bits(0x..) at *s, which moves on */
bool kni_parse_double(kn_parser *p, double *v); /* or bits(0x..) */
bool kni_parse_doubles(kn_parser *p, kn_doubles *v);
#endif
