/* CUB's sums of a block, for the emulated GPU. As with CUB, a barrier must separate two uses of a TempStorage, and
 * only thread 0 has the result. */
#ifndef WEFT_EMULATED_CUB_BLOCK_REDUCE_CUH
#define WEFT_EMULATED_CUB_BLOCK_REDUCE_CUH

#include "executor.h"

namespace cub {

template <class T, int THREADS> class BlockReduce {
  public:
    struct TempStorage {
        T values[THREADS];
    };
    explicit BlockReduce(TempStorage &storage) : s(storage) {}

    T Sum(T mine) {
        s.values[threadIdx.x] = mine;
        __syncthreads();
        if (threadIdx.x != 0) return ~mine;
        T sum = 0;
        for (const T v : s.values) sum += v;
        return sum;
    }

  private:
    TempStorage &s;
};

} // namespace cub

#endif
