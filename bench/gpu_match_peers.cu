/* build/bench_gpu_match: weft_match_count and weft_match_list on a GPU over 1 GiB of text, compared with a
 * straightforward kernel. In that kernel, a thread loads an aligned word of four bytes and the next one, and shifts.
 * The text is random letters, except that each of the four words "with", "that", "from" and "this" begins at a tenth
 * of a percent of its bytes. */
#include "gpu_compared.cuh"

#include <string>

#define BYTES ((size_t)1 << 30)
#define CAPACITY ((size_t)1 << 24) /* capacity of the list */

static char *text;
static uint64_t *counts, *counts_peer, *positions, *total;
static uint32_t *numbers;

static __host__ __device__ uint64_t mix(uint64_t i) {
    uint64_t h = i * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return h ^ h >> 29;
}

/* The four words, little-endian. */
static const uint32_t FOUR[] = {0x68746977, 0x74616874, 0x6d6f7266, 0x73696874};

static __global__ void write_text(char *to, size_t eights, uint4 four) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t h = mix(i);
    if (i >= eights) return;
    for (int k = 0; k < 8; k++) to[8 * i + k] = (char)('a' + (h >> 8 * k & 255) % 26);
    const uint32_t words[] = {four.x, four.y, four.z, four.w};
    if ((h >> 40 & 127) < 4)
        for (int k = 0; k < 4; k++) to[8 * i + (h & 3) + k] = (char)(words[h >> 40 & 127] >> 8 * k);
}

/* Counts the four words. Bytes after the end of the text count as 0. */
static __global__ void plain_kernel(const uint32_t *from, size_t words, uint4 four, unsigned long long *to) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words) return;
    const uint32_t low = from[i], high = i + 1 < words ? from[i + 1] : 0;
    for (int k = 0; k < 4; k++) {
        const uint32_t here = k ? low >> 8 * k | high << (32 - 8 * k) : low;
        if (here == four.x) atomicAdd(&to[0], 1ull);
        if (here == four.y) atomicAdd(&to[1], 1ull);
        if (here == four.z) atomicAdd(&to[2], 1ull);
        if (here == four.w) atomicAdd(&to[3], 1ull);
    }
}

/* The four words, followed by random ones of `length` letters. */
struct dictionary {
    std::vector<uint64_t> offsets;
    std::string bytes;

    dictionary(size_t count, size_t length) {
        for (size_t i = 0; i < count; i++) {
            offsets.push_back(bytes.size());
            if (i < 4) bytes.append((const char *)&FOUR[i], 4);
            for (size_t k = 0; i >= 4 && k < length; k++) bytes.push_back((char)('a' + mix(i * 256 + k) % 26));
        }
        offsets.push_back(bytes.size());
    }
    weft_patterns patterns() const { return weft_patterns{offsets.size() - 1, offsets.data(), bytes.data()}; }
};

static void count_row(const char *name, const dictionary &words, unsigned flags, const work &peer) {
    const weft_patterns patterns = words.patterns();
    row(
        name, reads((double)BYTES),
        [&] { ok(weft_match_count(ctx, BYTES, text, 0, BYTES, &patterns, flags, counts)); }, "a kernel", peer);
}

static void measure_four() {
    const dictionary words(4, 4);
    const uint4 four = {FOUR[0], FOUR[1], FOUR[2], FOUR[3]};
    count_row("count, 4 words of 4", words, WEFT_MATCH_BYTES, [=] {
        ok(cudaMemsetAsync(counts_peer, 0, 4 * sizeof *counts_peer, stream));
        plain_kernel<<<(unsigned)(BYTES / 4 / 256), 256, 0, stream>>>((uint32_t *)text, BYTES / 4, four,
                                                                      (unsigned long long *)counts_peer);
    });
    for (int i = 0; i < 4; i++)
        expect(value_at<uint64_t>(counts + i) == value_at<uint64_t>(counts_peer + i), "counts of four words");
    count_row("  whatever their case", words, WEFT_FOLD_CASE, work());
    count_row("  where they stand alone", words, WEFT_WHOLE_WORD, work());
    const weft_patterns patterns = words.patterns();
    row(
        "list, 4 words of 4", reads((double)BYTES),
        [&] {
            ok(weft_match_list(ctx, BYTES, text, 0, BYTES, &patterns, WEFT_MATCH_BYTES, CAPACITY, positions, numbers,
                               total));
        },
        "", work());
    uint64_t all = 0;
    for (int i = 0; i < 4; i++) all += value_at<uint64_t>(counts_peer + i);
    expect(value_at<uint64_t>(total) == all, "the list's length and the counts");
    printf("%-30s %10.3f %% of the bytes\n", "matches of four words", 100.0 * (double)all / BYTES);
}

int main(void) {
    open_gpu();
    ok(cudaMalloc((void **)&text, BYTES));
    for (uint64_t **p : {&counts, &counts_peer}) ok(cudaMalloc((void **)p, 10000 * sizeof **p));
    ok(cudaMalloc((void **)&positions, CAPACITY * sizeof *positions));
    ok(cudaMalloc((void **)&numbers, CAPACITY * sizeof *numbers));
    ok(cudaMalloc((void **)&total, sizeof *total));
    char *other;
    ok(cudaMalloc((void **)&other, BYTES));
    find_ceilings(text, other, BYTES);
    ok(cudaFree(other));
    write_text<<<(unsigned)(BYTES / 8 / 256), 256, 0, stream>>>(text, BYTES / 8,
                                                                uint4{FOUR[0], FOUR[1], FOUR[2], FOUR[3]});
    measure_four();
    count_row("count, 1 word", dictionary(1, 4), WEFT_MATCH_BYTES, work());
    for (size_t words : {32, 33, 100, 1000, 10000})
        for (size_t length : {4, 8}) {
            const std::string name = "count, " + std::to_string(words) + " words of " + std::to_string(length);
            count_row(name.c_str(), dictionary(words, length), WEFT_MATCH_BYTES, work());
        }
    for (void *p :
         {(void *)text, (void *)counts, (void *)counts_peer, (void *)positions, (void *)numbers, (void *)total})
        ok(cudaFree(p));
    weft_close(ctx);
    return 0;
}
