#define _DEFAULT_SOURCE /* TIOCGWINSZ */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_UNKNOWN = 80 };

bool terminal_draws(bool tty, const char *term)
{
    return tty && term && *term && strcmp(term, "dumb") != 0;
}

bool terminal_colours(bool tty, const char *term, const char *no_color)
{
    return terminal_draws(tty, term) && !(no_color && *no_color);
}

bool terminal_can_draw(FILE *out)
{
    return terminal_draws(isatty(fileno(out)) == 1, getenv("TERM"));
}

bool terminal_has_colours(FILE *out)
{
    return terminal_colours(isatty(fileno(out)) == 1, getenv("TERM"), getenv("NO_COLOR"));
}

size_t terminal_columns(FILE *out)
{
    struct winsize size;
    bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col;
    return known ? size.ws_col : COLUMNS_UNKNOWN;
}

bool terminal_is_ours(FILE *out)
{
    pid_t foreground = tcgetpgrp(fileno(out));
    return foreground <= 0 || foreground == getpgrp();
}
