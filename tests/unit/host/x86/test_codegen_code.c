/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_code.c -- memory for generated code: it runs, is never writable and executable at once, is used again, and
 * survives forks. To be run under ThreadSanitizer as well. */
#include "support/expect.h"
#include "support/group.h"
#include "base/error.h"
#include "base/memory.h"
#include "host/x86/code.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__linux__)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum { CHUNK = 1 << 20, MANY = 3000 };

/* mov eax, number; ret; and more bytes behind it */
static knh_code *publish(int32_t number, size_t size)
{
    uint8_t *bytes = calloc(1, size);
    knh_code *c;
    assert_non_null(bytes);
    bytes[0] = 0xB8;
    memcpy(bytes + 1, &number, 4);
    bytes[5] = 0xC3;
    knx_error *e = knh_publish(bytes, size, "kiln_number", &c);
    free(bytes);
    assert_null(e);
    assert_non_null(c);
    return c;
}

static int32_t run(const knh_code *c)
{
    int32_t (*f)(void);
    const void *p = knh_code_start(c);
    memcpy(&f, &p, sizeof f);
    return f();
}

/* How many mappings for code (the process has no other anonymous memory that is shared) there are with these rights ("rw-s"; NULL: any); -1 if any mapping of the process can be
 * written to and run. */
static int mappings(const char *rights)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512], r[8];
    int n = 0;
    bool both = false;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        assert_int_equal(sscanf(line, "%*s %7s", r), 1);
        both |= r[1] == 'w' && r[2] == 'x';
        n += strstr(line, "/dev/zero") && (!rights || strcmp(r, rights) == 0);
    }
    fclose(f);
    return both ? -1 : n;
}

static void published_code_runs(void **state)
{
    (void)state;
    size_t before = knh_code_bytes();
    knh_code *a = publish(42, 6), *b = publish(-7, 200);
    assert_int_equal(run(a), 42);
    assert_int_equal(run(b), -7);
    assert_int_equal((uintptr_t)knh_code_start(a) % 64, 0);
    assert_int_equal((uintptr_t)knh_code_start(b) % 64, 0);
    assert_int_equal(knh_code_size(a), 6);
    assert_int_equal(knh_code_size(b), 200);
    assert_int_equal(knh_code_bytes() - before, 64 + 256);
    knh_code_free(a);
    assert_int_equal(run(b), -7);
    knh_code_free(b);
    knh_code_free(NULL);
    assert_int_equal(knh_code_bytes(), before);
}

static void no_mapping_is_writable_and_executable(void **state)
{
    (void)state;
    knh_code *c[40];
    for (int way = KNH_CODE_ANY; way <= KNH_CODE_SWITCHED; way++) {
        knh_code_force((knh_code_way)way);
        for (int i = 0; i < 40; i++) {
            c[i] = publish(i, 150000);
            assert_true(mappings(NULL) >= 0);
        }
        for (int i = 0; i < 40; i++) {
            assert_int_equal(run(c[i]), i);
            knh_code_free(c[i]);
            assert_true(mappings(NULL) >= 0);
        }
    }
    knh_code_force(KNH_CODE_ANY);
}

static void one_chunk_is_writable(void **state)
{
    (void)state;
    knh_code *c[20];
    for (int i = 0; i < 20; i++)
        c[i] = publish(i, 200000); /* five to a chunk */
    assert_true(mappings("r-xs") >= 4);
    assert_int_equal(mappings("rw-s"), 1);
    for (int i = 0; i < 20; i++)
        knh_code_free(c[i]);
    assert_int_equal(mappings("rw-s"), 1);
    assert_int_equal(mappings("r-xs"), 1);
}

static void a_cycle_does_not_grow(void **state)
{
    (void)state;
    for (int way = KNH_CODE_ANY; way <= KNH_CODE_SWITCHED; way++) {
        knh_code_force((knh_code_way)way);
        knh_code_free(publish(0, 6));
        size_t mapped = knh_code_mapped(), bytes = knh_code_bytes();
        int64_t blocks = knx_alloc_live();
        for (int i = 0; i < 10000; i++) {
            knh_code *c = publish(i, 6 + (size_t)(i * 37 % 9000));
            if (i % 100 == 0)
                assert_int_equal(run(c), i);
            knh_code_free(c);
        }
        assert_int_equal(knh_code_mapped(), mapped);
        assert_int_equal(knh_code_bytes(), bytes);
        assert_int_equal(knx_alloc_live(), blocks);
    }
    knh_code_force(KNH_CODE_ANY);
}

