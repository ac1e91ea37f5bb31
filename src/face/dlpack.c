/* SPDX-License-Identifier: Apache-2.0
 * dlpack.c -- arrays for and from other libraries, as the DLPack standard describes them. */
#include "kiln/dlpack.h"
#include "array/handle.h"
#include "array/layout.h"
#include "array/state.h"
#include "base/log.h"
#include "kiln/memory.h"
#include "base/options.h"
#include <string.h>

_Static_assert(sizeof(DLDeviceType) == 4, "an int in all ABIs");
_Static_assert(offsetof(DLManagedTensorVersioned, dl_tensor) == 16 + 2 * sizeof(void *), "the standard's layout");

static DLDataType type_code(kn_dtype d)
{
    DLDataType t = {.bits = (uint8_t)(8 * d->size), .lanes = 1};
    switch ((knx_kind)d->kind) {
    case KN_KIND_BOOL: t.code = kDLBool; break;
    case KN_KIND_INT: t.code = kDLInt; break;
    case KN_KIND_UINT: t.code = kDLUInt; break;
    case KN_KIND_FLOAT: t.code = d == KN_DT(BF16) ? kDLBfloat : kDLFloat; break;
    case KN_KIND_COMPLEX: t.code = kDLComplex; break;
    case KN_KIND_KEY: t.code = kDLOpaqueHandle; break;
    }
    return t;
}

static kn_dtype find_dtype(DLDataType t)
{
    for (int i = 0; i < KN_ID_COUNT; i++) {
        DLDataType mine = type_code(&knx_dtype_table[i]);
        if (mine.code != kDLOpaqueHandle && mine.code == t.code && mine.bits == t.bits && t.lanes == 1)
            return &knx_dtype_table[i];
    }
    return NULL;
}

/* ---- Export. */

typedef struct exported {
    union {
        DLManagedTensor old;
        DLManagedTensorVersioned now;
    } tensor;
    kna_pin *pin;     /* NULL: a copy */
    knx_buffer *copy; /* NULL: x's own memory */
    int64_t dims[];   /* extents, then strides */
} exported;

static void drop_exported(exported *e)
{
    if (e->pin)
        atomic_fetch_sub(&e->pin->exports, 1);
    kna_pin_release(e->pin);
    knx_buffer_release(e->copy);
    knx_free(e);
}

static void delete_old(DLManagedTensor *t) { drop_exported(t->manager_ctx); }

static void delete_now(DLManagedTensorVersioned *t) { drop_exported(t->manager_ctx); }

static bool in_elements(const kna_array *a)
{
    for (int d = 0; d < a->type.ndim; d++)
        if (a->stride[d] % a->type.dtype->size)
            return false;
    return (a->offset % a->type.dtype->align) == 0;
}

/* Fills e's tensor with a's elements as they lie in x's storage, or with a copy of them. */
static knx_error *export_elements(kna_op *op, kn_array x, kna_array *a, exported *e, DLTensor *t)
{
    int64_t *stride = e->dims + a->type.ndim;
    memcpy(e->dims, a->type.dim, (size_t)a->type.ndim * sizeof *e->dims);
    if (in_elements(a)) {
        KN_TRY(kna_pin_storage(a, a->writeable, &t->data));
        e->pin = a->storage->pin;
        atomic_fetch_add(&e->pin->refs, 1);
        atomic_fetch_add(&e->pin->exports, 1);
        memcpy(stride, a->stride, (size_t)a->type.ndim * sizeof *stride);
    } else {
        kni_type type;
        const void *data = kna_look(op, x, &type);
        if (!data)
            return NULL;
        e->copy = knx_buffer_new(kni_type_bytes(type));
        if (!e->copy)
            return knx_error_nomem();
        memcpy(e->copy->data, data, kni_type_bytes(type));
        t->data = e->copy->data;
        kna_contiguous_strides(type, stride);
    }
    for (int d = 0; d < a->type.ndim; d++)
        stride[d] /= a->type.dtype->size;
    if (!kni_type_size(a->type))
        t->data = NULL;
    t->device = (DLDevice){kDLCPU, 0};
    t->ndim = a->type.ndim;
    t->dtype = type_code(a->type.dtype);
    t->shape = e->dims;
    t->strides = stride;
    return NULL;
}

