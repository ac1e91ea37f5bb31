/* SPDX-License-Identifier: Apache-2.0
 * values_dlpack.c -- tensors of other libraries, sound and otherwise; see values.h. */
#include "tables.h"

static char memory[4096];

static void make_tensor(DLTensor *t, int i)
{
    static int64_t two[2] = {2, 3}, bad[2] = {-2, 3}, wide[70];
    *t = (DLTensor){memory, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, two, NULL, 0};
    switch (i) {
    case 2: t->data = NULL; break;
    case 3: t->shape = NULL; break;
    case 4: t->ndim = -1; break;
    case 5: t->ndim = 70, t->shape = wide; break;
    case 6: t->shape = bad; break;
    case 7: t->dtype.bits = 3; break;
    case 8: t->dtype.lanes = 4; break;
    case 9: t->device.device_type = kDLCUDA; break;
    case 10: t->byte_offset = 1; break;
    case 11: t->byte_offset = UINT64_MAX - 3; break;
    default: break;
    }
}

m_DLManagedTensorVersioned take_m_DLManagedTensorVersioned(const char *name)
{
    static DLManagedTensorVersioned t;
    int i = pick_null(name, 1, 12);
    t = (DLManagedTensorVersioned){.version = {i == 12 ? 2 : 1, 0}};
    make_tensor(&t.dl_tensor, i);
    return i == 1 ? NULL : &t;
}

m_DLManagedTensor take_m_DLManagedTensor(const char *name)
{
    static DLManagedTensor t;
    int i = pick_null(name, 1, 11);
    t = (DLManagedTensor){.manager_ctx = NULL};
    make_tensor(&t.dl_tensor, i);
    return i == 1 ? NULL : &t;
}
