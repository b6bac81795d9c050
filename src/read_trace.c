/* Pass one, as often as it takes: once over a trace that is fine; once more over what is whole in
 * one that is broken, where that is asked for (--salvage, --repair); once more with the events
 * mended, where some have to be (--repair); and once more with every event as it will be, where
 * they get other ids or times (--repair, --rebase). */
#include "cutter.h"
#include "error.h"
#include "run.h"
#include "salvage.h"

/* What is mended by leaving something out or putting something in between events, and what within
 * them. */
#define OF_STRUCTURE                                                                               \
    (FINDING_BIT(FINDING_UNREAD) | FINDING_BIT(FINDING_NO_OBJECT) | FINDING_BIT(FINDING_COMMAS) |  \
     FINDING_BIT(FINDING_LAST_COMMA) | FINDING_BIT(FINDING_NO_COMMA) |                             \
     FINDING_BIT(FINDING_BAD_MEMBER) | FINDING_BIT(FINDING_START) |                                \
     FINDING_BIT(FINDING_NO_BRACKET))
#define OF_EVENTS                                                                                  \
    (FINDING_BIT(FINDING_BAD_NUMBER) | FINDING_BIT(FINDING_BAD_DUR) |                              \
     FINDING_BIT(FINDING_COMMAS) | FINDING_BIT(FINDING_SURROGATE) |                                \
     FINDING_BIT(FINDING_BAD_ESCAPE) | FINDING_BIT(FINDING_CONTROL) |                              \
     FINDING_BIT(FINDING_BAD_UTF8) | FINDING_BIT(FINDING_BAD_ARGS) | FINDING_BIT(FINDING_LOOP))

/* What takes a close look to be seen (pass_one.c). */
#define OF_CLOSE_LOOK                                                                              \
    (FINDING_BIT(FINDING_CONTROL) | FINDING_BIT(FINDING_BAD_UTF8) |                                \
     FINDING_BIT(FINDING_BAD_ARGS) | FINDING_BIT(FINDING_LOOP) | FINDING_BIT(FINDING_BAD_MEMBER) | \
     FINDING_BIT(FINDING_MERGED_THREADS) | FINDING_BIT(FINDING_FLOW_TWICE))

/* Puts what is lost, and why, into the totals. */
static void note_losses(struct run *run, const char *reason)
{
    struct lanefix_totals *totals = &run->report->totals;
    for (size_t i = 0; i < run->losses.n; i++) {
        const struct loss *loss = &run->losses.items[i];
        if (!loss->counts)
            continue;
        if (totals->lost_places++ == 0) {
            totals->lost_offset = loss->off;
            totals->lost_event = loss->events;
            totals->lost_reason = loss->reason ? loss->reason : reason;
        }
        totals->lost_nbytes += loss->nbytes;
    }
}

/* Adds what the scan has mended to what the passes find. */
static void note_mends(struct run *run, const struct salvage_mends *mends)
{
    for (int i = 0; i < FINDING_KINDS; i++) {
        if (!mends->n[i])
            continue;
        findings_add(&run->report->findings, (enum finding_kind)i, mends->n[i], mends->off[i],
                     mends->events[i]);
        run->mended |= FINDING_BIT(i);
    }
}

/* Forgets what a pass one found, and reads the trace anew. */
static bool pass_one_again(struct run *run)
{
    struct lanefix_totals *totals = &run->report->totals;
    tracks_free(&run->tracks);
    index_free(&run->index);
    kinds_free(&run->kinds);
    buf_free(&run->layout.separator);
    run->layout = (struct layout){0};
    findings_free(&run->report->findings);
    id_map_free(run->ids);
    run->ids = NULL;
    hash_table_free(&run->flow_ids);
    marks_free(&run->marks);
    run->ts_range = (struct ts_range){0};
    totals->events = totals->unread_events = totals->unread_offset = totals->unread_event = 0;
    run->unmendable = false;
    run->original.wanted = false; /* what is read from now on may be without the losses */
    source_drop_map(run->source);
    if (!source_rewind(run->source, run->err))
        return false;
    bool ok = pass_one(run);
    if (!ok && run->err->offset != LANEFIX_NOWHERE)
        run->err->offset = losses_place(&run->losses, run->err->offset);
    return ok;
}

/* After a pass one that ended with the error or without one: reads the trace anew, but only what is
 * whole in it. */
