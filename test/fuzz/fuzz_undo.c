/* What a run did, undone by its report. Of any trace: the trace again, byte for byte, and if one
 * byte of report or output is another one, either that or nothing. Of a report and an output that
 * are both any bytes (with a NUL between them): what the report says the original is, or nothing.
 */
#define _GNU_SOURCE
#include "fuzz_files.h"
#include "lanefix.h"

#include <zlib.h>

enum { TRACE, OUT, REPORT, BACK };

static struct lanefix_options options;

static bool undo(void)
{
    struct lanefix_options plain = options;
    plain.report_path = NULL;
    remove(name(BACK));
    bool done = lanefix_undo(name(REPORT), name(OUT), name(BACK), &plain, NULL) == LANEFIX_OK;
    MUST(done == (access(name(BACK), F_OK) == 0));
    return done;
}

static void change_byte(const char *path, uint8_t where, uint8_t byte)
{
    size_t n;
    char *bytes = slurp(path, &n);
    if (n)
        bytes[(size_t)where * 251 % n] = (char)byte;
    spill(path, bytes, n);
    free(bytes);
}

/* `choice`: the way, which byte is changed, and to what. */
static void check_run(const uint8_t *trace, size_t n, const uint8_t choice[3])
{
    bool gzip = n > 1 && trace[0] == 0x1F && trace[1] == 0x8B; /* which may be damaged */
    spill(name(TRACE), trace, n);
    options.salvage = choice[0] & 1;
    options.repair = choice[0] & 2;
    options.rebase = choice[0] & 4;
    options.report_path = name(REPORT);
    if (lanefix_fix(name(TRACE), name(OUT), &options, NULL, NULL) != LANEFIX_OK)
        return;
    MUST(undo());
    if (gzip)
        return;
    must_equal(name(TRACE), name(BACK));
    change_byte(name(choice[0] & 8 ? OUT : REPORT), choice[1], choice[2]);
    if (undo())
        must_equal(name(TRACE), name(BACK));
}

/* The report says so, unless it is written with escapes. */
static void check_undo(const uint8_t *data, size_t n)
{
    const uint8_t *out = memchr(data, 0, n);
    size_t report_n = (size_t)(out - data), back_n;
    spill(name(REPORT), data, report_n);
    spill(name(OUT), out + 1, n - report_n - 1);
    if (!undo())
        return;
    char crc[16], nbytes[32];
    char *back = slurp(name(BACK), &back_n);
    snprintf(crc, sizeof crc, "\"%08lx\"", crc32(0, (const Bytef *)back, (uInt)back_n));
    snprintf(nbytes, sizeof nbytes, "%zu", back_n);
    MUST(memmem(data, report_n, "\\u", 2) || memmem(data, report_n, crc, strlen(crc)));
    MUST(memmem(data, report_n, nbytes, strlen(nbytes)));
    free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    uint8_t choice[3];
    need_dir();
    if (n < sizeof choice)
        return 0;
    n -= sizeof choice; /* the last bytes, so that seeds stay the traces that they are */
    memcpy(choice, data + n, sizeof choice);
    options = (struct lanefix_options)LANEFIX_OPTIONS_DEFAULT;
    options.gzip = LANEFIX_GZIP_OFF;
    options.no_sync = true;
    options.jobs = 1 + (choice[0] >> 4) % 2;
    options.chunk_nbytes = choice[0] & 128 ? 0 : 1 + choice[1] % 64;
    if (n && (data[0] == '{' || data[0] == '[') && memchr(data, 0, n))
        check_undo(data, n);
    else
        check_run(data, n, choice);
    for (int i = 0; i < 4; i++)
        unlink(name(i));
    return 0;
}
