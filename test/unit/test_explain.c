/* --explain: which slices are meant, and what is told of them. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/grid.h"
#include "explain_query.h"
#include "explain_story.h"
#include "explain_words.h"
#include "lanefix.h"
#include "units.h"

static enum match match_of(const char *asked, const char *raw, enum value_kind kind)
{
    struct query query = query_make(asked);
    struct value name = {kind, 0, (uint32_t)strlen(raw)};
    enum match match;
    ck_assert(query_match(&query, raw, &name, &match));
    return match;
}

START_TEST(a_name_is_compared_as_it_is_meant)
{
    ck_assert_int_eq(match_of("gemm", "gemm", VALUE_STRING), MATCH_WHOLE);
    ck_assert_int_eq(match_of("gemm", "a gemm", VALUE_STRING), MATCH_PART);
    ck_assert_int_eq(match_of("gemm", "gem gemm_2", VALUE_STRING), MATCH_PART);
    ck_assert_int_eq(match_of("gemm", "gem", VALUE_STRING), MATCH_NONE);
    ck_assert_int_eq(match_of("gemm", "ggem", VALUE_STRING), MATCH_NONE);
    ck_assert_int_eq(match_of("a\"b", "a\\\"b", VALUE_STRING), MATCH_WHOLE);
    ck_assert_int_eq(match_of("a\\\"b", "a\\\"b", VALUE_STRING), MATCH_NONE);
    ck_assert_int_eq(match_of("\xC3\xA4", "x\\u00e4", VALUE_STRING), MATCH_PART);
    ck_assert_int_eq(match_of("null", "null", VALUE_BARE), MATCH_WHOLE);
    ck_assert_int_eq(match_of("x", "", VALUE_NONE), MATCH_NONE);
    ck_assert_int_eq(match_of("1", "{\"x\":1}", VALUE_NESTED), MATCH_NONE);
}
END_TEST

START_TEST(digits_are_a_number)
{
    ck_assert(query_make("0").by_event && query_make("0").event == 0);
    ck_assert(query_make("0123").by_event && query_make("0123").event == 123);
    ck_assert(query_make("18446744073709551616").event == UINT64_MAX);
    ck_assert(!query_make("12a").by_event && !query_make("-1").by_event &&
              !query_make("").by_event);
    ck_assert_int_eq(match_of("7", "7", VALUE_STRING), MATCH_NONE);
}
END_TEST

/* What is left of matches, of which some are pairs. */
static size_t resolve(struct matches *m, struct pairs *pairs, struct lanefix_error *err)
{
    struct query query = query_make("name");
    *err = (struct lanefix_error){0};
    bool ok = matches_resolve(m, &query, pairs, err);
    ck_assert(ok == (err->code == LANEFIX_OK));
    return m->n;
}

START_TEST(the_very_name_comes_before_a_part_of_it)
{
    struct matches m = {0};
    struct pair items[] = {{20, 25, 9}, {40, 45, 9}, {60, 65, 9}};
    struct pairs pairs = {items, 3, 3};
    struct lanefix_error err;
    matches_add(&m, 10, MATCH_PART, false);
    matches_add(&m, 20, MATCH_PART, true);  /* a pair */
    matches_add(&m, 30, MATCH_WHOLE, true); /* a B without its E */
    ck_assert_uint_eq(resolve(&m, &pairs, &err), 2);
    ck_assert(!m.whole && matches_have(&m, 10) && matches_have(&m, 20) && !matches_have(&m, 30));
    matches_free(&m);
    matches_add(&m, 10, MATCH_PART, false);
    matches_add(&m, 40, MATCH_WHOLE, true);
    matches_add(&m, 50, MATCH_WHOLE, false);
    ck_assert_uint_eq(resolve(&m, &pairs, &err), 2);
    ck_assert(m.whole && !matches_have(&m, 10) && matches_have(&m, 40) && matches_have(&m, 50));
    matches_free(&m);
    matches_add(&m, 50, MATCH_WHOLE, true);
    ck_assert_uint_eq(resolve(&m, &pairs, &err), 0);
    ck_assert_int_eq(err.code, LANEFIX_ERR_NO_SLICE);
    matches_free(&m);
}
END_TEST

