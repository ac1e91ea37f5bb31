/* SPDX-License-Identifier: Apache-2.0
 * test_net.c -- what processes tell each other of a run, in one process: it is number 2 of three, and a transport plays
 * the other two, so that messages come in the order that a test wants. */
#include "support/group.h"
#include "support/programs.h"

#include "dist/net.h"
#include <stdio.h>
#include <string.h>

enum { ALL = 3, ME = 2, MOST = 8 };

typedef struct peer {
    kndist_message come[MOST]; /* what it says, in this order */
    int n, next;
    bool ends_last; /* the last one comes when it was told that the run has ended here */
    kndist_message *to;
    kndist_message end; /* what it was told then */
    bool told;
} peer;
static peer peers[ALL];

static int play_send(int to, int tag, const void *p, size_t bytes, void **request)
{
    const kndist_message *m = p;
    assert_int_equal(tag, KNDIST_HEADS);
    if (m->head.kind == KNDIST_END) {
        memcpy(&peers[to].end, m, bytes);
        peers[to].told = true;
    }
    *request = NULL;
    return 0;
}

static int play_receive(int from, int tag, void *p, size_t bytes, void **request)
{
    assert_int_equal(tag, KNDIST_HEADS);
    assert_int_equal(bytes, KNDIST_MESSAGE_BYTES);
    peers[from].to = p;
    *request = &peers[from];
    return 0;
}

static int play_test(void **request)
{
    peer *p = *request;
    if (!p || p->next == p->n || (p->ends_last && p->next + 1 == p->n && !p->told))
        return 0;
    kndist_message *m = &p->come[p->next];
    if (m->head.kind != KNDIST_HELLO && !kndist_net.run)
        return 0;
    m->head.run = kndist_net.run;
    memcpy(p->to, m, KNDIST_MESSAGE_BYTES);
    p->next++;
    *request = NULL;
    return 0;
}

static int play_progress(void) { return 0; }
static void play_give_up(void **request) { *request = NULL; }
static void play_text(int code, char *to, size_t room) { snprintf(to, room, "code %d", code); }

static const struct kndist_transport transport = {.version = KNDIST_TRANSPORT_VERSION,
                                                  .n_process = ALL,
                                                  .process = ME,
                                                  .last_tag = 100,
                                                  .most = 1 << 20,
                                                  .send = play_send,
                                                  .receive = play_receive,
                                                  .progress = play_progress,
                                                  .test = play_test,
                                                  .give_up = play_give_up,
                                                  .text = play_text};

/* failed: NULL, nothing has; else of that device an IndexError. */
static void will_say(int process, kndist_message_kind kind, int32_t device, const char *failed)
{
    kndist_message *m = &peers[process].come[peers[process].n++];
    *m = (kndist_message){
        .head = {.kind = (int32_t)kind, .line = 1, .from = device, .failed = failed ? 1 + (int32_t)KN_ERROR_INDEX : 0}};
    snprintf(m->inside, sizeof m->inside, "%s", failed ? failed : "");
}

static knx_error *gather(void *env, int i)
{
    int32_t got[ALL], mine = ME;
    (void)i;
    return kndist_all_gather(env, (kndist_what){"gather", NULL}, &mine, sizeof mine, got);
}

/* The error of a run in which all three devices gather. */
static knx_error *run(void)
{
    const int32_t device[ALL] = {0, 1, 2};
    kndist_group g = {ALL, ME, device};
    assert_null(kndist_net_open(&transport, 1));
    knx_error *e = kndist_run_whole(NULL, &g, 1, &device[ME], NULL, gather, &g);
    assert_string_equal(kndist_net_close(), "");
    return e;
}

static void expect_index_error(knx_error *e)
{
    assert_non_null(e);
    assert_string_equal(e->message, "device 1 has failed: index 9 is out of bounds");
    assert_int_equal(e->kind, KN_ERROR_INDEX);
    knx_error_release(e);
}

static void who_ends_because_of_another_one_says_of_whom(void **state)
{
    (void)state;
    peers[0].ends_last = peers[1].ends_last = true;
    will_say(1, KNDIST_FAIL, 1, "index 9 is out of bounds");
    will_say(1, KNDIST_END, 1, "index 9 is out of bounds");
    will_say(0, KNDIST_END, 0, NULL);
    expect_index_error(run());
    assert_int_equal(peers[0].end.head.failed, 1 + KN_ERROR_INDEX);
    assert_int_equal(peers[0].end.head.from, 1);
    assert_string_equal(peers[0].end.inside, "index 9 is out of bounds");
}

/* Process 0 has heard of it and ended, and that comes before what process 1 says itself. */
static void an_error_may_come_from_another_one_first(void **state)
{
    (void)state;
    peers[1].ends_last = true;
    will_say(0, KNDIST_END, 1, "index 9 is out of bounds");
    will_say(1, KNDIST_FAIL, 1, "index 9 is out of bounds");
    will_say(1, KNDIST_END, 1, "index 9 is out of bounds");
    expect_index_error(run());
}

/* What waits for values is run again, in parts, after other errors: not by some of the processes. */
static void what_the_user_has_ended_in_one_process_has_ended_in_all(void **state)
{
    (void)state;
    peers[0].ends_last = peers[1].ends_last = true;
    will_say(1, KNDIST_FAIL, 1, "interrupted");
    peers[1].come[1].head.move = 1;
    will_say(1, KNDIST_END, 1, "interrupted");
    peers[1].come[2].head.move = 1;
    will_say(0, KNDIST_END, 0, NULL);
    knx_error *e = run();
    assert_string_equal(e->message, "device 1 has failed: interrupted");
    assert_true(e->interruption);
    knx_error_release(e);
    assert_int_equal(peers[0].end.head.move, 1);
}

static knx_error *is_ended(void *env, int i)
{
    (void)env;
    (void)i;
    return knx_error_interrupted();
}

static void who_is_ended_by_the_user_says_so(void **state)
{
    const int32_t device[ALL] = {0, 1, 2};
    (void)state;
    peers[0].ends_last = peers[1].ends_last = true;
    will_say(0, KNDIST_END, 0, NULL);
    will_say(1, KNDIST_END, 1, NULL);
    assert_null(kndist_net_open(&transport, 1));
    knx_error *e = kndist_run_whole(NULL, &(kndist_group){ALL, ME, device}, 1, &device[ME], NULL, is_ended, NULL);
    assert_string_equal(kndist_net_close(), "");
    assert_true(e && e->interruption);
    knx_error_release(e);
    assert_int_equal(peers[0].end.head.move, 1);
}

static int three(void **state)
{
    (void)state;
    memset(peers, 0, sizeof peers);
    knx_error_release(kndist_set_local(1));
    kndist_job_set(ALL, ME);
    for (int i = 0; i < ME; i++)
        will_say(i, KNDIST_HELLO, 0, NULL);
    return 0;
}

static int alone(void **state)
{
    (void)state;
    kndist_job_set(1, 0);
    return 0;
}

KN_TEST_GROUP(test_net)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_ends_because_of_another_one_says_of_whom, three, alone),
        cmocka_unit_test_setup_teardown(an_error_may_come_from_another_one_first, three, alone),
        cmocka_unit_test_setup_teardown(what_the_user_has_ended_in_one_process_has_ended_in_all, three, alone),
        cmocka_unit_test_setup_teardown(who_is_ended_by_the_user_says_so, three, alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
