#include "write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static z_stream stream;
static bool zipped; /* put() compresses */
static unsigned char piece[1 << 16];

void out(const void *bytes, size_t n)
{
    if (fwrite(bytes, 1, n, stdout) != n)
        exit(1); /* the reader has gone */
}

void deflate_some(int flush)
{
    do {
        stream.next_out = piece;
        stream.avail_out = sizeof piece;
        deflate(&stream, flush);
        out(piece, sizeof piece - stream.avail_out);
    } while (!stream.avail_out);
}

void put(const char *bytes, size_t n)
{
    if (!zipped) {
        out(bytes, n);
        return;
    }
    stream.next_in = (z_const Bytef *)bytes;
    stream.avail_in = (uInt)n;
    deflate_some(Z_NO_FLUSH);
}

void text(const char *s)
{
    put(s, strlen(s));
}

/* `pattern` again and again, `n` bytes of it. */
void repeat(const char *pattern, uint64_t n)
{
    char block[1 << 15];
    size_t len = strlen(pattern), whole = sizeof block / len * len;
    for (size_t i = 0; i < whole && i < n; i++)
        block[i] = pattern[i % len];
    for (; n > whole; n -= whole)
        put(block, whole);
    put(block, (size_t)n);
}

/* A gzip member: its level, and a header of its own if it is not NULL. */
void begin_member(int level, gz_header *header)
{
    if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
        (header && deflateSetHeader(&stream, header) != Z_OK))
        exit(1);
    zipped = true;
}

void end_member(void)
{
    stream.avail_in = 0;
    deflate_some(Z_FINISH);
    deflateEnd(&stream);
    zipped = false;
}

void begin_trace(void)
{
    text("{\"traceEvents\":[\n{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":"
         "100}");
}

void begin_mover(bool fixed)
{
    FORM(",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%s,\"ts\":50,\"dur\":100", fixed ? "2001" : "2");
}

static const char LANE_OF_2[] = ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":"
                                "2,\"args\":{\"sort_index\":0}}"
                                ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":2001,"
                                "\"args\":{\"name\":\"tid 2 lane "
                                "1\"}}"
                                ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":"
                                "2001,\"args\":{\"sort_index\":1}}";

void end_trace(bool fixed)
{
    text(",\n{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":0}");
    if (fixed)
        text(LANE_OF_2);
    text("\n]}\n");
}