static void freed_pieces_in_any_order_are_used_again(void **state)
{
    (void)state;
    static knh_code *c[MANY];
    size_t most = 0;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < MANY; i++)
            if (!c[i])
                c[i] = publish(i, 6 + (size_t)((i * 331 + round * 77) % 3000));
        for (int i = 0; i < MANY; i++)
            assert_int_equal(run(c[i]), i);
        most = round == 0 ? knh_code_mapped() : most;
        for (int i = 0; i < MANY; i++) {
            int j = (int)((int64_t)i * 1009 % MANY);
            if (i % 3 != round % 3) {
                knh_code_free(c[j]);
                c[j] = NULL;
            }
        }
    }
    assert_true(knh_code_mapped() <= most + 2 * CHUNK);
    for (int i = 0; i < MANY; i++)
        knh_code_free(c[i]);
    memset(c, 0, sizeof c);
    assert_int_equal(knh_code_mapped(), CHUNK);
}

/* A full chunk lost its writable mapping; with room in it again, it gets one again. */
static void a_full_chunk_is_written_to_again(void **state)
{
    (void)state;
    knh_code *c[20];
    for (int i = 0; i < 20; i++)
        c[i] = publish(i, 100000);
    size_t mapped = knh_code_mapped();
    for (int i = 0; i < 8; i++)
        knh_code_free(c[i]);
    for (int i = 0; i < 8; i++)
        c[i] = publish(i, 100000);
    assert_int_equal(knh_code_mapped(), mapped);
    for (int i = 0; i < 20; i++)
        assert_int_equal(run(c[i]), i);
    for (int i = 0; i < 20; i++)
        knh_code_free(c[i]);
}

static void a_large_piece_has_its_own_memory(void **state)
{
    (void)state;
    size_t mapped = knh_code_mapped();
    knh_code *c = publish(5, 3 << 20);
    assert_int_equal(run(c), 5);
    assert_int_equal(knh_code_mapped() - mapped, 3 << 20);
    knh_code_free(c);
    assert_int_equal(knh_code_mapped(), mapped);
}

static void without_executable_memory_there_is_an_error(void **state)
{
    (void)state;
    knh_code *c = (knh_code *)1;
    knh_code_force(KNH_CODE_NONE);
    knx_error *e = knh_publish("\xC3", 1, "kiln_nothing", &c);
    knh_code_force(KNH_CODE_ANY);
    assert_non_null(e);
    assert_null(c);
    assert_int_equal(e->kind, KN_ERROR_MEMORY);
    assert_string_equal(e->message, "the system gives no executable memory (1 bytes for kiln_nothing)");
    knx_error_release(e);
}

static void every_failing_allocation_is_an_error(void **state)
{
    (void)state;
    for (int way = KNH_CODE_ANY; way <= KNH_CODE_SWITCHED; way++) {
        bool worked = false;
        knh_code_force((knh_code_way)way);
        for (int64_t k = 0; !worked; k++) {
            knh_code *c[8] = {0};
            size_t bytes = knh_code_bytes();
            int64_t blocks = knx_alloc_live();
            knx_fail_after(k, true);
            worked = true;
            for (int i = 0; i < 8 && worked; i++) {
                knx_error *e = knh_publish("\xC3\xC3\xC3\xC3", i % 2 ? 1 : 4, "kiln_nothing", &c[i]);
                worked = !e;
                assert_true(!e == (c[i] != NULL));
                knx_error_release(e);
            }
            knx_fail_after(-1, false);
            for (int i = 0; i < 8; i++)
                knh_code_free(c[i]);
            assert_int_equal(knh_code_bytes(), bytes);
            assert_in_range(knx_alloc_live(), blocks - 2, blocks + 2); /* a chunk may have come or gone */
            assert_true(k < 200);
        }
    }
    knh_code_force(KNH_CODE_ANY);
}

/* ---- Forks. */

