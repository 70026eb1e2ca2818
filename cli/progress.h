/* A bar on stderr for work that takes longer than a second: only when stderr is a terminal and
 * --quiet was not given, so nothing of it lands in a file. One at a time. */
#ifndef WEFT_CLI_PROGRESS_H
#define WEFT_CLI_PROGRESS_H

#include "cli/cli.h"

/* Begins; `what` names the work and must last until progress_end. */
void progress_start(const cli_options *options, const char *what);
/* `done` of `all` steps are behind us. Cheap: draws at most ten times a second; with the time that is left. */
void progress_at(double done, double all);
/* The same of bytes, with their rate. */
void progress_at_bytes(double done, double all);
/* The calls on a watched context that follow are the part of the work from `low` to `high`, as shares of all of it.
 */
void progress_within(double low, double high);
/* Shows how far each call on the context is: under the command's name, or as progress_within says if a bar was
 * started; the calls of other commands with a bar of their own are not shown. A call is cancelled when a signal was
 * caught. */
void progress_watch(weft_context *ctx, const cli_options *options, const char *command);
/* Removes the bar. Call it before anything else is printed. */
void progress_end(void);

#endif
