/* weft variance FILE.npy [--ddof N] */
#include "cli/commands/apply.h"

#include <stdint.h>
#include <string.h>

int command_variance(const cli_options *options, int argc, char **argv) {
    operands in = {0};
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        long long ddof = 0;
        if (option == 'a' && apply_accumulate(argv[0], optarg, &in.accumulate)) continue;
        if (option != 'd' || !cli_number(argv[0], "--ddof", optarg, 0, INT64_MAX, &ddof)) return CLI_USAGE;
        in.ddof = (size_t)ddof;
    }
    return apply_operation(options, operation_find("variance", strlen("variance")), in, argc, argv);
}
