/* Events with new values are events still, for which there is nothing more to do; and threads that
 * the viewer told apart, or would not have, stay apart in its model. Each line is an event. */
#include "../model/model.h"
#include "fuzz.h"
#include "revalue.h"

enum { EVENTS_MAX = 24 };

struct line {
    struct buf text;
    struct event event;
    bool on_thread;
};

struct trace {
    struct line lines[EVENTS_MAX];
    size_t n;
};

static struct event_parser *parser;

/* Adds the line if it is an event, perhaps with a comma behind it. */
static void add_line(struct trace *trace, const char *text, size_t n)
{
    n -= n && text[n - 1] == ',';
    struct line *line = &trace->lines[trace->n];
    *line = (struct line){{0}, {0}, false};
    if (trace->n == EVENTS_MAX || !n ||
        event_parse(parser, text, n, NULL, &line->event) != EVENT_OK)
        return;
    buf_add(&line->text, text, n);
    line->on_thread = event_is_on_thread(text, &line->event);
    trace->n++;
}

static void split(struct trace *trace, const char *text, size_t n)
{
    for (size_t i = 0, end; i < n && trace->n < EVENTS_MAX; i = end + 1) {
        const char *newline = memchr(text + i, '\n', n - i);
        end = newline ? (size_t)(newline - text) : n;
        add_line(trace, text + i, end - i);
    }
}

/* The map of all events, and the shift. */
static struct id_map *look(const struct trace *trace, struct revalue_rules *rules)
{
    struct id_map *map = id_map_new();
    struct ts_range range = {0};
    MUST(map);
    for (size_t i = 0; i < trace->n; i++) {
        const struct line *line = &trace->lines[i];
        const struct value *ts = &line->event.ts;
        MUST(id_map_note(map, line->text.data, &line->event.pid, &line->event.tid, line->on_thread,
                         i, i));
        if (line->event.ph != 'M' && (ts->kind == VALUE_BARE || ts->kind == VALUE_STRING))
            ts_range_note(&range, line->text.data + ts->off, ts->len, ts->kind == VALUE_STRING);
    }
    MUST(id_map_assign(map));
    *rules = (struct revalue_rules){.ids = map, .times = true};
    if (!ts_range_shift(&range, &rules->shift_us))
        rules->shift_us = 0;
    return map;
}

/* `to` becomes what the rules make of `from`; returns how many events change. */
static size_t revalue(struct trace *to, const struct trace *from, const struct revalue_rules *rules)
{
    struct revaluer r = {.rules = rules};
    size_t nchanged = 0;
    for (size_t i = 0; i < from->n; i++) {
        const struct line *line = &from->lines[i];
        struct buf out = {0};
        bool changed = revalue_event(&r, &out, line->text.data, line->text.len, &line->event);
        MUST(!out.failed && changed == (out.len > 0));
        add_line(to, changed ? out.data : line->text.data, changed ? out.len : line->text.len);
        MUST(to->n == i + 1);
        nchanged += changed;
        buf_free(&out);
    }
    revaluer_free(&r);
    return nchanged;
}

/* The ids of an event as the model has them; their strings are owned by the caller. */
static void model_ids(const struct line *line, struct model_id ids[2])
{
    const struct value *values[2] = {&line->event.pid, &line->event.tid};
    for (int i = 0; i < 2; i++) {
        enum model_kind kind = values[i]->kind == VALUE_BARE     ? MODEL_BARE
                               : values[i]->kind == VALUE_STRING ? MODEL_STRING
                                                                 : MODEL_ABSENT;
        struct model_value value = {kind, values[i]->off, values[i]->len};
        ids[i] = model_id_of(line->text.data, &value);
    }
}

static bool is_zero(const struct model_id *id)
{
    return !id->string && id->number == 0;
}

/* Threads that the viewer told apart before are apart; so are those of which one has a tid of 0,
 * which would fall on the other. */
static void check_pair(const struct trace *before, const struct trace *after, size_t i, size_t k)
{
    struct model_id old[2][2], new[2][2];
    model_ids(&before->lines[i], old[0]);
    model_ids(&before->lines[k], old[1]);
    model_ids(&after->lines[i], new[0]);
    model_ids(&after->lines[k], new[1]);
    bool apart = !model_id_equal(&old[0][0], &old[1][0]) || !model_id_equal(&old[0][1], &old[1][1]);
    bool one_process = model_id_equal(&new[0][0], &new[1][0]);
    bool one = one_process && model_id_equal(&new[0][1], &new[1][1]);
    MUST(!apart || !one);
    if (before->lines[i].on_thread && before->lines[k].on_thread && one_process && !one)
        for (int a = 0; a < 2; a++)
            MUST(is_zero(&new[a][0]) || !is_zero(&new[a][1]) ||
                 !model_id_equal(&new[a][0], &new[!a][1]));
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            free(old[a][b].string);
            free(new[a][b].string);
        }
}

static void free_trace(struct trace *trace)
{
    for (size_t i = 0; i < trace->n; i++)
        buf_free(&trace->lines[i].text);
    trace->n = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct trace before, after, again;
    struct revalue_rules rules;
    if (!parser)
        MUST((parser = event_parser_new()));
    split(&before, (const char *)data, n);
    struct id_map *map = look(&before, &rules);
    revalue(&after, &before, &rules);
    id_map_free(map);
    for (size_t i = 0; i < before.n; i++)
        for (size_t k = 0; k < i; k++)
            check_pair(&before, &after, i, k);
    map = look(&after, &rules);
    MUST(id_map_count(map) == 0 && revalue(&again, &after, &rules) == 0);
    id_map_free(map);
    free_trace(&before);
    free_trace(&after);
    free_trace(&again);
    return 0;
}
