/* SPDX-License-Identifier: Apache-2.0
 * test_cache.c -- the cache of files: what is put and fetched is there, checked; tries that fail or are killed are
 * continued; processes wait for each other; a bound removes what was not used for the longest time, never what is in
 * use. */
#define _GNU_SOURCE
#include "support/expect.h"
#include "support/group.h"
#include "support/own_folder.h"
#include <fcntl.h>
#include <kiln/models.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char sum_of_abc[] =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; /* FIPS 180-4, an example */
static const char sum_of_nothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static char cache_folder[80];

static int set_up(void **state)
{
    int failed = make_own_folder(state);
    snprintf(cache_folder, sizeof cache_folder, "%s/deep/cache/", folder);
    return failed;
}

static kn_file_cache opened(void) { return kn_cache_open(cache_folder); }

static void expect_content(const char *path, const char *content)
{
    char have[256] = "";
    assert_non_null(path);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    have[fread(have, 1, sizeof have - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(have, content);
}

static const char *path_in(const char *name)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* ---- A server. */

typedef struct server {
    const char *content;
    int calls, limit; /* it gives up behind so many bytes; 0: never */
    int64_t offset;   /* that it was asked for last */
    bool restarts, dies;
} server;

static int serve(void *env, const char *url, int64_t offset, kn_cache_sink *sink)
{
    server *s = env;
    (void)url;
    s->calls++;
    s->offset = offset;
    if (s->restarts && offset && kn_cache_restart(sink))
        return -1;
    if (s->restarts)
        offset = 0;
    int64_t n = (int64_t)strlen(s->content), end = s->limit ? s->limit : n;
    kn_cache_expect(sink, n);
    for (int64_t i = offset; i < end; i++) /* byte by byte */
        if (kn_cache_write(sink, s->content + i, 1))
            return -1;
    if (s->dies)
        kill(getpid(), SIGKILL);
    return s->limit ? 7 : 0;
}

static void what_is_put_is_found(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_file_cache c = opened();
    assert_non_null(c);
    assert_null(kn_cache_find(c, "a"));
    expect_content(kn_cache_put(c, "a", "abc", 3), "abc");
    expect_content(kn_cache_put(c, "b", "abc", 3), "abc");
    expect_content(kn_cache_put(c, "empty", "", 0), "");
    assert_int_equal(kn_cache_bytes(c), 3); /* a and b have the same content */
    kn_file_cache other = opened();
    const char *path = kn_cache_find(other, "b");
    expect_content(path, "abc");
    assert_non_null(strstr(path, sum_of_abc + 2));
    assert_int_equal(kn_cache_count(other), 3);
    assert_string_equal(kn_cache_name(other, 2), "empty");
    assert_null(kn_cache_name(other, 3));
    expect_error_with("IndexError", "index 3 is out of bounds for 3 names");
    kn_cache_put(c, "a", "abcd", 4); /* it leads elsewhere now */
    expect_content(kn_cache_find(opened(), "a"), "abcd");
    assert_int_equal(kn_cache_remove(c, "a"), 1);
    assert_int_equal(kn_cache_remove(c, "a"), 0);
    assert_null(kn_cache_find(opened(), "a"));
    expect_no_error();
}

static void files_are_fetched(void **state)
{
    (void)state;
    KN_SCOPE;
    char url[200];
    write_file(path_in("a b"), "abc");
    snprintf(url, sizeof url, "file://%s/a%%20b", folder);
    kn_file_cache c = opened();
    expect_content(kn_cache_get(c, url), "abc");
    unlink(path_in("a b"));
    expect_content(kn_cache_get(c, url), "abc"); /* it is there */
    expect_content(kn_cache_get(opened(), "model", .url = url, .sha256 = sum_of_abc),
                   "abc"); /* content of this sum, too */
    assert_null(kn_cache_get(c, "file:/none/such"));
    expect_error_with("FileError", "/none/such: No such file");
    assert_null(kn_cache_get(c, "https://example.org/a"));
    expect_error_with("KeyError", "https://example.org/a: no function fetches URLs of this kind (kn_cache_register)");
}

static void sums_are_checked(void **state)
{
    (void)state;
    KN_SCOPE;
    server s = {.content = "abd"};
    kn_file_cache c = opened();
    kn_cache_register(c, "test", serve, &s);
    assert_null(kn_cache_get(c, "test:a", .sha256 = sum_of_abc));
    expect_error_with("ValueError", "test:a: its SHA-256 is a52d159f");
    s.content = "abc";
    expect_content(kn_cache_get(c, "test:a", .sha256 = sum_of_abc), "abc");
    assert_int_equal(s.offset, 0); /* what was wrong was thrown away */
    assert_null(kn_cache_get(c, "test:a", .sha256 = "12"));
    expect_error_with("ValueError", "64 hexadecimal digits");
    s.content = "";
    expect_content(kn_cache_get(c, "test:a", .sha256 = sum_of_nothing), ""); /* what is there has another sum */
    assert_int_equal(s.calls, 3);
}

static void damage_is_seen(void **state)
{
    (void)state;
    KN_SCOPE;
    server s = {.content = "abc"};
    char path[200];
    {
        KN_SCOPE;
        kn_file_cache c = opened();
        kn_cache_register(c, "test", serve, &s);
        strcpy(path, kn_cache_get(c, "test:a"));
        assert_int_equal(kn_cache_verify(c), 0);
    }
    assert_int_equal(chmod(path, 0644), 0);
    write_file(path, "abx");
    kn_file_cache c = opened();
    kn_cache_register(c, "test", serve, &s);
    expect_content(kn_cache_get(c, "test:a", .verify = true), "abc");
    assert_int_equal(s.calls, 2);
    chmod(path, 0644);
    write_file(path, "xbc");
    assert_int_equal(kn_cache_verify(c), 1);
    assert_null(kn_cache_find(opened(), "test:a"));
}

static void a_try_goes_on_where_the_last_one_ended(void **state)
{
    (void)state;
    KN_SCOPE;
    server s = {.content = "0123456789", .limit = 4};
    kn_file_cache c = opened();
    kn_cache_register(c, "test", serve, &s);
    assert_null(kn_cache_get(c, "test:a"));
    expect_error_with("FileError", "test:a: the function that fetches it failed with status 7");
    assert_null(kn_cache_find(c, "test:a"));
    s.limit = 0;
    expect_content(kn_cache_get(c, "test:a"), "0123456789");
    assert_int_equal(s.offset, 4);
    s.limit = 5;
    assert_null(kn_cache_get(c, "test:b"));
    kn_error_clear();
    s.limit = 6; /* what came from there is no beginning of what is elsewhere */
    assert_null(kn_cache_get(c, "test:b", .url = "test:elsewhere"));
    kn_error_clear();
    assert_int_equal(s.offset, 0);
    s.limit = 0, s.restarts = true;
    expect_content(kn_cache_get(c, "test:b"), "0123456789");
}

/* The exit status of f in a child; 128 and the signal that ended it. */
static int in_child(int (*f)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(f());
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int die_while_fetching(void)
{
    server s = {.content = "0123456789", .limit = 6, .dies = true};
    kn_file_cache c = opened();
    kn_cache_register(c, "test", serve, &s);
    return kn_cache_get(c, "test:a") != NULL;
}

static void a_killed_process_leaves_nothing_but_a_beginning(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(in_child(die_while_fetching), 128 + SIGKILL);
    server s = {.content = "0123456789"};
    kn_file_cache c = opened();
    kn_cache_register(c, "test", serve, &s);
    assert_null(kn_cache_find(c, "test:a"));
    expect_content(kn_cache_get(c, "test:a"), "0123456789");
    assert_int_equal(s.offset, 6);
}

static int count_and_serve(void *env, const char *url, int64_t offset, kn_cache_sink *sink)
{
    (void)env, (void)url, (void)offset;
    int fd = open(path_in("calls"), O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) != 0)
        return -1;
    usleep(50000);
    return kn_cache_write(sink, "abc", 3);
}

static void one_process_fetches_and_the_others_wait(void **state)
{
    (void)state;
    enum { PROCESSES = 4 };
    fflush(NULL);
    pid_t child[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            kn_file_cache c = opened();
            kn_cache_register(c, "test", count_and_serve, NULL);
            const char *path = kn_cache_get(c, "test:a");
            _exit(!path || access(path, R_OK) != 0);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    expect_content(path_in("calls"), "x");
}

static void put_and_close(const char *name, char letter)
{
    KN_SCOPE;
    char text[100];
    memset(text, letter, sizeof text);
    assert_non_null(kn_cache_put(opened(), name, text, sizeof text));
    usleep(2000); /* so that times of use differ */
}

static void a_bound_removes_what_was_not_used(void **state)
{
    (void)state;
    KN_SCOPE;
    put_and_close("a", 'a');
    put_and_close("b", 'b');
    put_and_close("c", 'c');
    {
        KN_SCOPE;
        assert_non_null(kn_cache_find(opened(), "a")); /* it is used: b is older now */
    }
    kn_file_cache c = kn_cache_open(cache_folder, .max_bytes = 350);
    assert_non_null(kn_cache_put(c, "d", "0123456789", 10));
    assert_int_equal(kn_cache_bytes(c), 310);
    char more[100] = "more";
    assert_non_null(kn_cache_put(c, "e", more, sizeof more));
    assert_int_equal(kn_cache_bytes(c), 310);
    assert_null(kn_cache_find(c, "b"));
    kn_file_cache user = opened();
    assert_non_null(kn_cache_find(user, "c")); /* in use from now on, as d and e are */
    assert_int_equal(kn_cache_trim(c, 0), 210);
    expect_content(kn_cache_find(user, "d"), "0123456789");
    assert_null(kn_cache_find(c, "a"));
    assert_int_equal(kn_cache_count(c), 3);
}

static void what_is_damaged_leads_nowhere(void **state)
{
    (void)state;
    KN_SCOPE;
    char command[200];
    put_and_close("a", 'a');
    snprintf(command, sizeof command, "for f in '%s'names/*; do echo 'kiln cache 1' >$f; done", cache_folder);
    assert_int_equal(system(command), 0);
    kn_file_cache c = opened();
    assert_null(kn_cache_find(c, "a"));
    assert_int_equal(kn_cache_count(c), 0);
    expect_no_error();
    assert_int_equal(kn_cache_trim(c, 1000), 0); /* no name leads to its content */
}

/* The system's commands in the cache's folder. */
static void in_cache(const char *commands)
{
    char all[600];
    snprintf(all, sizeof all, "cd '%s' && { %s; }", cache_folder, commands);
    assert_int_equal(system(all), 0);
}

static void content_that_is_half_in_its_place_is_not_written_to(void **state)
{
    (void)state;
    server s = {.content = "abc", .restarts = true};
    {
        KN_SCOPE;
        kn_file_cache c = opened();
        assert_int_equal(kn_cache_register(c, "x", serve, &s), 0);
        expect_content(kn_cache_get(c, "x:1"), "abc");
    }
    /* as a process leaves it that is killed behind link() */
    in_cache("ln $(find blobs -type f) partial/$(basename $(ls partial/*.lock) .lock) && rm names/*");
    KN_SCOPE;
    s.content = "other";
    kn_file_cache c = opened();
    assert_int_equal(kn_cache_register(c, "x", serve, &s), 0);
    expect_content(kn_cache_get(c, "x:1"), "other");
    assert_int_equal(s.offset, 0);
    assert_int_equal(kn_cache_verify(c), 0);
    expect_content(kn_cache_get(c, "abc", .url = "x:2", .sha256 = sum_of_abc), "abc");
}

static void names_stay_while_another_process_trims(void **state)
{
    (void)state;
    enum { N = 200 };
    char name[20];
    pid_t trimmer = fork();
    if (trimmer == 0) {
        KN_SCOPE;
        kn_file_cache c = opened();
        for (;;)
            kn_cache_trim(c, 1 << 20);
    }
    for (int i = 0; i < N; i++) {
        KN_SCOPE;
        snprintf(name, sizeof name, "name %d", i);
        assert_non_null(kn_cache_put(opened(), name, name, strlen(name)));
    }
    kill(trimmer, SIGKILL);
    waitpid(trimmer, NULL, 0);
    KN_SCOPE;
    assert_int_equal(kn_cache_count(opened()), N);
}

static void files_that_killed_processes_left_are_not_written_to_and_go(void **state)
{
    (void)state;
    char commands[200];
    {
        KN_SCOPE;
        expect_content(kn_cache_put(opened(), "a", "abc", 3), "abc");
    }
    snprintf(commands, sizeof commands, /* one of the same number: in containers most are the first process */
             "for i in $(seq 0 999); do ln $(find blobs -type f) partial/put-%ld-$i; done", (long)getpid());
    in_cache(commands);
    KN_SCOPE;
    kn_file_cache c = opened();
    expect_content(kn_cache_put(c, "b", "other", 5), "other");
    assert_int_equal(kn_cache_verify(c), 0);
    in_cache("touch -d '8 days ago' $(find blobs -type f) && touch partial/new-1-1");
    assert_int_equal(kn_cache_trim(c, 1000), 8);
    in_cache("[ \"$(ls partial)\" = new-1-1 ]");
}

static void what_was_put_in_the_place_of_damaged_content_is_in_use(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_file_cache user = opened(), other = opened();
    expect_content(kn_cache_put(user, "a", "abc", 3), "abc");
    in_cache("cp $(find blobs -type f) again && mv -f again $(find blobs -type f)"); /* another process mended it */
    expect_content(kn_cache_find(user, "a"), "abc");
    assert_int_equal(kn_cache_trim(other, 0), 3);
    expect_content(kn_cache_find(user, "a"), "abc");
}

static void arguments_are_checked(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_file_cache c = opened();
    assert_null(kn_cache_get(c, ""));
    expect_error_with("ValueError", "the name is empty");
    assert_null(kn_cache_find(c, NULL));
    expect_error_with("TypeError", "null name");
    assert_int_equal(kn_cache_register(c, "a:", serve, NULL), -1);
    expect_error_with("ValueError", "no scheme");
    assert_null(kn_cache_open("/proc/none/such"));
    expect_error_with("FileError", "/proc/none");
    assert_null(kn_cache_open(cache_folder, .max_bytes = -1));
    expect_error_with("ValueError", "a bound of -1 bytes");
    assert_int_equal(kn_cache_count(NULL), -1);
    expect_error_with("TypeError", "null cache");
    setenv("KILN_CACHE", cache_folder, 1);
    char *without_slash = strdup(cache_folder);
    without_slash[strlen(without_slash) - 1] = '\0';
    assert_string_equal(kn_cache_folder((kn_cache_open)(NULL, NULL)), without_slash);
    free(without_slash);
    unsetenv("KILN_CACHE");
}

KN_TEST_GROUP(test_cache)
{
    const struct CMUnitTest tests[] = {
        IN_OWN_FOLDER(what_is_put_is_found),
        IN_OWN_FOLDER(files_are_fetched),
        IN_OWN_FOLDER(sums_are_checked),
        IN_OWN_FOLDER(damage_is_seen),
        IN_OWN_FOLDER(a_try_goes_on_where_the_last_one_ended),
        IN_OWN_FOLDER(a_killed_process_leaves_nothing_but_a_beginning),
        IN_OWN_FOLDER(one_process_fetches_and_the_others_wait),
        IN_OWN_FOLDER(a_bound_removes_what_was_not_used),
        IN_OWN_FOLDER(what_is_damaged_leads_nowhere),
        IN_OWN_FOLDER(content_that_is_half_in_its_place_is_not_written_to),
        IN_OWN_FOLDER(names_stay_while_another_process_trims),
        IN_OWN_FOLDER(files_that_killed_processes_left_are_not_written_to_and_go),
        IN_OWN_FOLDER(what_was_put_in_the_place_of_damaged_content_is_in_use),
        IN_OWN_FOLDER(arguments_are_checked),
    };
#if KN_HAVE_CRYPTO
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    (void)tests;
    printf("Kiln was built without OpenSSL's libcrypto\n");
    return 77;
#endif
}
