/* SPDX-License-Identifier: Apache-2.0
 * hostile.c -- every public function with arguments that nobody should give: NULL, dead handles, handles of another
 * context and of another kind, random keys, absurd numbers, garbage in options. Each call ends in an error or in a
 * value; none crashes, hangs or leaks. NULL where a handle, a list, a shape, a function or a text has to be is a
 * TypeError.
 *
 * usage: hostile [PART/PARTS | --no-memory] [NAME...]     functions with such names only
 * --no-memory: without any memory, not even for a context: each call ends with a MemoryError, or in peace.
 * The functions are calls.def, made from the headers by scripts/public-calls.sh. */
#include "values.h"
#include "base/memory.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Which values. */
enum { SLOTS = 64 };
typedef struct slot {
    const char *name;
    int sound, all, picked;
    bool field, has_null;
} slot;
static slot slots[SLOTS];
static int n_slots, special_slot, special_value;
static enum { MEANT, NULLS, ONE, RANDOM } mode;
static uint64_t seed;
static bool in_options, given;
static const char *function;
static int failures, calls;
static bool meant_fails; /* the call with values that are fine: they are not fine for this function */
static bool is_endless(const char *name, int value);

static uint32_t random_number(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}

static int choose(const slot *s, int index)
{
    switch (mode) {
    case MEANT: return 0;
    case NULLS: return s->field || s->all == s->sound ? 0 : s->sound;
    case ONE: return index == special_slot ? special_value : 0;
    default:
        return random_number() % 4 ? (int)(random_number() % (uint32_t)s->sound)
                                   : (int)(random_number() % (uint32_t)s->all);
    }
}

int pick(const char *name, int sound, int hostile)
{
    if (n_slots == SLOTS)
        abort();
    slot *s = &slots[n_slots];
    *s = (slot){name, sound + in_options, sound + hostile + in_options, 0, in_options, false};
    s->picked = choose(s, n_slots++);
    if (is_endless(name, s->picked))
        s->picked = 0;
    given = !in_options || s->picked > 0;
    return s->picked - (in_options && s->picked > 0);
}

int pick_null(const char *name, int sound, int hostile)
{
    int i = pick(name, sound, hostile);
    slots[n_slots - 1].has_null = true;
    return i;
}

bool field_given(void) { return given; }
const char *called(void) { return function; }

static void tell(const char *what)
{
    char text[2048];
    int n = snprintf(text, sizeof text, "%s: %s (", function, what);
    for (int i = 0; i < n_slots && n < (int)sizeof text - 100; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s%s=%d", i ? ", " : "", slots[i].field ? "." : "",
                      slots[i].name, slots[i].picked);
    n += snprintf(text + n, sizeof text - (size_t)n, ")\n");
    if (write(STDERR_FILENO, text, (size_t)n) < 0)
        _exit(3);
}

static void fail(const char *what)
{
    tell(what);
    failures++;
}

static void on_signal(int number)
{
    tell(number == SIGALRM ? "HANGS" : "CRASHES");
    signal(number, SIG_DFL);
    raise(number);
}

/* ---- Results. */
static void done_array(kn_array y)
{
    kn_eval(y);
    if (!kn_ok(y) && !kn_error_pending() && !*kn_error_of(y))
        fail("no array and no error");
}
static void done_list(kn_list y)
{
    int n = kn_list_count(y);
    for (int i = 0; i < n && i < 3; i++)
        done_array(kn_list_get(y, i));
    if (n < 0 && !kn_error_pending())
        fail("no list and no error");
}
static void done_handle(const void *y)
{
    if (!y && !kn_error_pending())
        fail("no handle and no error");
}
static void done_text(const char *y)
{
    if (y && strlen(y) == SIZE_MAX)
        fail("no text");
}
static void done_tensor(struct DLManagedTensorVersioned *t)
{
    if (t && t->deleter)
        t->deleter(t);
}
static void done_old_tensor(struct DLManagedTensor *t)
{
    if (t && t->deleter)
        t->deleter(t);
}
static void done_level(kn_level l)
{
    if (!l && !kn_error_pending())
        fail("no level and no error");
    kn_level_end(&l);
}
#define AS(T, r) _Generic((r), T : (r), default : (T){0})
#define DONE(r) \
    _Generic((r), kn_array: done_array(AS(kn_array, r)), kn_list: done_list(AS(kn_list, r)),                           \
        kn_tree: done_handle(AS(kn_tree, r)), kn_fn: done_handle(AS(kn_fn, r)),                                        \
        kn_jaxpr: done_handle(AS(kn_jaxpr, r)), kn_treedef: done_handle(AS(kn_treedef, r)),                            \
        kn_optimizer: done_handle(AS(kn_optimizer, r)), kn_schedule: done_handle(AS(kn_schedule, r)),                  \
        kn_level: done_level(AS(kn_level, r)), kn_prepared: drop_prepared(AS(kn_prepared, r)),                                                                \
        struct DLManagedTensorVersioned *: done_tensor(AS(struct DLManagedTensorVersioned *, r)),                      \
        struct DLManagedTensor *: done_old_tensor(AS(struct DLManagedTensor *, r)), const char *: done_text(AS(const char *, r)), default: (void)0)