/* Three slices in us, and stories of the last two. */
static struct slice three[] = {{10000, 16000, 100}, {15200, 21200, 200}, {18000, 78000, 300}};
static struct story stories[3];
static struct story *const told[] = {&stories[0], &stories[1], &stories[2]};

static struct told_track begin_three(size_t from)
{
    struct told_track track = {.s = three, .n = 3, .base = 50};
    track.stories = (struct story **)told + from;
    track.nstories = 3 - from;
    for (uint32_t i = 0; i < 3; i++)
        story_begin(&stories[i], &track, i, 0);
    return track;
}

static struct plan_step make_step(uint32_t slice, uint32_t frame, enum plan_way way, int64_t shift)
{
    struct plan_step step = {.slice = slice, .frame = frame, .way = way};
    for (int i = 0; i < PLAN_WAYS; i++)
        step.shift_ns[i] = -1;
    step.shift_ns[way] = shift;
    step.start_ns = three[slice].start_ns;
    step.end_ns = three[slice].end_ns;
    if (frame < 3) {
        step.frame_start_ns = three[frame].start_ns;
        step.frame_end_ns = three[frame].end_ns;
    }
    return step;
}

START_TEST(a_step_is_told_of_both_its_slices)
{
    struct told_track track = begin_three(1);
    struct plan_watch watch = story_watch(&track);
    struct plan_step first = make_step(1, 0, WAY_DELAY, 800), next = make_step(2, 1, WAY_TRIM, 7);
    watch.begin(watch.data);
    watch.step(watch.data, &first);
    watch.step(watch.data, &next);
    ck_assert_uint_eq(stories[0].nsteps, 0); /* which nobody asked for */
    ck_assert_uint_eq(stories[1].nsteps, 2);
    ck_assert_uint_eq(stories[2].nsteps, 1);
    const struct told *own = &stories[1].steps[0], *as_frame = &stories[1].steps[1];
    ck_assert(!own->as_frame && own->way == WAY_DELAY && own->shift_ns[WAY_DELAY] == 800);
    ck_assert_uint_eq(own->other.off, 100);
    ck_assert_int_eq(own->other.end_ns, 16000);
    ck_assert_int_eq(own->start_ns, 15200);
    ck_assert(as_frame->as_frame && as_frame->way == WAY_TRIM);
    ck_assert_uint_eq(as_frame->other.off, 300);
    ck_assert_int_eq(as_frame->other.end_ns, 78000);
    ck_assert_int_eq(as_frame->end_ns, 21200);
}
END_TEST

START_TEST(a_new_attempt_voids_the_earlier_one)
{
    struct told_track track = begin_three(0);
    struct plan_watch watch = story_watch(&track);
    struct plan_step step = make_step(1, 0, WAY_DELAY, 800);
    watch.begin(watch.data);
    for (int i = 0; i < 100; i++)
        watch.step(watch.data, &step);
    watch.begin(watch.data);
    step.way = WAY_MOVES;
    watch.step(watch.data, &step);
    ck_assert_uint_eq(stories[1].nsteps, 1);
    ck_assert_uint_eq(stories[1].steps_total, 1);
    ck_assert_int_eq(stories[1].steps[0].way, WAY_MOVES);
    ck_assert_uint_eq(stories[0].nframe_steps, 1);
}
END_TEST

START_TEST(what_others_do_leaves_room_for_its_own)
{
    struct told_track track = begin_three(0);
    struct plan_watch watch = story_watch(&track);
    struct plan_step as_frame = make_step(2, 1, WAY_TRIM, 5);
    struct plan_step own = make_step(1, 0, WAY_DELAY, 800);
    watch.begin(watch.data);
    for (int i = 0; i < 1000; i++)
        watch.step(watch.data, &as_frame);
    for (int i = 0; i < 1000; i++)
        watch.step(watch.data, &own);
    ck_assert_uint_eq(stories[1].nsteps, STORY_STEPS_MAX);
    ck_assert_uint_eq(stories[1].nframe_steps, STORY_FRAME_STEPS_MAX);
    ck_assert_uint_eq(stories[1].steps_total, 2000);
    ck_assert(!stories[1].steps[STORY_STEPS_MAX - 1].as_frame);
}
END_TEST

