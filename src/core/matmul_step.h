/* One stage of weft_matmul on a range of the terms, for libweft_dist: the other terms are on other ranks. */
#ifndef WEFT_CORE_MATMUL_STEP_H
#define WEFT_CORE_MATMUL_STEP_H

typedef enum matmul_stage {
    MATMUL_BEGIN, /* the call's terms start at a part boundary: start the chains of their parts */
    MATMUL_GO_ON, /* terms of one part: continue its chains from the stored sums */
    MATMUL_END    /* all terms are done: combine the sums of the parts (overwriting them) and compute C */
} matmul_stage;

/* Arguments in addition to those of weft_matmul, for one product without transposes. Only MATMUL_END uses C; it
 * does not use A and B. */
typedef struct matmul_step {
    matmul_stage stage;
    /* Device memory for m x n values of the chains' type per part of the call's terms. */
    void *sums;
} matmul_step;

#endif
