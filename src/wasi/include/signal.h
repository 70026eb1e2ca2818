/* Signals for WASI, which delivers none: masks and actions have no effect. signal() and raise() are those of
 * wasi-libc, which calls a handler only for raise(). */
#ifndef WEFT_WASI_SIGNAL_H
#define WEFT_WASI_SIGNAL_H

#include_next <signal.h>

#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2

#include <__typedef_sigset_t.h>

struct sigaction {
    void (*sa_handler)(int);
    int sa_flags;
};

static inline int sigfillset(sigset_t *set) { return *set = 0; }
static inline int sigemptyset(sigset_t *set) { return *set = 0; }
static inline int sigaddset(sigset_t *set, int number) { return (void)number, *set = 0; }
static inline int sigdelset(sigset_t *set, int number) { return (void)number, *set = 0; }
static inline int sigprocmask(int how, const sigset_t *set, sigset_t *before) {
    (void)how, (void)set;
    if (before) *before = 0;
    return 0;
}
static inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
    return sigprocmask(how, set, before);
}
static inline int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
    return (void)number, (void)action, (void)before, -1;
}

#endif
