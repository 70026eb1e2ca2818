/* Topic match: how often each of several words occurs in a text
 *
 * The input is a text of n bytes and a list of words of four letters. Each
 * word is stored in one 32-bit number, with its first letter in the lowest
 * byte. A word may begin at any byte, and occurrences may overlap. Each of
 * the n - 3 positions is compared with each of W words. For a small number
 * of words, reading the text determines the time. For 64 words or more, the
 * comparisons determine it.
 *
 * Counts are whole numbers and do not depend on an order. So every rung
 * must return the counts of a loop of `memcmp`. The example of the course
 * searches its file match.cu for "cuti", "gold", "text" and "word". The
 * counts are 3, 3, 12 and 16. Here the text consists of these words and of
 * parts of them. So they occur at all alignments and across every border
 * between threads and blocks.
 */
#include "climb.h"

constexpr unsigned THREADS = 256, WARP = 32, BLOCKS = 528;
constexpr int WORDS = 4;
static const char PATTERNS[] = "cutigoldtextword";
typedef unsigned long long counter; /* as atomicAdd requires */

struct word_list {
    unsigned char letter[WORDS][4];
    unsigned whole[WORDS];
};
static __constant__ word_list WORD;

/* Rung bytes: a thread for each position, byte by byte
 *
 * The kernel compares byte by byte, as a C program would. It stops at the
 * first byte that differs, so the lanes of a warp diverge. Up to four
 * threads read each byte of the text. Each occurrence is an atomic addition
 * in global memory.
 */
static __global__ void match_bytes(size_t n, const unsigned char *text,
                                   counter *counts) {
    const size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p + 4 > n) return;
    for (int w = 0; w < WORDS; w++) {
        int same = 0;
        while (same < 4 && text[p + same] == WORD.letter[w][same]) same++;
        if (same == 4) atomicAdd(&counts[w], 1);
    }
}

static void bytes(size_t n, const unsigned *text, counter *counts) {
    CUDA_CHECK(cudaMemsetAsync(counts, 0, WORDS * sizeof *counts));
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    match_bytes<<<blocks, THREADS>>>(n, (const unsigned char *)text,
                                     counts);
}

/* Rung words: four positions at a time, a word in a register
 *
 * Thread l reads the words l and l + 1 of the text and processes the four
 * positions 4 l, ..., 4 l + 3. The four letters that begin at byte o are
 * the upper bytes of word l and the lower bytes of word l + 1.
 * `__funnelshift_r` combines them in one instruction. Then the comparison
 * of four letters is the comparison of two numbers.
 *
 * Only positions with p + 4 <= n count. The classic program pads the text
 * with spaces instead. This can create a false match for a word that ends
 * in a space. The array of this rung also has one extra word, but it is
 * never part of a match.
 */
static __device__ unsigned word_at(unsigned low, unsigned high,
                                   unsigned offset) {
    return __funnelshift_r(low, high, 8 * offset);
}

static __global__ void match_words(size_t n, const unsigned *text,
                                   counter *counts) {
    const size_t l = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * l >= n) return;
    const unsigned low = text[l], high = text[l + 1];
    for (unsigned offset = 0; offset < 4; offset++) {
        if (4 * l + offset + 4 > n) return;
        for (int w = 0; w < WORDS; w++)
            if (word_at(low, high, offset) == WORD.whole[w])
                atomicAdd(&counts[w], 1);
    }
}

static unsigned blocks_of_words(size_t n) {
    return (unsigned)blocks_for<size_t>(n, 4 * THREADS);
}

static void words(size_t n, const unsigned *text, counter *counts) {
    CUDA_CHECK(cudaMemsetAsync(counts, 0, WORDS * sizeof *counts));
    match_words<<<blocks_of_words(n), THREADS>>>(n, text, counts);
}

/* Faulty rung last-word: the positions after the first byte of the last
 * word are omitted
 *
 * This is a published answer. It tests the offsets 1 to 3 only if
 * l < n / 4 - 1, to avoid a read after the end of the text. So it does not
 * find matches that begin after the first byte of the last full word, or in
 * a partial word after it. The text of this topic ends with a match.
 */
static __global__ void match_but_last(size_t n, const unsigned *text,
                                      counter *counts) {
    const size_t l = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t whole = n / 4;
    if (l >= whole) return;
    for (unsigned offset = 0; offset < 4; offset++) {
        if (offset > 0 && l + 1 >= whole) return;
        const unsigned at =
            offset == 0 ? text[l] : word_at(text[l], text[l + 1], offset);
        for (int w = 0; w < WORDS; w++)
            if (at == WORD.whole[w]) atomicAdd(&counts[w], 1);
    }
}