START_TEST(what_one_that_moves_had_decided_is_in_vain)
{
    struct told_track track = begin_three(0);
    struct plan_watch watch = story_watch(&track);
    struct plan_step grows = make_step(1, 0, WAY_FRAME_GROWS, 800);
    struct plan_step other = make_step(2, 0, WAY_FRAME_GROWS, 900);
    struct plan_step moves = make_step(1, PLAN_NO_FRAME, WAY_MOVES, 0);
    watch.begin(watch.data);
    watch.step(watch.data, &grows);
    watch.step(watch.data, &other);
    watch.step(watch.data, &moves);
    ck_assert_uint_eq(stories[0].nsteps, 2);
    ck_assert(stories[0].steps[0].in_vain && !stories[0].steps[1].in_vain);
    ck_assert(!stories[1].steps[0].in_vain); /* where it is the next step that says so */
}
END_TEST

START_TEST(a_step_without_a_frame)
{
    struct told_track track = begin_three(0);
    struct plan_watch watch = story_watch(&track);
    struct plan_step deep = make_step(1, PLAN_NO_FRAME, WAY_MOVES, 0);
    struct plan_step others = make_step(1, PLAN_OTHERS, WAY_MOVES, 0);
    watch.begin(watch.data);
    watch.step(watch.data, &deep);
    watch.step(watch.data, &others);
    ck_assert_uint_eq(stories[1].nsteps, 2);
    ck_assert(stories[1].steps[0].too_deep && !stories[1].steps[1].too_deep);
    ck_assert(stories[1].steps[1].other.off == UINT64_MAX);
}
END_TEST

static const struct plan_rules exact = {
    .threshold_ns = 5000, .start_ceil = grid_same, .dur_floor = grid_same};

START_TEST(a_story_has_what_is_crossed_and_what_comes_of_it)
{
    struct told_track track = begin_three(0);
    struct slice again[3];
    ck_assert(story_tell(&track, &exact, again));
    const struct story *k1 = &stories[1], *big = &stories[2];
    ck_assert_uint_eq(stories[0].crossing.total, 1);
    ck_assert_uint_eq(k1->crossed.total, 1);
    ck_assert_uint_eq(k1->crossed.items[0].off, 100);
    ck_assert_uint_eq(k1->crossing.total, 1);
    /* of what the viewer drops as well */
    ck_assert_uint_eq(big->crossed.total, 1);
    ck_assert_uint_eq(big->crossed.items[0].off, 200);
    ck_assert_uint_eq(big->crossings, 1);
    ck_assert_int_eq(k1->outcomes[PLAN_FIRST].start_ns, 16000);
    ck_assert_int_eq(big->outcomes[PLAN_FIRST].start_ns, 21200);
    ck_assert_uint_eq(big->outcomes[PLAN_FIRST].retimed, 2);
    ck_assert_int_eq(big->outcomes[PLAN_FIRST].shift_ns, 4000);
    ck_assert_int_eq(three[1].start_ns, 15200); /* they are as they were */
}
END_TEST

/* The text of decisions about k1 (event 2), against k0 (event 1). */
static enum plan_snap told_rule;

static char *say(struct told *steps, size_t n)
{
    static struct place places[3];
    static char names[3][8] = {"k0", "k1", "big"}, cat[] = "kernel";
    struct buf out = {0};
    begin_three(0);
    for (uint32_t i = 0; i < 3; i++)
        places[i] =
            (struct place){.off = UINT64_C(100) * (i + 1), .event = i + 1, .name = names[i]};
    places[0].cat = cat;
    memcpy(stories[1].steps, steps, n * sizeof *steps);
    stories[1].nsteps = stories[1].steps_total = n;
    struct teller teller = {.story = &stories[1],
                            .places = places,
                            .nplaces = 3,
                            .threshold_ns = 5000,
                            .snap = told_rule,
                            .out = &out};
    words_steps(&teller);
    buf_add_char(&out, 0);
    ck_assert(!out.failed);
    return out.data;
}