static void expect_child(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static bool makes_and_runs(int from, int n)
{
    knh_code *c[50];
    bool fine = true;
    for (int i = 0; i < n; i++)
        c[i] = publish(from + i, 6);
    for (int i = 0; i < n; i++)
        fine &= run(c[i]) == from + i;
    for (int i = 0; i < n; i++)
        knh_code_free(c[i]);
    return fine;
}

static void both_sides_of_a_fork_go_on(void **state)
{
    (void)state;
    knh_code *mine = publish(1, 6), *gone = publish(2, 6);
    knh_code_free(gone);
    pid_t child = fork();
    if (child == 0) {
        bool fine = run(mine) == 1 && makes_and_runs(100, 50) && run(mine) == 1 && mappings(NULL) >= 0;
        knh_code_free(mine);
        fine &= makes_and_runs(200, 50);
        _exit(fine ? 0 : 1);
    }
    assert_true(makes_and_runs(300, 50));
    expect_child(child);
    assert_int_equal(run(mine), 1);
    knh_code_free(mine);
}

static void publish_many(knh_code **c, int from, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = publish(from + i, 6);
}

static bool run_many(knh_code *const *c, int from, int n)
{
    bool fine = true;
    for (int i = 0; i < n; i++)
        fine &= run(c[i]) == from + i;
    return fine;
}

/* Shared memory stays shared: what the child inherited must not be overwritten when the parent frees it and makes new
 * code, nor what one side makes by what the other one makes at the same time. */
static void neither_side_of_a_fork_overwrites_the_other(void **state)
{
    (void)state;
    knh_code *old[50], *new[50];
    int to_child[2], to_parent[2];
    char byte = 0;
    assert_int_equal(pipe(to_child) | pipe(to_parent), 0);
    publish_many(old, 0, 50);
    knh_code *kept = publish(-1, 6); /* so that the chunk does not go with its last piece */
    pid_t child = fork();
    if (child == 0) {
        close(to_child[1]); /* so that it does not wait for a parent that is gone */
        publish_many(new, 1000, 50);
        bool fine = write(to_parent[1], &byte, 1) == 1 && read(to_child[0], &byte, 1) == 1;
        fine &= run_many(old, 0, 50) && run_many(new, 1000, 50);
        _exit(fine ? 0 : 1);
    }
    for (int i = 0; i < 50; i++)
        knh_code_free(old[i]);
    publish_many(old, 2000, 50);
    assert_int_equal(read(to_parent[0], &byte, 1), 1);
    assert_true(run_many(old, 2000, 50));
    publish_many(new, 3000, 50);
    assert_int_equal(write(to_child[1], &byte, 1), 1);
    expect_child(child);
    for (int i = 0; i < 50; i++) {
        knh_code_free(old[i]);
        knh_code_free(new[i]);
    }
    knh_code_free(kept);
    for (int i = 0; i < 2; i++)
        close(to_child[i]), close(to_parent[i]);
}

/* Nor does a process that forks often, and makes code in between, get more and more of it. */
static void forking_does_not_grow(void **state)
{
    (void)state;
    knh_code *kept = publish(1, 6);
    size_t mapped = knh_code_mapped();
    for (int i = 0; i < 100; i++) {
        knh_code *c = publish(i, 500);
        pid_t child = fork();
        if (child == 0)
            _exit(run(c) == i ? 0 : 1);
        expect_child(child);
        knh_code_free(c);
    }
    assert_true(knh_code_mapped() <= mapped + CHUNK);
    knh_code_free(kept);
}

/* ---- Threads. */

static void *works(void *env)
{
    int from = *(int *)env;
    for (int round = 0; round < 20; round++)
        if (!makes_and_runs(from + 50 * round, 50))
            return env;
    return NULL;
}

static void threads_share_it(void **state)
{
    (void)state;
    pthread_t t[4];
    int from[4];
    for (int i = 0; i < 4; i++) {
        from[i] = 10000 * i;
        assert_int_equal(pthread_create(&t[i], NULL, works, &from[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *wrong;
        assert_int_equal(pthread_join(t[i], &wrong), 0);
        assert_null(wrong);
    }
}

static atomic_bool stop;

static void *works_on(void *env)
{
    void *wrong = NULL;
    while (!atomic_load(&stop) && !wrong)
        wrong = works(env);
    return wrong;
}

static void forks_among_threads_find_the_lock_free(void **state)
{
    (void)state;
    pthread_t t;
    int from = 0;
    void *wrong;
    assert_int_equal(pthread_create(&t, NULL, works_on, &from), 0);
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(makes_and_runs(7, 20) ? 0 : 1);
        expect_child(child);
    }
    atomic_store(&stop, true);
    assert_int_equal(pthread_join(t, &wrong), 0);
    assert_null(wrong);
}

/* ---- Debuggers: this program again, as another process. */

static const char *program;

static int traps(void)
{
    knh_code *c;
    return knh_publish("\x0F\x0B", 2, "kiln_trap", &c) ? 1 : run(c);
}

static int publishes(void)
{
    knh_code *c = publish(0, 6);
    int result = run(c);
    knh_code_free(c);
    return result;
}

static void perf_gets_a_map(void **state)
{
    (void)state;
    char name[64], line[256] = "", start[32];
    pid_t child = fork();
    if (child == 0) {
        setenv("KILN_PERF", "1", 1);
        execl(program, program, "test_codegen_code", "--publish", (char *)NULL);
        _exit(1);
    }
    expect_child(child);
    snprintf(name, sizeof name, "/tmp/perf-%ld.map", (long)child);
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    unlink(name);
    unsigned long address, size;
    assert_int_equal(sscanf(line, "%lx %lx %31s", &address, &size, start), 3);
    assert_int_equal(address % 64, 0);
    assert_int_equal(size, 6);
    assert_string_equal(start, "kiln_number");
}

/* perf takes a mapping for one without a file, and reads its map, if it is called so (is_anon_memory in its sources). */
static void perf_takes_it_for_memory_without_a_file(void **state)
{
    (void)state;
    knh_code *c = publish(1, 6);
    uintptr_t at = (uintptr_t)knh_code_start(c), low, high;
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512];
    bool found = false;
    assert_non_null(f);
    while (fgets(line, sizeof line, f) && !found) {
        int name = 0;
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &low, &high, &name) < 2 || at < low || at >= high)
            continue;
        found = true;
        if (name && line[name] && strncmp(line + name, "/dev/zero", 9) != 0)
            fail_msg("perf looks for names in %s", line + name);
    }
    fclose(f);
    knh_code_free(c);
    assert_true(found);
}

