#include "hint.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LETTERS = 31 }; /* of names that are looked at */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The distance of Damerau and Levenshtein, without changes within what was swapped: how many
 * letters are to be put in, left out, replaced or swapped to make the one of the other. Neither has
 * more than NAME_MAX_LETTERS. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][NAME_MAX_LETTERS + 1]; /* of the table, by turns: a[0, i) to b[0, j) */
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *row = rows[i % 3], *above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

size_t hint_name_length(const char *word)
{
    return strcspn(word, "=");
}

const char *hint_nearest(const struct option *table, const char *name, size_t n)
{
    const char *nearest = NULL;
    size_t least_distance = (n < 3 ? n / 2 : n / 3) + 1;
    if (n > NAME_MAX_LETTERS)
        return NULL;
    for (const struct option *option = table; option->name; option++) {
        size_t length = strlen(option->name);
        if (length > NAME_MAX_LETTERS)
            continue;
        size_t d = distance(name, n, option->name, length);
        if (d < least_distance) {
            least_distance = d;
            nearest = option->name;
        }
    }
    return nearest;
}

size_t hint_beginning(const struct option *table, const char *name, size_t n, char *room,
                      size_t size)
{
    size_t found = 0, length = 0;
    *room = 0;
    for (const struct option *option = table; n && option->name; option++) {
        if (strncmp(option->name, name, n) != 0)
            continue;
        if (strlen(option->name) == n) {
            snprintf(room, size, "--%s", option->name);
            return 1;
        }
        if (length < size)
            length += (size_t)snprintf(room + length, size - length, "%s--%s", found ? ", " : "",
                                       option->name);
        found++;
    }
    return found;
}
