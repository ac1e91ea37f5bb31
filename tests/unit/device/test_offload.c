/* SPDX-License-Identifier: Apache-2.0
 * test_offload.c -- where the device "auto" runs the steps of programs. The far device has a clock here: what copies and
 * launches would take is added up, for each placement of a program's steps that there is; the one that is decided for is
 * at most a tenth slower than the best of all. */
#include "devices/devices.h"
#include "device/offload/offload.h"
#include "device/steps/steps.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/programs.h"
#include "support/ways.h"
#include <math.h>
#include <stdlib.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

/* No file of the user's is read or written. */
static char cache[] = "/tmp/kiln-offload-XXXXXX";
__attribute__((constructor)) static void with_own_cache(void)
{
    if (mkdtemp(cache))
        setenv("KILN_CACHE_DIR", cache, 1);
}
__attribute__((destructor)) static void without_cache(void) { rmdir(cache); }

enum { SMALL = 16, LARGE = 16384, MOST = 10 };

/* A device behind a slow bus: a hundred times faster at products and memory, but a launch takes as long as the host
 * needs for some thousand elements. */
static const kn_offload_costs bus = {.size_ = sizeof bus,
                                     .up = 2e9,
                                     .down = 1e9,
                                     .up_latency = 5e-6,
                                     .down_latency = 1e-5,
                                     .here = {1e-7, 1e10, 1e9, 1e10},
                                     .there = {4e-6, 4e11, 1e11, 1e12}};

static int setup(void **state)
{
    far_find_again();
    far_take(FAR_PRODUCTS | FAR_PUTS); /* sorts are the host's */
    knd_auto_use(&far_device);
    kn_offload_set_costs("far:0", &bus);
    kn_offload_forget();
    return expect_setup(state);
}

static int teardown(void **state)
{
    knd_auto_use(NULL);
    kn_offload_set_costs("far:0", NULL);
    kn_offload_forget();
    far_clock_on(&far_device, NULL);
    far_take(FAR_ALL);
    return expect_teardown(state);
}
#define FAR(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* ---- Twelve programs. */

static kni_atom sorted(kni_builder *b, kni_atom x)
{
    kni_atom y;
    knb_sort(b, 1, &x, 0, 1, &y);
    return y;
}

static kni_atom heavy(kni_builder *b, kni_atom x) { return knb_tanh(b, x); }

static kni_atom product(kni_builder *b, kni_atom x, kni_atom y)
{
    return knb_dot_general(
        b, x, y, &(kni_p_dot_general){.lhs_contract = {1, (int64_t[]){1}}, .rhs_contract = {1, (int64_t[]){0}}});
}

/* n times something that is much work for each element */
static kni_jaxpr *chain(int64_t elements, int n)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(elements));
    for (int i = 0; i < n; i++)
        x = i % 2 ? knb_exp(&b, x) : heavy(&b, x);
    return FINISH(&b, x);
}
static kni_jaxpr *small_chain(void) { return chain(SMALL, 6); }
static kni_jaxpr *large_chain(void) { return chain(LARGE, 6); }

/* the sum of products of large arrays: less work than the way to the device */
static kni_jaxpr *large_sum(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(LARGE)), y = knb_invar(&b, F32(LARGE));
    return FINISH(&b, knb_reduce_sum(&b, knb_mul(&b, x, y), 1, (int64_t[]){0}));
}

static kni_jaxpr *products(int64_t side, int n)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(side, side)), w = knb_invar(&b, F32(side, side));
    for (int i = 0; i < n; i++)
        x = product(&b, w, x);
    return FINISH(&b, x);
}
static kni_jaxpr *small_products(void) { return products(8, 5); }
static kni_jaxpr *large_products(void) { return products(128, 4); }

/* heavy, sort, heavy: there and back */
static kni_jaxpr *sandwich(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = heavy(&b, heavy(&b, knb_invar(&b, F32(LARGE))));
    return FINISH(&b, heavy(&b, heavy(&b, sorted(&b, x))));
}

