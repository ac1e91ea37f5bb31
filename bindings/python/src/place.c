/* SPDX-License-Identifier: Apache-2.0
 * place.c -- the line of Python code that calls: Kiln notes it with each operation, for its errors, its log and its
 * jaxprs. Files inside of the package are not the user's: the first frame outside counts. */
#include "kpy.h"
#include <stdlib.h>
#include <string.h>

enum { CACHE = 4096, NAMES = 512 };

/* Kiln keeps pointers to places, so a place stays for good; there are as many as lines of code that call. */
typedef struct entry {
    PyObject *code;
    int line;
    bool inside;
    const kn_place *place;
} entry;
static entry cache[CACHE];
static char *package;
static size_t package_length;

/* Texts and places that are there once. */
typedef struct text {
    struct text *next;
    char s[];
} text;
static text *texts[NAMES];
typedef struct known {
    struct known *next;
    kn_place place;
} known;
static known *places[CACHE];

void kpy_set_package(const char *folder)
{
    free(package);
    package = strdup(folder);
    package_length = package ? strlen(package) : 0;
}

static const char *once(const char *s)
{
    size_t hash = 5381, n = strlen(s);
    for (size_t i = 0; i < n; i++)
        hash = hash * 33 + (unsigned char)s[i];
    text **list = &texts[hash % NAMES];
    for (text *t = *list; t; t = t->next)
        if (!strcmp(t->s, s))
            return t->s;
    text *t = malloc(sizeof *t + n + 1);
    if (!t)
        return "";
    memcpy(t->s, s, n + 1);
    t->next = *list;
    *list = t;
    return t->s;
}

static const kn_place *place_of(const char *file, const char *function, int line)
{
    size_t hash = ((uintptr_t)file >> 4) * 31 + ((uintptr_t)function >> 4) * 7 + (size_t)line;
    known **list = &places[hash % CACHE];
    for (known *k = *list; k; k = k->next)
        if (k->place.file == file && k->place.function == function && k->place.line == line)
            return &k->place;
    known *k = malloc(sizeof *k);
    if (!k)
        return NULL;
    k->place = (kn_place){file, line, function};
    k->next = *list;
    *list = k;
    return &k->place;
}

static const char *text_of(PyObject *code, const char *name)
{
    PyObject *value = PyObject_GetAttrString(code, name);
    const char *s = value ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    const char *kept = s ? once(s) : "";
    if (!s)
        PyErr_Clear();
    Py_XDECREF(value);
    return kept;
}

static entry *entry_of(PyObject *code, int line)
{
    entry *e = &cache[(((uintptr_t)code >> 5) ^ (uintptr_t)line * 2654435761u) % CACHE];
    if (e->code == code && e->line == line)
        return e;
    const char *file = text_of(code, "co_filename"), *function = text_of(code, "co_name");
    PyObject *before = e->code;
    Py_INCREF(code); /* so that no other code gets its address while the entry is here */
    e->code = code;
    Py_XDECREF(before);
    e->line = line;
    e->inside = package && !strncmp(file, package, package_length);
    e->place = place_of(file, function, line);
    return e;
}

void kpy_here(void)
{
    PyObject *frame = (PyObject *)PyEval_GetFrame(), *held = NULL;
    const kn_place *place = NULL;
    while (frame && frame != Py_None) {
        PyObject *code = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
        entry *e = entry_of(code, PyFrame_GetLineNumber((PyFrameObject *)frame));
        Py_DECREF(code);
        place = e->place;
        if (!e->inside)
            break;
        PyObject *back = PyObject_GetAttrString(frame, "f_back");
        if (!back)
            PyErr_Clear();
        Py_XDECREF(held);
        frame = held = back;
    }
    if (place)
        kn_here(place);
    Py_XDECREF(held);
}
