/*
 * hostile: traces that are meant to do harm, on standard output.
 *
 *   hostile KIND N [fixed]
 *
 * KIND is one of the table at the end; what N counts stands there. "fixed" writes what the fixed
 * trace must be, where the kind knows that. Kinds that begin with gz are gzip. The bytes depend on
 * the arguments alone.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "write.h"

/* ---- brackets ---- */

static void brackets(uint64_t n)
{
    repeat("[", n);
    repeat("]", n);
}

static void deep_key(const struct arguments *a)
{
    text("{\"deep\":");
    brackets(a->n);
    text(",\"traceEvents\":[\n{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":100}");
    begin_mover(a->fixed);
    text("}");
    end_trace(a->fixed);
}

static void deep_element(const struct arguments *a)
{
    begin_trace();
    text(",\n");
    brackets(a->n);
    begin_mover(a->fixed);
    text("}");
    end_trace(a->fixed);
}

/* In the args of an event, `what` it is. */
static void deep_args(const struct arguments *a)
{
    begin_trace();
    if (*a->what == 'M')
        text(",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":3");
    else
        begin_mover(a->fixed);
    text(",\"args\":{\"deep\":");
    brackets(a->n);
    text(",\"name\":\"x\"}}");
    if (*a->what == 'M') {
        begin_mover(a->fixed);
        text("}");
    }
    end_trace(a->fixed);
}

/* Brackets that are never closed (or closed once too often): `what` stands before them. */
static void deep_open(const struct arguments *a)
{
    text(a->what);
    repeat("[", a->n);
}

static void deep_wrong(const struct arguments *a)
{
    text(a->what);
    repeat("[", a->n);
    repeat("]", a->n - 1);
    text("}");
}

/* For jsmn, what follows after the word x" is no string. */
static void deep_odd(const struct arguments *a)
{
    begin_trace();
    text(",\n{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":0,\"odd\":x\" ");
    for (uint64_t done = 0; done < a->n; done += 1000000) {
        repeat("[", 1000000);
        repeat("]", 1000000);
    }
    text("\"}");
    begin_mover(a->fixed);
    text("}");
    end_trace(a->fixed);
}

/* Moderately deep ones, all of which jsmn looks at. */
static void deep_many(const struct arguments *a)
{
    begin_trace();
    begin_mover(a->fixed);
    text(",\"odd\":\\x,\"args\":[");
    for (uint64_t done = 0; done < a->n; done += 121) {
        repeat("[", 60);
        repeat("]", 60);
        text(",");
    }
    text("0]}");
    end_trace(a->fixed);
}

/* ---- long things ---- */

static void string_key(const struct arguments *a)
{
    text("{\"long\":\"");
    repeat("a\\\"", a->n / 3 * 3);
    text("\",\"traceEvents\":[\n{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":100}");
    begin_mover(a->fixed);
    text("}");
    end_trace(a->fixed);
}

/* An event with a string of n bytes under the key `what`. */
static void string_event(const struct arguments *a)
{
    begin_trace();
    begin_mover(a->fixed);
    FORM(",\"%s\":\"", a->what);
    repeat("abcdefgh", a->n);
    text("\"}");
    end_trace(a->fixed);
}

/* An event of n bytes of members; one byte that jsmn does not take makes it look at all of it. */
static void members(const struct arguments *a)
{
    bool odd = *a->what == 'o';
    const char *member = odd ? ",\"a\":{\"b\":[1,2]}" : ",\"a\":1";
    begin_trace();
    begin_mover(a->fixed);
    if (odd)
        text(",\"path\":\"C:\\Users\"");
    repeat(member, a->n / strlen(member) * strlen(member));
    text("}");
    end_trace(a->fixed);
}

/* n events of 50 MB each. */
static void big_events(const struct arguments *a)
{
    begin_trace();
    for (uint64_t done = 0; done < a->n; done++) {
        text(",\n{\"ph\":\"i\",\"name\":\"C:\\Users\",\"s\":\"");
        repeat("abcdefgh", 50000000);
        text("\"}");
    }
    begin_mover(a->fixed);
    text("}");
    end_trace(a->fixed);
}

/* A number of n digits where `what` says; the tid 2 in many digits too. */
static void digits(const struct arguments *a)
{
    begin_trace();
    text(",\n{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":300,\"dur\":1");
    if (strcmp(a->what, "pid") == 0) /* the last one counts */
        text(",\"pid\":1.");
    else
        FORM(",\"%s\":%s.", a->what,
             strcmp(a->what, "dur") == 0   ? "5"
             : strcmp(a->what, "tid") == 0 ? "2"
                                           : "301");
    repeat("0", a->n);
    text("}");
    begin_mover(a->fixed);
    text("}");
    end_trace(a->fixed);
}

/* ---- many things ---- */

static void threads(const struct arguments *a)
{
    text("[\n");
    for (uint64_t i = 0; i < a->n; i++)
        FORM("%s{\"ph\":\"X\",\"name\":\"a\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64
             ",\"ts\":0,\"dur\":100}",
             i ? ",\n" : "", 1 + i % 7, 10 + i);
    text("\n]\n");
}

/* All cross each other. With a tid of 5,000,000 the lanes' ids are strings. */
static void lanes(const struct arguments *a)
{
    text("[\n");
    for (uint64_t i = 0; i < a->n; i++)
        FORM("%s{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":%s,\"ts\":%" PRIu64
             ",\"dur\":100000000}",
             i ? ",\n" : "", a->what, 10 * i);
    text("\n]\n");
}

/* Threads with a lane each, and kernels of as many names. */
static void thread_lanes(const struct arguments *a)
{
    text("[\n");
    for (uint64_t i = 0; i < a->n; i++) {
        FORM("%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%" PRIu64
             "\",\"pid\":1,\"tid\":%" PRIu64 ",\"ts\":0,\"dur\":100},\n",
             i ? ",\n" : "", i, 10 + i);
        FORM("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"void kernel_%" PRIu64
             "<float>(float*)\",\"pid\":1,\"tid\":%" PRIu64 ",\"ts\":50,\"dur\":100}",
             i, 10 + i);
    }
    text("\n]\n");
}

/* Endpoints at one time, at which a slice that moves is open. */
static void flows(const struct arguments *a)
{
    const char *tid = a->fixed ? "2001" : "2";
    begin_trace();
    begin_mover(a->fixed);
    text("}");
    for (uint64_t i = 0; i < a->n; i++)
        FORM(",\n{\"ph\":%s,\"id\":%" PRIu64 ",\"pid\":1,\"tid\":%s,\"ts\":%s}", a->what, i, tid,
             strcmp(a->what, "\"f\"") == 0 ? "20" : "120");
    end_trace(a->fixed);
}

/* Many events with a key twice; the last one counts. */
static void dup_events(const struct arguments *a)
{
    begin_trace();
    for (uint64_t i = 0; i < a->n; i++)
        FORM(",\n{\"ph\":\"X\",\"tid\":9,\"pid\":1,\"ts\":%" PRIu64 ",\"dur\":1,\"tid\":2}",
             1000 + i);
    begin_mover(a->fixed);
    text("}");
    end_trace(a->fixed);
}

/* One event with n keys, all the same or not. */
static void keys(const struct arguments *a)
{
    begin_trace();
    begin_mover(a->fixed && *a->what == 'm');
    for (uint64_t i = 0; i < a->n; i++)
        if (*a->what == 'd')
            FORM(",\"tid\":%" PRIu64, i);
        else
            FORM(",\"key%" PRIu64 "\":%" PRIu64, i, i);
    if (*a->what == 'd')
        FORM(",\"tid\":%s", a->fixed ? "2001" : "2");
    text("}");
    end_trace(a->fixed);
}

/* One thread with a name of a megabyte, and n slices there that all cross. */
static void long_name(const struct arguments *a)
{
    text("[\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"");
    repeat("\\u0061\xC3\xA4", 1000000);
    text("\"}},\n{\"ph\":\"i\",\"pid\":1,\"tid\":2.");
    repeat("0", 1000000);
    text(",\"ts\":0}");
    for (uint64_t i = 0; i < a->n; i++)
        FORM(",\n{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":%" PRIu64
             ",\"dur\":100000000}",
             10 * i);
    text("\n]\n");
}

/* Threads with ids of a megabyte each. */
static void long_ids(const struct arguments *a)
{
    text("[");
    for (uint64_t i = 0; i < a->n; i++) {
        FORM("%s\n{\"ph\":\"X\",\"ts\":0,\"dur\":1,\"pid\":1,\"tid\":\"%" PRIu64, i ? "," : "", i);
        repeat("abcdefgh", 1 << 20);
        text("\"}");
    }
    text("\n]\n");
}

/* ---- gzip ---- */

static void gz_bomb(const struct arguments *a)
{
    begin_member(6, NULL);
    begin_trace();
    repeat(a->what, a->n / strlen(a->what) * strlen(a->what));
    begin_mover(a->fixed);
    text("}");
    end_trace(a->fixed);
    end_member();
}

static void trace_member(bool fixed)
{
    begin_member(6, NULL);
    begin_trace();
    begin_mover(fixed);
    text("}");
    end_trace(fixed);
    end_member();
}

static void gz_empty(const struct arguments *a)
{
    for (uint64_t i = 0; i <= a->n; i++) {
        if (i == a->n / 2) {
            trace_member(a->fixed);
            continue;
        }
        begin_member(6, NULL);
        end_member();
    }
}

/* One byte in each. */
static void gz_bytes(const struct arguments *a)
{
    begin_member(6, NULL);
    begin_trace();
    end_member();
    for (uint64_t i = 0; i < a->n; i++) {
        begin_member(1, NULL);
        text(" ");
        end_member();
    }
    begin_member(6, NULL);
    begin_mover(a->fixed);
    text("}");
    end_trace(a->fixed);
    end_member();
}

static void gz_header_of(const struct arguments *a)
{
    static Bytef extra[65535];
    Bytef *string = malloc(a->n + 1);
    if (!string)
        exit(1);
    memset(string, 'n', a->n);
    string[a->n] = 0;
    gz_header header = {.name = *a->what == 'n' ? string : NULL,
                        .comment = *a->what == 'c' ? string : NULL,
                        .extra = *a->what == 'e' ? extra : NULL,
                        .extra_len = sizeof extra};
    begin_member(6, &header);
    begin_trace();
    begin_mover(a->fixed);
    text("}");
    end_trace(a->fixed);
    end_member();
    free(string);
}

static void gz_behind(const struct arguments *a)
{
    trace_member(a->fixed);
    static const char zeros[1 << 16];
    if (*a->what == 'g')
        repeat("garbage\n", a->n);
    else
        for (uint64_t left = a->n; left;) {
            size_t some = left < sizeof zeros ? (size_t)left : sizeof zeros;
            out(zeros, some);
            left -= some;
        }
}

/* n empty stored blocks in one member, then blanks. */
static void gz_blocks(const struct arguments *a)
{
    begin_member(6, NULL);
    begin_trace();
    for (uint64_t i = 0; i < a->n; i++) {
        text(" ");
        deflate_some(Z_FULL_FLUSH);
    }
    begin_mover(a->fixed);
    text("}");
    end_trace(a->fixed);
    end_member();
}

/* ---- large ---- */

/* Events of 4 KiB; every thousandth slice crosses the one before, and fixed it is on lane 1. */
static void large(const struct arguments *a)
{
    text("{\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":2,"
         "\"args\":"
         "{\"sort_index\":5}}");
    uint64_t events = a->n / 4096;
    for (uint64_t i = 0; i < events; i++) {
        bool crosses = i % 1000 == 999;
        FORM(",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%s,\"ts\":%" PRIu64
             ",\"dur\":%d,\"name\":\"aten::mm\",\"args\":{\"stack\":\"",
             crosses && a->fixed ? "2001" : "2", i * 100 - (crosses ? 50 : 0), crosses ? 120 : 90);
        repeat("torch/nn/modules/linear.py(124): forward;", 4000);
        text("\"}}");
    }
    if (a->fixed)
        text(
            ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":2001,\"args\":{\"name\":"
            "\"tid 2 "
            "lane "
            "1\"}},\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":2001,\"args\":{"
            "\"sort_index\":6}}");
    text("\n]}\n");
}

static const struct kind kinds[] = {
    {"deep-key", deep_key, "", "levels"},
    {"deep-element", deep_element, "", "levels"},
    {"deep-args", deep_args, "X", "levels"},
    {"deep-metadata", deep_args, "M", "levels"},
    {"deep-odd", deep_odd, "", "levels in all"},
    {"deep-many", deep_many, "", "bytes"},
    {"deep-key-open", deep_open, "{\"a\":", "levels"},
    {"deep-element-open", deep_open, "[", "levels"},
    {"deep-args-open", deep_open, "[{\"args\":", "levels"},
    {"deep-key-wrong", deep_wrong, "{\"a\":", "levels"},
    {"deep-element-wrong", deep_wrong, "[", "levels"},
    {"deep-args-wrong", deep_wrong, "[{\"args\":", "levels"},
    {"string-key", string_key, "", "bytes"},
    {"string-event", string_event, "args", "bytes"},
    {"string-event-over", string_event, "args", "bytes"},
    {"string-name", string_event, "name", "bytes"},
    {"members", members, "plain", "bytes"},
    {"members-odd", members, "odd", "bytes"},
    {"big-events", big_events, "", "events"},
    {"digits-ts", digits, "ts", "digits"},
    {"digits-dur", digits, "dur", "digits"},
    {"digits-tid", digits, "tid", "digits"},
    {"digits-pid", digits, "pid", "digits"},
    {"digits-id", digits, "id", "digits"},
    {"digits-args", digits, "args", "digits"},
    {"threads", threads, "", "threads"},
    {"lanes", lanes, "2", "lanes"},
    {"lanes-string", lanes, "5000000", "lanes"},
    {"thread-lanes", thread_lanes, "", "threads"},
    {"flows-s", flows, "\"s\"", "endpoints"},
    {"flows-t", flows, "\"t\"", "endpoints"},
    {"flows-f", flows, "\"f\"", "endpoints"},
    {"flows-f-bp", flows, "\"f\",\"bp\":\"e\"", "endpoints"},
    {"dup-events", dup_events, "", "events"},
    {"keys", keys, "many", "keys"},
    {"dup-keys", keys, "dup", "keys"},
    {"long-name", long_name, "", "slices"},
    {"long-ids", long_ids, "", "threads"},
    {"long-ids-over", long_ids, "", "threads"},
    {"gz-blanks", gz_bomb, "          ", "bytes"},
    {"gz-events", gz_bomb, ",\n{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":0}", "bytes"},
    {"gz-empty", gz_empty, "", "members"},
    {"gz-bytes", gz_bytes, "", "members"},
    {"gz-name", gz_header_of, "name", "bytes"},
    {"gz-comment", gz_header_of, "comment", "bytes"},
    {"gz-extra", gz_header_of, "extra", "bytes"},
    {"gz-zeros", gz_behind, "zeros", "bytes"},
    {"gz-garbage", gz_behind, "garbage", "bytes"},
    {"gz-blocks", gz_blocks, "", "blocks"},
    {"large", large, "", "bytes"},
};

static const struct kind *find(const char *name, const struct kind *of, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, of[i].name) == 0)
            return &of[i];
    return NULL;
}

static void list(const struct kind *of, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "  %-20s N %s\n", of[i].name, of[i].counts);
}

int main(int argc, char **argv)
{
    const size_t n = sizeof kinds / sizeof *kinds;
    const struct kind *kind = argc > 2 ? find(argv[1], kinds, n) : NULL;
    if (argc > 2 && !kind)
        kind = find(argv[1], broken_kinds, nbroken_kinds);
    if (kind) {
        struct arguments a = {
            .n = strtoull(argv[2], NULL, 10), .fixed = argc > 3, .what = kind->what};
        kind->write(&a);
        return fflush(stdout) ? 1 : 0;
    }
    fputs("usage: hostile KIND N [fixed]\n", stderr);
    list(kinds, n);
    list(broken_kinds, nbroken_kinds);
    return 2;
}
