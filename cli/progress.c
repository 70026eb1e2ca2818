#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 30 };

static struct {
    const char *what;
    bool wanted, drawn;
    double start, last;
} bar;

void progress_start(const cli_options *options, const char *what) {
    bar.what = what;
    bar.wanted = !options->quiet && isatty(STDERR_FILENO);
    bar.drawn = false;
    bar.start = bar.last = cli_seconds();
}

void progress_at(double done, double all) {
    const double now = bar.wanted ? cli_seconds() : 0;
    if (!bar.wanted || now - bar.start < 1 || now - bar.last < 0.1 || !(all > 0)) return;
    const double share = done < 0 ? 0 : done > all ? 1 : done / all;
    const int full = (int)(share * WIDTH);
    fprintf(stderr, "\r%s [%.*s%*s] %3.0f %%\033[K", bar.what, full, "##############################", WIDTH - full,
            "", 100 * share);
    fflush(stderr);
    bar.last = now;
    bar.drawn = true;
}

void progress_end(void) {
    if (bar.drawn) fputs("\r\033[K", stderr);
    fflush(stderr);
    bar.drawn = bar.wanted = false;
}
