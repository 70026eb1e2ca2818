# fish completion of weft

set -l operations sum prod min max argmin argmax and or xor any all count_nonzero mean norm1 norm2 norminf variance dot
set -l commands tour verify bench devices help version $operations

complete -c weft -f
complete -c weft -l device -x -a 'auto cpu cuda ref' -d 'What to compute on'
complete -c weft -l threads -x -d 'CPU threads, 0 for all cores'
complete -c weft -l bits -d 'Print the bits of each value too'
complete -c weft -l json -d 'Print one JSON object'
complete -c weft -l quiet -d 'No progress bar'
complete -c weft -l help -d 'Explain the command'
complete -c weft -l version -n "not __fish_seen_subcommand_from $commands" -d 'Print the version'

complete -c weft -n "not __fish_seen_subcommand_from $commands" -a tour -d 'see it work: real arrays, every operation, every device'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a verify -d 'check that every device gives the specified bits'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a bench -d 'measure the operations on this machine'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a devices -d 'what weft can compute on here'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a help -d 'explain weft, or one of its commands'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a version -d 'version of the library and of the canonical order'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a sum -d 'sum of the elements'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a prod -d 'product of the elements'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a min -d 'smallest element'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a max -d 'largest element'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a argmin -d 'first index of the smallest element'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a argmax -d 'first index of the largest element'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a and -d 'bitwise and of the elements'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a or -d 'bitwise or of the elements'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a xor -d 'bitwise exclusive or of the elements'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a any -d '1 when an element is not zero'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a all -d '1 when no element is zero'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a count_nonzero -d 'number of elements that are not zero'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a mean -d 'arithmetic mean'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a norm1 -d 'sum of absolute values'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a norm2 -d 'Euclidean norm'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a norminf -d 'largest absolute value'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a variance -d 'variance, by two passes'
complete -c weft -n "not __fish_seen_subcommand_from $commands" -a dot -d 'dot product of two arrays'

complete -c weft -n "__fish_seen_subcommand_from tour $operations" -k -a '(__fish_complete_suffix .npy)'
complete -c weft -n "__fish_seen_subcommand_from $operations" -l accumulate -x -a f64 -d 'Compute f32 elements in f64'
complete -c weft -n '__fish_seen_subcommand_from variance' -l ddof -x -d 'Subtracted from the number of elements'
complete -c weft -n '__fish_seen_subcommand_from tour' -l quick -d '10^6 elements'
complete -c weft -n '__fish_seen_subcommand_from tour' -l n -x -d 'Number of elements'
complete -c weft -n '__fish_seen_subcommand_from bench' -l size -x -d 'Number of elements'
complete -c weft -n '__fish_seen_subcommand_from bench' -l op -x -d 'Operations, separated by commas'
complete -c weft -n '__fish_seen_subcommand_from help' -a "$commands"
complete -c weft -n '__fish_seen_subcommand_from help' -l list -d 'Names of all commands'
