/* SPDX-License-Identifier: Apache-2.0
 * offload.h -- the device "auto" (docs/offload.md): each step of a program runs on the host or on a device, wherever
 * all of it takes the least time, as costs say that were measured once, and as operands lie.
 *
 *     costs.c      seconds of a step on either side        graph.c   a program as steps and values
 *     cut.c        the placement that takes the least      report.c  decisions, for people
 *     calibrate.c  costs measured, and kept in a file      auto.c    the device
 *     mark.c       where steps run, in texts of programs */
#ifndef KN_DEVICE_OFFLOAD_OFFLOAD_H
#define KN_DEVICE_OFFLOAD_OFFLOAD_H
#include "compile/step.h"
#include "device/device.h"
#include "kiln/offload.h"

/* ---- Costs. */

/* Seconds that step i takes on a side, with all that its operands are there. Programs inside count as often as they
 * run; what the device refuses in them costs what it takes on the host, and the copies. */
double knd_step_seconds(const knd_device *d, const kn_offload_costs *c, const knc_program *p, uint32_t i, bool there);
double knd_copy_seconds(const kn_offload_costs *c, size_t bytes, bool up);

/* ---- A program as a graph. A value is what is in a memory from one step that writes there to the next one; it goes
 * over at most once in each direction, and then both sides have it. */
typedef struct knd_value {
    uint32_t maker;   /* a step; KNC_NO: operand number `operand` */
    uint32_t operand;
    size_t bytes;
    uint32_t first_reader, n_reader; /* in `reader`: steps */
} knd_value;
typedef struct knd_graph {
    uint32_t n_step, n_value;
    double (*seconds)[2];  /* per step: on the host, there */
    const char **refusal;  /* per step: why it cannot run there; NULL: it can */
    knd_value *value;
    uint32_t *reader;
} knd_graph;
enum { KND_HERE = 1, KND_THERE = 2 }; /* bits of an operand: where it is valid */

knx_error *knd_make_graph(const knd_device *d, const kn_offload_costs *c, const knc_program *p, knx_arena *arena,
                          knd_graph *out);
/* All that a run takes whose steps are placed like this; where: bits per operand. */
double knd_run_seconds(const knd_graph *g, const kn_offload_costs *c, const uint8_t *where, const bool *there);
/* Fills in the placement that takes the least. */
knx_error *knd_place_steps(const knd_graph *g, const kn_offload_costs *c, const uint8_t *where, bool *there);

/* ---- Decisions. `before`: how steps are placed now, NULL: not yet. Another placement has to be faster by 5 %. */
knx_error *knd_decide(const knd_graph *g, const kn_offload_costs *c, const uint8_t *where, const bool *before,
                      bool *there);
void knd_say_reason(const knd_graph *g, const char *device, uint32_t i, bool there, char *out, size_t room);
/* Notes a decision about all steps of p, for kn_offload_report, in the log, and as a text per step in the arena. */
knx_error *knd_note(const knd_device *d, const kn_offload_costs *c, const knc_program *p, const knd_graph *g,
                    const uint8_t *where, const bool *there, knx_arena *arena, const char **reason);

knx_error *knd_report(char **out); /* the last decisions, as text; knx_alloc'ed */

/* ---- The costs of a device: as they were set, else from the file, else measured. */
knx_error *knd_costs_of(const knd_device *d, kn_offload_costs *out);
knx_error *knd_calibrate(const knd_device *d, kn_offload_costs *out);

/* ---- The device. It works with one other, the first that is known when somebody asks for "auto"; without one it is
 * the host. */
extern const knd_device knd_auto;
knx_error *knd_open_auto(void);
void knd_auto_use(const knd_device *d); /* NULL: the host alone */
const knd_device *knd_auto_used(void);   /* the host, if there is none */

/* For texts and drawings of a program that was compiled for d: where each step runs, and why (mark.c). Operands of a
 * program for "auto" are on the host. Nothing is marked if d is the host. */
knx_error *knd_mark(const knd_device *d, knc_program *p);
#endif
