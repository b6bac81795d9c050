#include "undo_report.h"

#include "error.h"
#include "report_json.h"

/* The members of the report that matter, each with the kind of value that it has. */
enum member { MEMBER_VERSION, MEMBER_OUTPUT, MEMBER_EDITS, MEMBER_ORIGINAL, NMEMBERS };
static const char *const MEMBERS[NMEMBERS] = {"lanefix_report", "output", "edits", "original"};

/* What was seen of them. */
struct head {
    enum json_token tokens[NMEMBERS]; /* 0: it was not there yet */
    uint64_t version;
    bool nbytes, crc; /* of the original */
};

static bool refuse(const struct undo_report *report, const char *message, bool here,
                   struct lanefix_error *err)
{
    fail_at(err, LANEFIX_ERR_REPORT, message,
            here ? json_reader_off(&report->json) : LANEFIX_NOWHERE, LANEFIX_NOWHERE);
    err->file = LANEFIX_FILE_REPORT;
    return false;
}

static bool refuse_value(const struct undo_report *report, struct lanefix_error *err)
{
    return refuse(report, "a value of the report is not what trace-lanefix writes there", true,
                  err);
}

/* A number without sign, point and exponent. */
static bool read_u64(const struct json_reader *r, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < r->text.len; i++) {
        unsigned digit = (unsigned char)r->text.data[i] - (unsigned)'0';
        if (digit > 9 || *value > (UINT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return !r->odd;
}

/* Eight hexadecimal digits. */
static bool read_crc(const struct json_reader *r, uint32_t *crc)
{
    static const char digits[] = "0123456789abcdef";
    *crc = 0;
    if (r->odd || r->text.len != 8)
        return false;
    for (size_t i = 0; i < 8; i++) {
        const char *digit = memchr(digits, r->text.data[i], sizeof digits - 1);
        if (!digit)
            return false;
        *crc = *crc << 4 | (uint32_t)(digit - digits);
    }
    return true;
}

/* The members of "original". */
static bool read_original(struct undo_report *report, struct head *head, struct lanefix_error *err)
{
    struct json_reader *r = &report->json;
    for (;;) {
        enum json_token token = json_reader_next(r, err);
        if (token == JSON_OBJECT_END)
            return (head->nbytes && head->crc) || refuse_value(report, err);
        if (token == JSON_FAILED)
            return false;
        bool nbytes = json_reader_is(r, "nbytes"), crc = json_reader_is(r, "crc32");
        token = json_reader_next(r, err);
        if (token == JSON_FAILED)
            return false;
        bool ok = true;
        if (nbytes)
            ok = token == JSON_NUMBER && !head->nbytes && read_u64(r, &report->nbytes);
        else if (crc)
            ok = token == JSON_STRING && !head->crc && read_crc(r, &report->crc);
        head->nbytes |= nbytes;
        head->crc |= crc;
        if (!ok)
            return refuse_value(report, err);
        if (!json_reader_skip(r, token, err))
            return false;
    }
}

static bool read_member(struct undo_report *report, struct head *head, struct lanefix_error *err)
{
    struct json_reader *r = &report->json;
    int member = 0;
    while (member < NMEMBERS && !json_reader_is(r, MEMBERS[member]))
        member++;
    enum json_token token = json_reader_next(r, err);
    if (token == JSON_FAILED)
        return false;
    if (member == NMEMBERS)
        return json_reader_skip(r, token, err);
    if (head->tokens[member])
        return refuse(report, "a key of the report is there twice", true, err);
    head->tokens[member] = token;
    if (token == JSON_WORD)
        return true;
    switch (member) {
    case MEMBER_VERSION:
        return (token == JSON_NUMBER && read_u64(r, &head->version)) || refuse_value(report, err);
    case MEMBER_EDITS:
        report->edits_off = json_reader_off(r);
        break;
    case MEMBER_ORIGINAL:
        if (token == JSON_OBJECT)
            return read_original(report, head, err);
        break;
    default:
        break;
    }
    return json_reader_skip(r, token, err);
}

/* Can a run with this report be undone? */
static bool check_head(const struct undo_report *report, const struct head *head,
                       struct lanefix_error *err)
{
    const enum json_token *tokens = head->tokens;
    if (tokens[MEMBER_VERSION] != JSON_NUMBER)
        return refuse(report, "this is no report of trace-lanefix", false, err);
    if (head->version != REPORT_JSON_VERSION)
        return refuse(report, "the report is one of another version of trace-lanefix", false, err);
    if (tokens[MEMBER_OUTPUT] == JSON_WORD)
        return refuse(report, "the report is of a check, which changes nothing", false, err);
    if (!tokens[MEMBER_EDITS])
        return refuse(report, "the report has no edits: an older version of trace-lanefix wrote it",
                      false, err);
    if (tokens[MEMBER_EDITS] == JSON_WORD)
        return refuse(report,
                      "the report has no edits: a dry run, or one that is pretty, cannot be undone",
                      false, err);
    return (tokens[MEMBER_OUTPUT] == JSON_STRING && tokens[MEMBER_EDITS] == JSON_ARRAY &&
            tokens[MEMBER_ORIGINAL] == JSON_OBJECT) ||
           refuse(report, "the report's edits are not what trace-lanefix writes", false, err);
}

static bool read_head(struct undo_report *report, struct head *head, struct lanefix_error *err)
{
    struct json_reader *r = &report->json;
    enum json_token token = json_reader_next(r, err);
    if (token == JSON_OBJECT) {
        while ((token = json_reader_next(r, err)) == JSON_KEY)
            if (!read_member(report, head, err))
                return false;
    } else if (token != JSON_FAILED && !json_reader_skip(r, token, err)) {
        return false;
    }
    return token != JSON_FAILED && json_reader_next(r, err) == JSON_END;
}

bool undo_report_open(struct undo_report *report, struct source *source, size_t chunk_nbytes,
                      struct lanefix_error *err)
{
    struct head head = {.version = 0};
    *report = (struct undo_report){.nbytes = 0};
    if (!json_reader_init(&report->json, source, chunk_nbytes))
        return fail_memory(err);
    return read_head(report, &head, err) && check_head(report, &head, err) &&
           json_reader_seek_array(&report->json, report->edits_off, err);
}

void undo_report_free(struct undo_report *report)
{
    json_reader_free(&report->json);
}

void undo_edit_free(struct undo_edit *edit)
{
    buf_free(&edit->before);
    buf_free(&edit->after);
}

/* Makes the last string the buffer's content. */
static bool take_bytes(struct json_reader *r, struct buf *bytes)
{
    struct buf old = *bytes;
    *bytes = r->text;
    r->text = old;
    return !r->odd;
}

/* The members of an edit. */
static bool read_edit(struct undo_report *report, struct undo_edit *edit, struct lanefix_error *err)
{
    struct json_reader *r = &report->json;
    enum { OFFSET = 1, OLD = 2, NEW = 4, ALL = 7 };
    int seen = 0;
    for (;;) {
        enum json_token token = json_reader_next(r, err);
        if (token == JSON_OBJECT_END)
            return seen == ALL || refuse_value(report, err);
        if (token == JSON_FAILED)
            return false;
        int key = json_reader_is(r, "offset") ? OFFSET
                  : json_reader_is(r, "old")  ? OLD
                  : json_reader_is(r, "new")  ? NEW
                                              : 0;
        token = json_reader_next(r, err);
        if (token == JSON_FAILED)
            return false;
        bool ok = !(seen & key);
        seen |= key;
        if (key == OFFSET)
            ok = ok && token == JSON_NUMBER && read_u64(r, &edit->off);
        else if (key)
            ok = ok && token == JSON_STRING &&
                 take_bytes(r, key == OLD ? &edit->before : &edit->after);
        if (!ok)
            return refuse_value(report, err);
        if (!json_reader_skip(r, token, err))
            return false;
    }
}

bool undo_report_next(struct undo_report *report, struct undo_edit *edit, bool *end,
                      struct lanefix_error *err)
{
    enum json_token token = json_reader_next(&report->json, err);
    *end = token == JSON_ARRAY_END;
    if (*end || token == JSON_FAILED)
        return *end;
    return token == JSON_OBJECT ? read_edit(report, edit, err) : refuse_value(report, err);
}