static exported *export_array(kn_array x, bool versioned)
{
    kna_op op;
    exported *e = NULL;
    kna_begin(&op, "to_dlpack");
    kna_array *a = kna_array_of(&op, x);
    bool readonly = a && (!a->writeable || a->storage->readonly);
    if (a && a->type.dtype->kind == KN_KIND_KEY)
        kna_fail(&op, KN_ERROR_TYPE, "DLPack has no dtype %s", a->type.dtype->name);
    else if (readonly && !versioned)
        kna_fail(&op, KN_ERROR_VALUE,
                 "a read-only array cannot be exported without a version: the older form cannot say that it is one");
    if (!kna_failed(&op)) {
        e = knx_alloc_zero(sizeof *e + 2 * (size_t)a->type.ndim * sizeof(int64_t));
        DLTensor *t = !e ? NULL : versioned ? &e->tensor.now.dl_tensor : &e->tensor.old.dl_tensor;
        knx_error *error = e ? export_elements(&op, x, a, e, t) : knx_error_nomem();
        if (error)
            kna_fail_with(&op, error);
    }
    if (kna_failed(&op) && e) {
        drop_exported(e);
        e = NULL;
    }
    if (e && versioned) {
        e->tensor.now.version = (DLPackVersion){1, 0};
        e->tensor.now.flags = e->copy ? DLPACK_FLAG_BITMASK_IS_COPIED : readonly ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
        e->tensor.now.manager_ctx = e;
        e->tensor.now.deleter = delete_now;
    } else if (e) {
        e->tensor.old.manager_ctx = e;
        e->tensor.old.deleter = delete_old;
    }
    kna_end_plain(&op);
    return e;
}

struct DLManagedTensorVersioned *kn_to_dlpack(kn_array x)
{
    exported *e = export_array(x, true);
    return e ? &e->tensor.now : NULL;
}

struct DLManagedTensor *kn_to_dlpack_unversioned(kn_array x)
{
    exported *e = export_array(x, false);
    return e ? &e->tensor.old : NULL;
}

/* ---- Import. */

/* How a tensor lies in memory. Its axes by falling strides are those of a C-contiguous block if it is dense. */
typedef struct imported {
    kni_type type;
    int64_t stride[KN_MAX_NDIM]; /* bytes */
    char *first;                 /* the first element */
    bool dense;
    char *block;               /* the lowest address */
    int64_t axis[KN_MAX_NDIM]; /* by falling strides */
    int64_t block_dim[KN_MAX_NDIM];
} imported;

static void check_tensor(kna_op *op, const DLTensor *t, imported *m)
{
    if (t->device.device_type != kDLCPU)
        kna_fail(op, KN_ERROR_VALUE,
                 "the tensor is in the memory of device type %d; only the CPU's (1) can be imported",
                 (int)t->device.device_type);
    else if (t->ndim < 0 || t->ndim > KN_MAX_NDIM)
        kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an array is %d, found %d", KN_MAX_NDIM,
                 (int)t->ndim);
    else if (t->ndim && !t->shape)
        kna_fail(op, KN_ERROR_VALUE, "the tensor has no shape");
    if (kna_failed(op))
        return;
    kn_dtype d = find_dtype(t->dtype);
    if (!d) {
        kna_fail(op, KN_ERROR_TYPE, "no dtype for DLPack's code %d with %d bits and %d lanes", t->dtype.code,
                 t->dtype.bits, t->dtype.lanes);
        return;
    }
    for (int k = 0; k < t->ndim; k++)
        if (t->shape[k] < 0)
            kna_fail(op, KN_ERROR_VALUE, "negative dimensions are not allowed");
    m->type = kni_type_of(d, t->ndim, t->shape);
    knx_error *error = kna_failed(op) ? NULL : kni_type_check_size(m->type);
    if (error)
        kna_fail_with(op, error);
    else if (!kna_failed(op) && !t->data && kni_type_size(m->type))
        kna_fail(op, KN_ERROR_VALUE, "the tensor has no memory");
}

/* Bytes from the first element; the op is failed where addresses overflow. */
static void measure(kna_op *op, const DLTensor *t, imported *m)
{
    kna_contiguous_strides(m->type, m->stride);
    m->first = t->data ? (char *)t->data + t->byte_offset : NULL;
    int64_t span = 0, by;
    for (int k = 0; k < t->ndim && t->strides; k++) {
        if (m->type.dim[k] == 1)
            continue;
        bool fits = !__builtin_mul_overflow(t->strides[k], (int64_t)m->type.dtype->size, &m->stride[k]) &&
                    m->stride[k] != INT64_MIN &&
                    !__builtin_mul_overflow(m->stride[k] < 0 ? -m->stride[k] : m->stride[k], m->type.dim[k] - 1, &by) &&
                    !__builtin_add_overflow(span, by, &span) && span < PTRDIFF_MAX;
        if (!fits) {
            kna_fail(op, KN_ERROR_VALUE, "the tensor's strides are too large");
            return;
        }
    }
}

