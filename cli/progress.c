#include "cli/progress.h"

#include "cli/signals.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 30 };
#define ERASE "\r\033[K" /* erases the line of the terminal */

static struct {
    const char *what;
    bool wanted;
    volatile sig_atomic_t drawn; /* read by a signal handler */
    double start, last;
    enum { NO_BAR, OF_CALL, OF_COMMAND } owner;
    double low, high; /* the part of the bar that a call fills; high is 0 if calls are not shown */
} bar;

/* The command whose calls are shown. */
static struct {
    bool quiet;
    const char *command;
} watched;

/* Erases the bar; called from a signal handler. */
static void abandon(void) {
    if (bar.drawn) (void)!write(STDERR_FILENO, ERASE, sizeof ERASE - 1);
}

static void start(bool quiet, const char *what) {
    signals_cleanup(abandon);
    bar.what = what;
    bar.wanted = !quiet && isatty(STDERR_FILENO);
    bar.drawn = false;
    bar.start = bar.last = cli_seconds();
}

void progress_start(const cli_options *options, const char *what) {
    start(options->quiet, what);
    bar.owner = OF_COMMAND;
    bar.high = 0;
}

static void draw(double done, double all, const char *rate) {
    const double share = done < 0 ? 0 : done > all ? 1 : done / all;
    const int full = (int)(share * WIDTH);
    bar.drawn = true;
    fprintf(stderr, "\r%s [%.*s%*s] %3.0f %%%s", bar.what, full, "##############################", WIDTH - full, "",
            100 * share, rate);
    if (share > 0) fprintf(stderr, ", %.0f s left", (bar.last - bar.start) * (1 - share) / share);
    fputs("\033[K", stderr);
    fflush(stderr);
}

/* Returns true if the bar should be drawn again. */
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
    if (bar.drawn) fputs(ERASE, stderr);
    fflush(stderr);
    bar.drawn = bar.wanted = false;
    bar.owner = NO_BAR;
}

void progress_within(double low, double high) {
    bar.low = low;
    bar.high = high;
}

static int on_progress(void *user, uint64_t done, uint64_t total) {
    (void)user;
    const double share = total ? (double)done / (double)total : 0;
    if (bar.owner == NO_BAR) {
        start(watched.quiet, watched.command);
        bar.owner = OF_CALL;
    }
    if (bar.owner == OF_COMMAND && bar.high > 0)
        progress_at(bar.low + share * (bar.high - bar.low), 1);
    else if (bar.owner == OF_CALL && total && done == total)
        progress_end();
    else if (bar.owner == OF_CALL)
        progress_at((double)done, (double)total);
    return signals_caught();
}

void progress_watch(weft_context *ctx, const cli_options *options, const char *command) {
    watched.quiet = options->quiet; /* copied, because the options need not outlive this call */
    watched.command = command;
    (void)weft_set_progress(ctx, on_progress, NULL);
}
