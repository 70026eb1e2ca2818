/* Topic linking: a kernel library in a program that gcc builds alone
 *
 * A program in C or Fortran need not be compiled by nvcc to use a kernel, and a project that has always been built by
 * gcc need not change. What nvcc compiles becomes a library; what the program sees of it is a header of plain C. The
 * three files are in ladder/linking: `squares.h`, `squares.cu` and `program.c`. A test, `ladder_linking_ways`, builds
 * them in the three ways below, with the executor in the place of CUDA's runtime, and runs the programs.
 */
#include "climb.h"
#include "linking/squares.h"

#include <dlfcn.h>

/* Rung c-interface: plain C outside, CUDA inside
 *
 * The header has C's types only, and arrays of the host: `int squares(size_t n, const float *x, float *y)`. Whether a
 * GPU does the work is the library's affair. nvcc compiles C++, which writes the types of the arguments into a
 * symbol's name, here `_Z7squaresmPKfPf`, and gcc's linker, which looks for `squares`, does not find it. With extern
 * "C" around its declaration the name is as it stands. Shown is a call from another file, as any C program would make
 * it.
 */
static std::string c_interface(const std::vector<float> &x) {
    std::vector<float> y(x.size());
    const int code = squares(x.size(), x.data(), y.data());
    if (code != 0) return std::string("not done: ") + squares_error(code);
    for (size_t i = 0; i < x.size(); i++)
        if (y[i] != x[i] * x[i]) return "not the squares: the first wrong one is number " + std::to_string(i);
    return std::to_string(x.size()) + " squares are right";
}

/* Rung error-code: what went wrong is a number, and a sentence for it
 *
 * An exception must not leave a library that C calls, and a library that ends the program is of no use. Each call of
 * CUDA is looked at, the first that fails ends the function, what it had is freed, and the caller gets the code.
 */
static std::string error_code() {
    const float x = 1;
    float y = 0;
    const int code = squares((size_t)1 << 48, &x, &y);
    if (code == 0) return "not refused: 2^48 numbers";
    return std::string("2^48 numbers: code ") + std::to_string(code) + ", " + squares_error(code);
}

/* Rung three-ways: an object, a static library, a shared one
 *
 * As an object, nvcc compiles and gcc links. It must be told of the two libraries that nvcc would have added by
 * itself, CUDA's runtime and C++'s:
 *
 *     nvcc -c squares.cu
 *     gcc program.c squares.o -L/usr/local/cuda/lib64 -lcudart -lstdc++ -o program
 *
 * A static library is objects in an archive. The linker goes through the line once, from left to right, so that it
 * must stand behind what calls it, and what it calls behind it:
 *
 *     nvcc -lib squares.cu -o libsquares.a
 *     gcc program.c -L. -lsquares -L/usr/local/cuda/lib64 -lcudart -lstdc++ -o program
 *
 * A shared library knows what it needs. CUDA's runtime is linked into it, and the program's line names nothing but
 * squares; it is found again at run time by `-rpath`, by `LD_LIBRARY_PATH`, or where the system looks:
 *
 *     nvcc -shared -Xcompiler -fPIC squares.cu -o libsquares.so
 *     gcc program.c -L. -lsquares -Wl,-rpath,. -o program
 *
 * `weft ladder` is built in the third way, one step further: the command, a program in C, opens the library with the
 * kernels when it runs, so that a machine with no GPU and no CUDA has the same command. Shown is which file
 * the function was found in.
 */
static std::string three_ways() {
    Dl_info found;
    if (!dladdr((const void *)squares, &found)) return "not found: squares is in no file";
    const char *const name = strrchr(found.dli_fname, '/');
    return std::string("squares is in ") + (name ? name + 1 : found.dli_fname);
}

/* Exercises
 *
 * 1. Take extern "C" out of `squares.h`. What does the linker say, and what does `nm squares.o` show?
 * 2. Put `-lsquares` before `program.c`. Which of the two libraries still links?
 * 3. A second kernel, in a file of its own, calls a `__device__` function of the first. What is `nvcc -dc` for, and
 *    who must link then?
 */

/* Climbing the rungs. */
void climb_linking(climb &c) {
    const std::vector<float> x = ladder_values<float>(c.n, 1);
    c.lesson("c-interface", [&] { return c_interface(x); });
    c.lesson("error-code", error_code);
    c.lesson("three-ways", three_ways);
}