/* mov ecx, many; turn: dec ecx; jnz turn; ret */
static int spins(void)
{
    knh_code *c;
    return knh_publish("\xB9\x00\x00\x00\x18\xFF\xC9\x75\xFC\xC3", 10, "kiln_spin", &c) ? 1 : (run(c), 0);
}

static void perf_knows_the_name(void **state)
{
    (void)state;
    char data[] = "/tmp/kiln-perf-XXXXXX", command[1024], line[512];
    int samples = 0, known = 0, file = mkstemp(data);
    assert_true(file >= 0);
    close(file);
    snprintf(command, sizeof command,
             "KILN_PERF=1 perf record -q -e cpu-clock -o %s %s test_codegen_code --spin >/dev/null 2>&1", data,
             program);
    bool works = !SANITIZED && system(command) == 0;
    snprintf(command, sizeof command, "perf script -i %s -F comm,pid,ip,sym 2>/dev/null", data);
    FILE *f = works ? popen(command, "r") : NULL;
    long pid = 0;
    while (f && fgets(line, sizeof line, f)) {
        samples++;
        known += strstr(line, "kiln_spin") != NULL;
        sscanf(line, "%*s %ld", &pid);
    }
    if (f)
        pclose(f);
    snprintf(command, sizeof command, "/tmp/perf-%ld.map", pid);
    unlink(command);
    unlink(data);
    if (!samples) /* no perf, or not allowed here */
        skip();
    assert_true(known > samples / 2);
}

/* Limits of files do not hold for code. */
static void small_files_do_not_matter(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_FSIZE, &none);
        knh_code *c = publish(5, CHUNK);
        _exit(run(c) == 5 && run(publish(6, 6)) == 6 ? 0 : 1);
    }
    expect_child(child);
}

static void gdb_knows_the_name(void **state)
{
    (void)state;
    char command[512], line[512];
    bool known = false;
    if (SANITIZED || system("gdb --version >/dev/null 2>&1") != 0)
        skip();
    snprintf(command, sizeof command,
             "gdb -nx -batch -ex run -ex bt --args %s test_codegen_code --trap 2>&1 </dev/null", program);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (strstr(line, "ptrace") || strstr(line, "not being run")) /* not allowed here */
            known = true;
        known |= strstr(line, "#0 ") && strstr(line, "kiln_trap");
    }
    pclose(f);
    assert_true(known);
}

KN_TEST_GROUP(test_codegen_code)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_code_runs),
        cmocka_unit_test(no_mapping_is_writable_and_executable),
        cmocka_unit_test(one_chunk_is_writable),
        cmocka_unit_test(a_cycle_does_not_grow),
        cmocka_unit_test(freed_pieces_in_any_order_are_used_again),
        cmocka_unit_test(a_full_chunk_is_written_to_again),
        cmocka_unit_test(a_large_piece_has_its_own_memory),
        cmocka_unit_test(without_executable_memory_there_is_an_error),
        cmocka_unit_test(every_failing_allocation_is_an_error),
        cmocka_unit_test(both_sides_of_a_fork_go_on),
        cmocka_unit_test(neither_side_of_a_fork_overwrites_the_other),
        cmocka_unit_test(forking_does_not_grow),
        cmocka_unit_test(threads_share_it),
        cmocka_unit_test(forks_among_threads_find_the_lock_free),
        cmocka_unit_test(small_files_do_not_matter),
        cmocka_unit_test(perf_gets_a_map),
        cmocka_unit_test(perf_takes_it_for_memory_without_a_file),
        cmocka_unit_test(perf_knows_the_name),
        cmocka_unit_test(gdb_knows_the_name),
    };
    program = argv[0];
    if (argc > 1 && strcmp(argv[1], "--publish") == 0)
        return publishes();
    if (argc > 1 && strcmp(argv[1], "--trap") == 0)
        return traps();
    if (argc > 1 && strcmp(argv[1], "--spin") == 0)
        return spins();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
KN_TEST_GROUP(test_codegen_code) { return 77; }
#endif
