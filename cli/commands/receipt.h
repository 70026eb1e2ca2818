/* Shared by the commands receipt, which writes receipts, and check, which reads them. */
#ifndef WEFT_CLI_RECEIPT_H
#define WEFT_CLI_RECEIPT_H

#include "cli/cli.h"
#include "cli/io/record.h"
#include "cli/verbs.h"

enum { RECEIPT_FORMAT = 1, RECEIPT_FORMAT_OPTIONS = 4 };
/* Global options that determine how input files are read. */
static const char *const RECEIPT_FORMATS[RECEIPT_FORMAT_OPTIONS] = {"raw", "column", "as", "missing"};

/* Runs the operation with its arguments argv, of which the first is its name, as with --json. Records it in `mode`.
 */
int receipt_run(const cli_options *options, const verb *verb, int argc, char **argv, record_mode mode);

#endif
