/* Source lines for the sentences of faults. A site is an address in a kernel that follows a call of the executor: of
 * an access, a barrier or a warp function. Its line is looked up only when a fault is reported, with addr2line of
 * binutils, in the debug information of the library. Without either, sentences have no lines. */
#include "executor.h"

#include <dlfcn.h>
#include <map>

namespace emulated {

namespace {

enum { SITES_LOG2 = 16, SITES = 1 << SITES_LOG2 };
const void *addresses[SITES]; /* hash table; [0] is not used */
unsigned sites_used;

/* Returns the lines that addr2line prints: FILE:LINE for the function that the address is in, and for each function
 * into which that one was inlined. */
std::string look_up(const void *address) {
    Dl_info in;
    char command[4200], text[4096];
    if (!dladdr(address, &in) || strchr(in.dli_fname, '\'')) return "";
    const int length = snprintf(command, sizeof command, "addr2line -i -e '%s' 0x%zx 2>/dev/null", in.dli_fname,
                                (size_t)((const char *)address - (const char *)in.dli_fbase) - 1);
    if (length >= (int)sizeof command) return "";
    FILE *const answer = popen(command, "r");
    if (!answer) return "";
    const size_t size = fread(text, 1, sizeof text, answer);
    return pclose(answer) == 0 ? std::string(text, size) : "";
}

/* Returns the name of the file of a line FILE:LINE without its directories, and the number. */
std::string shortened(const std::string &line) {
    const std::string name = line.substr(line.rfind('/') + 1);
    return name.substr(0, name.find(' '));
}

bool is_own_header(const std::string &line) {
    for (const char *name : {"cuda_runtime.h:", "cuda_pipeline.h:", "bulk_copies.h:", "cooperative_groups.h:",
                             "mma.h:", "device.cuh:", "prefetch.cuh:"})
        if (line.find(name) == 0) return true;
    return false;
}

} // namespace

unsigned site_of(const void *address) {
    unsigned i = (unsigned)((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u >> (64 - SITES_LOG2));
    for (i += i == 0; addresses[i] != address; i = i + 1 == SITES ? 1 : i + 1) {
        if (addresses[i]) continue;
        if (sites_used >= SITES / 2) return 0;
        addresses[i] = address;
        sites_used++;
        return i;
    }
    return i;
}

const std::string &lines_of(unsigned site) {
    static std::map<unsigned, std::string> known;
    const auto found = known.find(site);
    if (found != known.end()) return found->second;
    return known[site] = site ? look_up(addresses[site]) : "";
}

/* The line is the first one outside the executor's own headers. */
std::string line_of(unsigned site) {
    const std::string &lines = lines_of(site);
    for (size_t at = 0, end; (end = lines.find('\n', at)) != std::string::npos; at = end + 1) {
        const std::string line = shortened(lines.substr(at, end - at));
        if (!is_own_header(line) && line.find('?') == std::string::npos) return line;
    }
    return "";
}

std::string where(unsigned site) {
    const std::string line = line_of(site);
    return line.empty() ? "" : " at " + line;
}

} // namespace emulated
