! Matrices, tridiagonal systems and grids, in the column-major order of Fortran.
module weft_matrices
  use weft_arrays
  implicit none
  private
  public :: weft_matmul, weft_matmul_batched, weft_matmul_stack, weft_matmul_complex, weft_tridiag, &
    weft_tridiag_pivot, weft_block_tridiag, weft_pentadiag, weft_heat, weft_laplace

  ! A matrix X in the form of weft.h: op(X) is rows x columns. ld is the distance, in elements, of the columns of X;
  ! stride is the distance of the matrices of a batch.
  type :: matrix
    type(weft_array) :: a
    integer(c_int) :: transpose = WEFT_NO_TRANSPOSE
    integer(c_int64_t) :: rows = 0, columns = 0, ld = 1, stride = 0
  end type matrix

contains

  ! Describes a matrix, a section of one, or a vector, which is one column. Three dimensions are consecutive matrices.
  ! Either the columns or the rows must have no gaps between their elements. Rows without gaps (as of transpose(x))
  ! are passed as a transposed matrix.
  function matrix_of(call, name, x, ranks, transpose) result(m)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(*), intent(in) :: x(..)
    integer, intent(in) :: ranks
    logical, intent(in), optional :: transpose
    type(matrix) :: m
    integer :: down, across
    m%a = strided(call, name, x)
    call need_real(call, name, m%a)
    if (m%a%rank < 1 .or. m%a%rank > ranks) call refuse(call, name // ' has ' // &
      decimal(int(m%a%rank, c_int64_t)) // ' dimensions and must have 1 to ' // decimal(int(ranks, c_int64_t)))
    down = 1
    if (m%a%extent(1) > 1 .and. m%a%step(1) /= 1) down = 2
    across = 3 - down
    if (m%a%extent(down) > 1 .and. m%a%step(down) /= 1) &
      call refuse(call, name // ' has gaps between the elements of its columns and of its rows')
    if (m%a%extent(across) > 1 .and. m%a%step(across) < m%a%extent(down)) &
      call refuse(call, name // ' has its columns or rows in another order')
    if (m%a%extent(3) > 1 .and. m%a%step(3) < 0) call refuse(call, name // ' has its matrices in another order')
    m%ld = max(m%a%step(across), m%a%extent(down), 1_c_int64_t)
    m%stride = merge(max(m%a%step(3), 0_c_int64_t), 0_c_int64_t, m%a%rank > 2)
    m%transpose = merge(WEFT_NO_TRANSPOSE, WEFT_TRANSPOSE, down == 1)
    m%rows = m%a%extent(1)
    m%columns = m%a%extent(2)
    if (.not. present(transpose)) return
    if (.not. transpose) return
    m%transpose = WEFT_TRANSPOSE - m%transpose
    m%rows = m%a%extent(2)
    m%columns = m%a%extent(1)
  end function matrix_of

  ! Requires that the shapes fit C = op(A) op(B) and that the matrices have one type.
  subroutine need_product(call, a, b, c)
    type(weft_request), intent(inout) :: call
    type(matrix), intent(in) :: a, b, c
    call need_same_type(call, 'a', a%a, 'b', b%a)
    call need_same_type(call, 'a', a%a, 'c', c%a)
    if (c%transpose /= WEFT_NO_TRANSPOSE) call refuse(call, 'c has gaps between the elements of its columns')
    call need_equal(call, 'the number of columns of op(a)', a%columns, 'that of rows of op(b)', b%rows)
    call need_equal(call, 'the number of rows of c', c%rows, 'that of op(a)', a%rows)
    call need_equal(call, 'the number of columns of c', c%columns, 'that of op(b)', b%columns)
  end subroutine need_product

  ! Computes c = alpha op(a) op(b) + beta c. Defaults: alpha 1, beta 0. accumulate: WEFT_F64 sums real(4) in f64.
  subroutine weft_matmul(ctx, a, b, c, transpose_a, transpose_b, alpha, beta, accumulate, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: a(..), b(..)
    type(*), intent(inout), target :: c(..)
    logical, intent(in), optional :: transpose_a, transpose_b
    type(*), intent(in), target, optional :: alpha(..), beta(..)
    integer, intent(in), optional :: accumulate
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(matrix) :: ma, mb, mc
    type(weft_array) :: aa, ab
    integer(c_int) :: sums
    sums = WEFT_DEFAULT
    if (present(accumulate)) sums = accumulate
    ma = matrix_of(call, 'a', a, 2, transpose_a)
    mb = matrix_of(call, 'b', b, 2, transpose_b)
    mc = matrix_of(call, 'c', c, 2)
    call need_product(call, ma, mb, mc)
    if (present(alpha)) aa = one_value(call, 'alpha', alpha, ma%a)
    if (present(beta)) ab = one_value(call, 'beta', beta, ma%a)
    if (call%status == WEFT_OK) call%status = c_weft_matmul(ctx, WEFT_COLUMN_MAJOR, ma%transpose, mb%transpose, ma%a%dtype, &
      sums, mc%rows, mc%columns, ma%columns, aa%p, ma%a%p, ma%ld, mb%a%p, mb%ld, ab%p, mc%a%p, mc%ld)
    call finish(call, ctx, stat, message)
  end subroutine weft_matmul

  ! Computes c(:, :, i) = alpha op(a(:, :, i)) op(b(:, :, i)) + beta c(:, :, i) for each i. An a or b of at most 2
  ! dimensions is used for all i. Defaults: alpha 1, beta 0.
  subroutine weft_matmul_batched(ctx, a, b, c, transpose_a, transpose_b, alpha, beta, accumulate, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: a(..), b(..)
    type(*), intent(inout), target :: c(..)
    logical, intent(in), optional :: transpose_a, transpose_b
    type(*), intent(in), target, optional :: alpha(..), beta(..)
    integer, intent(in), optional :: accumulate
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(matrix) :: ma, mb, mc
    type(weft_array) :: aa, ab
    integer(c_int) :: sums
    sums = WEFT_DEFAULT
    if (present(accumulate)) sums = accumulate
    ma = matrix_of(call, 'a', a, 3, transpose_a)
    mb = matrix_of(call, 'b', b, 3, transpose_b)
    mc = matrix_of(call, 'c', c, 3)
    call need_product(call, ma, mb, mc)
    if (ma%a%rank > 2) call need_equal(call, 'the number of matrices in a', ma%a%extent(3), 'that in c', mc%a%extent(3))
    if (mb%a%rank > 2) call need_equal(call, 'the number of matrices in b', mb%a%extent(3), 'that in c', mc%a%extent(3))
    if (present(alpha)) aa = one_value(call, 'alpha', alpha, ma%a)
    if (present(beta)) ab = one_value(call, 'beta', beta, ma%a)
    if (call%status == WEFT_OK) call%status = c_weft_matmul_batched(ctx, WEFT_COLUMN_MAJOR, ma%transpose, mb%transpose, &
      ma%a%dtype, sums, mc%rows, mc%columns, ma%columns, aa%p, ma%a%p, ma%ld, ma%stride, mb%a%p, mb%ld, &
      mb%stride, ab%p, mc%a%p, mc%ld, mc%stride, mc%a%extent(3))
    call finish(call, ctx, stat, message)
  end subroutine weft_matmul_batched

  ! Returns the view of a stack of matrices, which are its first two dimensions. The parts of complex numbers are the
  ! last axis of the view.
  function stack_of(call, name, x, a) result(view)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(*), intent(in) :: x(..)
    type(weft_array), intent(out) :: a
    type(weft_view) :: view
    integer :: n, k
    a = strided(call, name, x)
    n = a%rank
    if (n < 2) call refuse(call, name // ' has ' // decimal(int(n, c_int64_t)) // ' dimensions and must have at least 2')
    view = view_with_parts(a)
    if (n < 2) return
    view%shape(:n) = [(a%extent(k), k = n, 3, -1), a%extent(1), a%extent(2)]
    view%stride(:n) = [(a%step(k), k = n, 3, -1), a%step(1), a%step(2)] * a%element_bytes
  end function stack_of

  ! Computes c(:, :, i, j, ...) = alpha a(:, :, i, j, ...) b(:, :, i, j, ...) + beta c(:, :, i, j, ...). A dimension after
  ! the second one that a or b does not have, or that has extent 1 there, is repeated. Defaults: alpha 1, beta 0. The
  ! arrays may be sections in which the elements of the columns or of the rows have no gaps.
  subroutine weft_matmul_stack(ctx, a, b, c, alpha, beta, accumulate, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: a(..), b(..)
    type(*), intent(inout), target :: c(..)
    type(*), intent(in), target, optional :: alpha(..), beta(..)
    integer, intent(in), optional :: accumulate
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: aa, ab, ac, first, second
    type(weft_view), target :: left, right, to
    integer(c_int) :: sums
    sums = WEFT_DEFAULT
    if (present(accumulate)) sums = accumulate
    left = stack_of(call, 'a', a, aa)
    right = stack_of(call, 'b', b, ab)
    to = stack_of(call, 'c', c, ac)
    call need_real(call, 'a', aa)
    call need_same_type(call, 'a', aa, 'b', ab)
    call need_same_type(call, 'a', aa, 'c', ac)
    if (present(alpha)) first = one_value(call, 'alpha', alpha, aa)
    if (present(beta)) second = one_value(call, 'beta', beta, aa)
    if (call%status == WEFT_OK) call%status = c_weft_matmul_stack(ctx, sums, first%p, c_loc(left), c_loc(right), &
      second%p, c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_matmul_stack

  ! Computes c(:, :, i, j, ...) = alpha op(a(:, :, i, j, ...)) op(b(:, :, i, j, ...)) + beta c(:, :, i, j, ...) of complex
  ! arrays or sections, where op is the complex conjugate if conjugate_a or conjugate_b is true. alpha and beta are real;
  ! defaults: 1 and 0. Dimensions after the second one are repeated as by weft_matmul_stack.
  subroutine weft_matmul_complex(ctx, a, b, c, conjugate_a, conjugate_b, alpha, beta, accumulate, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: a(..), b(..)
    type(*), intent(inout), target :: c(..)
    logical, intent(in), optional :: conjugate_a, conjugate_b
    type(*), intent(in), target, optional :: alpha(..), beta(..)
    integer, intent(in), optional :: accumulate
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: aa, ab, ac, first, second, part
    type(weft_view), target :: left, right, to
    integer(c_int) :: sums, of_a, of_b
    sums = WEFT_DEFAULT
    if (present(accumulate)) sums = accumulate
    of_a = WEFT_NO_CONJUGATE
    if (present(conjugate_a)) of_a = merge(WEFT_CONJUGATE, WEFT_NO_CONJUGATE, conjugate_a)
    of_b = WEFT_NO_CONJUGATE
    if (present(conjugate_b)) of_b = merge(WEFT_CONJUGATE, WEFT_NO_CONJUGATE, conjugate_b)
    left = stack_of(call, 'a', a, aa)
    right = stack_of(call, 'b', b, ab)
    to = stack_of(call, 'c', c, ac)
    if (aa%field == WEFT_REAL) call refuse(call, 'a is real and must be complex')
    call need_same_type(call, 'a', aa, 'b', ab)
    call need_same_type(call, 'a', aa, 'c', ac)
    part = aa
    part%field = WEFT_REAL
    if (present(alpha)) first = one_value(call, 'alpha', alpha, part)
    if (present(beta)) second = one_value(call, 'beta', beta, part)
    if (call%status == WEFT_OK) call%status = c_weft_matmul_complex(ctx, sums, of_a, of_b, first%p, c_loc(left), &
      c_loc(right), second%p, c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_matmul_complex

  ! Describes the coefficients of systems: one value, one vector for all systems, or one column for each system.
  function lines_of(call, name, x, d) result(lines)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(*), intent(in) :: x(..)
    type(weft_array), intent(in) :: d
    type(weft_lines) :: lines
    type(weft_array) :: a
    a = strided(call, name, x)
    call need_same_type(call, name, a, 'd', d)
    if (a%rank > 2) call refuse(call, name // ' has more than 2 dimensions')
    if (a%step(1) < 0 .or. a%step(2) < 0) call refuse(call, name // ' runs backwards')
    if (a%rank > 0) call need_equal(call, 'the extent of ' // name, a%extent(1), 'the number of rows', d%extent(1))
    if (a%rank > 1) call need_equal(call, 'the number of columns of ' // name, a%extent(2), 'that of d', d%extent(2))
    lines%p = a%p
    lines%step = a%step(1)
    lines%line = a%step(2)
  end function lines_of

  ! Describes the right-hand sides, the solutions, which have the layout of d, and the report of systems of rows.
  subroutine look_at_sides(call, d, x, singular, ad, ax, as, ld)
    type(weft_request), intent(inout) :: call
    type(*), intent(in) :: d(..), x(..), singular(..)
    type(weft_array), intent(out) :: ad, ax, as
    type(weft_lines), intent(out) :: ld
    type(weft_lines) :: lx
    ad = strided(call, 'd', d)
    ax = strided(call, 'x', x)
    as = whole(call, 'singular', singular)
    call need_real(call, 'd', ad)
    if (ad%rank < 1) call refuse(call, 'd is one value and must have 1 or 2 dimensions')
    call need_equal(call, 'the number of elements of x', ax%n, 'that of d', ad%n)
    call need_type(call, 'singular', as, WEFT_U64)
    call need_capacity(call, 'singular', as, 1_c_int64_t)
    ld = lines_of(call, 'd', d, ad)
    lx = lines_of(call, 'x', x, ad)
    if (ad%extent(1) > 1) call need_equal(call, 'the distance of elements in x', ax%step(1), 'that in d', ad%step(1))
    if (ad%extent(2) > 1) call need_equal(call, 'the distance of columns in x', ax%step(2), 'that in d', ad%step(2))
  end subroutine look_at_sides

  ! Solves a(i) x(i-1) + b(i) x(i) + c(i) x(i+1) = d(i) for each column of d. boundary: WEFT_OPEN_ENDS by default.
  ! singular: integer(8), -1 if every system has a finite solution, else the position of the first failure, system * n
  ! + row, counted from 0 (weft_tridiag in weft.h).
  subroutine weft_tridiag(ctx, a, b, c, d, x, singular, boundary, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: a(..), b(..), c(..), d(..)
    type(*), intent(inout), target :: x(..), singular(..)
    integer, intent(in), optional :: boundary
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    call solve(ctx, .false., a, b, c, d, x, singular, boundary, stat, message)
  end subroutine weft_tridiag

  ! Solves the same systems with partial pivoting.
  subroutine weft_tridiag_pivot(ctx, a, b, c, d, x, singular, boundary, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: a(..), b(..), c(..), d(..)
    type(*), intent(inout), target :: x(..), singular(..)
    integer, intent(in), optional :: boundary
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    call solve(ctx, .true., a, b, c, d, x, singular, boundary, stat, message)
  end subroutine weft_tridiag_pivot

  subroutine solve(ctx, pivoting, a, b, c, d, x, singular, boundary, stat, message)
    type(weft_context), intent(in) :: ctx
    logical, intent(in) :: pivoting
    type(*), intent(in), target :: a(..), b(..), c(..), d(..)
    type(*), intent(inout), target :: x(..), singular(..)
    integer, intent(in), optional :: boundary
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ad, ax, as
    type(weft_lines) :: la, lb, lc, ld
    integer(c_int) :: ends
    ends = WEFT_OPEN_ENDS
    if (present(boundary)) ends = boundary
    call look_at_sides(call, d, x, singular, ad, ax, as, ld)
    la = lines_of(call, 'a', a, ad)
    lb = lines_of(call, 'b', b, ad)
    lc = lines_of(call, 'c', c, ad)
    if (call%status == WEFT_OK .and. pivoting) then
      call%status = c_weft_tridiag_pivot(ctx, ends, ad%dtype, ad%extent(2), ad%extent(1), la, lb, lc, ld, ax%p, as%p)
    else if (call%status == WEFT_OK) then
      call%status = c_weft_tridiag(ctx, ends, ad%dtype, ad%extent(2), ad%extent(1), la, lb, lc, ld, ax%p, as%p)
    end if
    call finish(call, ctx, stat, message)
  end subroutine solve

  ! Solves e(i) x(i-2) + a(i) x(i-1) + b(i) x(i) + c(i) x(i+1) + f(i) x(i+2) = d(i) for each column of d. Other
  ! arguments as in weft_tridiag.
  subroutine weft_pentadiag(ctx, e, a, b, c, f, d, x, singular, boundary, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: e(..), a(..), b(..), c(..), f(..), d(..)
    type(*), intent(inout), target :: x(..), singular(..)
    integer, intent(in), optional :: boundary
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ad, ax, as
    type(weft_lines) :: le, la, lb, lc, lf, ld
    integer(c_int) :: ends
    ends = WEFT_OPEN_ENDS
    if (present(boundary)) ends = boundary
    call look_at_sides(call, d, x, singular, ad, ax, as, ld)
    le = lines_of(call, 'e', e, ad)
    la = lines_of(call, 'a', a, ad)
    lb = lines_of(call, 'b', b, ad)
    lc = lines_of(call, 'c', c, ad)
    lf = lines_of(call, 'f', f, ad)
    if (call%status == WEFT_OK) call%status = c_weft_pentadiag(ctx, ends, ad%dtype, ad%extent(2), ad%extent(1), le, &
      la, lb, lc, lf, ld, ax%p, as%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_pentadiag

  ! Describes the blocks of systems of n block rows: one block, n blocks for all systems, or n for each system.
  function blocks_of(call, name, x, d, k, n) result(lines)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(*), intent(in) :: x(..)
    type(weft_array), intent(in) :: d
    integer(c_int64_t), intent(in) :: k, n
    type(weft_lines) :: lines
    type(weft_array) :: a
    a = whole(call, name, x)
    call need_same_type(call, name, a, 'd', d)
    if (a%n /= k * k .and. a%n /= k * k * n) &
      call need_equal(call, 'the number of elements of ' // name, a%n, 'that of d times k', d%n * k)
    lines%p = a%p
    lines%step = merge(0_c_int64_t, 1_c_int64_t, a%n == k * k)
    lines%line = merge(n, 0_c_int64_t, a%n == d%n * k .and. d%n > k * n)
  end function blocks_of

  ! Solves a(i) x(i-1) + b(i) x(i) + c(i) x(i+1) = d(i) with k x k blocks, k = 2, 3 or 4. d and x have the shape (k, n),
  ! or (k, n, systems); a, b and c have the shape (k, k, n), (k, k, n, systems) or (k, k) for all rows. The second index
  ! is the row in the block, and the first one is the column. All arrays are contiguous. singular counts block rows.
  subroutine weft_block_tridiag(ctx, a, b, c, d, x, singular, boundary, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: a(..), b(..), c(..), d(..)
    type(*), intent(inout), target :: x(..), singular(..)
    integer, intent(in), optional :: boundary
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ad, ax, as
    type(weft_lines) :: la, lb, lc, ld
    integer(c_int64_t) :: k, n, systems
    integer(c_int) :: ends
    ends = WEFT_OPEN_ENDS
    if (present(boundary)) ends = boundary
    ad = whole(call, 'd', d)
    ax = whole(call, 'x', x)
    as = whole(call, 'singular', singular)
    call need_real(call, 'd', ad)
    call need_same_type(call, 'x', ax, 'd', ad)
    if (ad%rank < 2 .or. ad%rank > 3) call refuse(call, 'd must have 2 or 3 dimensions')
    call need_equal(call, 'the number of elements of x', ax%n, 'that of d', ad%n)
    call need_type(call, 'singular', as, WEFT_U64)
    call need_capacity(call, 'singular', as, 1_c_int64_t)
    k = ad%extent(1)
    n = ad%extent(2)
    systems = ad%n / max(k * n, 1_c_int64_t)
    la = blocks_of(call, 'a', a, ad, k, n)
    lb = blocks_of(call, 'b', b, ad, k, n)
    lc = blocks_of(call, 'c', c, ad, k, n)
    ld%p = ad%p
    ld%step = 1
    ld%line = n
    if (call%status == WEFT_OK) call%status = c_weft_block_tridiag(ctx, ends, ad%dtype, k, systems, n, la, lb, lc, ld, &
      ax%p, as%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_block_tridiag

  ! Makes implicit time steps of the heat equation. The number of lambdas is the number of dimensions of a grid; these
  ! are the first dimensions of u. Further dimensions of u count grids.
  subroutine weft_heat(ctx, method, lambda, steps, u, v, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: method, steps
    real(c_double), intent(in), target, contiguous :: lambda(:)
    type(*), intent(in), target :: u(..)
    type(*), intent(inout), target :: v(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: au, av
    integer(c_int64_t), target :: extents(max_rank)
    integer :: i, axes
    au = whole(call, 'u', u)
    av = whole(call, 'v', v)
    axes = size(lambda)
    call need_real(call, 'u', au)
    call need_same_type(call, 'u', au, 'v', av)
    if (axes > au%rank) call refuse(call, 'lambda has ' // decimal(int(axes, c_int64_t)) // &
      ' values and u fewer dimensions: ' // decimal(int(au%rank, c_int64_t)))
    if (steps < 0) call refuse(call, 'steps is ' // decimal(int(steps, c_int64_t)) // ' and must not be negative')
    do i = 1, max_rank
      call need_equal(call, 'an extent of v', av%extent(i), 'that of u', au%extent(i))
    end do
    extents = au%extent
    if (call%status == WEFT_OK) call%status = c_weft_heat(ctx, int(method, c_int), au%dtype, int(axes, c_size_t), &
      c_loc(extents), product(au%extent(axes + 1:)), c_loc(lambda), int(steps, c_size_t), au%p, av%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_heat

  ! Runs `sweeps` sweeps of Jacobi's iteration on a grid u(nx, ny, nz). change: real(8), root mean square of the
  ! change in the last sweep.
  subroutine weft_laplace(ctx, sweeps, u, v, change, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: sweeps
    type(*), intent(in), target :: u(..)
    type(*), intent(inout), target :: v(..)
    type(*), intent(inout), target, optional :: change(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: au, av, ac
    integer :: i
    au = whole(call, 'u', u)
    av = whole(call, 'v', v)
    call need_real(call, 'u', au)
    call need_same_type(call, 'u', au, 'v', av)
    if (au%rank > 3) call refuse(call, 'u has more than 3 dimensions')
    if (sweeps < 0) call refuse(call, 'sweeps is ' // decimal(int(sweeps, c_int64_t)) // ' and must not be negative')
    do i = 1, 3
      call need_equal(call, 'an extent of v', av%extent(i), 'that of u', au%extent(i))
    end do
    if (present(change)) then
      ac = whole(call, 'change', change)
      call need_type(call, 'change', ac, WEFT_F64)
      call need_capacity(call, 'change', ac, 1_c_int64_t)
    end if
    if (call%status == WEFT_OK) call%status = c_weft_laplace(ctx, au%dtype, au%extent(1), au%extent(2), au%extent(3), &
      int(sweeps, c_size_t), au%p, av%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_laplace

end module weft_matrices
