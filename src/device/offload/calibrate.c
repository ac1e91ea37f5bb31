/* SPDX-License-Identifier: Apache-2.0
 * calibrate.c -- what copies and steps cost on a device and on the host, measured once for each device by copies of two
 * sizes and by small programs, and kept in the user's cache directory. */
#include "base/clock.h"
#include "base/context.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/whole_file.h"
#include "device/offload/offload.h"
#include "device/steps/steps.h"
#include "ir/ops.h"
#include "kiln/device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FORMAT = 1, MOST = 64, NAME = 32 };

/* ---- Measuring: the least time of some runs. */

enum { RUNS = 5, SMALL = 1 << 10, LARGE = 1 << 20, SIDE = 256, DEEP = 64 };

/* x + 1, or a chain of products and sums, or a matrix times itself */
typedef enum probe { PROBE_SUM, PROBE_CHAIN, PROBE_PRODUCT } probe;

static knx_error *make_probe(probe what, int64_t n, kni_jaxpr **out)
{
    kni_builder b;
    knb_init(&b);
    kn_dtype f32 = &knx_dtype_table[KN_ID_F32];
    int64_t dim[2] = {what == PROBE_PRODUCT ? SIDE : n, SIDE};
    kni_atom x = knb_invar(&b, kni_type_of(f32, what == PROBE_PRODUCT ? 2 : 1, dim)), y = x;
    if (what == PROBE_SUM)
        y = knb_add(&b, x, knb_number(&b, f32, 1));
    for (int i = 0; what == PROBE_CHAIN && i < DEEP; i++)
        y = knb_add(&b, knb_mul(&b, y, x), x);
    const int64_t first = 0, second = 1;
    if (what == PROBE_PRODUCT)
        y = knb_dot_general(&b, x, x, &(kni_p_dot_general){.lhs_contract = {1, &second}, .rhs_contract = {1, &first}});
    return knb_finish(&b, 1, &y, "probe", false, out);
}

static double now(void) { return (double)knx_nanoseconds() * 1e-9; }

/* Seconds of a run with operands where it runs; negative: the device refuses it. */
static knx_error *time_program(const knd_device *d, probe what, int64_t n, double *out)
{
    kni_jaxpr *j = NULL;
    knd_loaded *l = NULL;
    KN_TRY(make_probe(what, n, &j));
    knx_error *error = knd_compile(d, j, &(knc_compile_options){.fuse = true, .quiet = true}, &l);
    size_t bytes = error ? 0 : kni_type_bytes(knc_operand_type(l->program, 0));
    knx_buffer *x = error ? NULL : knx_buffer_new(bytes);
    if (!error && !x)
        error = knx_error_nomem();
    if (x)
        memset(x->data, 0, bytes);
    *out = 1e9;
    for (int i = 0; !error && i < RUNS; i++) {
        knx_buffer *y = NULL;
        double begin = now();
        error = knd_run(l, &(knd_operand){.buffer = x}, &y, NULL);
        if (!error && d->wait)
            error = d->wait(d);
        double seconds = now() - begin;
        *out = i && seconds < *out ? seconds : *out; /* the first one sends, too */
        knx_buffer_release(y);
    }
    if (!error && d != &knd_host && knd_steps_refusal(d, l->program, l->program->step, NULL))
        *out = -1;
    knx_buffer_release(x);
    knd_release(l);
    kni_release(j);
    return error;
}

static double rate(double work, double seconds, double rest, double otherwise)
{
    if (seconds < 0)
        return otherwise;
    double left = seconds - rest;
    return work / (left > seconds / 100 ? left : seconds / 100);
}

static knx_error *measure_side(const knd_device *d, kn_offload_side *out)
{
    double small, large, chain, product;
    KN_TRY(time_program(d, PROBE_SUM, 1, &small));
    KN_TRY(time_program(d, PROBE_SUM, LARGE, &large));
    KN_TRY(time_program(d, PROBE_CHAIN, LARGE / 16, &chain));
    KN_TRY(time_program(d, PROBE_PRODUCT, 0, &product));
    out->step = small < 0 ? 1 : small;
    out->bytes = rate(8.0 * LARGE, large, out->step, 1e6);
    out->operations = rate(2.0 * DEEP * LARGE / 16, chain, out->step, 1e6);
    out->products = rate((double)SIDE * SIDE * SIDE, product, out->step, out->operations);
    return NULL;
}

