/* The part of the driver interface that src/cuda/runtime/cuda.cu uses. The driver itself is loaded at run time. It
 * has no record of emulated memory, so none of it counts as device memory there. */
#ifndef WEFT_EMULATED_CUDA_H
#define WEFT_EMULATED_CUDA_H

typedef unsigned long long CUdeviceptr;
typedef enum CUresult { CUDA_SUCCESS = 0 } CUresult;
typedef enum CUpointer_attribute {
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_POINTER_ATTRIBUTE_IS_MANAGED = 8
} CUpointer_attribute;
enum { CU_MEMORYTYPE_DEVICE = 2 };

#endif