static void last_word(size_t n, const unsigned *text, counter *counts) {
    CUDA_CHECK(cudaMemsetAsync(counts, 0, WORDS * sizeof *counts));
    match_but_last<<<blocks_of_words(n), THREADS>>>(n, text, counts);
}

/* Rung shared-chunk: a chunk of the text and the
 * counters of the block in shared memory
 *
 * This is the outline of the course. A block loads 256 words, one per
 * thread, and the first word of the next chunk. Without that word, a match
 * across the border would be lost. Each block reads every word of its chunk
 * once from global memory. It counts matches in shared memory and adds one
 * number per word to the total. These are four atomics per block in global
 * memory, for any number of matches.
 */
static __global__ void match_chunk(size_t n, const unsigned *text,
                                   counter *counts) {
    __shared__ unsigned chunk[THREADS + 1], found[WORDS];
    const unsigned t = threadIdx.x;
    const size_t l = (size_t)blockIdx.x * THREADS + t;
    if (4 * l < n) {
        chunk[t] = text[l];
        if (t == THREADS - 1 || 4 * (l + 1) >= n)
            chunk[t + 1] = text[l + 1];
    }
    if (t < WORDS) found[t] = 0;
    __syncthreads();
    for (unsigned offset = 0; offset < 4 && 4 * l + offset + 4 <= n;
         offset++)
        for (int w = 0; w < WORDS; w++)
            if (word_at(chunk[t], chunk[t + 1], offset) == WORD.whole[w])
                atomicAdd(&found[w], 1);
    __syncthreads();
    if (t < WORDS) atomicAdd(&counts[t], (counter)found[t]);
}

static void shared_chunk(size_t n, const unsigned *text, counter *counts) {
    CUDA_CHECK(cudaMemsetAsync(counts, 0, WORDS * sizeof *counts));
    match_chunk<<<blocks_of_words(n), THREADS>>>(n, text, counts);
}

/* Faulty rung no-neighbour: the chunk without the next word
 *
 * The last thread of each block reads shared memory that no thread has
 * written. It contains data of another block. Three positions in 1024 are
 * wrong. So some matches are lost, but in a short text the error is
 * difficult to see.
 */
static __global__ void match_chunk_alone(size_t n, const unsigned *text,
                                         counter *counts) {
    __shared__ unsigned chunk[THREADS + 1], found[WORDS];
    const unsigned t = threadIdx.x;
    const size_t l = (size_t)blockIdx.x * THREADS + t;
    if (4 * l < n) chunk[t] = text[l];
    if (t < WORDS) found[t] = 0;
    __syncthreads();
    for (unsigned offset = 0; offset < 4 && 4 * l + offset + 4 <= n;
         offset++)
        for (int w = 0; w < WORDS; w++)
            if (word_at(chunk[t], chunk[t + 1], offset) == WORD.whole[w])
                atomicAdd(&found[w], 1);
    __syncthreads();
    if (t < WORDS) atomicAdd(&counts[t], (counter)found[t]);
}

static void no_neighbour(size_t n, const unsigned *text, counter *counts) {
    CUDA_CHECK(cudaMemsetAsync(counts, 0, WORDS * sizeof *counts));
    match_chunk_alone<<<blocks_of_words(n), THREADS>>>(n, text, counts);
}

/* Rung registers: sixteen bytes per thread, counts in registers
 *
 * The threads need not share any data. A thread loads 16 bytes at once and
 * the word after them. That word is in the cache, because the next thread
 * loads it too. The thread processes 16 positions and needs no barrier. It
 * counts in four registers. The compiler knows their number, so it unrolls
 * the loops over words. At the end, a warp adds its lanes by shuffles, and
 * one lane adds to the total. 528 blocks traverse the text.
 */
static __global__ void match_sixteen(size_t n, const uint4 *text,
                                     counter *counts) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    unsigned found[WORDS] = {};
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
         16 * i < n; i += threads) {
        const uint4 v = text[i];
        const unsigned part[5] = {v.x, v.y, v.z, v.w, text[i + 1].x};
#pragma unroll
        for (unsigned at = 0; at < 16; at++)
#pragma unroll
            for (int w = 0; w < WORDS; w++)
                found[w] += word_at(part[at / 4], part[at / 4 + 1],
                                    at % 4) == WORD.whole[w] &&
                            16 * i + at + 4 <= n;
    }
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        for (unsigned d = WARP / 2; d > 0; d /= 2)
            found[w] += __shfl_down_sync(0xffffffffu, found[w], d);
        if (threadIdx.x % WARP == 0 && found[w] > 0)
            atomicAdd(&counts[w], (counter)found[w]);
    }
}