static knx_error *time_copies(const knd_device *d, knd_memory *m, char *here, size_t bytes, double *up, double *down)
{
    *up = *down = 1e9;
    for (int i = 0; i < RUNS; i++) {
        double begin = now();
        KN_TRY(knd_copy_in(d, m, 0, here, bytes));
        KN_TRY(d->wait ? d->wait(d) : NULL);
        double middle = now();
        KN_TRY(knd_copy_out(d, here, m, 0, bytes));
        double end = now();
        *up = middle - begin < *up ? middle - begin : *up;
        *down = end - middle < *down ? end - middle : *down;
    }
    return NULL;
}

static knx_error *measure_copies(const knd_device *d, kn_offload_costs *out)
{
    enum { BYTES = 4 * LARGE };
    knd_memory *m = NULL;
    knx_buffer *here = knx_buffer_new(BYTES);
    double up[2], down[2];
    if (!here)
        return knx_error_nomem();
    memset(here->data, 0, BYTES);
    knx_error *error = knd_alloc(d, BYTES, &m);
    if (!error)
        error = time_copies(d, m, here->data, SMALL, &up[0], &down[0]);
    if (!error)
        error = time_copies(d, m, here->data, BYTES, &up[1], &down[1]);
    knd_free(d, m, BYTES);
    knx_buffer_release(here);
    if (error)
        return error;
    out->up_latency = up[0];
    out->down_latency = down[0];
    out->up = rate(BYTES, up[1], up[0], 1);
    out->down = rate(BYTES, down[1], down[0], 1);
    return NULL;
}

knx_error *knd_calibrate(const knd_device *d, kn_offload_costs *out)
{
    double begin = now();
    *out = (kn_offload_costs){.size_ = sizeof *out};
    knd_lock();
    knx_error *error = measure_copies(d, out);
    error = error ? error : measure_side(&knd_host, &out->here);
    error = error ? error : measure_side(d, &out->there);
    knd_unlock();
    if (!error)
        KN_LOG(1, "offload: costs of %s measured in %.0f ms", d->name, (now() - begin) * 1e3);
    return error;
}

/* ---- The file: a line for the format, then the numbers. There is one for each adapter: the first device of a kind is
 * not the same one on another day, or on another machine with the same home. */

static uint64_t hash_text(const char *text, uint64_t seed)
{
    return knx_hash_bytes(text ? text : "", text ? strlen(text) + 1 : 1, seed);
}

static bool file_of(const knd_device *d, char *path, size_t room)
{
    const char *dir = knx_env()->cache;
    const kn_device_info *i = d->info ? d->info(d) : NULL;
    char which[20] = "";
    if (i) {
        uint64_t h = hash_text(i->features, hash_text(i->driver, hash_text(i->vendor, hash_text(i->description, 1))));
        snprintf(which, sizeof which, "-%016llx", (unsigned long long)h);
    }
    if (!dir || (size_t)snprintf(path, room, "%s/offload-%s%s", dir, d->name, which) >= room)
        return false;
    for (char *c = path + strlen(dir) + 1; *c; c++)
        if (*c == '/' || *c == ':')
            *c = '-';
    return true;
}

#define NUMBERS "%lg %lg %lg %lg %lg %lg %lg %lg %lg %lg %lg %lg"
#define EACH(c, _)                                                                                               \
    _(c->up), _(c->down), _(c->up_latency), _(c->down_latency), _(c->here.step), _(c->here.bytes),               \
        _(c->here.operations), _(c->here.products), _(c->there.step), _(c->there.bytes), _(c->there.operations), \
        _(c->there.products)
#define VALUE(x)   (x)
#define ADDRESS(x) (&(x))

static bool are_sound(const kn_offload_costs *c)
{
    const double positive[] = {c->up,
                               c->down,
                               c->here.bytes,
                               c->here.operations,
                               c->here.products,
                               c->there.bytes,
                               c->there.operations,
                               c->there.products};
    const double others[] = {c->up_latency, c->down_latency, c->here.step, c->there.step};
    bool fine = true;
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        fine = fine && positive[i] > 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        fine = fine && others[i] >= 0;
    return fine;
}