/* ---- Handles. What a call makes and does not return would stay for ever where no scope is open. */
int results_taken; /* places for results among the arguments */
static int64_t live;
static kn_context within;

static void note_handles(void)
{
    within = kn_context_current();
    live = kn_live_count();
}

/* No more than so many are new. */
static void count_handles(int results)
{
    /* copies that live as long as the iterator */
    if (!strcmp(function, "kn_flat") || !strcmp(function, "kn_nditer_new"))
        results += 8;
    if (!strcmp(function, "kn_optim_per_example_layer_norm_clip")) /* its other result is a tree like the first one */
        results *= 2;
    if (!strncmp(function, "kn_tree_reduce", 14) ||
        !strcmp(function, "kn_tree_map")) /* and what the user's function makes */
        return;
    if (kn_context_current() != within || kn_live_count() <= live + results + results_taken)
        return;
    char text[128];
    snprintf(text, sizeof text, "%d handles stay, %d are results", (int)(kn_live_count() - live),
             results + results_taken);
    fail(text);
}

static int handles_of_list(kn_list y) { return y ? 1 + kn_list_count(y) : 0; }
static int handles_of_tree(kn_tree y)
{
    int n = y ? kn_tree_count(y) : 0; /* negative: bytes that nobody has */
    return y ? 1 + (n > 0 ? n : 0) : 0;
}
#define HANDLES(r)                                                                                          \
    _Generic((r), kn_list                                                                                   \
             : handles_of_list(AS(kn_list, r)), kn_tree                                                     \
             : handles_of_tree(AS(kn_tree, r)),                                                             \
               kn_histogramdd_result : 1 + handles_of_list(AS(kn_histogramdd_result, r).edges), double : 0, \
               uint64_t : 0, int64_t : 0, int : 0, bool : 0, default                                        \
             : (int)((sizeof(r) + sizeof(void *) - 1) / sizeof(void *)))

/* ---- The calls. */
#define ZERO(T) ((T){.size_ = sizeof(T)})
#define FIELD(T, field)         \
    in_options = true;          \
    {                           \
        T v = take_##T(#field); \
        if (field_given())      \
            o->field = v;       \
    }                           \
    in_options = false;
#define OPTIONS(T, defaults, ...)                                             \
    typedef const T *p_##T;                                                   \
    static p_##T take_p_##T(const char *name)                                 \
    {                                                                         \
        static T ring[2];                                                     \
        static int next;                                                      \
        T *o = &ring[next++ % 2];                                             \
        static const size_t sizes[] = {sizeof(T), sizeof(T), 0, 3, SIZE_MAX}; \
        int i = pick(name, 1, 4);                                             \
        *o = defaults;                                                        \
        if (i == 1)                                                           \
            return NULL;                                                      \
        __VA_ARGS__                                                           \
        o->size_ = sizes[i];                                                  \
        return o;                                                             \
    }
#define CALL(f, names, ...)
#define CALL_PLAIN(f, names, ...)
#pragma GCC diagnostic ignored "-Wunused-function"
#include "calls.def"
#undef OPTIONS
#undef CALL
#undef CALL_PLAIN