/* between two sorts each time a little that is faster there, if only it were there */
static kni_jaxpr *ping_pong(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(1024));
    for (int i = 0; i < 4; i++)
        x = heavy(&b, sorted(&b, x));
    return FINISH(&b, x);
}

/* a value that is read on both sides */
static kni_jaxpr *diamond(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = heavy(&b, knb_invar(&b, F32(LARGE)));
    kni_atom left = sorted(&b, x), right = heavy(&b, heavy(&b, x));
    return FINISH(&b, knb_add(&b, left, right), right);
}

/* numbers of 64 bits in between, and a small part of a large value */
static kni_jaxpr *mixed(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = heavy(&b, knb_invar(&b, F32(LARGE))), head;
    const int64_t from[] = {0}, to[] = {16};
    head = knb_convert(&b, knb_slice(&b, x, from, to, NULL), KN_DT(F64));
    return FINISH(&b, knb_exp(&b, heavy(&b, x)), knb_exp(&b, knb_mul(&b, head, head)));
}

static kni_jaxpr *loop(int64_t elements, int64_t turns, int n)
{
    kni_builder b;
    knb_init(&b);
    kni_atom c = knb_invar(&b, F32(elements)), x = c;
    for (int i = 0; i < n; i++)
        x = heavy(&b, x);
    scan_of s = {FINISH(&b, x), 0, 1, turns, false, KN_PATH_STEPWISE, 0};
    kni_jaxpr *j = scan_jaxpr(&s);
    kni_release(s.body);
    return j;
}
static kni_jaxpr *loop_over_little(void) { return loop(8, 20, 2); }
static kni_jaxpr *loop_over_much(void) { return loop(4096, 5, 3); }

/* work before and behind a loop over little */
static kni_jaxpr *around_a_loop(void)
{
    kni_builder b;
    kni_jaxpr *inner = loop(16, 10, 1);
    knb_init(&b);
    kni_atom x = heavy(&b, knb_invar(&b, F32(LARGE))), y, s;
    const int64_t from[] = {0}, to[] = {16};
    s = knb_slice(&b, x, from, to, NULL);
    knb_inline(&b, inner, &s, &y);
    kni_jaxpr *j = FINISH(&b, y, heavy(&b, x));
    kni_release(inner);
    return j;
}

typedef struct example {
    const char *name;
    kni_jaxpr *(*make)(void);
} example;
static const example examples[] = {{"small chain", small_chain},
                                   {"large chain", large_chain},
                                   {"large sum", large_sum},
                                   {"small products", small_products},
                                   {"large products", large_products},
                                   {"sandwich", sandwich},
                                   {"ping-pong", ping_pong},
                                   {"diamond", diamond},
                                   {"mixed", mixed},
                                   {"loop over little", loop_over_little},
                                   {"loop over much", loop_over_much},
                                   {"around a loop", around_a_loop}};
enum { EXAMPLES = sizeof examples / sizeof *examples };

/* ---- Running them under the clock. */

typedef struct timed {
    const knc_program *p;
    double seconds; /* of steps on the host */
} timed;

/* Steps of the program itself; what is in a loop of the host's is a part of that. */
static void hear(void *env, const kn_step *step)
{
    timed *t = env;
    int64_t i = step->group - (int64_t)t->p->first_group;
    if (i >= 0 && i < t->p->n_step && !strcmp(step->device, "host"))
        t->seconds += knd_step_seconds(&far_device, &bus, t->p, (uint32_t)i, false);
}

typedef struct trial {
    knc_program *p;
    knd_operand in[MOST];
    uint8_t where[MOST];
    knd_graph graph;
    knx_arena arena;
} trial;

