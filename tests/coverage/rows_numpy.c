/* SPDX-License-Identifier: Apache-2.0
 * rows_numpy.c -- the calls of numpy.def. */
#define _DEFAULT_SOURCE /* mkstemps */
#include "coverage/coverage.h"
#include <stdlib.h>
#include <unistd.h>

static bool next_square(void *env, void *element)
{
    int *k = env;
    *(double *)element = (double)*k * *k;
    return (*k)++ < 5;
}

static kn_array tens(const kn_array *p, const kn_array *c) { return kn_add(kn_mul(*p, 10), *c); }
KN_FUNCTION(tens, kn_array, kn_array, kn_array)
static kn_array thrice(const kn_array *a) { return kn_mul(3, *a); }
KN_FUNCTION(thrice, kn_array, kn_array)
static kn_array total(const kn_array *a) { return kn_sum(*a); }
KN_FUNCTION(total, kn_array, kn_array)
static kn_array sum_along(kn_array a, int axis) { return kn_sum(a, KN_AXIS(axis)); }

static kn_array strides_array(kn_strides strides) { return kn_from(strides.stride, KN_SHAPE(strides.ndim)); }
#define STRIDES(strides) strides_array(strides)
#define COMPLEX(number)  kn_scalar(number)

/* what `load` makes of the file `path` that `save` wrote */
static void scratch_name(char *path, const char *ending)
{
    strcpy(path, "/tmp/kiln-coverage-XXXXXX");
    strcat(path, ending);
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
}
#define THROUGH_FILE(ending, save, load)               \
    __extension__({                                    \
        char path[32];                                 \
        scratch_name(path, ending);                    \
        kn_array back = (save) ? NULL : kn_copy(load); \
        unlink(path);                                  \
        back;                                          \
    })

#define TABLE "coverage/numpy.def"
#define NAME  rows_numpy
#include "coverage/table.h"