/* A decision of one way, at the times of the trace. */
static struct told one(bool as_frame, enum plan_way way, int64_t shift)
{
    struct told t = {.as_frame = as_frame, .way = way, .start_ns = 15200, .end_ns = 21200};
    for (int i = 0; i < PLAN_WAYS; i++)
        t.shift_ns[i] = -1;
    t.shift_ns[way] = shift;
    t.other = as_frame ? (struct other){300, 18000, 78000} : (struct other){100, 10000, 16000};
    return t;
}

static void check_said(struct told t, const char *expected)
{
    char *text = say(&t, 1);
    ck_assert_str_eq(text, expected);
    free(text);
}

#define K0 "k0 (event 1, kernel, 10.000 to 16.000)"
#define BIG "big (event 3, 18.000 to 78.000)"
#define BELOW ", below the threshold of 5.000us\n"

START_TEST(each_way_has_its_words)
{
    check_said(one(false, WAY_TRIM, 4200),
               "  rule: its end goes back to 17.000, next to the end of " K0 ": 4.200us" BELOW);
    check_said(one(false, WAY_DELAY, 800),
               "  rule: its start goes on to 16.000, the end of " K0 ": 800ns" BELOW);
    check_said(one(false, WAY_DELAY, 1),
               "  rule: its start goes on to 15.201, just behind the start of " K0 ": 1ns" BELOW);
    check_said(one(false, WAY_ADVANCE, 5200),
               "  rule: its start goes back to 10.000, the start of " K0
               ": 5.200us, as it never returned (--trim-unfinished)\n");
    check_said(one(false, WAY_FRAME_GROWS, 4000),
               "  rule: the end of " K0 " goes on to 21.200, its end: 4.000us" BELOW);
    check_said(one(false, WAY_FRAME_TRIMS, 800),
               "  rule: the end of " K0 " goes back to 15.200, its start: 800ns" BELOW);
    check_said(one(false, WAY_FRAME_MOVES, 0),
               "  rule: " K0 " goes to a lane: nothing else is open to it\n");
    check_said(one(false, WAY_MOVES, 0), "  rule: it goes to a lane: nothing else is open to it\n");
}
END_TEST

START_TEST(each_way_has_its_words_for_the_frame)
{
    check_said(one(true, WAY_TRIM, 1),
               "  rule: the end of " BIG " goes back to 21.200, its end: 1ns" BELOW);
    check_said(one(true, WAY_DELAY, 1),
               "  rule: the start of " BIG " goes on to 21.200, its end: 1ns" BELOW);
    check_said(one(true, WAY_ADVANCE, 1),
               "  rule: the start of " BIG " goes back to 15.200, its start: 1ns" BELOW);
    check_said(one(true, WAY_FRAME_GROWS, 56800),
               "  rule: its end goes on to 78.000, the end of " BIG
               ": 56.800us, as it never returned (--trim-unfinished)\n");
    check_said(one(true, WAY_FRAME_TRIMS, 3200),
               "  rule: its end goes back to 18.000, the start of " BIG ": 3.200us" BELOW);
    check_said(one(true, WAY_FRAME_MOVES, 0),
               "  rule: it goes to a lane: nothing else is open to it\n");
    check_said(one(true, WAY_MOVES, 0),
               "  rule: " BIG " goes to a lane: nothing else is open to it\n");
    struct told kept = one(true, WAY_MOVES, 0);
    kept.kept = true;
    check_said(kept, "  rule: " BIG " goes to a lane: its times are to stay (--no-snap)\n");
}
END_TEST

