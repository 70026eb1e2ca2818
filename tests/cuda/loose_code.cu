// Kernels that machine_code.py must refuse, and two that it must accept. It must also report the names in its lists
// that no kernel of this file has. The kernels are compiled, and not run.
__global__ void refused_fused(float *x) { x[0] = fmaf(x[1], x[2], x[3]); }

__global__ void refused_sine(float *x) { x[0] = __sinf(x[1]); }

__global__ void refused_flush(float *x) {
    float r;
    asm("add.rn.ftz.f32 %0, %1, %1;" : "=f"(r) : "f"(x[1]));
    x[0] = r;
}

__global__ void refused_loose(float *x) {
    float r;
    asm("mul.f32 %0, %1, %1;" : "=f"(r) : "f"(x[1]));
    x[0] = r;
}

__global__ void accepted(float *x, int *i) {
    x[0] = x[1] * x[2] + x[3] / x[4];
    i[0] = i[1] / i[2];
}

__global__ void map_kernel(float *x) { x[0] = fmaf(x[1], x[2], x[3]); }
