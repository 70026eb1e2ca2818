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

static void draw(double done, double all, const char *rate) {
    const double share = done < 0 ? 0 : done > all ? 1 : done / all;
    const int full = (int)(share * WIDTH);
    fprintf(stderr, "\r%s [%.*s%*s] %3.0f %%%s", bar.what, full, "##############################", WIDTH - full, "",
            100 * share, rate);
    if (share > 0) fprintf(stderr, ", %.0f s left", (bar.last - bar.start) * (1 - share) / share);
    fputs("\033[K", stderr);
    fflush(stderr);
    bar.drawn = true;
}

/* Whether it is time to draw again. */
static bool is_due(double all) {
    const double now = bar.wanted ? cli_seconds() : 0;
    if (!bar.wanted || now - bar.start < 1 || now - bar.last < 0.1 || !(all > 0)) return false;
    bar.last = now;
    return true;
}

void progress_at(double done, double all) {
    if (is_due(all)) draw(done, all, "");
}

void progress_at_bytes(double done, double all) {
    char rate[32];
    if (!is_due(all)) return;
    snprintf(rate, sizeof rate, ", %.2f GB/s", done / (bar.last - bar.start) / 1e9);
    draw(done, all, rate);
}

void progress_end(void) {
    if (bar.drawn) fputs("\r\033[K", stderr);
    fflush(stderr);
    bar.drawn = bar.wanted = false;
}