#define OPTIONS(...)
#define IN(T, name) T name##_ = take_##T(#name);
#define CALL(f, names, ...)              \
    static void call_##f(void)           \
    {                                    \
        __VA_ARGS__                      \
        note_handles();                  \
        __auto_type result_ = f names;   \
        count_handles(HANDLES(result_)); \
        DONE(result_);                   \
    }
#define CALL_PLAIN(f, names, ...) \
    static void call_##f(void)    \
    {                             \
        __VA_ARGS__               \
        note_handles();           \
        f names;                  \
        count_handles(0);         \
    }
#include "calls.def"
#undef CALL
#undef CALL_PLAIN

#define CALL(f, names, ...) {#f, call_##f},
#define CALL_PLAIN          CALL
static const struct {
    const char *name;
    void (*call)(void);
} table[] = {
#include "calls.def"
};

/* ---- The world around a call: a context whose arrays have little memory, put back as it was after each call. */
static void *bounded_alloc(void *env, size_t bytes, size_t alignment)
{
    void *p = NULL;
    (void)env;
    return bytes > (16u << 20) ||
                   posix_memalign(&p, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes ? bytes : 1)
               ? NULL
               : p;
}
static void bounded_free(void *env, void *p, size_t bytes)
{
    (void)env, (void)bytes;
    free(p);
}
static void no_print(void *env, const char *text) { (void)env, (void)text; }
static void no_log(void *env, int level, const char *text) { (void)env, (void)level, (void)text; }
static kn_context work;

static void tidy(void)
{
    const kn_print_opts numpy = {sizeof numpy, 8, 1000, 3, 75, false, "maxprec", '-', "nan", "inf", NULL};
    while (kn_context_current() != work && kn_context_pop() == 0)
        continue;
    if (kn_context_current() != work)
        kn_context_push(work);
    kn_on_error(NULL, NULL);
    kn_on_step(NULL, NULL);
    kn_set_poll(NULL, NULL);
    kn_set_log(no_log, NULL);
    kn_set_print(no_print, NULL);
    kn_set_debug(0);
    kn_set_lazy(true);
    kn_set_threads(1);
    kn_pending_set_limits(4096, (size_t)256 << 20);
    kn_check_nans(false);
    kn_seterr(&(kn_seterr_opts){.size_ = sizeof(kn_seterr_opts), .all = "ignore"});
    kn_seterrcall(NULL);
    kn_set_default_float(KN_F64);
    while (kn_defaults_pop() == 0)
        continue;
    kn_set_printoptions(&numpy);
    kn_error_clear();
}