static bool read_costs(const knd_device *d, kn_offload_costs *out)
{
    char path[4200];
    int format = 0;
    FILE *f = file_of(d, path, sizeof path) ? fopen(path, "r") : NULL;
    if (!f)
        return false;
    *out = (kn_offload_costs){.size_ = sizeof *out};
    bool fine = fscanf(f, "kiln offload costs %d " NUMBERS, &format, EACH(out, ADDRESS)) == 13 && format == FORMAT &&
                are_sound(out);
    fclose(f);
    return fine;
}

/* What cannot be written is measured again the next time. */
static void write_costs(const knd_device *d, const kn_offload_costs *c)
{
    char path[4200], text[512];
    if (!file_of(d, path, sizeof path))
        return;
    mkdir(knx_env()->cache, 0700);
    int n = snprintf(text, sizeof text, "kiln offload costs %d\n" NUMBERS "\n", FORMAT, EACH(c, VALUE));
    if (n > 0 && n < (int)sizeof text)
        knx_write_whole_file(path, text, (size_t)n);
}

/* ---- Which costs hold. */

static struct {
    char name[NAME];
    const knd_device *device; /* that they were measured on; NULL: the user's, for whoever has the name */
    kn_offload_costs costs;
} known[MOST]; /* under the devices' lock */

static int find(const char *name)
{
    for (int i = 0; i < MOST; i++)
        if (!strcmp(known[i].name, name))
            return i;
    return -1;
}

/* False: there is no room. */
static bool remember(const char *name, const knd_device *device, const kn_offload_costs *c)
{
    int i = find(name);
    i = i < 0 ? find("") : i;
    if (i < 0)
        return false;
    snprintf(known[i].name, sizeof known[i].name, "%s", name);
    known[i].device = device;
    known[i].costs = *c;
    return true;
}

knx_error *knd_costs_of(const knd_device *d, kn_offload_costs *out)
{
    knx_error *error = NULL;
    knd_lock();
    int i = find(d->name);
    if (i >= 0 && (!known[i].device || known[i].device == d)) {
        *out = known[i].costs;
    } else if (read_costs(d, out)) {
        remember(d->name, d, out);
    } else if (!(error = knd_calibrate(d, out))) {
        remember(d->name, d, out);
        write_costs(d, out);
    }
    knd_unlock();
    return error;
}

static int refuse(const char *operation, kn_error_kind kind, const char *message, const char *device)
{
    if (device)
        knx_report_new(operation, kind, message, device);
    else
        knx_report_new(operation, kind, "%s", message);
    return -1;
}

int kn_offload_set_costs(const char *device, const kn_offload_costs *costs)
{
    kn_offload_costs mine = {.size_ = sizeof mine};
    if (!device || strlen(device) >= NAME || !*device)
        return refuse("offload_set_costs", KN_ERROR_TYPE, "the name of the device is null, empty or too long", NULL);
    if (costs && costs->size_ < sizeof costs->size_)
        return refuse("offload_set_costs", KN_ERROR_TYPE, "size_ of the costs is not set", NULL);
    if (costs)
        memcpy(&mine, costs, costs->size_ < sizeof mine ? costs->size_ : sizeof mine);
    if (costs && !are_sound(&mine))
        return refuse("offload_set_costs", KN_ERROR_VALUE, "a rate is not above 0, or a time below it", NULL);
    knd_lock();
    int i = find(device);
    bool fine = !costs || remember(device, NULL, &mine);
    if (!costs && i >= 0)
        known[i].name[0] = '\0';
    knd_unlock();
    return fine ? 0
                : refuse("offload_set_costs", KN_ERROR_VALUE, "there is no room for the costs of device '%s'", device);
}

int kn_offload_get_costs(const char *device, kn_offload_costs *out)
{
    const knd_device *d = device ? knd_find(device) : NULL;
    size_t size = out ? out->size_ : 0;
    kn_offload_costs c;
    if (size < sizeof size)
        return refuse("offload_get_costs", KN_ERROR_TYPE, "the result is null, or its size_ is not set", NULL);
    if (!d || !d->alloc)
        return refuse("offload_get_costs", KN_ERROR_VALUE, "there is no device '%s' beside the host",
                      device ? device : "");
    knx_error *error = knd_costs_of(d, &c);
    if (error) {
        knx_error_release(knx_report(error));
        return -1;
    }
    memcpy(out, &c, size < sizeof c ? size : sizeof c);
    out->size_ = size;
    return 0;
}
