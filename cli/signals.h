/* Signal handling: removes the file that is being written and the progress bar, and then ends the process by the same
 * signal, so that a shell sees it. Work that can report its progress calls signals_defer and checks for the signal
 * itself. */
#ifndef WEFT_CLI_SIGNALS_H
#define WEFT_CLI_SIGNALS_H

/* Installs handlers for SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE and SIGBUS. Signals that are ignored stay ignored.
 * SIGXFSZ becomes ignored, so that a write beyond the limit fails with an error message. */
void signals_install(void);

/* Registers a function that the signal handler calls before the signal ends the process. It must call
 * async-signal-safe functions only. At most SIGNALS_CLEANUPS functions; registering one twice has no effect. */
enum { SIGNALS_CLEANUPS = 4 };
void signals_cleanup(void (*cleanup)(void));

/* Keeps the first SIGINT, SIGTERM or SIGHUP from now on for signals_caught, which returns it, or 0. A second one ends
 * the process. */
void signals_defer(void);
int signals_caught(void);

/* Ends the process by the signal's default action. Does not return. */
_Noreturn void signals_die(int signal);

#endif
