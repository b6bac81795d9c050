#include "findings.h"

#include <stdlib.h>

#include "report.h"

void findings_init(struct findings *f)
{
    for (int i = 0; i < FINDING_KINDS; i++) {
        const struct finding_text *text = finding_text((enum finding_kind)i);
        f->of[i] = (struct lanefix_finding){.id = text->id,
                                            .what = text->what,
                                            .viewer = text->viewer,
                                            .error = text->error,
                                            .mended = text->mended,
                                            .offset = LANEFIX_NOWHERE,
                                            .event = LANEFIX_NOWHERE};
    }
}

void findings_free(struct findings *f)
{
    for (int i = 0; i < FINDING_KINDS; i++)
        free((char *)f->of[i].name);
    findings_init(f);
}

bool findings_add(struct findings *f, enum finding_kind kind, uint64_t n, uint64_t off,
                  uint64_t event)
{
    struct lanefix_finding *finding = &f->of[kind];
    bool first = !finding->count || off <= finding->offset;
    finding->count += n;
    if (!first)
        return false;
    free((char *)finding->name);
    finding->name = NULL;
    finding->offset = off;
    finding->event = event;
    return true;
}

bool findings_name(struct findings *f, enum finding_kind kind, const char *text,
                   const struct value *name)
{
    char *shown;
    if (!show_name(text, name, &shown))
        return false;
    free((char *)f->of[kind].name);
    f->of[kind].name = shown;
    return true;
}

bool findings_add_set(struct findings *f, finding_set set, uint64_t off, uint64_t event,
                      const char *text, const struct value *name)
{
    for (enum finding_kind kind = 0; set; kind++, set >>= 1)
        if ((set & 1) && findings_add(f, kind, 1, off, event) &&
            !findings_name(f, kind, text, name))
            return false;
    return true;
}

finding_set findings_set(const struct findings *f)
{
    finding_set set = 0;
    for (int i = 0; i < FINDING_KINDS; i++)
        if (f->of[i].count)
            set |= FINDING_BIT(i);
    return set;
}

void findings_show(struct buf *out, const struct lanefix_finding *finding)
{
    report_count(out, "", finding->count, " ");
    buf_add_str(out, finding->what);
    buf_add_str(out, ": Perfetto ");
    buf_add_str(out, finding->viewer);
    if (finding->offset == LANEFIX_NOWHERE)
        return;
    report_count(out, " (first: byte ", finding->offset, "");
    if (finding->event != LANEFIX_NOWHERE)
        report_count(out, ", event ", finding->event, "");
    if (finding->name) {
        buf_add_str(out, ", ");
        buf_add_str(out, finding->name);
    }
    buf_add_char(out, ')');
}