static void begin_trial(trial *t, const kni_jaxpr *j, knc_kernel_cache *kernels)
{
    const knc_compile_options o = {.target = far_device.target(&far_device), .kernels = kernels};
    *t = (trial){.arena = KN_ARENA_INIT};
    test_ok(knc_compile(j, &o, &t->p));
    assert_true(t->p->n_step <= MOST && j->n_in <= MOST);
    for (uint32_t i = 0; i < j->n_in; i++) {
        size_t bytes = kni_type_bytes(kni_in_type(j, i));
        t->in[i] = (knd_operand){.buffer = knx_buffer_new(bytes), .lent = true};
        for (size_t k = 0; k < bytes / sizeof(float); k++)
            ((float *)t->in[i].buffer->data)[k] = (float)(k % 100) / 128;
        t->where[i] = KND_HERE;
    }
    test_ok(knd_make_graph(&far_device, &bus, t->p, &t->arena, &t->graph));
}

static void end_trial(trial *t)
{
    for (uint32_t i = 0; i < t->p->n_operand; i++)
        knx_buffer_release(t->in[i].buffer);
    knc_release(t->p);
    knx_arena_free(&t->arena);
}

/* What a run with this placement takes. */
static double simulate(const trial *t, const bool *there)
{
    const char *here[MOST + 1] = {NULL};
    knd_loaded *l = NULL;
    knx_buffer *out[MANY] = {NULL};
    timed clock = {.p = t->p};
    for (uint32_t i = 0; i < t->p->n_step; i++)
        here[i] = there[i] ? NULL : "chosen";
    far_clock_on(&far_device, NULL);
    test_ok(knd_steps_load_as(&far_device, t->p, here, &l));
    far_clock_on(&far_device, &bus);
    const knd_options o = {.threads = 1, .on_step = hear, .on_step_env = &clock};
    test_ok(knd_run_with(l, t->in, out, &o));
    double seconds = clock.seconds + far_seconds_on(&far_device);
    test_release((int)t->p->n_output, out);
    knd_release(l);
    return seconds;
}

/* Of all placements; `off`: by how much the model's time is another at most. */
static double best_of_all(const trial *t, double *off)
{
    double best = 1e9;
    uint32_t n = t->p->n_step;
    for (uint32_t bits = 0; bits < 1u << n; bits++) {
        bool there[MOST] = {false}, possible = true;
        for (uint32_t i = 0; i < n; i++) {
            there[i] = bits >> i & 1;
            possible = possible && !(there[i] && t->graph.refusal[i]);
        }
        if (!possible)
            continue;
        double seconds = simulate(t, there), model = knd_run_seconds(&t->graph, &bus, t->where, there);
        double error = model > seconds ? model / seconds - 1 : seconds / model - 1;
        best = seconds < best ? seconds : best;
        *off = error > *off ? error : *off;
    }
    return best;
}

static void twelve_programs_are_placed_within_a_tenth_of_the_best(void **state)
{
    (void)state;
    knc_kernel_cache *kernels = knc_kernel_cache_new((size_t)1 << 24);
    int on_both = 0, here = 0, all_there = 0;
    for (int e = 0; e < EXAMPLES; e++) {
        kni_jaxpr *j = examples[e].make();
        trial t;
        bool there[MOST] = {false};
        double off = 0;
        begin_trial(&t, j, kernels);
        test_ok(knd_decide(&t.graph, &bus, t.where, NULL, there));
        int some = 0;
        for (uint32_t i = 0; i < t.p->n_step; i++)
            some += there[i];
        double mine = simulate(&t, there), best = best_of_all(&t, &off);
        if (mine > 1.1 * best || off > 0.05)
            fail_msg("%s: %g us, the best is %g us; the model is off by %g %%", examples[e].name, mine * 1e6,
                     best * 1e6, off * 100);
        printf("%-18s %2u steps, %2d there: %8.2f us, the best %8.2f us\n", examples[e].name, (unsigned)t.p->n_step,
               some, mine * 1e6, best * 1e6);
        on_both += some && (uint32_t)some < t.p->n_step;
        here += !some;
        all_there += (uint32_t)some == t.p->n_step;
        end_trial(&t);
        kni_release(j);
    }
    assert_true(on_both >= 2 && here >= 3 && all_there >= 2); /* they are programs of all kinds */
    knc_kernel_cache_free(kernels);
}

