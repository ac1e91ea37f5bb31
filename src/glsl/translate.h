/* SPDX-License-Identifier: Apache-2.0
 * translate.h -- WGSL as src/wgsl writes it in words of GLSL ES 3.00 (docs/webgl.md). One writer of kernels, one table of
 * operations and one set of helper functions serve both languages; what differs are types in front of names, casts,
 * choices (`select`), operators of bools, pointers, and functions that GLSL ES has not.
 *
 * This is no compiler of WGSL: it knows the part that Kiln writes, and an error is a mistake in it. */
#ifndef KN_GLSL_TRANSLATE_H
#define KN_GLSL_TRANSLATE_H
#include "base/error.h"
#include "base/str.h"

/* Appends the functions of a WGSL text: first what each looks like (WGSL calls functions that come later), then all of
 * them, and in front helpers that stand for WGSL's own. memoryN[e] becomes kn_read(memoryN, e). Functions "storeN_TYPE"
 * are left out: they are the caller's. `given` names values of module scope: "kn_w" is known. */
knx_error *knl_translate(const char *wgsl, knx_str *out);

/* ---- What the files of the translation share. */

typedef enum { KNL_VOID, KNL_BOOL, KNL_I32, KNL_U32, KNL_F32 } knl_scalar;
typedef struct knl_type {
    uint8_t scalar, n; /* n: 1, or 2 to 4 numbers of a vector */
    uint8_t length;    /* of an array; 0: it is none */
    bool pointer;
    bool loose; /* a literal without a suffix: takes the type of what it meets */
} knl_type;

enum { KNL_NAME = 48, KNL_MOST_VARIABLES = 8192, KNL_MOST_FUNCTIONS = 256 };
typedef enum { KNL_END, KNL_NAME_TOKEN, KNL_NUMBER, KNL_SIGN } knl_kind;
typedef struct knl_token {
    const char *s;
    size_t n;
    knl_kind kind;
} knl_token;
typedef struct knl_variable {
    const char *name;
    size_t n;
    knl_type type;
    int depth;
} knl_variable;
typedef struct knl_function {
    const char *name;
    size_t n;
    knl_type result;
} knl_function;

typedef struct knl_translation {
    const char *at; /* behind the token */
    knl_token token;
    knx_str *out;
    const char *wrong; /* what was not understood, and where */
    const char *wrong_at;
    int depth;
    knl_variable *variable;
    int n_variable;
    knl_function function[KNL_MOST_FUNCTIONS];
    int n_function;
    unsigned helpers; /* a bit for each of expression.c's that is wanted */
} knl_translation;

/* words */
void knl_next(knl_translation *t);
bool knl_is(const knl_translation *t, const char *word);
bool knl_take(knl_translation *t, const char *word);
void knl_expect(knl_translation *t, const char *word);
void knl_fail(knl_translation *t, const char *what);
knl_type knl_parse_type(knl_translation *t);
const char *knl_type_name(knl_type type);
void knl_put_name(knx_str *to, const knl_token *name);
const knl_variable *knl_find_variable(const knl_translation *t, const knl_token *name);
const knl_function *knl_find_function(const knl_translation *t, const knl_token *name);

/* expression.c */
knl_type knl_expression(knl_translation *t, knx_str *to);
knl_type knl_place(knl_translation *t, knx_str *to); /* what can be assigned to */
void knl_put_helpers(const knl_translation *t, knx_str *to);
#endif
