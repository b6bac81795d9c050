#define _POSIX_C_SOURCE 200809L
#include "layout.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct layouter {
    const char *p, *end;
    FILE *out;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_mark(char c)
{
    return c && strchr("{}[],:", c);
}

static char peek(struct layouter *l)
{
    while (l->p < l->end && is_blank(*l->p))
        l->p++;
    if (l->p == l->end)
        return 0;
    return *l->p;
}

/* Where the string at p ends. */
static const char *string_end(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        if (*p == '\\')
            p++;
    return p < end ? p + 1 : end;
}

static void lay_line(struct layouter *l, int level)
{
    fprintf(l->out, "\n%*s", level < 64 ? 2 * level : 128, "");
}

/* A string, a number or a word. */
static void lay_scalar(struct layouter *l)
{
    const char *begin = l->p;
    if (peek(l) == '"')
        l->p = string_end(l->p, l->end);
    else
        while (l->p < l->end && !is_blank(*l->p) && !strchr(",]}", *l->p))
            l->p++;
    fwrite(begin, 1, (size_t)(l->p - begin), l->out);
}

static void lay_value(struct layouter *l, int level)
{
    char open = peek(l), close = open == '{' ? '}' : ']';
    if (open != '{' && open != '[') {
        lay_scalar(l);
        return;
    }
    fputc(*l->p++, l->out);
    if (peek(l) != close) {
        lay_line(l, level + 1);
        for (;;) {
            if (open == '{') {
                peek(l);
                lay_scalar(l);
                peek(l);
                l->p++;
                fputs(": ", l->out);
            }
            lay_value(l, level + 1);
            if (peek(l) != ',')
                break;
            l->p++;
            fputc(',', l->out);
            lay_line(l, level + 1);
        }
        lay_line(l, level);
    }
    l->p++;
    fputc(close, l->out);
}

char *layout_json(const char *text, size_t n, size_t *out_n)
{
    char *out = NULL;
    struct layouter l = {text, text + n, open_memstream(&out, out_n)};
    lay_value(&l, 0);
    fputc('\n', l.out);
    fclose(l.out);
    return out;
}

char *layout_bare(const char *text, size_t n, size_t *out_n)
{
    char *out = NULL, last = ',';
    bool blank = false;
    FILE *file = open_memstream(&out, out_n);
    for (const char *p = text, *end = text + n, *next; p < end; p = next) {
        next = *p == '"' ? string_end(p, end) : p + 1;
        if (is_blank(*p)) {
            blank = true;
            continue;
        }
        if (blank && !is_mark(*p) && !is_mark(last))
            fputc(' ', file);
        blank = false;
        last = *p;
        fwrite(p, 1, (size_t)(next - p), file);
    }
    fclose(file);
    return out;
}
