/* Traces in which the same thing is wrong again and again. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kinds.h"
#include "write.h"

/* The text with the number in place of each #. */
static void numbered(const char *pattern, uint64_t number)
{
    for (const char *p = pattern; *p;) {
        size_t n = strcspn(p, "#");
        put(p, n);
        p += n;
        if (*p) {
            FORM("%" PRIu64, number);
            p++;
        }
    }
}

/* Behind an event that is sound. */
static void items(const struct arguments *a)
{
    text("[\n{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":1}");
    for (uint64_t i = 1; i <= a->n; i++)
        numbered(a->what, i);
    text(",\n{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":2000000,\"dur\":1}\n]\n");
}

/* Members of the outer object. */
static void members(const struct arguments *a)
{
    text("{");
    for (uint64_t i = 1; i <= a->n; i++)
        numbered(a->what, i);
    text("\"traceEvents\":[\n{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":1}\n]}\n");
}

/* One event with n bytes of a string, or of args. */
static void bytes(const struct arguments *a)
{
    bool string = *a->what != '[';
    text("[\n{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":1,\"args\":");
    text(string ? "\"" : "[");
    repeat(a->what, a->n / strlen(a->what) * strlen(a->what));
    text(string ? "\"}\n]\n" : "0]}\n]\n");
}

static void deep(const struct arguments *a)
{
    text("[\n{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":1,\"args\":");
    repeat(a->what, a->n * strlen(a->what));
    text("NaN");
    repeat(*a->what == '[' ? "]" : "}", a->n);
    text("}\n]\n");
}

#define EVENT ",\n{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":#,\"dur\":1"

const struct kind broken_kinds[] = {
    {"bad-numbers", items, EVENT ",\"v\":.5}", "numbers"},
    {"bad-times", items,
     ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":\"17000000000000#.5\",\"dur\":null}", "events"},
    {"stray-commas", items, "," EVENT "}", "events"},
    {"only-commas", items, ",", "commas"},
    {"missing-commas", items, "\n{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":#,\"dur\":1}", "events"},
    {"no-objects", items, ",#", "elements"},
    {"no-objects-between", items, ",#" EVENT "}", "elements"},
    {"bad-ids", items, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":-#,\"ts\":1,\"dur\":1}", "threads"},
    {"bad-pids", items, ",\n{\"ph\":\"X\",\"pid\":-#,\"tid\":1,\"ts\":1,\"dur\":1}", "threads"},
    {"flow-starts", items, ",\n{\"ph\":\"s\",\"id\":#,\"pid\":1,\"tid\":2,\"ts\":1}", "flows"},
    {"quotes", items,
     ",\n{\"ph\":\"X\",\"name\":\"{\"device\": "
     "\"cpu\"}(#)\",\"pid\":1,\"tid\":2,\"ts\":#,\"dur\":1}",
     "events"},
    {"no-key-quote", items, ",\n{\"ph\":\"X\",pid\":1,\"tid\":2,\"ts\":#,\"dur\":1}", "events"},
    {"bad-members", members, "\"a#\":.5,", "members"},
    {"lost-members", members, "\"a#\":{1:2},", "members"},
    {"surrogates", bytes, "\\ud83d", "bytes"},
    {"zero-escapes", bytes, "\\x", "bytes"},
    {"bad-args", bytes, "[.5,NaN,],", "bytes"},
    {"deep-nan", deep, "[", "levels"},
    {"deep-nan-keys", deep, "{\"a\":", "levels"},
};
const size_t nbroken_kinds = sizeof broken_kinds / sizeof *broken_kinds;
