/* Topic linking: a kernel library in a program that gcc builds alone
 *
 * nvcc need not compile a program in C or Fortran that uses a kernel. So a
 * project that is built by gcc need not change. nvcc compiles the kernel to
 * a library, and the program includes a header in plain C. The three files
 * are in ladder/linking: `squares.h`, `squares.cu` and `program.c`. The
 * test `ladder_linking_ways` builds them in the three ways below and runs
 * the programs. It uses the executor instead of the CUDA runtime.
 */
#include "climb.h"
#include "linking/squares.h"

#include <dlfcn.h>

/* Rung c-interface: plain C outside, CUDA inside
 *
 * The header uses only C types and arrays in host memory: `int
 * squares(size_t n, const float *x, float *y)`. The interface does not show
 * that a GPU computes the result.
 *
 * nvcc compiles C++. In C++ the name of a symbol contains the types of the
 * arguments, here `_Z7squaresmPKfPf`. The linker searches for `squares` and
 * does not find it. If the declaration is in `extern "C"`, the name of the
 * symbol is `squares`. The code below calls the function from another file,
 * as any C program would.
 */
static std::string c_interface(const std::vector<float> &x) {
    std::vector<float> y(x.size());
    const int code = squares(x.size(), x.data(), y.data());
    if (code != 0) return std::string("not done: ") + squares_error(code);
    for (size_t i = 0; i < x.size(); i++)
        if (y[i] != x[i] * x[i])
            return "not the squares: the first wrong one is number " +
                   std::to_string(i);
    return std::to_string(x.size()) + " squares are right";
}

/* Rung error-code: an error is a number, with a message
 *
 * An exception must not leave a library that is called from C. A library
 * must not end the program. So the function checks the result of each CUDA
 * call. If a call fails, the function frees its memory and returns the
 * error code.
 */
static std::string error_code() {
    const float x = 1;
    float y = 0;
    const int code = squares((size_t)1 << 48, &x, &y);
    if (code == 0) return "not refused: 2^48 numbers";
    return std::string("2^48 numbers: code ") + std::to_string(code) +
           ", " + squares_error(code);
}

/* Rung three-ways: an object, a static library, a shared library
 *
 * Object: nvcc compiles, and gcc links. The command for gcc must name the
 * two libraries that nvcc adds by itself, the CUDA runtime and the C++
 * runtime:
 *
 *     nvcc -c squares.cu
 *     gcc program.c squares.o -L/usr/local/cuda/lib64 -lcudart -lstdc++ \
 *         -o program
 *
 * Static library: an archive contains the objects. The linker reads its
 * command line once, from left to right. So the library must come after the
 * files that call it and before the libraries that it calls:
 *
 *     nvcc -lib squares.cu -o libsquares.a
 *     gcc program.c -L. -lsquares -L/usr/local/cuda/lib64 -lcudart \
 *         -lstdc++ -o program
 *
 * Shared library: the file contains the list of the libraries that it
 * needs. The CUDA runtime is linked into it, so the command for the program
 * names only squares. At run time the library is found through `-rpath`,
 * `LD_LIBRARY_PATH` or the directories of the system:
 *
 *     nvcc -shared -Xcompiler -fPIC squares.cu -o libsquares.so
 *     gcc program.c -L. -lsquares -Wl,-rpath,. -o program
 *
 * `weft ladder` uses the third way with one difference. The command is a
 * program in C, and it opens the library with the kernels at run time. So
 * the same command runs on a machine without a GPU and without CUDA. The
 * code below prints the name of the file that contains the function.
 */
static std::string three_ways() {
    Dl_info found;
    if (!dladdr((const void *)squares, &found))
        return "not found: squares is in no file";
    const char *const name = strrchr(found.dli_fname, '/');
    return std::string("squares is in ") +
           (name ? name + 1 : found.dli_fname);
}

/* Exercises
 *
 * 1. Remove `extern "C"` from `squares.h`. Which error does the linker
 *    print? What does `nm squares.o` show?
 * 2. Put `-lsquares` before `program.c`. Which of the two libraries still
 *    links?
 * 3. A second kernel, in its own file, calls a `__device__` function of the
 *    first file. What does `nvcc -dc` do? Which program must link in that
 *    case?
 */

/* Climbing the rungs. */
void climb_linking(climb &c) {
    const std::vector<float> x = ladder_values<float>(c.n, 1);
    c.lesson("c-interface", [&] { return c_interface(x); });
    c.lesson("error-code", error_code);
    c.lesson("three-ways", three_ways);
}