/* ---- The device. */

static knd_loaded *load(const kni_jaxpr *j)
{
    knd_loaded *l = NULL;
    test_ok(knd_compile(&knd_auto, j, &(knc_compile_options){.fuse = true}, &l));
    return l;
}

static knx_buffer *numbers(int64_t n)
{
    knx_buffer *b = knx_buffer_new((size_t)n * sizeof(float));
    for (int64_t i = 0; i < n; i++)
        ((float *)b->data)[i] = (float)(i % 100) / 128;
    return b;
}

static void small_work_stays_and_large_work_goes(void **state)
{
    (void)state;
    for (int large = 0; large < 2; large++) {
        kni_jaxpr *j = large ? large_chain() : small_chain();
        knd_loaded *l = load(j);
        knx_buffer *x = numbers(large ? LARGE : SMALL), *y = NULL;
        far_forget();
        test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y, NULL));
        assert_int_equal(far_count().launches, large);
        assert_ptr_equal(knd_device_of(y), large ? &far_device : &knd_host);
        knx_buffer_release(y);
        knx_buffer_release(x);
        knd_release(l);
        kni_release(j);
    }
}

/* A little work on what is there runs there; the result stays. */
static void work_goes_where_its_operands_are(void **state)
{
    (void)state;
    kni_jaxpr *j = chain(4096, 1);
    knd_loaded *l = load(j), *first = NULL;
    test_ok(knd_compile(&far_device, j, &(knc_compile_options){.fuse = true}, &first));
    knx_buffer *x = numbers(4096), *y = NULL, *z = NULL, *w = NULL;
    kn_offload_costs slow = bus;
    slow.there.operations = slow.here.operations; /* no gain at all */
    kn_offload_set_costs("far:0", &slow);
    knd_release(l);
    l = load(j);
    test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y, NULL)); /* on the host */
    assert_ptr_equal(knd_device_of(y), &knd_host);
    test_ok(knd_run(first, &(knd_operand){.buffer = x}, &z, NULL));
    test_ok(knd_run(l, &(knd_operand){.buffer = z}, &w, NULL));
    assert_ptr_equal(knd_device_of(w), &far_device);
    far_forget();
    for (int i = 0; i < 20; i++) {
        knx_buffer *next = NULL;
        test_ok(knd_run(l, &(knd_operand){.buffer = w}, &next, NULL));
        knx_buffer_release(w);
        w = next;
    }
    assert_int_equal(far_count().copied_in + far_count().copied_out, 0); /* nothing goes to and fro */
    assert_int_equal(far_count().launches, 20);
    knx_buffer *all[] = {x, y, z, w};
    test_release(4, all);
    knd_release(l);
    knd_release(first);
    kni_release(j);
}

/* w x: sending w costs more than one product gains, and w is the same each time. */
static void weights_that_come_again_go_over_once(void **state)
{
    (void)state;
    enum { SIDE = 64 };
    kni_builder b;
    knb_init(&b);
    kni_atom w = knb_invar(&b, F32(SIDE, SIDE)), x = knb_invar(&b, F32(SIDE, 8));
    kni_jaxpr *j = FINISH(&b, product(&b, w, x));
    kn_offload_costs c = bus;
    c.up_latency = c.down_latency = 1e-7;
    c.up = 2e8;
    c.there.step = 1e-7;
    c.here.products = 2e9;
    kn_offload_set_costs("far:0", &c);
    knd_loaded *l = load(j);
    knx_buffer *weights = numbers(SIDE * SIDE), *same = numbers(SIDE * 8);
    int here = 0, there = 0;
    for (int i = 0; i < 40; i++) {
        knx_buffer *y = NULL, *once = i % 2 ? numbers(SIDE * 8) : knx_buffer_retain(same);
        far_forget();
        test_ok(knd_run(l, (knd_operand[]){{.buffer = weights}, {.buffer = once}}, &y, NULL));
        if (!far_count().launches) {
            assert_int_equal(there, 0); /* and never back */
            here++;
        } else {
            there++;
        }
        knx_buffer_release(once);
        knx_buffer_release(y);
    }
    assert_true(here > 0 && there > 10);
    knx_buffer_release(weights);
    knx_buffer_release(same);
    knd_release(l);
    kni_release(j);
}

