#include "cli/signals.h"

#include "cli/cli.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static volatile sig_atomic_t deferred, caught;
static void (*_Atomic cleanups[SIGNALS_CLEANUPS])(void);

void signals_cleanup(void (*cleanup)(void)) {
    for (int i = 0; i < SIGNALS_CLEANUPS; i++) {
        void (*registered)(void) = NULL;
        if (atomic_compare_exchange_strong(&cleanups[i], &registered, cleanup) || registered == cleanup) return;
    }
}

static void clean_up(void) {
    for (int i = 0; i < SIGNALS_CLEANUPS; i++) {
        void (*const cleanup)(void) = cleanups[i];
        if (cleanup) cleanup();
    }
}

_Noreturn void signals_die(int number) {
    sigset_t set;
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    (void)pthread_kill(pthread_self(),
                       number); /* the signal is blocked while its own handler runs, and delivered afterwards */
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + number);
}

static bool can_be_deferred(int number) { return number == SIGINT || number == SIGTERM || number == SIGHUP; }

/* Handles a signal; may run in any thread. Calls async-signal-safe functions only. */
static void on_signal(int number) {
    if (deferred && !caught && can_be_deferred(number)) {
        caught = number;
        return;
    }
    clean_up();
    signals_die(number);
}

/* Handles SIGBUS. Input files are mapped; the signal means that one was truncated or that its disk failed during use.
 */
static void on_bus_error(int number) {
    static atomic_flag told = ATOMIC_FLAG_INIT; /* several threads may get the signal */
    static const char text[] = "weft: a file in use was truncated or could not be read\n";
    (void)number;
    while (atomic_flag_test_and_set(&told)) pause(); /* the first thread prints the reason and ends the process */
    clean_up(); /* NOLINT(bugprone-signal-handler): calls async-signal-safe functions only */
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(CLI_FAILED);
}

void signals_install(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    struct sigaction before, action = {.sa_handler = on_signal};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGBUS, on_bus_error);
}

void signals_defer(void) { deferred = 1; }
int signals_caught(void) { return caught; }
