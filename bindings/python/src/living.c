/* SPDX-License-Identifier: Apache-2.0
 * living.c -- Python objects that the library knows by a number. A number is never used twice: what the library asks
 * for after the object is gone is found to be gone, and never another one. */
#include "kpy.h"
#include <stdlib.h>
#include <string.h>

/* In the order of their numbers; under the interpreter's lock. */
static struct {
    struct alive {
        uint64_t serial;
        PyObject *o; /* borrowed: objects end their life here themselves */
    } * at;
    size_t n, room;
} living;
static uint64_t last_serial;

uint64_t kpy_live(PyObject *o)
{
    if (living.n == living.room) {
        size_t room = living.room ? 2 * living.room : 64;
        struct alive *at = realloc(living.at, room * sizeof *at);
        if (!at)
            return PyErr_NoMemory(), 0;
        living.at = at;
        living.room = room;
    }
    living.at[living.n++] = (struct alive){++last_serial, o};
    return last_serial;
}

static size_t place_of(uint64_t serial)
{
    size_t low = 0, high = living.n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (living.at[mid].serial < serial)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

PyObject *kpy_living(uint64_t serial)
{
    size_t i = place_of(serial);
    return i < living.n && living.at[i].serial == serial ? living.at[i].o : NULL;
}

void kpy_die(uint64_t serial)
{
    size_t i = place_of(serial);
    if (i < living.n && living.at[i].serial == serial) {
        memmove(&living.at[i], &living.at[i + 1], (living.n - i - 1) * sizeof *living.at);
        living.n--;
    }
}
