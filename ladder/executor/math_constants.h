/* The constants of NVIDIA's header of this name that src/cuda uses. */
#ifndef WEFT_EXECUTOR_MATH_CONSTANTS_H
#define WEFT_EXECUTOR_MATH_CONSTANTS_H

#define CUDART_INF_F HUGE_VALF
#define CUDART_INF HUGE_VAL

#endif
