/* SPDX-License-Identifier: Apache-2.0
 * case_webgpu.c -- a WebGPU device: what it takes to record a dispatch, to submit some, to call a jitted function, and a
 * step of training (64-128-10, batch 128, SGD in the function) beside the host. Rows are left out where there is no
 * engine (KILN_WEBGPU_LIBRARY). Below the step: what the device was asked to do, per step. */
#include "inputs.h"
#if KN_HAVE_WEBGPU
#include "webgpu/gpu.h"
#include <math.h>
#include <stdio.h>

/* ---- Dispatches and submissions, without programs of Kiln. */

enum { POINTS = 64, FEW = 128 }; /* FEW: less than what is submitted by itself */
static const char text[] = "@group(0) @binding(0) var<uniform> w: array<vec4<u32>, 1>;\n"
                           "@group(0) @binding(1) var<storage, read_write> m: array<u32>;\n"
                           "@compute @workgroup_size(64)\n"
                           "fn main(@builtin(global_invocation_id) id: vec3<u32>) { m[id.x] = m[id.x] + w[0].x; }\n";

typedef struct raw {
    kng_gpu *g;
    kng_pipeline *pipeline;
    kng_bound slot[KNG_SLOTS];
} raw;

static bool failed(knx_error *error)
{
    if (error)
        printf("webgpu: %s\n", error->message);
    bool is = error != NULL;
    knx_error_release(error);
    return is;
}

static knx_error *record(raw *s)
{
    const uint32_t words[4] = {1}, grid[3] = {1, 1, 1};
    return kng_dispatch_text(s->g, s->pipeline, s->slot, words, 4, grid, NULL, 0);
}

/* All elements count the dispatches. */
static bool counts_right(raw *s)
{
    uint32_t m[POINTS] = {0};
    bool well = !failed(kng_upload(s->g, s->slot[0].memory, 0, m, sizeof m));
    for (int i = 0; i < 3 && well; i++)
        well = !failed(record(s));
    well = well && !failed(kng_download(s->g, m, s->slot[0].memory, 0, sizeof m));
    for (int i = 0; i < POINTS && well; i++)
        well = m[i] == 3;
    return well;
}

static void raw_teardown(void *state)
{
    raw *s = state;
    knd_lock();
    kng_pipeline_release(s->g, s->pipeline);
    if (s->slot[0].memory)
        kng_free(s->g, s->slot[0].memory);
    knd_unlock();
    free(s);
}

static void *raw_setup(void)
{
    kn_device d = kn_find_device("webgpu:0"); /* an error says what is missing */
    raw *s = d ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->g = kng_gpu_at(0);
    knd_lock();
    bool well = !failed(kng_pipeline_for(s->g, text, &s->pipeline)) &&
                !failed(kng_alloc(s->g, POINTS * sizeof(uint32_t), &s->slot[0].memory)) && counts_right(s);
    knd_unlock();
    if (well)
        return s;
    printf("webgpu: a dispatch does not give what it has to: not measured\n");
    raw_teardown(s);
    return NULL;
}

/* Recording alone: what was recorded is submitted, and has ended, while nobody measures. */
static double run_dispatches(void *state, int times)
{
    raw *s = state;
    double seconds = 0;
    knd_lock();
    for (int done = 0; done < times && seconds >= 0;) {
        int n = times - done < FEW ? times - done : FEW;
        double begin = bench_now();
        knx_error *error = NULL;
        for (int i = 0; i < n && !error; i++)
            error = record(s);
        seconds += bench_now() - begin;
        error = error ? error : kng_finish(s->g);
        seconds = failed(error) ? -1 : seconds;
        done += n;
    }
    knd_unlock();
    return seconds;
}

/* Of `n` dispatches each: the submission alone, or until it has ended. */
static double run_submissions(raw *s, int times, int n, bool to_its_end)
{
    double seconds = 0;
    knd_lock();
    for (int done = 0; done < times && seconds >= 0; done++) {
        knx_error *error = NULL;
        for (int i = 0; i < n && !error; i++)
            error = record(s);
        double begin = bench_now();
        if (!error)
            error = to_its_end ? kng_finish(s->g) : kng_submit(s->g);
        seconds += bench_now() - begin;
        error = error ? error : kng_finish(s->g);
        seconds = failed(error) ? -1 : seconds;
    }
    knd_unlock();
    return seconds;
}
static double run_submit_1(void *state, int times) { return run_submissions(state, times, 1, false); }
static double run_submit_many(void *state, int times) { return run_submissions(state, times, FEW, false); }
static double run_finish_1(void *state, int times) { return run_submissions(state, times, 1, true); }

/* ---- Training. */

enum { BATCH = 128, PARAMETERS = 4 };
typedef struct {
    kn_array w1, b1, w2, b2;
} Net;
typedef struct {
    kn_array images, labels;
} Batch;
typedef struct training {
    kn_scope scope;
    Net net[2]; /* on the device, on the host */
    Batch batch[2];
    kn_fn step;
} training;

static kn_array loss(const Net *p, const Batch *batch)
{
    kn_array h = kn_nn_relu(kn_add(kn_matmul(batch->images, p->w1), p->b1));
    kn_array log_p = kn_nn_log_softmax(kn_add(kn_matmul(h, p->w2), p->b2), KN_AXIS(-1));
    kn_array hot = kn_nn_one_hot(batch->labels, 10, .dtype = KN_F32);
    return kn_negative(kn_mean(kn_sum(kn_mul(log_p, hot), KN_AXIS(-1))));
}
KN_FUNCTION(loss, kn_array, Net, Batch)

