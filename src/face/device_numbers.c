/* SPDX-License-Identifier: Apache-2.0
 * device_numbers.c -- devices of the job by number, as an array names them. */
#include "array/op.h"
#include "array/state.h"
#include "dist/dist.h"
#include "face/sharding.h"
#include <inttypes.h>

knx_error *knface_read_devices(kna_op *op, kn_array devices, int64_t *n, int32_t **out)
{
    const kndist_job *job = kndist_job_now();
    int64_t all = (int64_t)job->n_process * job->n_local;
    *out = NULL;
    kni_atom a = kna_in_as(op, devices, KN_DT(I64));
    if (kna_failed(op))
        return NULL;
    kna_value *v = kna_atom_value(op, a);
    knx_error *error = v ? kna_force_here(1, &v) : knx_error_nomem();
    int64_t given = v && !error ? kni_type_size(v->type) : 0;
    if (!error && v->state != KN_V_BUFFER && v->state != KN_V_NUMBER)
        error = knx_error_new(KN_ERROR_CONCRETIZATION, "the numbers of devices are traced");
    *n = *n < 0 ? given : *n;
    if (!error && given != *n)
        error = knx_error_new(KN_ERROR_VALUE, "the mesh has %" PRId64 " devices, but %" PRId64 " are named", *n, given);
    const int64_t *number = error ? NULL : kna_elements(v);
    *out = error ? NULL : knx_alloc((size_t)*n * sizeof **out + 1);
    if (!error && !*out)
        error = knx_error_nomem();
    for (int64_t i = 0; !error && i < *n; i++)
        if (number[i] < 0 || number[i] >= all)
            error = knx_error_new(KN_ERROR_VALUE, "there is no device %" PRId64 ": there %s %" PRId64, number[i],
                                  all == 1 ? "is" : "are", all);
        else
            (*out)[i] = (int32_t)number[i];
    kna_value_release(v);
    return error;
}