static int64_t length(int64_t stride) { return stride < 0 ? -stride : stride; }

/* Finds the block. Axes of extent 1 may have any stride. */
static void find_block(imported *m)
{
    int64_t step = m->type.dtype->size;
    m->block = m->first;
    for (int k = 0; k < m->type.ndim; k++) { /* insertion sort: strides fall, axes of extent 1 come first */
        int64_t mine = m->type.dim[k] == 1 ? INT64_MAX : length(m->stride[k]);
        int at = k;
        for (; at > 0; at--) {
            int64_t j = m->axis[at - 1], other = m->type.dim[j] == 1 ? INT64_MAX : length(m->stride[j]);
            if (other >= mine)
                break;
            m->axis[at] = j;
        }
        m->axis[at] = k;
        if (m->type.dim[k] > 1 && m->stride[k] < 0)
            m->block += m->stride[k] * (m->type.dim[k] - 1);
    }
    m->dense = true;
    for (int i = m->type.ndim; i-- > 0;) {
        int64_t k = m->axis[i];
        m->block_dim[i] = m->type.dim[k];
        m->dense = m->dense && (m->type.dim[k] == 1 || length(m->stride[k]) == step);
        step *= m->type.dim[k];
    }
}

static knx_buffer *copy_elements(const imported *m)
{
    knx_buffer *b = knx_buffer_new(kni_type_bytes(m->type));
    int64_t at[KN_MAX_NDIM] = {0}, n = kni_type_size(m->type);
    size_t size = m->type.dtype->size;
    const char *from = m->first;
    char *to = b ? b->data : NULL;
    for (int64_t i = 0; b && i < n; i++, to += size) {
        memcpy(to, from, size);
        for (int d = m->type.ndim; d-- > 0;) {
            from += m->type.dim[d] > 1 ? m->stride[d] : 0;
            if (++at[d] < m->type.dim[d])
                break;
            from -= m->type.dim[d] > 1 ? m->stride[d] * m->type.dim[d] : 0;
            at[d] = 0;
        }
    }
    return b;
}

/* From the block's array to the tensor's axes; ends the op. */
static kn_array turn(kna_op *op, kn_array base, const imported *m)
{
    int64_t permutation[KN_MAX_NDIM], back[KN_MAX_NDIM];
    int n_back = 0;
    bool turned = false;
    for (int i = 0; i < m->type.ndim; i++) {
        permutation[m->axis[i]] = i;
        turned = turned || m->axis[i] != i;
    }
    for (int k = 0; k < m->type.ndim; k++)
        if (m->type.dim[k] > 1 && m->stride[k] < 0)
            back[n_back++] = k;
    if (!turned && !n_back) {
        kna_end_plain(op);
        return base;
    }
    kni_atom all = kna_in(op, base), y = turned ? knb_transpose(op->b, all, permutation) : all;
    y = n_back ? knb_rev(op->b, y, n_back, back) : y;
    kn_array view = kna_end_view(op, base, all, y);
    kn_release(base);
    return view;
}

/* One of our own: a view of the array that it came from, so that both see each other's writes. NULL if that is gone, or
 * another context's. */
static kn_array own_again(kna_op *op, const exported *e, const imported *m, bool readonly)
{
    kna_storage *s = e->pin && e->pin->owner == knx_context() ? e->pin->storage : NULL;
    if (!s || s->value->type.dtype != m->type.dtype || !kni_type_size(m->type))
        return NULL;
    kna_layout l = {.type = m->type, .offset = m->first - (char *)e->pin->buffer->data, .writeable = !readonly};
    memcpy(l.stride, m->stride, sizeof l.stride);
    kn_array whole = kna_storage_handle(s), view;
    if (!whole) {
        kna_fail_with(op, knx_error_nomem());
        return kna_end(op, KN_ATOM_NONE);
    }
    if (kni_type_same_shape(l.type, s->value->type) && l.offset == 0 && kna_is_contiguous(l.type, l.stride)) {
        kni_atom all = kna_in(op, whole);
        view = kna_end_view_as(op, whole, all, all, &l, true);
    } else {
        view = kna_end_strided(op, whole, &l);
    }
    kn_release(whole);
    return view;
}