/* Where NULL says something, by function (NULL: of all of them) and argument. */
static const struct {
    const char *function, *name;
} optional[] = {
    {NULL, "env"},                     /* the caller's own */
    {NULL, "hook"},                    /* no more hook */
    {NULL, "poll"},                    /* no more asked */
    {"kn_set_log", "log"},             /* standard error */
    {"kn_set_print", "print"},         /* standard output */
    {"kn_here", "place"},              /* not known */
    {"kn_ok", "x"},                    /* false */
    {"kn_offload_set_costs", "costs"}, /* to be measured */
    {"kn_offload_decisions", "out"},   /* only how many */
    {"kn_error_of", "x"},              /* "" */
    {"kn_scope_end", "scope"},         /* for clean-up: nothing to do */
    {"kn_context_leave", "pushed"},
    {"kn_threads_leave", "before"},
    {"kn_device_leave", "before"},
    {"kn_devices", "kind"},              /* all */
    {"kn_devices", "out"},               /* only how many there are: where n is 0 */
    {"kn_set_default_device", "device"}, /* as the process says */
    {"kn_printoptions_leave", "pushed"},
    {"kn_array_namespace_info_default_dtypes", "device"}, /* the default one */
    {"kn_array_namespace_info_dtypes", "device"},
    {"kn_array_namespace_info_dtypes", "kind"}, /* all */
    {"kn_testing_build_err_msg", "err_msg"},    /* none */
    {"kn_errstate_leave", "before"},
    {"kn_seterrcall", "func"}, /* none */
    {"kn_prepared_free", "p"},
    {"kn_level_end", "level"},
    {"kn_backward", "seed"}, /* 1 */
    {"kn_source_free", "source"},
    {"kn_clip", "lo"}, /* KN_NONE: no bound */
    {"kn_clip", "hi"},
    {"kn_optim_tree_clip", "min_value"},
    {"kn_optim_tree_clip", "max_value"},
    {"kn_optim_projection_box", "lower"},
    {"kn_optim_projection_box", "upper"},
    {"kn_data_bytes", "dtype"}, /* any */
    {"kn_data_mut_bytes", "dtype"},
    {"kn_tolist_bytes", "dtype"},
    {"kn_flatiter_next_bytes", "dtype"},
    {"kn_ndenumerate_bytes", "dtype"},
    {"kn_nditer_data_bytes", "dtype"},
    {"kn_lax_argmax", "index_dtype"}, /* int32 */
    {"kn_lax_argmin", "index_dtype"},
    {"kn_random_key_dtype", "impl"}, /* the default one */
    {NULL, "size"},                  /* None */
    {"kn_SeedSequence", "entropy"},  /* of the system */
    {"kn_default_rng", "seed"},
    {"kn_PCG64", "seed"},
    {"kn_PCG64DXSM", "seed"},
    {"kn_MT19937", "seed"},
    {"kn_Philox", "seed"},
    {"kn_SFC64", "seed"},
    {"kn_RandomState", "seed"},
    {"kn_random_state_seed", "seed"},
    {"kn_rng_integers", "high"},
    {"kn_random_state_randint", "high"},
    {"kn_random_state_random_integers", "high"},
    {"kn_nn_init_zeros", "key"}, /* nothing is drawn */
    {"kn_nn_init_ones", "key"},
    {"kn_nn_init_constant", "key"},
    {"kn_bind", "params"}, /* the defaults */
    {"kn_bind_all", "params"},
    {"kn_tree_reduce", "initial"}, /* the first leaf */
    {"kn_tree_reduce_associative", "initial"},
    {"kn_optim_squared_error", "targets"}, /* zeros */
    {"kn_optim_l2_loss", "targets"},
    {"kn_optim_huber_loss", "targets"},
    {"kn_optim_log_cosh", "targets"},
    {"kn_optim_skip_not_finite", "num_not_finite"}, /* it is not wanted */
    {"kn_optim_skip_large_updates", "norm_squared"},
    {"kn_optim_per_example_global_norm_clip", "num_clipped"},
    {"kn_optim_per_example_layer_norm_clip", "num_clipped"},
    {"kn_testing_assert_", "msg"}, /* no words */
    {"kn_testing_assert_error_with", "part"},
    {"kn_einsum", "subscripts"}, /* NumPy's ValueError of a call without any */
    {"kn_einsum_path", "subscripts"},
    {"kn_linalg_toeplitz", "r"}, /* the conjugate of c */
    {"kn_linalg_hankel", "r"},   /* zeros */
};

static bool is_optional(const char *name)
{
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        if ((!optional[i].function || !strcmp(optional[i].function, function)) && !strcmp(optional[i].name, name))
            return true;
    return false;
}

/* NULL alone among values that are fine is a TypeError. */
static void check_null(const slot *s)
{
    if (meant_fails || is_optional(s->name))
        return;
    if (!kn_error_pending())
        fail("NULL is no error");
    else if (kn_error_get_kind() != KN_ERROR_TYPE)
        fail(kn_error_message());
}

/* Values that are no hostility but work: minutes of it. */
static const struct {
    const char *function, *name;
} endless[] = {
    {"kn_fromfunction", "shape"},        /* 2^40 elements that nobody stores are computed one by one */
    {"kn_special_multigammaln", "d"},    /* a sum of d terms */
    {"kn_testing_check_grads", "order"}, /* derivatives of derivatives, each larger than the last */
    {"kn_memmap", "shape"},              /* files of terabytes, which what comes later reads */
    {"kn_memmap", "offset"},
    {"kn_format_open_memmap", "shape"},
    {"kn_optim_nnls", "iters"}, /* as many steps as are asked for */
    {"kn_optim_power_iteration", "num_iters"},
};

static bool is_endless(const char *name, int value)
{
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++)
        if (!strcmp(endless[i].function, function) && !strcmp(endless[i].name, name))
            return value > 3;
    return false;
}