START_TEST(a_move_has_its_reason)
{
    struct told t = one(false, WAY_MOVES, 0);
    t.shift_ns[WAY_TRIM] = 5200;
    check_said(t, "  rule: it goes to a lane: no shift below the threshold of 5.000us settles it\n"
                  "  instead: its end goes back to 16.000, the end of " K0 ": 5.200us, too much\n");
    t.shift_ns[WAY_DELAY] = 800;
    t.shift_ns[WAY_TRIM] = -1;
    check_said(t, "  rule: it goes to a lane: the boundary that is nearer would shift too far in "
                  "all\n"
                  "  instead: its start goes on to 16.000, the end of " K0 ": 800ns\n");
    told_rule = PLAN_LEAST;
    check_said(t, "  rule: it goes to a lane: that leaves fewer slices touched\n"
                  "  instead: its start goes on to 16.000, the end of " K0 ": 800ns\n");
    t.other.off = UINT64_MAX;
    t.shift_ns[WAY_DELAY] = -1;
    check_said(t, "  rule: it goes to a lane: where it was, it would have others shifted\n");
    t.too_deep = true;
    check_said(t, "  rule: it goes to a lane, as 512 slices are open around it\n");
}
END_TEST

START_TEST(a_shift_counts_from_where_it_was_in_the_trace)
{
    struct told t = one(true, WAY_FRAME_TRIMS, 800); /* of 21.200; it had grown before */
    t.end_ns = 30000;
    t.other.start_ns = 22000;
    check_said(t, "  rule, at ts 15.200, dur 14.800: its end goes back to 22.000, the start of big "
                  "(event 3, 22.000 to 78.000): 800ns" BELOW);
}
END_TEST

START_TEST(a_step_in_vain_is_told_as_such)
{
    struct told t = one(true, WAY_FRAME_TRIMS, 3200);
    t.in_vain = true;
    check_said(t, "  rule: its end goes back to 18.000, the start of " BIG ": 3.200us, below the "
                  "threshold of 5.000us; but that goes to a lane in the end\n");
}
END_TEST

START_TEST(a_story_of_several_steps_goes_in_their_order)
{
    struct told steps[] = {one(false, WAY_DELAY, 800), one(false, WAY_TRIM, 200),
                           one(true, WAY_TRIM, 1)};
    steps[0].shift_ns[WAY_MOVES] = steps[1].shift_ns[WAY_MOVES] = 0;
    steps[1].start_ns = 16000;
    steps[1].other.end_ns = 21000;
    steps[2].end_ns = 21000;
    char *text = say(steps, 3);
    ck_assert_str_eq(text,
                     "  rule: its start goes on to 16.000, the end of " K0 ": 800ns" BELOW
                     "  then, at ts 16.000, dur 5.200: its end goes back to 21.000, the end of "
                     "event 1 (by then 10.000 to 21.000): 200ns" BELOW
                     "  instead: it goes to a lane: no shift, but another thread\n"
                     "  then, at ts 15.200, dur 5.800: the end of " BIG
                     " goes back to 21.000, its end: 1ns" BELOW);
    free(text);
}
END_TEST

enum { RANDOM_TRACKS = 400, RANDOM_SLICES = 24 };

static int compare(const void *a, const void *b)
{
    return slice_less(a, b) ? -1 : slice_less(b, a);
}

/* A boundary that has gone so far from where it was, on or back, to a goal. */
static int64_t gone(int64_t from, int64_t shift, int64_t goal)
{
    ck_assert(from + shift == goal || from - shift == goal);
    return goal;
}