static void decisions_are_told_with_their_reasons(void **state)
{
    (void)state;
    KN_SCOPE;
    kni_jaxpr *j = sandwich();
    knd_loaded *l = load(j);
    knx_buffer *x = numbers(LARGE), *y = NULL;
    kn_offload_decision d[8];
    test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y, NULL));
    assert_int_equal(kn_offload_decisions(8, d), 3);
    assert_true(d[0].there && !d[1].there && d[2].there);
    assert_string_equal(d[0].device, "far:0");
    assert_string_equal(d[1].device, "host");
    assert_string_equal(d[1].operations, "sort");
    assert_int_equal(d[0].elements, LARGE);
    assert_non_null(strstr(d[0].reason, "faster there ("));
    assert_non_null(strstr(d[1].reason, "it has no routines ("));
    assert_true(d[1].seconds_there == -1 && d[0].seconds_there < d[0].seconds_here);
    assert_non_null(strstr(kn_offload_report(), "far:0"));
    kn_offload_forget();
    assert_int_equal(kn_offload_decisions(0, NULL), 0);
    assert_string_equal(kn_offload_report(), "nothing was decided\n");
    knx_buffer_release(x);
    knx_buffer_release(y);
    knd_release(l);
    kni_release(j);
}

static void a_program_is_shown_with_where_it_runs(void **state)
{
    (void)state;
    kni_jaxpr *j = sandwich();
    for (int i = 0; i < 2; i++) {
        const knd_device *d = i ? &far_device : &knd_auto;
        knc_program *p = NULL;
        char *text = NULL, *drawing = NULL;
        test_ok(knc_compile(j, &(knc_compile_options){.target = d->target(d), .fuse = true}, &p));
        test_ok(knd_mark(d, p));
        test_ok(knc_text(p, &text));
        test_ok(knc_graphviz(p, &drawing));
        assert_non_null(strstr(text, i ? "\n     on far:0\n" : "\n     on far:0 (faster there ("));
        assert_non_null(strstr(text, "\n     on host (it has no routines"));
        assert_non_null(strstr(drawing, "\non far:0\""));
        assert_non_null(strstr(drawing, "\non host\""));
        knx_free(text);
        knx_free(drawing);
        knc_release(p);
    }
    kni_release(j);
}

/* They stay where they are: programs over them are placed when they run. */
static void arrays_may_be_put_on_auto(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_device d = kn_find_device("auto");
    assert_non_null(d);
    far_forget();
    kn_array x = kn_device_put(kn_arange(0, LARGE, 1, KN_F32), d), y = x;
    assert_int_equal(far_count().copied_in, 0);
    assert_true(kn_is_committed(x));
    for (int i = 0; i < 6; i++)
        y = kn_tanh(kn_mul(y, 0.5));
    kn_eval(y);
    assert_true(far_count().launches > 0);
    assert_true(kn_item(kn_at(y, "0")) == 0);
    expect_values(kn_add(kn_device_put(kn_of(float, 1, 2), d), 1), 2, 3);
}

