/* Counts how a warp's accesses are served. A request is one access instruction of a warp: the lanes' accesses at one
 * site, the first of each lane together, then the second of each, and so on. A GPU moves global memory in sectors of
 * 32 bytes, and shared memory in wavefronts: one word of 4 bytes from each of 32 banks. */
#include "executor.h"

#include <utility>
#include <vector>

namespace emulated {

bool requests_are_counted;

namespace {

enum { WARP = 32, MOST_THREADS = 1024, WARPS = MOST_THREADS / WARP, SECTOR = 32, BANKS = 32, WORD = 4 };
/* Further requests of a warp at a site are not counted, up to the end of the block. */
enum { MOST_REQUESTS = 64 };

/* Addresses of the lanes: offsets in the allocation, or in shared memory. */
struct request {
    unsigned lanes;
    unsigned at[WARP];
};

/* The requests of a block at a site. */
struct site_requests {
    bool is_used, is_shared, is_load, is_kept;
    unsigned site;
    unsigned bytes;
    unsigned char done[MOST_THREADS]; /* accesses of each thread */
    std::vector<request> of_warp[WARPS];
};
std::vector<site_requests *> by_site; /* index: site */
std::vector<site_requests *> used;    /* in this block */

enum { MOST_KEPT = 64 };
std::vector<kept_request> kept;
bool requests_are_kept;

site_requests &requests_at(unsigned site) {
    if (by_site.size() <= site) by_site.resize(site + 1);
    if (!by_site[site]) by_site[site] = new site_requests();
    return *by_site[site];
}

/* Sorts the addresses of the lanes, which are often sorted. Returns their number. */
unsigned sorted(const request &r, unsigned lanes, unsigned *to) {
    unsigned count = 0;
    for (unsigned lane = 0; lane < WARP; lane++) {
        if (!((r.lanes & lanes) >> lane & 1)) continue;
        unsigned i = count++;
        for (; i > 0 && to[i - 1] > r.at[lane]; i--) to[i] = to[i - 1];
        to[i] = r.at[lane];
    }
    return count;
}

unsigned distinct(const unsigned *values, unsigned count) {
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) found += i == 0 || values[i] != values[i - 1];
    return found;
}

/* Counts the sectors of a request, and those that its bytes would fill. An address is a multiple of the size of its
 * access, so an access has one sector. */
request_count sectors_of(const site_requests &s, const request &r) {
    unsigned at[WARP], sectors[WARP];
    const unsigned count = sorted(r, UINT32_MAX, at);
    for (unsigned i = 0; i < count; i++) sectors[i] = at[i] / SECTOR;
    return {1, distinct(sectors, count), (distinct(at, count) * s.bytes + SECTOR - 1) / SECTOR};
}

/* Returns the wavefronts for some lanes: the largest number of different words in a bank. */
unsigned wavefronts(const site_requests &s, const request &r, unsigned lanes) {
    unsigned at[WARP], in_bank[BANKS] = {}, most = 0, last = UINT32_MAX;
    const unsigned count = sorted(r, lanes, at);
    for (unsigned i = 0; i < count; i++)
        for (unsigned word = at[i] / WORD; word <= (at[i] + s.bytes - 1) / WORD; word++) {
            if (word == last) continue;
            last = word;
            most = max(most, ++in_bank[word % BANKS]);
        }
    return most;
}

/* Accesses of 8 bytes are made by half of the warp at a time, and accesses of 16 bytes by a quarter. */
request_count wavefronts_of(const site_requests &s, const request &r) {
    const unsigned parts = s.bytes <= WORD ? 1 : s.bytes / WORD, lanes = WARP / parts;
    request_count all = {1, 0, 0};
    for (unsigned part = 0; part < parts; part++) {
        const unsigned of_part = (parts == 1 ? UINT32_MAX : (1u << lanes) - 1) << part * lanes;
        all.moved += wavefronts(s, r, of_part);
        all.least += (r.lanes & of_part) != 0;
    }
    return all;
}

void finish_request(site_requests *s, const request &r) {
    const request_count count = s->is_shared ? wavefronts_of(*s, r) : sectors_of(*s, r);
    request_count &all = s->is_shared ? now_counted.in_shared : s->is_load ? now_counted.loads : now_counted.stores;
    all.requests += count.requests;
    all.moved += count.moved;
    all.least += count.least;
    if (!requests_are_kept || s->is_kept || kept.size() == MOST_KEPT) return;
    s->is_kept = true;
    kept.push_back({s->site, s->is_load, s->is_shared, s->bytes, r.lanes, {}, count});
    memcpy(kept.back().at, r.at, sizeof r.at);
}

} // namespace

std::vector<kept_request> keep_requests() {
    requests_are_kept = true;
    for (site_requests *s : by_site)
        if (s) s->is_kept = false;
    return std::exchange(kept, {});
}

void note_request(const access &a, size_t offset, bool is_shared) {
    if (!requests_are_counted || a.kind == ATOMIC || a.site == 0 || a.bytes > 16 || (a.bytes & (a.bytes - 1))) return;
    site_requests &s = requests_at(a.site);
    const unsigned thread = this_thread(), i = s.done[thread];
    if (!s.is_used) {
        s.is_used = true;
        s.is_shared = is_shared;
        s.is_load = a.kind == READ;
        s.bytes = (unsigned)a.bytes;
        s.site = a.site;
        used.push_back(&s);
    }
    if (i == MOST_REQUESTS) return;
    s.done[thread]++;
    std::vector<request> &all = s.of_warp[thread / WARP];
    if (i == all.size()) all.push_back({});
    all[i].lanes |= 1u << thread % WARP;
    all[i].at[thread % WARP] = (unsigned)offset;
}

void finish_requests() {
    for (site_requests *s : used) {
        for (std::vector<request> &all : s->of_warp) {
            for (const request &r : all) finish_request(s, r);
            all.clear();
        }
        memset(s->done, 0, sizeof s->done);
        s->is_used = false;
    }
    used.clear();
}

} // namespace emulated