static bool salvage(struct run *run, bool failed)
{
    struct lanefix_error error = *run->err;
    struct salvage_mends mends = {0};
    if (!source_salvage(run->source, run->err))
        return false;
    meter_begin(&run->meter, LANEFIX_STEP_READ);
    switch (salvage_scan(run->source, run->chunk_nbytes, run->parser, &run->losses,
                         run->options->repair ? &mends : NULL, run->err)) {
    case SALVAGE_ERROR:
        return false;
    case SALVAGE_NOTHING: /* then the trace stays as it is */
        losses_free(&run->losses);
        *run->err = error;
        return !failed && ((!run->options->repair && !run->report->totals.unread_events) ||
                           fail(run->err, LANEFIX_ERR_NO_EVENTS, "no event in it is whole"));
    case SALVAGE_DONE:
        break;
    }
    meter_end(&run->meter);
    note_losses(run, failed ? error.message : "an event cannot be understood");
    fail(run->err, LANEFIX_OK, NULL);
    source_leave_out(run->source, &run->losses);
    if (!pass_one_again(run))
        return false;
    note_mends(run, &mends);
    const struct lanefix_totals *totals = &run->report->totals;
    if (totals->lost_places && run->report->check && run->report->examine)
        findings_add(&run->report->findings, FINDING_TORN, totals->lost_places, totals->lost_offset,
                     totals->lost_event);
    return true;
}

/* Has a pass one that ended without an error found what the scan for what is whole mends? */
static bool wants_scan(const struct run *run)
{
    const struct lanefix_options *options = run->options;
    bool broken = run->report->totals.unread_events || run->unclosed;
    bool mendable = run->unmendable || (findings_set(&run->report->findings) & OF_STRUCTURE) != 0;
    return (broken && (options->salvage || options->repair)) || (mendable && options->repair);
}

/* May the scan help after the error? In a check that examines, that the trace is broken is a
 * finding. Where the trace just ends there may be a whole event although pass one has seen none:
 * one whose quotes hid its end, or one before the place where another codec finds the gzip damaged.
 */
static bool allows_scan(const struct run *run)
{
    const struct lanefix_options *options = run->options;
    bool examine = run->report->check && options->examine;
    if (!options->salvage && !options->repair && !examine)
        return false;
    switch (run->err->code) {
    case LANEFIX_ERR_GZIP_DATA:
    case LANEFIX_ERR_GZIP_CUT:
    case LANEFIX_ERR_CUT_EVENT:
    case LANEFIX_ERR_CUT_OBJECT:
        return true;
    default:
        return lanefix_salvageable(run->err);
    }
}

/* Pass one, and where the trace is broken and that is asked for, once more over what is whole. */
static bool read_whole(struct run *run)
{
    bool ok = pass_one(run);
    if (ok ? !wants_scan(run) : !allows_scan(run))
        return ok;
    return salvage(run, !ok);
}

/* Appends what baseTimeNanoseconds becomes. Returns false if its value is not one that anything can
 * be added to. */
static bool new_base_time(const struct run *run, int64_t shift_us, struct buf *text)
{
    const struct outer *outer = &run->outer;
    if (!outer->base_end) {
        buf_add_str(text, "\"" CUTTER_BASE_KEY "\":");
        rebase_base_time(text, NULL, 0, shift_us);
        buf_add_char(text, ',');
        return true;
    }
    return outer->base.len && rebase_base_time(text, outer->base.data, outer->base.len, shift_us);
}

/* Adds the constant by which the times are shifted to baseTimeNanoseconds, which is put in where it
 * is not there; a bare array has no room for it. */
static bool shift_base_time(struct run *run, int64_t shift_us)
{
    const struct outer *outer = &run->outer;
    struct buf text = {0};
    struct loss loss = {0};
    if (outer->bare)
        return true;
    if (outer->base.failed)
        return fail_memory(run->err);
    if (outer->base_end) {
        loss.begin = losses_place(&run->losses, outer->base_off);
        loss.end = losses_place(&run->losses, outer->base_end);
    } else {
        loss.begin = loss.end = losses_place(&run->losses, outer->object_off) + 1;
    }
    if (!new_base_time(run, shift_us, &text) && !text.failed) {
        buf_free(&text);
        return fail_at(run->err, LANEFIX_ERR_USAGE,
                       CUTTER_BASE_KEY " is no whole number, so nothing can be added to it",
                       loss.begin, LANEFIX_NOWHERE);
    }
    /* It may stand in a member that was mended */
    bool touched = outer->base_end && losses_touch(&run->losses, loss.begin, loss.end);
    bool ok = touched ? losses_edit(&run->losses, outer->base_off, outer->base_end, &text)
                      : (loss.instead = losses_text(&run->losses, &text)) &&
                            losses_add(&run->losses, &loss);
    ok = ok && !text.failed;
    buf_free(&text);
    if (!ok)
        return fail_memory(run->err);
    source_leave_out(run->source, &run->losses);
    return true;
}

