/* SPDX-License-Identifier: Apache-2.0
 * frame.h -- a run of one program on a device, as the files of this folder share it: of a whole program, whose operands
 * and outputs are buffers, or of a program inside of a step, whose operands and outputs are spots. */
#ifndef KN_DEVICE_STEPS_FRAME_H
#define KN_DEVICE_STEPS_FRAME_H
#include "device/host/run.h"
#include "device/steps/steps.h"

/* An operand: a buffer that knows where it is, or memory of somebody else, which is only read. */
typedef struct knd_given {
    knx_buffer *buffer; /* that a copy may stay with */
    knx_buffer *own;    /* the same, if it is this run's: a copy of what must not be written over */
    knd_memory *memory; /* on the device, of what nobody may keep; given back at the end */
} knd_given;

/* A value that a program inside of a step is given, or gives: its place on the device, and room for it here. */
typedef struct knd_spot {
    knd_place there;
    char *here; /* NULL: nobody looks. It may be memory of somebody else's where the value is only read */
    size_t bytes;
    bool has, held; /* valid there, here; neither: it has no contents yet */
} knd_spot;
knx_error *knd_spot_send(const knd_device *d, knd_spot *s);
knx_error *knd_spot_fetch(const knd_device *d, knd_spot *s);
knx_error *knd_spot_copy(const knd_device *d, knd_spot *to, knd_spot *from);

typedef struct knd_frame {
    const knd_steps_loaded *l;
    const knd_device *d;
    const knc_program *p;
    const knd_options *o;
    knd_given *given; /* of a whole program; else NULL */
    knd_operand *in;  /* as the host's steps find them */
    knx_buffer **out;
    knd_spot **x, **y; /* of a program inside */
    knd_memory *work;  /* the workspace there, and where in it */
    size_t work_at;
    char *mirror;          /* the workspace here */
    knx_buffer *work_here; /* of a whole program: that memory, with all that the host needs beside it */
    knd_doubt *doubt; /* runs with checks that the contents come from, this one among them; NULL: not known yet */
    knd_one_run host;
    void **at;
    knd_place *place;
    bool *mirrored; /* per reference of the next step: it goes by value, from the mirror */
} knd_frame;

/* Memory on the host that a run of l needs: its workspace's mirror, what its steps on the host need. 0: none. */
uint64_t knd_frame_bytes(const knd_steps_loaded *l, int threads);
void knd_frame_use(knd_frame *f, char *memory); /* so many bytes */
bool knd_frame_rooms(knd_frame *f, knx_arena *arena);
knx_error *knd_frame_run(knd_frame *f); /* the actions of its plan */
/* Something has come down: what is known to have failed in this run, or in those that it depends on. */
static inline knx_error *knd_frame_failed(const knd_frame *f)
{
    return f->doubt ? knd_failed(f->d, f->doubt) : NULL;
}
/* inside.c: step i of f, a loop or a branch, at the places that f has found. */
knx_error *knd_run_inside(knd_frame *f, uint32_t i);
#endif
