#include "messages.h"

#include <stdio.h>
#include <string.h>

void message_error(const struct lanefix_error *error, const char *path, bool salvaging)
{
    char line[LINE_ROOM];
    if (strcmp(path, "-") == 0)
        path = error->file == LANEFIX_FILE_INPUT ? "standard input" : "standard output";
    lanefix_error_text(error, path, line, sizeof line);
    bool hint = !salvaging && lanefix_salvageable(error);
    fprintf(stderr, "trace-lanefix: %s%s\n", line, hint ? "; --salvage keeps what is whole" : "");
}

void message_plain(const char *path, const char *what)
{
    char shown[NAME_ROOM];
    lanefix_show(path, shown, sizeof shown);
    fprintf(stderr, "trace-lanefix: %s%s%s\n", shown, *path ? ": " : "", what);
}

void message_findings(const struct lanefix_report *report, const char *name)
{
    size_t n;
    const struct lanefix_finding *findings = lanefix_report_findings(report, &n);
    for (size_t i = 0; i < n; i++) {
        const struct lanefix_finding *f = &findings[i];
        char line[LINE_ROOM];
        if (!f->count)
            continue;
        lanefix_finding_text(f, line, sizeof line);
        fprintf(stderr, "trace-lanefix: %s: %s: %s", name, f->left ? "warning" : "mended", line);
        if (f->left && f->left < f->count)
            fprintf(stderr, "; %llu of them mended", (unsigned long long)(f->count - f->left));
        fputs(f->left == f->count && f->mended ? "; --repair mends it\n" : "\n", stderr);
    }
}

/* "3 bad-number, 1 no-dur": of each kind those that are still there, or those that are not. */
static bool list_kinds(const struct lanefix_finding *findings, size_t n, bool left, char *line,
                       size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < n; i++) {
        const struct lanefix_finding *f = &findings[i];
        uint64_t count = left ? f->left : f->count - f->left;
        if (count && length < size)
            length += (size_t)snprintf(line + length, size - length, "%s%llu %s",
                                       length ? ", " : "", (unsigned long long)count, f->id);
    }
    return length > 0;
}

void message_kinds(const struct lanefix_finding *findings, size_t n, const char *name)
{
    char line[LINE_ROOM];
    if (list_kinds(findings, n, false, line, sizeof line))
        fprintf(stderr, "trace-lanefix: %s: mended: %s\n", name, line);
    if (list_kinds(findings, n, true, line, sizeof line))
        fprintf(stderr, "trace-lanefix: %s: warning: %s (--check says more)\n", name, line);
}

void message_garbage(const struct lanefix_totals *totals, const char *name)
{
    if (totals->garbage_nbytes)
        fprintf(stderr,
                "trace-lanefix: %s: warning: %llu byte(s) of trailing garbage after the gzip "
                "stream ignored\n",
                name, (unsigned long long)totals->garbage_nbytes);
}

void message_losses(const struct lanefix_totals *totals, const char *name)
{
    unsigned long long places = totals->lost_places, event = totals->lost_event;
    char where[64] = "before the first event";
    if (!places)
        return;
    if (event)
        snprintf(where, sizeof where, "after event %llu", event - 1);
    fprintf(stderr,
            "trace-lanefix: %s: %llu byte(s) lost in %llu place(s), the first %s (byte %llu): %s\n",
            name, (unsigned long long)totals->lost_nbytes, places, where,
            (unsigned long long)totals->lost_offset, totals->lost_reason);
}
