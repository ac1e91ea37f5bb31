/* SPDX-License-Identifier: Apache-2.0
 * translate.h -- WGSL as src/wgsl writes it in words of GLSL ES 3.00 (docs/webgl.md). One writer of kernels, one
 * table of operations and one set of helper functions serve both languages; what differs are types in front of
 * names, casts, choices (`select`), operators of bools, pointers, and functions that GLSL ES has not.
 *
 * This is no compiler of WGSL: it knows the part that Kiln writes, and an error is a mistake in it. */
#ifndef KN_GLSL_TRANSLATE_H
#define KN_GLSL_TRANSLATE_H
#include "base/error.h"
#include "base/str.h"

/* Appends the functions of a WGSL text: first what each looks like (WGSL calls functions that come later), then all of
 * them, and in front helpers that stand for WGSL's own. memoryN[e] becomes kn_read(memoryN, e). Functions "storeN_TYPE"
 * are left out: they are the caller's. */
knx_error *kngl_translate(const char *wgsl, knx_str *out);

/* ---- What the files of the translation share. */

typedef enum { KNGL_VOID, KNGL_BOOL, KNGL_I32, KNGL_U32, KNGL_F32 } kngl_scalar;
typedef struct kngl_type {
    uint8_t scalar, n; /* n: 1, or 2 to 4 numbers of a vector */
    uint8_t length;    /* of an array; 0: it is none */
    bool pointer;
    bool loose; /* a literal without a suffix: takes the type of what it meets */
} kngl_type;

enum { KNGL_NAME = 48, KNGL_MOST_VARIABLES = 8192, KNGL_MOST_FUNCTIONS = 256 };
typedef enum { KNGL_END, KNGL_NAME_TOKEN, KNGL_NUMBER, KNGL_SIGN } kngl_kind;
typedef struct kngl_token {
    const char *s;
    size_t n;
    kngl_kind kind;
} kngl_token;
typedef struct kngl_variable {
    const char *name;
    size_t n;
    kngl_type type;
    int depth;
} kngl_variable;
typedef struct kngl_function {
    const char *name;
    size_t n;
    kngl_type result;
} kngl_function;

typedef struct kngl_translation {
    const char *at; /* behind the token */
    kngl_token token;
    knx_str *out;
    const char *wrong; /* what was not understood, and where */
    const char *wrong_at;
    int depth;
    kngl_variable *variable;
    int n_variable;
    kngl_function function[KNGL_MOST_FUNCTIONS];
    int n_function;
    unsigned helpers; /* a bit for each of expression.c's that is wanted */
} kngl_translation;

/* words */
void kngl_next(kngl_translation *t);
bool kngl_is(const kngl_translation *t, const char *word);
bool kngl_take(kngl_translation *t, const char *word);
void kngl_expect(kngl_translation *t, const char *word);
void kngl_fail(kngl_translation *t, const char *what);
kngl_type kngl_parse_type(kngl_translation *t);
const char *kngl_type_name(kngl_type type);
void kngl_put_name(knx_str *to, const kngl_token *name);
const kngl_variable *kngl_find_variable(const kngl_translation *t, const kngl_token *name);
const kngl_function *kngl_find_function(const kngl_translation *t, const kngl_token *name);

/* expression.c */
kngl_type kngl_expression(kngl_translation *t, knx_str *to);
kngl_type kngl_place(kngl_translation *t, knx_str *to); /* what can be assigned to */
void kngl_put_helpers(const kngl_translation *t, knx_str *to);
#endif