/* Where the decisions about a slice alone would bring it. */
static void follow(const struct story *s, int64_t *start_ns, int64_t *end_ns, bool *moves)
{
    *start_ns = s->start_ns;
    *end_ns = s->end_ns;
    *moves = false;
    for (size_t i = 0; i < s->nsteps; i++) {
        const struct told *step = &s->steps[i];
        enum plan_way way = step->way;
        int64_t shift = step->shift_ns[way];
        *moves |= way == (step->as_frame ? WAY_FRAME_MOVES : WAY_MOVES);
        if (step->in_vain)
            continue;
        if ((way == WAY_FRAME_GROWS && step->as_frame) || (way == WAY_TRIM && !step->as_frame))
            *end_ns = gone(s->end_ns, shift, step->other.end_ns);
        else if (way == WAY_FRAME_TRIMS && step->as_frame)
            *end_ns = gone(s->end_ns, shift, step->other.start_ns);
        else if (way == WAY_DELAY && !step->as_frame)
            *start_ns = gone(s->start_ns, shift, step->other.end_ns);
        else if (way == WAY_ADVANCE && !step->as_frame)
            *start_ns = gone(s->start_ns, shift, step->other.start_ns);
    }
}

/* What is told of a slice is what becomes of it. */
static void check_follows(const struct story *s, enum plan_snap snap)
{
    const struct outcome *o = &s->outcomes[snap];
    int64_t start_ns, end_ns;
    bool moves;
    if (s->steps_total > s->nsteps)
        return;
    follow(s, &start_ns, &end_ns, &moves);
    ck_assert_int_eq(moves, o->lane != 0);
    ck_assert(o->changed == (moves || start_ns != s->start_ns || end_ns != s->end_ns));
    ck_assert_int_eq(o->start_ns, moves ? s->start_ns : start_ns);
    ck_assert_int_eq(o->end_ns, moves ? s->end_ns : end_ns);
}

START_TEST(the_decisions_lead_to_what_becomes_of_it)
{
    uint64_t state = 7, nsteps = 0;
    for (int run = 0; run < RANDOM_TRACKS; run++) {
        struct slice s[RANDOM_SLICES], again[RANDOM_SLICES];
        struct plan_rules rules = exact;
        struct kinds kinds = {0};
        rules.kinds = &kinds;
        rules.snap = (enum plan_snap)random_below(&state, 3);
        for (uint64_t i = 0; i < RANDOM_SLICES; i++) {
            int64_t start_ns = (int64_t)random_below(&state, 60) * 1000;
            uint8_t keeps = random_below(&state, 8) ? 0 : KIND_KEEP_TIMES;
            kinds_add(&kinds, i, (uint8_t)(random_below(&state, KIND_DEVICE + 1) | keeps));
            s[i] = (struct slice){start_ns, start_ns + (int64_t)random_below(&state, 20) * 1000, i};
        }
        qsort(s, RANDOM_SLICES, sizeof *s, compare);
        struct story room[RANDOM_SLICES], *all[RANDOM_SLICES];
        struct told_track track = {.s = s, .n = RANDOM_SLICES, .stories = all};
        for (uint32_t i = 0; i < RANDOM_SLICES; i++) {
            all[track.nstories++] = &room[i];
            story_begin(&room[i], &track, i, 0);
        }
        ck_assert(story_tell(&track, &rules, again));
        for (size_t i = 0; i < RANDOM_SLICES; i++) {
            check_follows(&room[i], rules.snap);
            nsteps += room[i].nsteps;
        }
        kinds_free(&kinds);
    }
    ck_assert_uint_gt(nsteps, RANDOM_TRACKS);
}
END_TEST

Suite *explain_suite(void)
{
    const TTest *const tests[] = {a_name_is_compared_as_it_is_meant,
                                  digits_are_a_number,
                                  the_very_name_comes_before_a_part_of_it,
                                  a_step_is_told_of_both_its_slices,
                                  a_new_attempt_voids_the_earlier_one,
                                  what_others_do_leaves_room_for_its_own,
                                  what_one_that_moves_had_decided_is_in_vain,
                                  a_step_without_a_frame,
                                  a_story_has_what_is_crossed_and_what_comes_of_it,
                                  each_way_has_its_words,
                                  each_way_has_its_words_for_the_frame,
                                  a_move_has_its_reason,
                                  a_shift_counts_from_where_it_was_in_the_trace,
                                  a_step_in_vain_is_told_as_such,
                                  a_story_of_several_steps_goes_in_their_order,
                                  the_decisions_lead_to_what_becomes_of_it};
    return SUITE_OF("explain", tests);
}
