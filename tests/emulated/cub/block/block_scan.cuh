/* CUB's prefix sums of a block, for the emulated GPU. As with CUB, a barrier must separate two uses of a TempStorage.
 */
#ifndef WEFT_EMULATED_CUB_BLOCK_SCAN_CUH
#define WEFT_EMULATED_CUB_BLOCK_SCAN_CUH

#include "executor.h"

namespace cub {

template <class T, int THREADS> class BlockScan {
  public:
    struct TempStorage {
        T words[THREADS], all;
    };
    explicit BlockScan(TempStorage &storage) : s(storage) {}

    /* `before` is the sum of the values of the threads before this one, `all` that of all threads. A thread does not
     * write the word that it has read, so that the executor finds a missing barrier before the next use. */
    void ExclusiveSum(T mine, T &before, T &all) {
        s.words[THREADS - 1 - threadIdx.x] = mine;
        __syncthreads();
        if (threadIdx.x == 0) add_up();
        __syncthreads();
        before = s.words[threadIdx.x];
        all = s.all;
    }
    void ExclusiveSum(T mine, T &before) {
        T all;
        ExclusiveSum(mine, before, all);
    }
    /* Each thread has N adjacent values. */
    template <int N> void ExclusiveSum(T (&mine)[N], T (&before)[N]) {
        T total = 0, sum;
        for (const T v : mine) total += v;
        ExclusiveSum(total, sum);
        for (int i = 0; i < N; i++) {
            const T v = mine[i];
            before[i] = sum;
            sum += v;
        }
    }

  private:
    TempStorage &s;

    void add_up() {
        T values[THREADS], sum = 0;
        for (int i = 0; i < THREADS; i++) values[i] = s.words[THREADS - 1 - i];
        for (int i = 0; i < THREADS; i++) {
            s.words[i] = sum;
            sum += values[i];
        }
        s.all = sum;
    }
};

} // namespace cub

#endif
