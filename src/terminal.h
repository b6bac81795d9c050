/* What a stream that the program writes to can do, if it is a terminal. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Is it a terminal that can move its cursor and erase a line? */
bool terminal_can_draw(FILE *out);

/* May what goes there have colours? It is such a terminal, and NO_COLOR is empty or not set. */
bool terminal_has_colours(FILE *out);

/* How wide it is now; 80 if that is not known. */
size_t terminal_columns(FILE *out);

/* False for a job in the background of that terminal, which should not draw between the others'
 * lines. */
bool terminal_is_ours(FILE *out);

/* The same decisions from what the system says: isatty, $TERM and $NO_COLOR (each may be NULL). */
bool terminal_draws(bool tty, const char *term);
bool terminal_colours(bool tty, const char *term, const char *no_color);

#endif
