/* The public functions. A run is two passes with the plan between them; run.h says what each does.
 */
#define _POSIX_C_SOURCE 200809L
#include "lanefix.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "codec.h"
#include "cores.h"
#include "doctor.h"
#include "error.h"
#include "outfile.h"
#include "pictures.h"
#include "run.h"
#include "text.h"

enum { LEVEL = 1 }; /* of gzip, where none was asked for */

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

/* Is the output to be compressed? */
static bool wants_gzip(const struct lanefix_options *options, const struct source *source,
                       const char *output)
{
    if (options->gzip != LANEFIX_GZIP_AUTO)
        return options->gzip == LANEFIX_GZIP_ON;
    bool as_input = options->in_place || strcmp(output, "-") == 0;
    return as_input ? source_is_gzip(source) : ends_with(output, ".gz");
}

struct sink_options output_options(const struct lanefix_options *options,
                                   const struct source *source, const char *output)
{
    return (struct sink_options){.out = {.file = LANEFIX_FILE_OUTPUT,
                                         .like = source_stat(source),
                                         .sync = !options->no_sync,
                                         .cancel = options->cancel},
                                 .gzip = wants_gzip(options, source, output),
                                 .level = options->level < 0 ? LEVEL : options->level};
}

static bool open_sink(struct run *run, const char *output)
{
    const struct lanefix_options *options = run->options;
    struct sink_options sink_options = output_options(options, run->source, output);
    sink_options.out.keep_old = options->keep_original;
    sink_options.pretty = options->pretty;
    sink_options.crew = run->crew;
    sink_options.meter = &run->meter;
    run->sink = sink_open(output, &sink_options, run->err);
    run->gzip = sink_options.gzip;
    run->keep = run->gzip && options->level < 0 && !options->pretty && source_is_gzip(run->source);
    if (run->keep && !source_make_map(run->source))
        return fail_memory(run->err);
    return run->sink != NULL;
}

/* Does each of these lists with commas name something? */
static bool all_name(const char *const *lists, size_t n)
{
    for (size_t i = 0; lists && i < n; i++)
        if (!lists[i] || !lists[i][strspn(lists[i], ",")])
            return false;
    return lists || !n;
}

/* Are the options of which slice gives way in their ranges? */
static bool check_rules(const struct lanefix_options *options, struct lanefix_error *err)
{
    if ((int)options->snap < LANEFIX_SNAP_FIRST || options->snap > LANEFIX_SNAP_LEAST)
        return fail(err, LANEFIX_ERR_USAGE, "the rule of who gives way must be one that there is");
    if (options->soft_count && options->snap != LANEFIX_SNAP_SOFT)
        return fail(err, LANEFIX_ERR_USAGE, "categories are soft by the soft rule alone");
    if (!all_name(options->soft, options->soft_count) ||
        !all_name(options->no_snap, options->no_snap_count))
        return fail(err, LANEFIX_ERR_USAGE, "a category is empty");
    return true;
}

/* A file beside the trace: its name, and what is wrong with that. */
struct side_file {
    const char *path, *missing, *over_trace;
};

/* Would it take the place of the trace, before or after? */
static bool is_over_trace(const char *path, const char *input, const char *output, bool dry_run)
{
    bool standard = strcmp(path, "-") == 0;
    bool over_input = !standard && outfile_same(path, input);
    bool beside = standard && dry_run; /* no trace goes to standard output */
    return over_input || (output && !beside && outfile_same(path, output));
}

