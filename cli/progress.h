/* Progress bar on stderr for work that takes longer than a second. It is shown only if stderr is a terminal and
 * --quiet was not given, so it never ends up in a file. At most one bar exists at a time. */
#ifndef WEFT_CLI_PROGRESS_H
#define WEFT_CLI_PROGRESS_H

#include "cli/cli.h"

/* Starts the bar. `what` names the work and must stay valid until progress_end. */
void progress_start(const cli_options *options, const char *what);
/* Reports that `done` of `all` steps are finished; the remaining time is shown. Cheap: draws at most ten times a
 * second. */
void progress_at(double done, double all);
/* Reports that `done` of `all` bytes are finished. The rate is shown too. */
void progress_at_bytes(double done, double all);
/* Declares that the following calls on a watched context are the part of the work from `low` to `high`, as fractions
 * of all of it. */
void progress_within(double low, double high);
/* Shows the progress of each call on the context. Without a bar, it is shown under the command's name. After
 * progress_start, it fills the part set by progress_within; other calls of such a command are not shown. A call is
 * cancelled when a signal was caught. */
void progress_watch(weft_context *ctx, const cli_options *options, const char *command);
/* Removes the bar. Must be called before anything else is printed. */
void progress_end(void);

#endif