static void once(void (*call)(void))
{
    kn_scope inner = kn_scope_begin();
    n_slots = results_taken = 0;
    calls++;
    call();
    if (mode == MEANT)
        meant_fails = kn_error_pending();
    if (mode == ONE && special_slot < n_slots && slots[special_slot].has_null && !slots[special_slot].field &&
        slots[special_slot].picked == slots[special_slot].sound)
        check_null(&slots[special_slot]);
    if (kn_error_pending() && !*kn_error_message() && kn_error_get_kind() != KN_ERROR_ASSERTION)
        fail("an error without words");
    kn_scope_end(&inner);
    tidy();
}

static void try_function(void (*call)(void), int rounds)
{
    kn_scope outer = kn_scope_begin();
    make_values();
    mode = MEANT;
    once(call);
    slot seen[SLOTS];
    int n = n_slots;
    memcpy(seen, slots, sizeof seen);
    mode = NULLS;
    once(call);
    mode = ONE;
    for (special_slot = 0; special_slot < n; special_slot++)
        for (special_value = 1; special_value < seen[special_slot].all; special_value++)
            once(call);
    kn_scope_end(&outer);
    outer = kn_scope_begin(); /* what was released or written to is there again */
    make_values();
    mode = RANDOM;
    seed = 1;
    for (int i = 0; i < rounds && n; i++)
        once(call);
    kn_scope_end(&outer);
}

static bool wanted(const char *name, int n, char **names)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(name, names[i]))
            return true;
    return n == 0;
}

/* Each function as its arguments are meant and with NULL, where nothing can be made and so no handle is sound. */
static void try_without_memory(void (*call)(void))
{
    for (int nulls = 0; nulls < 2; nulls++) {
        mode = nulls ? NULLS : MEANT;
        n_slots = 0;
        calls++;
        call();
        kn_error_clear();
    }
}

static int without_memory(int n_names, char **names)
{
    knx_fail_after(0, true);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (wanted(table[i].name, n_names, names)) {
            function = table[i].name;
            alarm(30);
            try_without_memory(table[i].call);
        }
    function = "kn_zeros without memory";
    (void)kn_zeros(&(kn_shape){1, {3}}, NULL);
    if (!kn_error_pending() || kn_error_get_kind() != KN_ERROR_MEMORY ||
        strcmp(kn_error_message(), "out of memory") != 0)
        fail("no MemoryError");
    knx_fail_after(-1, false);
    if (kn_item(kn_ones(&(kn_shape){0}, NULL)) != 1) /* there is memory again, and the error waits to be read */
        fail("no value");
    if (!kn_error_pending())
        fail("the error is gone");
    kn_shutdown();
    printf("%d calls, %d failures\n", calls, failures);
    return failures != 0;
}

int main(int argc, char **argv)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    char place[] = "/tmp/kiln-hostile-XXXXXX";
    int part = 0, parts = 1, first = argc > 1 && sscanf(argv[1], "%d/%d", &part, &parts) == 2 ? 2 : 1;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], on_signal);
    if (argc > 1 && !strcmp(argv[1], "--no-memory"))
        return without_memory(argc - 2, argv + 2);
    if (!mkdtemp(place) || chdir(place)) /* some functions write files */
        return 2;
    work = kn_context_new(
        &(kn_context_opts){.size_ = sizeof(kn_context_opts), .allocator = {bounded_alloc, bounded_free, NULL}});
    kn_context_push(work);
    function = "the world";
    make_world();
    tidy();
    int n = (int)(sizeof table / sizeof *table), rounds = getenv("KILN_TEST_LONG") ? 1000 : 24;
    for (int i = 0; i < n; i++)
        if (i % parts == part && wanted(table[i].name, argc - first, argv + first)) {
            function = table[i].name;
            alarm(30);
            try_function(table[i].call, rounds);
        }
    alarm(30);
    function = "the end";
    drop_world();
    kn_context_pop();
    kn_context_free(work);
    printf("%d calls, %d failures\n", calls, failures);
    if (chdir("/"))
        return 2;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", place);
    return system(command) || failures ? 1 : 0;
}
