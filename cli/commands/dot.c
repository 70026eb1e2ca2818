/* weft dot X.npy Y.npy */
#include "cli/commands/apply.h"

#include <string.h>

int command_dot(const cli_options *options, int argc, char **argv) {
    return apply_plainly(options, operation_find(argv[0], strlen(argv[0])), argc, argv);
}