/* What is to be done about the times. Where they cannot be shifted, that is an error if it was
 * asked for by name. */
static bool decide_times(struct run *run)
{
    struct revalue_rules *values = &run->rules.values;
    bool asked = run->options->rebase;
    finding_set found = findings_set(&run->report->findings);
    bool strings = found & FINDING_BIT(FINDING_STRING_TS);
    bool wanted = strings || run->ts_range.negative || (found & FINDING_BIT(FINDING_ROUNDED_TS));
    if (!asked && !(run->options->repair && wanted))
        return true;
    if (!ts_range_shift(&run->ts_range, &values->shift_us)) {
        values->shift_us = 0;
        if (asked)
            return fail(run->err, LANEFIX_ERR_USAGE,
                        "the first and the last ts are too far apart for --rebase");
    }
    if (values->shift_us && !shift_base_time(run, values->shift_us)) {
        if (asked || run->err->code != LANEFIX_ERR_USAGE)
            return false;
        fail(run->err, LANEFIX_OK, NULL);
        values->shift_us = 0;
    }
    values->times = values->shift_us || strings;
    run->report->totals.ts_shift_us = values->shift_us;
    return true;
}

/* What is to be done about the ids. */
static void decide_ids(struct run *run)
{
    if (!run->options->repair || !id_map_count(run->ids))
        return;
    run->new_ids = run->ids;
    run->ids = NULL;
    run->rules.values.ids = run->new_ids;
    report_add_new_ids(run->report, run->new_ids);
}

/* All ids are known: which of them cannot stay? */
static bool finish_ids(struct run *run)
{
    if (!run->ids)
        return true;
    if (!id_map_assign(run->ids))
        return fail_memory(run->err);
    for (size_t i = 0; i < id_map_count(run->ids); i++) {
        struct id_row row = id_map_row(run->ids, i);
        if (id_row_merged(&row))
            findings_add(&run->report->findings, FINDING_MERGED_THREADS, row.nevents,
                         losses_place(&run->losses, row.off), row.event);
    }
    return true;
}

/* Reads the trace as it will be, and learns what is left of what was found, or was hidden by it.
 * Once the events were mended they need not be looked at as closely again. */
static bool read_repaired(struct run *run)
{
    struct lanefix_report *report = run->report;
    struct findings before = report->findings;
    bool close = !run->rules.values.ids && !run->rules.values.times;
    findings_init(&report->findings);
    run->repairing = true;
    run->look_close = close;
    bool ok = pass_one_again(run) && finish_ids(run);
    for (int i = 0; i < FINDING_KINDS; i++) {
        struct lanefix_finding *then = &before.of[i], *now = &report->findings.of[i];
        uint64_t left = now->count;
        if (!then->count) {
            *then = *now;
            now->name = NULL;
        }
        if (close || !(OF_CLOSE_LOOK & FINDING_BIT(i)))
            then->left = left;
    }
    if (run->rules.values.ids)
        before.of[FINDING_MERGED_THREADS].left = 0;
    findings_free(&report->findings);
    report->findings = before;
    return ok;
}

/* An event that is mended may have other ids and times than before, or any at all. So these are
 * judged by how it is then. */
bool read_trace(struct run *run)
{
    const struct lanefix_options *options = run->options;
    if (!read_whole(run) || !finish_ids(run))
        return false;
    for (int i = 0; i < FINDING_KINDS; i++)
        if (!(run->mended & FINDING_BIT(i)))
            run->report->findings.of[i].left = run->report->findings.of[i].count;
    run->rules.mend = options->repair && (findings_set(&run->report->findings) & OF_EVENTS);
    if (run->rules.mend && !read_repaired(run))
        return false;
    if ((options->repair || options->rebase) && !decide_times(run))
        return false;
    decide_ids(run);
    return !(run->rules.values.ids || run->rules.values.times) || read_repaired(run);
}