/* Are report, page and picture named, and files of their own? */
static bool check_side_files(const char *input, const char *output,
                             const struct lanefix_options *options, struct lanefix_error *err)
{
    const struct side_file files[] = {
        {options->report_path, "the report's file name is missing",
         "the report would overwrite the trace"},
        {options->html_path, "the page's file name is missing",
         "the page would overwrite the trace"},
        {options->svg_path, "the picture's file name is missing",
         "the picture would overwrite the trace"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = files[i].path;
        if (path && !*path)
            return fail(err, LANEFIX_ERR_USAGE, files[i].missing);
        if (path && is_over_trace(path, input, output, options->dry_run))
            return fail(err, LANEFIX_ERR_USAGE, files[i].over_trace);
        for (size_t k = 0; path && k < i; k++)
            if (files[k].path && outfile_same(path, files[k].path))
                return fail(err, LANEFIX_ERR_USAGE,
                            "report, page and picture would overwrite each other");
    }
    return true;
}

bool check_options(const char *input, const char *output, const struct lanefix_options *options,
                   struct lanefix_error *err)
{
    if (!input || !*input || (output && !*output))
        return fail(err, LANEFIX_ERR_USAGE, "a file name is missing");
    if (options->options_nbytes != sizeof *options)
        return fail(err, LANEFIX_ERR_USAGE, "options of another version of the library");
    if (options->snap_threshold_ns < 0)
        return fail(err, LANEFIX_ERR_USAGE, "the snap threshold must not be negative");
    if (options->level < LANEFIX_LEVEL || options->level > 9)
        return fail(err, LANEFIX_ERR_USAGE, "the gzip level must be 0 to 9");
    if (options->jobs > LANEFIX_JOBS_MAX)
        return fail(err, LANEFIX_ERR_USAGE, "the number of jobs must be at most 1024");
    if (!check_rules(options, err))
        return false;
    if (!output && (options->repair || options->rebase))
        return fail(err, LANEFIX_ERR_USAGE, "a check does not repair or rebase");
    if (options->in_place && (!output || strcmp(input, output) != 0 || strcmp(input, "-") == 0))
        return fail(err, LANEFIX_ERR_USAGE, "a fix in place has one name for input and output");
    if (options->keep_original && !options->in_place)
        return fail(err, LANEFIX_ERR_USAGE, "an original is kept of a fix in place alone");
    if (!output && (options->pretty || options->dry_run))
        return fail(err, LANEFIX_ERR_USAGE,
                    "a check writes nothing, so it is neither pretty nor a dry run");
    if (options->explain && !*options->explain)
        return fail(err, LANEFIX_ERR_USAGE, "the slice to explain has no name or number");
    return check_side_files(input, output, options, err);
}

/* Of a trace that is left alone, the report that is there already may be the one by which it can be
 * undone, and the pictures those of what was done: they stay. */
static void keep_old_files(struct run *run)
{
    if (run->json && outfile_holds_some(run->options->report_path)) {
        report_json_free(run->json);
        run->json = NULL;
    }
    pictures_keep_old(run);
}

/* All is planned. If the output is to have the input's text, and the file to stay where nothing
 * changes, there will be no output. Else its original has to have room under its other name. */
static bool leave_or_replace(struct run *run)
{
    const struct lanefix_options *options = run->options;
    bool same =
        !options->pretty && !run->rewrites.n && !run->lanes.n && !run->losses.n && !run->repairing;
    run->report->totals.unchanged = same;
    if (!options->in_place || options->dry_run)
        return true;
    bool other_form =
        (run->gzip && options->level >= 0) || run->gzip != source_is_gzip(run->source);
    if (!same || other_form)
        return !options->keep_original || sink_may_keep_old(run->sink, run->err);
    sink_free(run->sink);
    run->sink = NULL;
    keep_old_files(run);
    return true;
}

/* First all that can fail for want of room, then the names, the trace's last: after an error it is
 * the old one. */
static bool commit(struct run *run)
{
    return (!run->sink || sink_finish(run->sink, run->err)) && pictures_finish(run) &&
           (!run->json || report_json_finish(run->json, &run->report->totals, run->err)) &&
           pictures_commit(run) && (!run->json || report_json_commit(run->json, run->err)) &&
           (!run->sink || sink_commit(run->sink, run->err));
}

/* Is the report to say what it takes to undo the run? Not of one that
 * lays out all white space anew. */
static bool notes_edits(const struct run *run)
{
    return run->json && run->sink && !run->options->pretty;
}

/* What the plan wants to know of the slices' categories. */
static struct kind_rules kind_rules(const struct lanefix_options *options)
{
    return (struct kind_rules){.kinds = options->snap == LANEFIX_SNAP_SOFT || options->explain,
                               .soft = options->soft,
                               .nsoft = options->soft_count,
                               .keep = options->no_snap,
                               .nkeep = options->no_snap_count};
}

/* A category that is misspelt keeps nothing. */
static void note_none_kept(struct run *run)
{
    if (run->options->no_snap_count && !run->kinds.nkept)
        buf_add_str(&run->report->rules, "; no slice has a category of --no-snap");
}

/* The steps of a run, whose options are checked; output is NULL for a check, and only a name in a
 * dry run. */
static bool run_steps(struct run *run, const char *input, const char *output)
{
    const char *report_path = run->options->report_path;
    bool writes = output && !run->options->dry_run;
    meter_init(&run->meter, run->options, writes);
    run->chunk_nbytes = run->options->chunk_nbytes ? run->options->chunk_nbytes : CHUNK_NBYTES;
    run->kind_rules = kind_rules(run->options);
    run->crew = crew_new(run->options->jobs ? run->options->jobs : cores_usable());
    run->parser = event_parser_new();
    run->report = report_new(run->options, !output, output ? output : input);
    if (run->options->explain && !(run->explain = explain_new(run->options)))
        return fail_memory(run->err);
    if (!run->crew || !run->parser || !run->report)
        return fail_memory(run->err);
    run->source = source_open_up_to(input, run->options->max_size_nbytes, run->chunk_nbytes,
                                    run->crew, run->options->cancel, &run->meter, run->err);
    if (!run->source)
        return false;
    const struct stat *stat = source_stat(run->source);
    if (run->options->in_place && !(stat && S_ISREG(stat->st_mode)))
        return fail(run->err, LANEFIX_ERR_USAGE, "only a regular file can be fixed in place");
    /* A map costs nothing with zlib; with ISA-L it pays only if the output can be made from it */
    if (!writes && codec_best() == CODEC_ZLIB && !source_make_map(run->source))
        return fail_memory(run->err);
    /* The outputs before the first pass: that they cannot be written should not come late */
    if (report_path) {
        run->json = report_json_open(report_path, input, output, run->options, run->err);
        if (!run->json)
            return false;
    }
    if (!pictures_open(run, input) || (writes && !open_sink(run, output)))
        return false;
    if (notes_edits(run) && !(run->edits = edit_log_new(run->options->cancel)))
        return fail_memory(run->err);
    run->original.wanted = run->edits != NULL;
    bool examine = !output && run->options->examine;
    if (!read_trace(run))
        return false;
    note_none_kept(run);
    if (!make_plan(run) || (examine && !doctor_name_places(run)) || !explain_find_places(run) ||
        !pictures_draw(run) || (output && !leave_or_replace(run)) || !pass_two(run) ||
        !explain_tell(run))
        return false;
    if (report_failed(run->report))
        return fail_memory(run->err);
    if (run->json && (!report_json_losses(run->json, &run->losses, run->err) ||
                      !report_json_findings(run->json, run->report, run->err) ||
                      !report_json_new_ids(run->json, run->new_ids, &run->losses, run->err) ||
                      !report_edits(run)))
        return false;
    return commit(run);
}

void run_free(struct run *run)
{
    sink_free(run->sink);
    report_json_free(run->json);
    pictures_free(run->pictures);
    edit_log_free(run->edits);
    source_free(run->source);
    event_parser_free(run->parser);
    window_free(&run->window);
    losses_free(&run->losses);
    lanes_free(&run->lanes);
    tracks_free(&run->tracks);
    index_free(&run->index);
    kinds_free(&run->kinds);
    id_map_free(run->ids);
    id_map_free(run->new_ids);
    buf_free(&run->outer.base);
    repairer_free(&run->repairer);
    hash_table_free(&run->flow_ids);
    marks_free(&run->marks);
    explain_free(run->explain);
    rewrites_free(&run->rewrites);
    buf_free(&run->layout.separator);
    buf_free(&run->patched);
    nest_free(&run->nest);
    lanefix_report_free(run->report);
    crew_free(run->crew);
}

static enum lanefix_status run_all(const char *input, const char *output,
                                   const struct lanefix_options *options,
                                   struct lanefix_report **report, struct lanefix_error *error)
{
    static const struct lanefix_options defaults = LANEFIX_OPTIONS_DEFAULT;
    struct lanefix_error err = {.offset = LANEFIX_NOWHERE, .event = LANEFIX_NOWHERE};
    struct run run = {.options = options ? options : &defaults, .look_close = true, .err = &err};
    tracks_init(&run.tracks);
    crossings_init(&run.crossings);
    run.first_loose_flow_off = UINT64_MAX;
    bool ok = check_options(input, output, run.options, &err) && run_steps(&run, input, output);
    if (ok && report) {
        *report = run.report;
        run.report = NULL;
    } else if (report) {
        *report = NULL;
    }
    run_free(&run);
    if (error)
        *error = err;
    return ok ? LANEFIX_OK : err.code;
}

enum lanefix_status lanefix_fix(const char *input, const char *output,
                                const struct lanefix_options *options,
                                struct lanefix_report **report, struct lanefix_error *error)
{
    return run_all(input, output ? output : "", options, report, error);
}

enum lanefix_status lanefix_check(const char *input, const struct lanefix_options *options,
                                  struct lanefix_report **report, struct lanefix_error *error)
{
    return run_all(input, NULL, options, report, error);
}

int lanefix_error_text(const struct lanefix_error *error, const char *path, char *line, size_t size)
{
    struct buf out = {0};
    text_show(&out, path, strlen(path));
    buf_add_str(&out, ": ");
    buf_add_str(&out, error->message);
    if (error->sys_errno) {
        buf_add_str(&out, ": ");
        buf_add_str(&out, strerror(error->sys_errno));
    }
    if (error->offset != LANEFIX_NOWHERE) {
        buf_add_str(&out, " (byte ");
        buf_add_u64(&out, error->offset);
        if (error->event != LANEFIX_NOWHERE) {
            buf_add_str(&out, ", event ");
            buf_add_u64(&out, error->event);
        }
        buf_add_char(&out, ')');
    }
    int length = out.failed ? snprintf(line, size, "%s", error->message) /* without memory */
                            : snprintf(line, size, "%.*s", (int)out.len, out.data);
    buf_free(&out);
    return length;
}

/* Hands out what is in the buffer, which is freed; nothing without memory. */
static int give_text(struct buf *out, char *room, size_t size)
{
    int length =
        snprintf(room, size, "%.*s", (int)out->len, out->failed || !out->len ? "" : out->data);
    buf_free(out);
    return length;
}

int lanefix_finding_text(const struct lanefix_finding *finding, char *line, size_t size)
{
    struct buf out = {0};
    findings_show(&out, finding);
    return give_text(&out, line, size);
}

bool lanefix_salvageable(const struct lanefix_error *error)
{
    switch (error->code) {
    case LANEFIX_ERR_GZIP_DATA:
    case LANEFIX_ERR_GZIP_CUT:
    case LANEFIX_ERR_CUT_EVENT:
    case LANEFIX_ERR_CUT_OBJECT:
        return error->event != LANEFIX_NOWHERE && error->event > 0;
    case LANEFIX_ERR_SYNTAX:
    case LANEFIX_ERR_BRACKET:
    case LANEFIX_ERR_TRAILING:
    case LANEFIX_ERR_TORN:
        return true;
    default:
        return false;
    }
}

int lanefix_show(const char *text, char *room, size_t size)
{
    struct buf out = {0};
    text_show(&out, text, strlen(text));
    return give_text(&out, room, size);
}

unsigned lanefix_cores(void)
{
    return cores_usable();
}

const char *lanefix_version(void)
{
    return LANEFIX_VERSION;
}
