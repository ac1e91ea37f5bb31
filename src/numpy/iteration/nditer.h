/* SPDX-License-Identifier: Apache-2.0
 * nditer.h -- np.nditer: several operands in one loop nest over memory. nditer_new.c chooses the loops,
 * nditer_buffers.c what is buffered, nditer_walk.c goes along them, nditer.c is what the user calls. */
#ifndef KN_NUMPY_NDITER_H
#define KN_NUMPY_NDITER_H
#include "lib/compose.h"
#include "numpy/iteration/operand.h"

/* NumPy's words for the whole iterator, and for an operand. */
enum {
    KNN_C_INDEX = 1 << 0, KNN_F_INDEX = 1 << 1, KNN_MULTI_INDEX = 1 << 2, KNN_EXTERNAL_LOOP = 1 << 3,
    KNN_COMMON_DTYPE = 1 << 4, KNN_REFS_OK = 1 << 5, KNN_ZEROSIZE_OK = 1 << 6, KNN_REDUCE_OK = 1 << 7,
    KNN_RANGED = 1 << 8, KNN_BUFFERED = 1 << 9, KNN_GROWINNER = 1 << 10, KNN_DELAY_BUFALLOC = 1 << 11,
    KNN_COPY_IF_OVERLAP = 1 << 12
};
enum {
    KNN_READONLY = 1 << 0, KNN_READWRITE = 1 << 1, KNN_WRITEONLY = 1 << 2, KNN_COPY = 1 << 3,
    KNN_UPDATEIFCOPY = 1 << 4, KNN_NBO = 1 << 5, KNN_ALIGNED = 1 << 6, KNN_CONTIG = 1 << 7, KNN_ALLOCATE = 1 << 8,
    KNN_NO_SUBTYPE = 1 << 9, KNN_VIRTUAL = 1 << 10, KNN_NO_BROADCAST = 1 << 11, KNN_WRITEMASKED = 1 << 12,
    KNN_ARRAYMASK = 1 << 13, KNN_ELEMENTWISE = 1 << 14
};

typedef struct knn_nditer_op {
    knn_operand o;      /* what the loops go over */
    knn_operand target; /* where a copy is written back at the end; array NULL: nowhere */
    kn_dtype dtype;     /* as which it is seen */
    uint32_t flags;
    bool read, write, reduce, copied;
    bool cast; /* another dtype than the memory's */
    bool made; /* the iterator allocated it */
    char *first, *now;                      /* the first element of the loops, and that where they are */
    int64_t offset;                         /* from the memory's first element to `first` */
    char *user;                             /* what the user sees: `now`, or in the buffer */
    int64_t inner;                          /* bytes from one element that the user sees to the next */
    bool buffered, single_stride;           /* in a chunk its elements have one stride */
    char *buffer;
} knn_nditer_op;

/* Axes are counted from the innermost loop. */
typedef struct knn_nditer {
    int refs;
    uint32_t flags;
    int nop, ndim, maskop; /* the operand that is the mask; -1: none */
    bool forced, delayed, finished, closed, reduce;
    int64_t itersize, start, end, iterindex; /* itersize -1: too large */
    int perm[KN_MAX_NDIM]; /* the user's axis, counted from the last one; -1 - it: backwards */
    int64_t shape[KN_MAX_NDIM], at[KN_MAX_NDIM];
    int64_t *stride; /* bytes, of axis a and operand i at a * (nop + 1) + i; i == nop: index */
    int64_t first_index; /* of c_index and f_index */
    int64_t buffersize, coresize, coreoffset;  /* chunks are so long at most, and consist of cores */
    int64_t chunk, chunk_end;                  /* the present one: how many elements, and the iterindex behind it */
    int outer;                                 /* the axis along which a chunk consists of cores */
    knn_nditer_op *op;
    struct knn_nditer *child; /* of nested iterators: the next one inside */
} knn_nditer;

static inline int64_t *knn_nditer_strides(const knn_nditer *it, int axis) { return it->stride + axis * (it->nop + 1); }
/* The user's axis of axis a (from the first one), -1 if x has fewer axes; is it gone backwards? */
int knn_nditer_axis(const knn_nditer *it, int a, int ndim, bool *backwards);

/* nditer_flags.c */
uint32_t knn_nditer_read_flags(kna_op *op, const char *words);
uint32_t knn_nditer_read_op_flags(kna_op *op, const char *words);
void knn_nditer_check_flags(kna_op *op, uint32_t flags);
void knn_nditer_check_op_flags(kna_op *op, uint32_t flags);

/* nditer_new.c: what is asked for, all of it read. */
typedef struct knn_nditer_wish {
    int nop, oa_ndim; /* -1: no op_axes */
    uint32_t flags, op_flags[KN_MAX_OPERANDS];
    kn_array op[KN_MAX_OPERANDS];
    kn_dtype dtype[KN_MAX_OPERANDS];
    char order;
    knx_casting casting;
    bool mapped[KN_MAX_OPERANDS];           /* has axes of its own below; else its axes are the last ones */
    int axis[KN_MAX_OPERANDS][KN_MAX_NDIM]; /* of each axis of the iterator */
    const kn_shape *itershape;
    int64_t buffersize;
} knn_nditer_wish;
enum { KNN_REDUCTION_AXIS = 1 << 30 };                  /* added to an axis that is reduced, as in NumPy */
int knn_nditer_op_axis(int axis, bool *reduced);        /* without it */
knn_nditer *knn_nditer_make(kna_op *op, const knn_nditer_wish *w); /* NULL with the op failed */
void knn_nditer_free(knn_nditer *it);    /* one owner less; the last one closes it */
void knn_nditer_abandon(knn_nditer *it); /* the same without writing anything back */

/* nditer.c */
kn_nditer knn_nditer_handle(knn_nditer *it); /* takes it over */
knn_nditer *knn_nditer_in(kna_op *op, const char *name, kn_nditer handle); /* begins the operation */

/* nditer_walk.c */
void knn_nditer_coalesce(knn_nditer *it);
void knn_nditer_goto(knn_nditer *it, int64_t iterindex);
void knn_nditer_show(knn_nditer *it); /* what the user sees where the loops are, without buffers */
bool knn_nditer_next(knn_nditer *it); /* false at the end */
bool knn_nditer_reset(kna_op *op, knn_nditer *it);
bool knn_nditer_rebase(kna_op *op, knn_nditer *it, const knn_nditer *outside); /* to where the operands are there */
bool knn_nditer_close(kna_op *op, knn_nditer *it);

/* nditer_buffers.c */
void knn_nditer_plan_buffers(knn_nditer *it, int64_t buffersize);
bool knn_nditer_allocate_buffers(kna_op *op, knn_nditer *it);
void knn_nditer_fill(knn_nditer *it);       /* the chunk at iterindex */
void knn_nditer_write_back(knn_nditer *it); /* what the chunk holds */
/* Elements of operands of the same shape, converted. */
void knn_copy_elements(const knn_operand *to, const knn_operand *from);
#endif
