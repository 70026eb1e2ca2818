/* How the command ends on a signal: the file that is being written and the progress bar are removed first, and the
 * process then ends by the same signal, so that a shell sees it. Work that can say how far it got asks for the signal
 * instead. */
#ifndef WEFT_CLI_SIGNALS_H
#define WEFT_CLI_SIGNALS_H

/* Sets the handlers of SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE and SIGBUS. Signals that are ignored stay ignored.
 * SIGXFSZ becomes ignored, so that a write beyond the limit fails with a sentence. */
void signals_install(void);

/* Registers a function that is called before a signal ends the process, from a signal handler: it may call only
 * async-signal-safe functions. At most SIGNALS_CLEANUPS functions; registering one twice has no effect. */
enum { SIGNALS_CLEANUPS = 4 };
void signals_cleanup(void (*cleanup)(void));

/* From now on the first SIGINT, SIGTERM or SIGHUP is kept for signals_caught, which returns it, or 0. A second one
 * ends the process. */
void signals_defer(void);
int signals_caught(void);

/* Ends the process by the signal's default action. Does not return. */
_Noreturn void signals_die(int signal);

#endif
