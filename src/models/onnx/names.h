/* SPDX-License-Identifier: Apache-2.0
 * names.h -- a table from names to values, in an arena. */
#ifndef KN_MODELS_ONNX_NAMES_H
#define KN_MODELS_ONNX_NAMES_H
#include "models/onnx/value.h"

typedef struct knonnx_entry { const char *name; uint32_t hash; knonnx_value value; } knonnx_entry;

typedef struct knonnx_names {
    const struct knonnx_names *around; /* for whoever chains tables */
    knonnx_entry *entry;  /* n of them, in the order in which they came */
    uint32_t *slot;       /* positions + 1; 0: empty */
    int n, room;
} knonnx_names;

/* The value of a name, added (zeroed) if it is not there; its text has to live on. NULL: no memory. The pointer is good
 * until the next name is added. */
knonnx_value *knonnx_names_add(knmodels_arena *arena, knonnx_names *t, const char *name);
const knonnx_value *knonnx_names_find(const knonnx_names *t, const char *name); /* NULL: it is not there */
#endif