/* The elements are used where they are; ends the op. */
static kn_array wrap_tensor(kna_op *op, const imported *m, bool readonly, void (*release)(void *, void *), void *env)
{
    knx_buffer *b = knx_buffer_wrap(m->block, kni_type_bytes(m->type), release, env);
    kni_type block = kni_type_of(m->type.dtype, m->type.ndim, m->block_dim);
    kn_array base = b ? kna_wrap_buffer(op, block, b, readonly) : NULL;
    if (base)
        return turn(op, base, m);
    if (!b) {
        kna_fail_with(op, knx_error_nomem());
        release(NULL, env);
    }
    return kna_end(op, KN_ATOM_NONE);
}

/* A tensor of either form, dropped by `release`; ours: it is one of Kiln's own. Ends the op. */
static kn_array import_tensor(kna_op *op, const DLTensor *t, bool readonly, const kn_from_dlpack_opts *opts,
                              const exported *ours, void (*release)(void *data, void *env), void *env)
{
    KNX_OPTS(kn_from_dlpack_opts, o, opts);
    imported m = {0};
    knx_buffer *b = NULL;
    if (!kna_failed(op))
        check_tensor(op, t, &m);
    if (!kna_failed(op))
        measure(op, t, &m);
    if (!kna_failed(op)) {
        find_block(&m);
        bool empty = !kni_type_size(m.type), aligned = (uintptr_t)m.block % m.type.dtype->align == 0;
        kn_array again = ours && o.copy <= 0 ? own_again(op, ours, &m, readonly) : NULL;
        if (again) {
            release(NULL, env);
            return again;
        }
        if (!empty && o.copy <= 0 && m.dense && aligned)
            return wrap_tensor(op, &m, readonly, release, env);
        if (!empty && o.copy < 0)
            kna_fail(op, KN_ERROR_VALUE, "the tensor cannot be used without a copy: its elements %s",
                     m.dense ? "are not aligned" : "do not lie side by side");
        else
            b = copy_elements(&m);
        if (b && !empty)
            KN_LOG(1, "copy: %zu bytes of a DLPack tensor: %s", (size_t)kni_type_bytes(m.type),
                   o.copy > 0 ? "as asked for"
                   : m.dense  ? "not aligned"
                              : "elements with gaps");
    }
    int64_t dims[KN_MAX_NDIM];
    kni_type type = m.type;
    if (type.ndim)
        memcpy(dims, type.dim, (size_t)type.ndim * sizeof *dims);
    type.dim = dims; /* the tensor's own go with it */
    release(NULL, env);
    return kna_failed(op) ? kna_end(op, KN_ATOM_NONE) : kna_from_buffer(op, type, b);
}

static void release_old(void *data, void *env)
{
    DLManagedTensor *t = env;
    (void)data;
    if (t && t->deleter)
        t->deleter(t);
}

static void release_now(void *data, void *env)
{
    DLManagedTensorVersioned *t = env;
    (void)data;
    if (t && t->deleter)
        t->deleter(t);
}

kn_array kn_from_dlpack(struct DLManagedTensorVersioned *tensor, const kn_from_dlpack_opts *opts)
{
    kna_op op;
    kna_begin(&op, "from_dlpack");
    if (!tensor)
        kna_fail(&op, KN_ERROR_TYPE, "null tensor");
    else if (tensor->version.major != DLPACK_MAJOR_VERSION)
        kna_fail(&op, KN_ERROR_VALUE, "a tensor of DLPack %u.%u; version %d is known here", tensor->version.major,
                 tensor->version.minor, DLPACK_MAJOR_VERSION);
    if (kna_failed(&op)) {
        release_now(NULL, tensor);
        return kna_end(&op, KN_ATOM_NONE);
    }
    const exported *ours = tensor->deleter == delete_now ? tensor->manager_ctx : NULL;
    return import_tensor(&op, &tensor->dl_tensor, tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY, opts, ours,
                         release_now, tensor);
}

kn_array kn_from_dlpack_unversioned(struct DLManagedTensor *tensor, const kn_from_dlpack_opts *opts)
{
    kna_op op;
    kna_begin(&op, "from_dlpack");
    if (!tensor) {
        kna_fail(&op, KN_ERROR_TYPE, "null tensor");
        return kna_end(&op, KN_ATOM_NONE);
    }
    const exported *ours = tensor->deleter == delete_old ? tensor->manager_ctx : NULL;
    return import_tensor(&op, &tensor->dl_tensor, false, opts, ours, release_old, tensor);
}