static void wrong_costs_are_errors(void **state)
{
    (void)state;
    kn_offload_costs c = bus;
    c.up = 0;
    assert_int_equal(kn_offload_set_costs("far:0", &c), -1);
    expect_error_with("ValueError", "a rate is not above 0");
    c = bus;
    c.size_ = 0;
    assert_int_equal(kn_offload_set_costs("far:0", &c), -1);
    expect_error_with("TypeError", "size_ of the costs is not set");
    assert_int_equal(kn_offload_set_costs(NULL, &bus), -1);
    expect_error_with("TypeError", "the name of the device is null");
}

/* A rate near 0, a time without end: what is told is still a number. */
static void costs_without_end_are_no_nans(void **state)
{
    (void)state;
    KN_SCOPE;
    kni_jaxpr *j = sandwich();
    kn_offload_costs c = bus;
    c.here.step = c.there.step = c.up_latency = INFINITY;
    c.down = 1e-320;
    assert_int_equal(kn_offload_set_costs("far:0", &c), 0);
    knd_loaded *l = load(j);
    knx_buffer *x = numbers(LARGE);
    for (int i = 0; i < 3; i++) {
        knx_buffer *y = NULL;
        test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y, NULL));
        knx_buffer_release(y);
    }
    assert_null(strstr(kn_offload_report(), "nan"));
    knx_buffer_release(x);
    knd_release(l);
    kni_release(j);
}

/* What cannot be kept is not taken. */
static void costs_have_room_or_are_refused(void **state)
{
    (void)state;
    enum { MANY_DEVICES = 100 };
    int fine = 0;
    char name[32];
    for (int i = 0; i < MANY_DEVICES; i++) {
        snprintf(name, sizeof name, "many:%d", i);
        fine += !kn_offload_set_costs(name, &bus);
        kn_error_clear();
    }
    assert_in_range(fine, 16, MANY_DEVICES - 1);
    assert_int_equal(kn_offload_set_costs(name, &bus), -1);
    expect_error_with("ValueError", "there is no room for the costs of device 'many:99'");
    for (int i = 0; i < MANY_DEVICES; i++) {
        snprintf(name, sizeof name, "many:%d", i);
        assert_int_equal(kn_offload_set_costs(name, NULL), 0);
    }
}

static const char *costs_file(void)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s/offload-far-0", getenv("KILN_CACHE_DIR"));
    return path;
}

