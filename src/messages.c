#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "messages.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "terminal.h"

#define RED "\033[1;31m"
#define MAGENTA "\033[1;35m"
#define PLAIN "\033[0m"

/* "warning:", as far as `out` has colours. */
static const char *warning(FILE *out)
{
    return terminal_has_colours(out) ? MAGENTA "warning:" PLAIN : "warning:";
}

void message_begin_error(void)
{
    fputs(terminal_has_colours(stderr) ? RED "trace-lanefix:" PLAIN " " : "trace-lanefix: ",
          stderr);
}

void message_error(const struct lanefix_error *error, const char *path, bool salvaging)
{
    char line[LINE_ROOM];
    if (strcmp(path, "-") == 0)
        path = error->file == LANEFIX_FILE_INPUT ? "standard input" : "standard output";
    lanefix_error_text(error, path, line, sizeof line);
    bool hint = !salvaging && lanefix_salvageable(error);
    message_begin_error();
    fprintf(stderr, "%s%s\n", line, hint ? "; --salvage keeps what is whole" : "");
}

void message_no_slice(const struct lanefix_error *error, const char *path, const char *explain)
{
    char shown[NAME_ROOM], line[LINE_ROOM];
    lanefix_error_text(error, strcmp(path, "-") == 0 ? "standard input" : path, line, sizeof line);
    lanefix_show(explain, shown, sizeof shown);
    message_begin_error();
    fprintf(stderr, "%s: %s\n", line, shown);
}

void message_plain(const char *path, const char *what)
{
    char shown[NAME_ROOM];
    lanefix_show(path, shown, sizeof shown);
    message_begin_error();
    fprintf(stderr, "%s%s%s\n", shown, *path ? ": " : "", what);
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
        fprintf(stderr, "trace-lanefix: %s: %s %s", name,
                f->left ? warning(stderr) : "mended:", line);
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
        fprintf(stderr, "trace-lanefix: %s: %s %s (--check says more)\n", name, warning(stderr),
                line);
}

void message_garbage(const struct lanefix_totals *totals, const char *name)
{
    if (totals->garbage_nbytes)
        fprintf(stderr,
                "trace-lanefix: %s: %s %llu byte(s) of trailing garbage after the gzip stream "
                "ignored\n",
                name, warning(stderr), (unsigned long long)totals->garbage_nbytes);
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

/* A line of the report. What a trace says stands behind two blanks, or behind the colon, so it
 * cannot pass for the word. */
static void print_line(const char *line, size_t n, FILE *out)
{
    static const struct {
        const char *word, *coloured;
    } words[] = {{"error:", RED "error:" PLAIN}, {"warning:", MAGENTA "warning:" PLAIN}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word);
        if (n < length || strncmp(line, words[i].word, length) != 0)
            continue;
        fputs(words[i].coloured, out);
        line += length;
        n -= length;
        break;
    }
    fwrite(line, 1, n, out);
}

int message_report(const struct lanefix_report *report, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = terminal_has_colours(out) ? open_memstream(&text, &size) : NULL;
    if (!memory)
        return lanefix_report_text(report, out);
    int result = lanefix_report_text(report, memory);
    if (fclose(memory) != 0)
        result = -1;
    for (size_t at = 0, n; result == 0 && at < size; at += n) {
        const char *end = memchr(text + at, '\n', size - at);
        n = end ? (size_t)(end + 1 - (text + at)) : size - at;
        print_line(text + at, n, out);
    }
    free(text);
    return ferror(out) ? -1 : result;
}

static const char *signal_text(int number)
{
    switch (number) {
    case SIGINT:
        return "interrupted";
    case SIGTERM:
        return "terminated";
    case SIGHUP:
        return "hung up";
    case SIGXCPU:
        return "out of CPU time";
    default: /* SIGALRM */
        return "ended by an alarm";
    }
}

void message_signal(int number, const char *output, bool in_place)
{
    struct stat st;
    char name[NAME_ROOM] = "standard output";
    if (number == SIGPIPE)
        return;
    if (!output) {
        fprintf(stderr, "trace-lanefix: %s\n", signal_text(number));
        return;
    }
    bool standard = strcmp(output, "-") == 0, exists = !standard && stat(output, &st) == 0;
    if (!standard)
        lanefix_show(output, name, sizeof name);
    const char *state = in_place                                       ? "is in place"
                        : standard || (exists && !S_ISREG(st.st_mode)) ? "may have got a part"
                        : exists                                       ? "is as it was"
                                                                       : "was not written";
    fprintf(stderr, "trace-lanefix: %s; %s %s\n", signal_text(number), name, state);
}

void message_signal_of_many(int number, uint64_t done, uint64_t n)
{
    if (number != SIGPIPE)
        fprintf(stderr,
                "trace-lanefix: %s; %llu of %llu traces were done, the others are as they were\n",
                signal_text(number), (unsigned long long)done, (unsigned long long)n);
}
