/* The reverse of a fix: the output and the run's report give the input again.
 *
 * The report's edits are gone through in their order, beside the output: what they say was put in
 * has to stand there, and gives way to what was there before; all else is copied. What comes out is
 * the original if its size and CRC are those of the report; only then it gets its name. */
#include "codec.h"
#include "cores.h"
#include "error.h"
#include "outfile.h"
#include "run.h"
#include "undo_report.h"

struct undo {
    const struct lanefix_options *options;
    size_t chunk_nbytes;
    struct crew *crew;
    struct source *report_source, *source;
    struct undo_report report;
    struct meter meter;   /* of what is undone; the report is small beside it */
    struct window window; /* on what is undone */
    struct sink *sink;
    uint64_t nbytes; /* of the original so far, */
    uint32_t crc;    /* and their CRC */
    struct lanefix_error *err;
};

/* At that byte of the input, or as a whole (LANEFIX_NOWHERE). */
static bool fail_other(struct undo *u, uint64_t offset)
{
    return fail_at(u->err, LANEFIX_ERR_MISMATCH,
                   "this is not the output that the report is about, as it was written", offset,
                   LANEFIX_NOWHERE);
}

/* Appends to the original. */
static bool put(struct undo *u, const char *bytes, size_t n)
{
    if (!n) /* zlib takes a NULL for a wish to begin anew */
        return true;
    if (n > u->report.nbytes - u->nbytes)
        return fail_other(u, u->window.off);
    u->nbytes += n;
    u->crc = codec_crc(u->crc, bytes, n);
    return sink_write(u->sink, bytes, n, u->err);
}

/* Copies the input until so much of the original is there, or to the input's end. */
static bool copy_until(struct undo *u, uint64_t nbytes)
{
    struct window *w = &u->window;
    while (u->nbytes < nbytes) {
        if (!w->len && !window_more(w, u->err))
            return false;
        if (!w->len)
            return nbytes == UINT64_MAX || fail_other(u, w->off);
        uint64_t left = nbytes - u->nbytes;
        size_t n = left < w->len ? (size_t)left : w->len;
        if (!put(u, w->data, n) || !window_drop(w, w->off + n, u->err))
            return false;
    }
    return true;
}

/* The edit's new text has to be next in the input, and goes. */
static bool take_out(struct undo *u, const struct buf *text)
{
    struct window *w = &u->window;
    while (w->len < text->len && !w->at_end)
        if (!window_more(w, u->err))
            return false;
    size_t n = w->len < text->len ? w->len : text->len, same = 0;
    while (same < n && w->data[same] == text->data[same])
        same++;
    return same == text->len ? window_drop(w, w->off + same, u->err) : fail_other(u, w->off + same);
}

static bool undo_edits(struct undo *u)
{
    struct undo_edit edit = {0};
    bool end = false, ok = true;
    while (ok && !end) {
        ok = undo_report_next(&u->report, &edit, &end, u->err);
        if (!ok || end)
            continue;
        if (edit.off < u->nbytes || edit.off > u->report.nbytes) {
            ok = fail_at(u->err, LANEFIX_ERR_REPORT, "the report's edits are not in their order",
                         json_reader_off(&u->report.json), LANEFIX_NOWHERE);
            u->err->file = LANEFIX_FILE_REPORT;
        }
        ok = ok && copy_until(u, edit.off) && take_out(u, &edit.after) &&
             put(u, edit.before.data, edit.before.len);
    }
    undo_edit_free(&edit);
    return ok;
}

static bool open_report(struct undo *u, const char *path)
{
    u->report_source = source_open(path, u->chunk_nbytes, u->crew, u->options->cancel, u->err);
    if (u->report_source)
        return undo_report_open(&u->report, u->report_source, u->chunk_nbytes, u->err);
    if (u->err->file == LANEFIX_FILE_INPUT)
        u->err->file = LANEFIX_FILE_REPORT;
    return false;
}

static bool open_output(struct undo *u, const char *output)
{
    struct sink_options options = output_options(u->options, u->source, output);
    options.crew = u->crew;
    options.meter = &u->meter;
    u->sink = sink_open(output, &options, u->err);
    return u->sink != NULL;
}

static bool undo_steps(struct undo *u, const char *report, const char *input, const char *output)
{
    meter_init(&u->meter, u->options, true);
    u->chunk_nbytes = u->options->chunk_nbytes ? u->options->chunk_nbytes : CHUNK_NBYTES;
    u->crew = crew_new(u->options->jobs ? u->options->jobs : cores_usable());
    if (!u->crew)
        return fail_memory(u->err);
    if (!open_report(u, report))
        return false;
    u->source = source_open_up_to(input, u->options->max_size_nbytes, u->chunk_nbytes, u->crew,
                                  u->options->cancel, &u->meter, u->err);
    if (!u->source || !open_output(u, output))
        return false;
    window_init(&u->window, u->source, u->chunk_nbytes);
    meter_begin(&u->meter, LANEFIX_STEP_WRITE);
    if (!undo_edits(u) || !copy_until(u, UINT64_MAX))
        return false;
    if (u->nbytes != u->report.nbytes || u->crc != u->report.crc)
        return fail_other(u, LANEFIX_NOWHERE);
    return sink_finish(u->sink, u->err) && sink_commit(u->sink, u->err);
}

static bool check_arguments(const char *report, const char *input, const char *output,
                            const struct lanefix_options *options, struct lanefix_error *err)
{
    if (!check_options(input, output ? output : "", options, err))
        return false;
    if (!report || !*report)
        return fail(err, LANEFIX_ERR_USAGE, "the report's file name is missing");
    if (options->html_path || options->svg_path || options->explain)
        return fail(err, LANEFIX_ERR_USAGE, "an undo draws no pictures, and explains nothing");
    if (options->report_path)
        return fail(err, LANEFIX_ERR_USAGE, "an undo writes no report");
    if (options->pretty || options->dry_run)
        return fail(err, LANEFIX_ERR_USAGE, "an undo is neither pretty nor a dry run");
    if (strcmp(report, "-") == 0 && strcmp(input, "-") == 0)
        return fail(err, LANEFIX_ERR_USAGE, "report and trace cannot both be standard input");
    if (strcmp(report, "-") != 0 && outfile_same(report, output))
        return fail(err, LANEFIX_ERR_USAGE, "the output would overwrite the report");
    return true;
}

enum lanefix_status lanefix_undo(const char *report, const char *input, const char *output,
                                 const struct lanefix_options *options, struct lanefix_error *error)
{
    static const struct lanefix_options defaults = LANEFIX_OPTIONS_DEFAULT;
    struct lanefix_error err = {.offset = LANEFIX_NOWHERE, .event = LANEFIX_NOWHERE};
    struct undo u = {.options = options ? options : &defaults, .err = &err};
    bool ok = check_arguments(report, input, output, u.options, &err) &&
              undo_steps(&u, report, input, output);
    sink_free(u.sink);
    window_free(&u.window);
    undo_report_free(&u.report);
    source_free(u.source);
    source_free(u.report_source);
    crew_free(u.crew);
    if (error)
        *error = err;
    return ok ? LANEFIX_OK : err.code;
}