static kn_array less(kn_array p, kn_array grad) { return kn_sub(p, kn_mul(grad, 0.01f)); }
static Net step(const Net *p, const Batch *batch)
{
    Net d;
    kn_call(kn_grad(KN_FN(loss)), &d, p, batch);
    return (Net){less(p->w1, d.w1), less(p->b1, d.b1), less(p->w2, d.w2), less(p->b2, d.b2)};
}
KN_FUNCTION(step, Net, Net, Batch)

static Net fresh(void)
{
    return (Net){kn_mul(bench_wave(KN_SHAPE(64, 128), 1.7), 0.15f), kn_zeros(KN_SHAPE(128), .dtype = KN_F32),
                 kn_mul(bench_wave(KN_SHAPE(128, 10), 2.7), 0.1f), kn_zeros(KN_SHAPE(10), .dtype = KN_F32)};
}

static void put_on(training *s, int i, kn_device d)
{
    kn_array images = bench_wave(KN_SHAPE(BATCH, 64), 0.37);
    Batch batch = {images, kn_astype(kn_remainder(kn_mul(kn_arange(0, BATCH, 1), 7), 10), KN_I32)};
    Net net = fresh();
    s->batch[i] = (Batch){kn_device_put(batch.images, d), kn_device_put(batch.labels, d)};
    for (int k = 0; k < PARAMETERS; k++) {
        (&s->net[i].w1)[k] = kn_device_put((&net.w1)[k], d);
        kn_eval((&s->net[i].w1)[k]);
    }
    kn_eval(s->batch[i].images);
    kn_eval(s->batch[i].labels);
}

static double run_steps(training *s, int which, int times)
{
    double begin = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        Net next;
        if (kn_call(s->step, &next, &s->net[which], &s->batch[which]))
            return -1;
        for (int k = 0; k < PARAMETERS; k++) {
            kn_assign(&(&s->net[which].w1)[k], (&next.w1)[k]);
            kn_eval((&s->net[which].w1)[k]);
        }
    }
    kn_block_until_ready(s->net[which].b2);
    return bench_now() - begin;
}
static double run_there(void *state, int times) { return run_steps(state, 0, times); }
static double run_here(void *state, int times) { return run_steps(state, 1, times); }

static void *training_setup(void)
{
    kn_device d = kn_find_device("webgpu:0");
    training *s = d ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->scope = kn_scope_begin();
    s->step = kn_jit(KN_FN(step));
    put_on(s, 0, d);
    put_on(s, 1, kn_find_device("host"));
    return s;
}

/* After three steps of each from the same weights, against the largest weight. */
static double differs(void *state, int i)
{
    training *s = state;
    double most = 0;
    (void)i;
    if (run_there(s, 3) < 0 || run_here(s, 3) < 0)
        return INFINITY;
    for (int k = 0; k < PARAMETERS; k++) {
        kn_array x = (&s->net[0].w1)[k], y = (&s->net[1].w1)[k];
        const float *p = kn_data(x, float), *q = kn_data(y, float);
        for (int64_t e = 0; p && q && e < kn_size(x); e++)
            most = fmax(most, fabs((double)p[e] - (double)q[e]));
        most = p && q ? most : INFINITY;
    }
    return most / 1e-5;
}

static void note(void *state)
{
    training *s = state;
    kng_gpu *g = kng_gpu_at(0);
    enum { STEPS = 20 };
    kng_counters before = g->counters;
    run_there(s, STEPS);
    const kng_counters *c = &g->counters;
    double n = STEPS;
    printf("    %s: per step %.1f dispatches, %.1f copies, %.2f submissions, %.2f waits, %.0f bytes up, %.0f down; "
           "pipelines: %.2f made, %.1f found; %lld made in all\n",
           g->label, (double)(c->dispatches - before.dispatches) / n, (double)(c->copies - before.copies) / n,
           (double)(c->submits - before.submits) / n, (double)(c->waits - before.waits) / n,
           (double)(c->bytes_up - before.bytes_up) / n, (double)(c->bytes_down - before.bytes_down) / n,
           (double)(c->pipelines - before.pipelines) / n, (double)(c->pipeline_hits - before.pipeline_hits) / n,
           (long long)c->pipelines);
}

static void training_teardown(void *state)
{
    training *s = state;
    kn_scope_end(&s->scope);
    free(s);
}

#define RAW .threads = 1, .setup = raw_setup, .teardown = raw_teardown
const bench_case bench_webgpu[] = {
    {.name = "webgpu_record", .unit = "ns", .run = run_dispatches, RAW},
    {.name = "webgpu_submit_1", .unit = "us", .run = run_submit_1, RAW},
    {.name = "webgpu_submit_128", .unit = "us", .run = run_submit_many, RAW},
    {.name = "webgpu_finish_1", .unit = "us", .run = run_finish_1, RAW},
    {.name = "webgpu_step",
     .unit = "us",
     .threads = 1,
     .setup = training_setup,
     .run = run_there,
     .teardown = training_teardown,
     .differs = differs,
     .note = note,
     .other = {{.name = "host", .run = run_here}}},
    {0},
};
#else
const bench_case bench_webgpu[] = {{0}};
#endif