static void registers(size_t n, const unsigned *text, counter *counts) {
    CUDA_CHECK(cudaMemsetAsync(counts, 0, WORDS * sizeof *counts));
    match_sixteen<<<BLOCKS, THREADS>>>(n, (const uint4 *)text, counts);
}

/* Rung weft: weft_match_count, an operation of this library
 *
 * `weft_match_count` searches for up to 10 000 patterns of 1 to 256 bytes.
 * If the number of patterns is small, it compares their first four bytes as
 * in `registers`. If it is large, it looks up these bytes in a hash table.
 *
 * The rung is slower than `registers` for two reasons. Its patterns are
 * arguments of the call. So each call first builds a table of them on the
 * host and copies it to the GPU, a cost that does not depend on n. And
 * `registers` knows at compile time that there are four patterns of four
 * bytes. For a text of 1 GiB, where the first reason no longer counts, weft
 * reads 3447 GB/s on an H200, which is 76 % of the bandwidth. `registers`
 * shows what remains to be gained for four short patterns.
 */
static weft_status weft_words(weft_context *ctx, size_t n, const void *text,
                              uint64_t *counts) {
    const uint64_t offsets[WORDS + 1] = {0, 4, 8, 12, 16};
    const weft_patterns patterns = {WORDS, offsets, PATTERNS};
    return weft_match_count(ctx, n, text, 0, n, &patterns, WEFT_MATCH_BYTES,
                            counts);
}

/* Exercises
 *
 * 1. Count "aaaa" in a text of ten a's. Which answers are possible? Which
 *    one does this topic give?
 * 2. How many bytes do `bytes`, `words` and `registers` request per byte of
 *    the text?
 * 3. Use 64 words. In which rung does the time grow by a factor of 16? In
 *    which does it change least? In which do the comparisons become the
 *    limit?
 * 4. In `registers`, use `__shfl_down_sync` to get the word after a
 *    thread's 16 bytes. Which lane must still load it?
 */

/* Climbing the rungs. */
static std::vector<unsigned char> a_text(size_t n) {
    static const char *const parts[] = {
        "cuti", "gold", "text", "word", "cu", "go", "tex", "w", " ", "d"};
    std::vector<unsigned char> text;
    for (const int v : ladder_values<int>(n, 1)) {
        const char *const part =
            parts[(size_t)(v + 1000) % (sizeof parts / sizeof *parts)];
        text.insert(text.end(), part, part + strlen(part));
        if (text.size() >= n) break;
    }
    text.resize(n);
    for (size_t i = 0; i < 4 && i < n; i++)
        text[n - 1 - i] = (unsigned char)"gold"[3 - i];
    return text;
}

void climb_match(climb &c) {
    const size_t n = c.n;
    const std::vector<unsigned char> letters = a_text(n);
    std::vector<unsigned> text(4 * (n / 16 + 2));
    memcpy(text.data(), letters.data(), n);
    word_list list;
    memcpy(list.letter, PATTERNS, sizeof list.letter);
    memcpy(list.whole, PATTERNS, sizeof list.whole);
    CUDA_CHECK(cudaMemcpyToSymbol(WORD, &list, sizeof list));
    std::vector<counter> expected(WORDS);
    for (size_t p = 0; p + 4 <= n; p++)
        for (size_t w = 0; w < WORDS; w++)
            expected[w] += memcmp(&letters[p], PATTERNS + 4 * w, 4) == 0;

    const unsigned *const at = c.input(text);
    counter *const counts = c.output<counter>(WORDS);
    const ladder_claim right = [&] { return c.holds(counts, expected); };
    c.work((double)n, 0);
    c.rung("bytes", right, [=] { bytes(n, at, counts); });
    c.rung("words", right, [=] { words(n, at, counts); });
    c.faulty("last-word", right, [=] { last_word(n, at, counts); },
             {.least = 5});
    c.rung("shared-chunk", right, [=] { shared_chunk(n, at, counts); });
    c.faulty("no-neighbour", right, [=] { no_neighbour(n, at, counts); },
             {.least = 2000});
    c.rung("registers", right, [=] { registers(n, at, counts); });
    c.weft("weft", right, [=](weft_context *ctx) {
        return weft_words(ctx, n, at, (uint64_t *)counts);
    });
}