static void write_costs_file(const char *text)
{
    FILE *f = fopen(costs_file(), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Costs as a new process finds them. */
static kn_offload_costs costs_found(void)
{
    kn_offload_costs c = {.size_ = sizeof c};
    assert_int_equal(kn_offload_set_costs("far:0", NULL), 0);
    assert_int_equal(kn_offload_get_costs("far:0", &c), 0);
    assert_true(c.up > 0 && c.down > 0 && c.here.products > 0 && c.there.products > 0);
    return c;
}

static void costs_are_kept_in_a_file(void **state)
{
    (void)state;
    test_ok(knd_register(&far_device));
    write_costs_file("kiln offload costs 1\n1 2 3 4 5 6 7 8 9 10 11 12\n");
    kn_offload_costs c = costs_found();
    assert_true(c.up == 1 && c.down_latency == 4 && c.here.step == 5 && c.there.products == 12);
    static const char *const bad[] = {"", "kiln offload costs 1\n1 2 3\n",
                                      "kiln offload costs 2\n1 2 3 4 5 6 7 8 9 10 11 12\n",
                                      "kiln offload costs 1\n0 2 3 4 5 6 7 8 9 10 11 12\n",
                                      "kiln offload costs 1\nnan nan nan nan nan nan nan nan nan nan nan nan\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_costs_file(bad[i]);
        c = costs_found(); /* measured, and written */
        kn_offload_costs again = costs_found();
        assert_true(c.there.step < 1 && fabs(again.up / c.up - 1) < 1e-4);
    }
    remove(costs_file());
    assert_int_equal(mkdir(costs_file(), 0700), 0); /* nothing can be written there */
    c = costs_found();
    assert_int_equal(rmdir(costs_file()), 0);
    costs_found();
    assert_int_equal(remove(costs_file()), 0);
    knd_unregister(&far_device);
}

static const kn_device_info *info_of_one(const knd_device *d)
{
    static const kn_device_info i = {.size_ = sizeof i, .description = "an adapter", .driver = "driver 1"};
    (void)d;
    return &i;
}

static const kn_device_info *info_of_other(const knd_device *d)
{
    static const kn_device_info i = {.size_ = sizeof i, .description = "an adapter", .driver = "driver 2"};
    (void)d;
    return &i;
}

/* Files with costs; each gets these, if there are any. */
static int files_of_costs(const char *costs)
{
    glob_t g;
    char pattern[4200];
    snprintf(pattern, sizeof pattern, "%s/offload-*", getenv("KILN_CACHE_DIR"));
    int n = glob(pattern, 0, NULL, &g) ? 0 : (int)g.gl_pathc;
    for (int i = 0; i < n; i++) {
        FILE *f = costs ? fopen(g.gl_pathv[i], "w") : NULL;
        if (f) {
            fputs(costs, f);
            fclose(f);
        }
    }
    for (int i = 0; i < n && !costs; i++)
        remove(g.gl_pathv[i]);
    globfree(&g);
    return n;
}

static double uploads_of(const knd_device *d)
{
    kn_offload_costs c = {.size_ = sizeof c};
    test_ok(knd_register(d));
    assert_int_equal(kn_offload_get_costs("far:0", &c), 0);
    knd_unregister(d);
    return c.up;
}

/* The first device of a kind may be another one tomorrow: costs belong to the adapter. */
static void costs_belong_to_the_adapter_and_not_to_the_name(void **state)
{
    (void)state;
    static knd_device one, other;
    one = other = far_device;
    one.info = info_of_one;
    other.info = info_of_other;
    files_of_costs(NULL);
    assert_int_equal(kn_offload_set_costs("far:0", NULL), 0);
    assert_true(uploads_of(&one) > 1);
    assert_int_equal(files_of_costs("kiln offload costs 1\n1 2 3 4 5 6 7 8 9 10 11 12\n"), 1);
    assert_true(uploads_of(&other) > 1); /* measured anew */
    assert_true(uploads_of(&one) == 1);  /* from the file */
    assert_int_equal(files_of_costs(NULL), 2);
    assert_int_equal(kn_offload_set_costs("far:0", NULL), 0);
}

/* Measured, they are numbers above 0, and copies of more bytes take longer. */
static void costs_can_be_measured(void **state)
{
    (void)state;
    kn_offload_costs c;
    test_ok(knd_calibrate(&far_device, &c));
    assert_true(c.up > 0 && c.down > 0 && c.here.products > 0 && c.there.products > 0 && c.here.bytes > 0 &&
                c.there.bytes > 0 && c.here.operations > 0 && c.there.operations > 0);
    assert_true(c.here.operations > c.there.operations); /* it interprets */
    assert_true(knd_copy_seconds(&c, 1 << 20, true) > knd_copy_seconds(&c, 1, true));
}

KN_TEST_GROUP(test_offload)
{
    const struct CMUnitTest tests[] = {
        FAR(twelve_programs_are_placed_within_a_tenth_of_the_best),
        FAR(small_work_stays_and_large_work_goes),
        FAR(work_goes_where_its_operands_are),
        FAR(weights_that_come_again_go_over_once),
        FAR(decisions_are_told_with_their_reasons),
        FAR(a_program_is_shown_with_where_it_runs),
        FAR(arrays_may_be_put_on_auto),
        FAR(wrong_costs_are_errors),
        FAR(costs_without_end_are_no_nans),
        FAR(costs_are_kept_in_a_file),
        FAR(costs_belong_to_the_adapter_and_not_to_the_name),
        FAR(costs_have_room_or_are_refused),
        FAR(costs_can_be_measured),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
