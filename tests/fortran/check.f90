! Every procedure of module weft: known answers, Fortran's own intrinsics, and the sentences of refusals.
program check
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use, intrinsic :: iso_c_binding
  use weft
  implicit none
  type(weft_context) :: ctx
  integer :: failures = 0
  character(16) :: device

  device = 'cpu'
  if (command_argument_count() > 0) call get_command_argument(1, device)
  call weft_open(ctx, device)
  call reductions
  call exact_states
  call scans
  call segments
  call selections
  call counts
  call orders
  call matrices
  call systems
  call transforms
  call samples
  call formulas
  call texts
  call views
  call contexts
  call refusals
  call weft_close(ctx)
  if (failures > 0) error stop 'fortran: something is wrong'
  print '(4a)', 'fortran: all right on ', trim(device), ', weft ', weft_version()

contains

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    failures = failures + 1
    print '(2a)', 'fortran: wrong: ', what
  end subroutine expect

  subroutine refused(stat, message, sentence)
    integer, intent(in) :: stat
    character(*), intent(in) :: message, sentence
    call expect(stat == WEFT_INVALID .and. message == sentence, 'the sentence "' // trim(message) // '"')
  end subroutine refused

  subroutine reductions
    real(real32) :: x(4, 5), single
    real(real64) :: total, y(3) = [1, 2, 3]
    integer(int32) :: i(3) = [7, -2, 5], least
    integer(int64) :: whole, index
    logical(c_bool) :: any_set
    x = 0.5
    call weft_reduce(ctx, WEFT_SUM, x, single)
    call expect(single == 10, 'sum of f32')
    call weft_reduce(ctx, WEFT_SUM, x, total)
    call expect(total == 10, 'sum of f32 in f64')
    call weft_reduce(ctx, WEFT_SUM, [1e30_real64, 1.0_real64, -1e30_real64], total, accumulate=WEFT_EXACT_SUM)
    call expect(total == 1, 'exact sum of f64')
    call weft_reduce_lanes(ctx, WEFT_SUM, 16, x, single)
    call expect(single == 10, 'sum of f32 by lanes')
    call weft_reduce_lanes(ctx, WEFT_SUM, 3, [1e16_real64, y(1), y(1), -1e16_real64, y(1), y(1)], total)
    call expect(total == 4, 'sum of f64 by 3 lanes')
    call weft_reduce_lanes(ctx, WEFT_PROD, 2, x, total)
    call expect(total == 0.5_real64**20, 'product of f32 in f64 by lanes')
    call weft_dot(ctx, y, y, total, accumulate=WEFT_EXACT_SUM)
    call expect(total == 14, 'exact dot of f64')
    call weft_reduce(ctx, WEFT_SUM, i, whole)
    call expect(whole == 10, 'sum of i32')
    call weft_reduce(ctx, WEFT_MIN, i, least)
    call expect(least == -2, 'min')
    call weft_reduce(ctx, WEFT_ARGMIN, i, index)
    call expect(index == 1, 'argmin')
    call weft_reduce(ctx, WEFT_ANY, i, any_set)
    call expect(logical(any_set), 'any')
    call weft_variance(ctx, y, total, ddof=1)
    call expect(total == 1, 'variance')
    call weft_variance(ctx, [1e15_real64, 1e15_real64 + 0.125_real64], total, ddof=1, accumulate=WEFT_EXACT_SUM)
    call expect(total == 0.0078125_real64, 'exact variance')
    call weft_dot(ctx, y, y, total)
    call expect(total == 14, 'dot')
  end subroutine reductions

  subroutine exact_states
    type(weft_exact_state), target :: part, total
    real(real64), target :: value
    integer :: stat
    character(120) :: message
    part%word = 0
    total%word = 0
    call weft_exact_add(ctx, WEFT_SUM, [1e30_real64, 1.0_real64], total)
    call weft_exact_add(ctx, WEFT_NORM2, [3.0_real32], total)
    call weft_exact_add_dot(ctx, [-1e30_real64, 2.0_real64], [1.0_real64, 0.5_real64], part)
    call expect(weft_exact_merge(c_loc(part), total) == WEFT_OK, 'weft_exact_merge')
    call expect(weft_exact_value(WEFT_SUM, WEFT_F64, c_loc(total), c_loc(value)) == WEFT_OK, 'weft_exact_value')
    call expect(value == 11, 'a merged exact sum')
    call expect(total%word(141) == 5, 'the number of terms of an exact sum')
    call weft_exact_add_dot(ctx, [1.0_real64], [1.0_real64, 2.0_real64], part, stat, message)
    call refused(stat, message, 'the size of x is 1 and that of y is 2; the two must be equal')
  end subroutine exact_states

  subroutine scans
    integer(int64) :: x(4) = [1, 2, 3, 4], y(4)
    integer(int32) :: small(3) = [5, 6, 7]
    integer(int64) :: wide(3)
    real(real64) :: s(3, 2), v(3, 2)
    call weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, x, y)
    call expect(all(y == [1, 3, 6, 10]), 'inclusive scan')
    call weft_scan(ctx, WEFT_SUM, WEFT_EXCLUSIVE, x, y, init=10_int64)
    call expect(all(y == [10, 11, 13, 16]), 'exclusive scan from 10')
    call weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, small, wide)
    call expect(all(wide == [5, 11, 18]), 'scan of i32 in i64')
    s = 2
    call weft_recurrence(ctx, WEFT_FORWARD, s, s, v, init=[0.0_real64, 1.0_real64])
    call expect(all(v == reshape([2, 6, 14, 4, 10, 22], [3, 2])), 'recurrence')
  end subroutine scans

  subroutine segments
    integer(int64) :: x(5) = [1, 2, 3, 4, 5], y(5), offsets(3) = [0, 2, 5], sums(2), count
    integer(int8) :: heads(5) = [0_int8, 0_int8, 1_int8, 0_int8, 0_int8]
    integer(int32) :: keys(5) = [4, 4, 4, 9, 9], unique_keys(5), targets(5) = [1, 1, 1, 0, 0]
    call weft_segmented_reduce(ctx, WEFT_SUM, x, offsets, sums)
    call expect(all(sums == [3, 12]), 'segmented reduce')
    call weft_segmented_reduce_heads(ctx, WEFT_SUM, x, heads, y, count)
    call expect(count == 2 .and. all(y(:2) == [3, 12]), 'segmented reduce by heads')
    call weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_ERROR, x, targets, sums)
    call expect(all(sums == [9, 6]), 'scatter reduce')
    call weft_scatter_reduce(ctx, WEFT_MAX, WEFT_RANGE_ERROR, reshape(x(:4), [2, 2]), targets(4:), sums, init=x(4:5))
    call expect(all(sums == [4, 5]), 'scatter reduce of columns')
    call weft_scatter_count(ctx, WEFT_RANGE_SKIP, targets, sums)
    call expect(all(sums == [2, 3]), 'scatter count')
    call weft_gather(ctx, WEFT_RANGE_ERROR, x, targets, y)
    call expect(all(y == x(targets + 1)), 'gather')
    call weft_scatter(ctx, WEFT_RANGE_ERROR, reshape(x(2:5), [2, 2]), [1_int64, 0_int64], y(:4))
    call expect(all(y(:4) == [x(4:5), x(2:3)]), 'scatter of columns')
    call weft_segmented_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, x, offsets, y)
    call expect(all(y == [1, 3, 3, 7, 12]), 'segmented scan')
    call weft_segmented_scan_heads(ctx, WEFT_SUM, WEFT_EXCLUSIVE, x, heads, y)
    call expect(all(y == [0, 1, 0, 3, 7]), 'segmented scan by heads')
    call weft_reduce_by_key(ctx, WEFT_SUM, keys, x, unique_keys, y, count)
    call expect(count == 2 .and. all(unique_keys(:2) == [4, 9]) .and. all(y(:2) == [6, 9]), 'reduce by key')
  end subroutine segments

  subroutine selections
    real(real64) :: x(5) = [3, -1, 4, -1, 5], y(5)
    integer(int64) :: indices(5), count
    logical(c_bool) :: flags(5)
    flags = x > 0
    call weft_select(ctx, x, flags, y, count)
    call expect(count == 3 .and. all(y(:3) == pack(x, x > 0)), 'select')
    call weft_select_if(ctx, WEFT_LT, x, 0.0_real64, y, count)
    call expect(count == 2 .and. all(y(:2) == -1), 'select_if')
    call weft_select_indices(ctx, flags, indices, count)
    call expect(count == 3 .and. all(indices(:3) == [0, 2, 4]), 'select_indices')
    call weft_select_indices_if(ctx, WEFT_EQ, x, -1.0_real64, indices, count)
    call expect(count == 2 .and. all(indices(:2) == [1, 3]), 'select_indices_if')
    call weft_partition(ctx, x, flags, y, count)
    call expect(count == 3 .and. all(y == [3, 4, 5, -1, -1]), 'partition')
    call weft_partition_if(ctx, WEFT_GE, x, 4.0_real64, y, count)
    call expect(count == 2 .and. all(y == [4, 5, 3, -1, -1]), 'partition_if')
  end subroutine selections

  subroutine counts
    integer(int32) :: x(6) = [2, 2, 7, 7, 7, 1], y(6), best(2)
    integer(int64) :: lengths(6), count, bins(2), indices(2), positions(3)
    call weft_unique(ctx, x, y, count)
    call expect(count == 3 .and. all(y(:3) == [2, 7, 1]), 'unique')
    call weft_run_length(ctx, x, y, lengths, count)
    call expect(count == 3 .and. all(lengths(:3) == [2, 3, 1]), 'run_length')
    call weft_histogram(ctx, x, [0, 2, 8], bins)
    call expect(all(bins == [1, 5]), 'histogram')
    call weft_histogram_even(ctx, x, 0, 8, bins)
    call expect(all(bins == [3, 3]), 'histogram_even')
    call weft_top_k(ctx, WEFT_LARGEST, x, best, indices)
    call expect(all(best == 7) .and. all(indices == [2, 3]), 'top_k')
    call weft_top_k(ctx, WEFT_SMALLEST, x, best)
    call expect(all(best == [1, 2]), 'top_k without indices')
    call weft_search_sorted(ctx, WEFT_RIGHT, [1, 2, 2, 7], [0, 2, 9], positions)
    call expect(all(positions == [0, 3, 4]), 'search_sorted')
  end subroutine counts

  subroutine orders
    real(real64) :: keys(4) = [3, 1, 2, 1], sorted(4), merged(6)
    integer(int32) :: short(4), values(4) = [10, 20, 30, 40], moved(4)
    integer(int64) :: long(4)
    complex(real64) :: z(4), sorted_z(4)
    call weft_sort(ctx, keys, sorted)
    call expect(all(sorted == [1, 1, 2, 3]), 'sort')
    call weft_sort(ctx, keys, sorted, order=WEFT_DESCENDING)
    call expect(all(sorted == [3, 2, 1, 1]), 'sort, descending')
    call weft_sort_pairs(ctx, keys, values, sorted, moved)
    call expect(all(moved == [20, 40, 30, 10]), 'sort_pairs')
    z = cmplx(keys, -keys, real64)
    call weft_sort_pairs(ctx, keys, z, sorted, sorted_z)
    call expect(all(sorted_z == cmplx(sorted, -sorted, real64)), 'sort_pairs with complex values')
    call weft_sort_bits(ctx, values, 1, 2, moved)
    call expect(all(moved == [40, 10, 20, 30]), 'sort_bits')
    call weft_sort_bits(ctx, values, 1, 2, moved, keys, sorted)
    call expect(all(sorted == [1, 3, 1, 2]), 'sort_bits with values')
    call weft_argsort(ctx, keys, short)
    call weft_argsort(ctx, keys, long)
    call expect(all(short == [1, 3, 2, 0]) .and. all(long == short), 'argsort')
    call weft_merge(ctx, [1d0, 4d0], [0d0, 2d0, 3d0, 9d0], merged)
    call expect(all(merged == [0, 1, 2, 3, 4, 9]), 'merge')
  end subroutine orders

  subroutine matrices
    real(real64) :: a(2, 3), tall(3, 2), b(3, 4), c(2, 4), large(5, 9), batch(2, 4, 2), v(2)
    real(real32) :: single(2, 2), square(2, 2)
    complex(real64) :: turn(2, 2) = reshape([(0d0, 1d0), (2d0, -1d0), (1d0, 3d0), (-4d0, 2d0)], [2, 2]), turned(2, 2, 2)
    character(200) :: message
    integer :: i, stat
    a = reshape([(real(i, real64), i = 1, 6)], [2, 3])
    b = reshape([(real(i, real64), i = 1, 12)], [3, 4])
    tall = reshape([(real(i, real64), i = 2, 7)], [3, 2])
    call weft_matmul(ctx, a, b, c)
    call expect(all(c == matmul(a, b)), 'matmul')
    large = -1
    call weft_matmul(ctx, a, b, large(2:3, 1:7:2))
    call expect(all(large(2:3, 1:7:2) == c) .and. count(large == -1) == 37, 'matmul into a part of a matrix')
    call weft_matmul(ctx, transpose(a), b, c, transpose_a=.true., alpha=2.0_real64, beta=-1.0_real64)
    call expect(all(c == matmul(a, b)), 'matmul with a transpose, alpha and beta')
    call weft_matmul(ctx, transpose(tall), b, c)
    call expect(all(c == matmul(transpose(tall), b)), 'matmul of transpose(a)')
    call weft_matmul(ctx, a, b, c)
    call weft_matmul(ctx, a(:, ::2), b(2, :2), v)
    call expect(all(v == matmul(a(:, ::2), b(2, :2))), 'matmul of parts')
    call weft_matmul(ctx, a, [1d0, 0d0, 2d0], v)
    call expect(all(v == [11, 14]), 'matrix by vector')
    call weft_matmul_batched(ctx, a, reshape([b, 2 * b], [3, 4, 2]), batch)
    call expect(all(batch(:, :, 1) == c) .and. all(batch(:, :, 2) == 2 * c), 'matmul_batched')
    single = 3
    call weft_matmul_stack(ctx, a, reshape([b, 2 * b], [3, 4, 2]), batch)
    call expect(all(batch(:, :, 1) == c) .and. all(batch(:, :, 2) == 2 * c), 'matmul_stack of one matrix and a stack')
    call weft_matmul_stack(ctx, transpose(tall), b, batch(:, :, 1), alpha=2.0_real64)
    call expect(all(batch(:, :, 1) == 2 * matmul(transpose(tall), b)), 'matmul_stack of a transposed matrix')
    call weft_matmul(ctx, single, single, square, accumulate=WEFT_F64)
    call expect(all(square == 18), 'matmul accumulated in f64')
    call weft_matmul_complex(ctx, turn, reshape([turn, 2 * turn], [2, 2, 2]), turned)
    call expect(all(turned(:, :, 1) == matmul(turn, turn)) .and. all(turned(:, :, 2) == 2 * matmul(turn, turn)), &
      'matmul_complex of a stack')
    call weft_matmul_complex(ctx, transpose(turn), turn, turned(:, :, 1), conjugate_a=.true., alpha=2d0, beta=-1d0)
    call expect(all(turned(:, :, 1) == 2 * matmul(transpose(conjg(turn)), turn) - matmul(turn, turn)), &
      'matmul_complex with a conjugate, alpha and beta')
    call weft_matmul_complex(ctx, turn, turn, turned(:, :, 2), conjugate_b=.true.)
    call expect(all(turned(:, :, 2) == matmul(turn, conjg(turn))), 'matmul_complex with a conjugate of b')
    call weft_matmul_complex(ctx, tall, tall, turned, stat=stat, message=message)
    call refused(stat, message, 'a is real and must be complex')
    call weft_matmul_stack(ctx, turn, turn, turned, stat=stat, message=message)
    call refused(stat, message, 'a is complex and must not be')
  end subroutine matrices

  subroutine systems
    real(real64) :: d(4, 2), x(4, 2), b(4), pairs(2, 2), change
    real(real32) :: u(3, 3, 3), v(3, 3, 3)
    integer(int64) :: singular
    integer :: stat
    b = 2
    d = reshape([1, 0, 0, 1, 0, 0, 0, 5], [4, 2])
    call weft_tridiag(ctx, -1d0, b, -1d0, d, x, singular)
    call expect(singular == -1 .and. all(abs(x(:, 1) - 1) < 1d-14) .and. all(abs(x(:, 2) - [1, 2, 3, 4]) < 1d-14), &
      'tridiag')
    call weft_tridiag(ctx, -1d0, 4d0, -1d0, d(:, 2), x(:, 1), singular, boundary=WEFT_PERIODIC)
    call expect(abs(sum(x(:, 1)) - 2.5d0) < 1d-14, 'periodic tridiag')
    call weft_tridiag_pivot(ctx, 1d0, 0d0, 2d0, d(:, 2), x(:, 1), singular)
    call expect(singular == -1 .and. all(x(:, 1) == [-10, 0, 5, 0]), 'tridiag_pivot')
    call weft_pentadiag(ctx, 1d0, 1d0, 8d0, 1d0, 1d0, [12d0, 12d0, 12d0, 12d0], x(:, 1), singular, &
      boundary=WEFT_PERIODIC)
    call expect(singular == -1 .and. all(abs(x(:, 1) - 1) < 1d-14), 'pentadiag')
    call weft_block_tridiag(ctx, reshape([1d0, 0d0, 0d0, 1d0], [2, 2]), reshape([0d0, 4d0, 4d0, 0d0], [2, 2]), &
      reshape([1d0, 0d0, 0d0, 1d0], [2, 2]), reshape([5d0, 5d0, 5d0, 5d0], [2, 2]), pairs, singular)
    call expect(singular == -1 .and. all(abs(pairs - 1) < 1d-14), 'block_tridiag')
    d(:3, 1) = [3, 0, 0]
    x(:3, 1) = 0
    call weft_heat(ctx, WEFT_CRANK_NICOLSON, [1d0], 1, d(:3, 1), x(:3, 1))
    call expect(abs(x(2, 1) - 6d0 / 7) < 1d-15, 'heat')
    call weft_heat(ctx, WEFT_BACKWARD_EULER, [1d0, 1d0], 1, d(:, 1), x(:, 1), stat)
    call expect(stat == WEFT_INVALID, 'heat with more lambdas than dimensions')
    u = 0
    u(:, :, 1) = 6
    call weft_laplace(ctx, 1, u, v, change)
    call expect(v(2, 2, 2) == 1 .and. change > 0, 'laplace')
  end subroutine systems

  subroutine transforms
    complex(real64) :: z(4) = [1, 0, 0, 0], w(4), half(3, 2), pairs(4, 2), cy(5)
    real(real64) :: x(4, 2), back(4, 2), y(4), mono(2) = [1, -1]
    integer(int64) :: bins(2, 2)
    integer :: i, stat
    character(160) :: message
    call weft_fft(ctx, WEFT_C2C, z, w)
    call expect(all(w == 1), 'fft')
    call weft_fft(ctx, WEFT_C2C_INVERSE, w, z)
    call expect(all(z == [1, 0, 0, 0]), 'inverse fft')
    x = reshape([(real(i, real64), i = 1, 8)], [4, 2])
    call weft_fft(ctx, WEFT_R2C, x, half)
    call expect(all(half(1, :) == [10, 26]), 'fft of real columns')
    call weft_fft(ctx, WEFT_C2R, half, back)
    call expect(all(back == x), 'and back')
    call weft_fft_axes(ctx, WEFT_R2C, x(:, 2:1:-1), [2], pairs)
    call expect(all(pairs(:, 1) == [6, 8, 10, 12]) .and. all(pairs(:, 2) == 4), 'fft along dimension 2 of a section')
    call weft_fft_axes(ctx, WEFT_C2R, pairs, [2], back(:, 2:1:-1))
    call expect(all(back == x), 'and back to the section')
    call weft_fft_axes(ctx, WEFT_C2C, pairs, [1, 2], pairs)
    call expect(pairs(1, 1) == 52 .and. pairs(1, 2) == 20, 'fft along two dimensions, in place')
    call weft_fft_axes(ctx, WEFT_R2C, pairs, [1], pairs, stat, message)
    call refused(stat, message, 'x is complex and must be real for this transform')
    call weft_recurrence_axis(ctx, WEFT_FORWARD, [0.5d0], x, 2, back)
    call expect(all(back(:, 1) == x(:, 1)) .and. all(back(:, 2) == x(:, 1) / 2 + x(:, 2)), 'recurrence along dimension 2')
    call weft_recurrence_axis(ctx, WEFT_REVERSE, [2d0], x, 1, back, reshape([1d0, 2d0], [1, 2]))
    call expect(all(back(4, :) == x(4, :) + [2, 4]), 'recurrence from initial values')
    call weft_convolve_axis(ctx, WEFT_SAME, x(4:1:-1, :), 1, mono, back(4:1:-1, :))
    call expect(all(back(4, :) == x(4, :)) .and. all(back(:3, :) == -1), 'convolve along dimension 1 of a section')
    call weft_correlate_axis(ctx, WEFT_VALID, x, 2, reshape(mono, [1, 2]), back(:, :1))
    call expect(all(back(:, 1) == -4), 'correlate along dimension 2')
    call weft_convolve_axis(ctx, WEFT_SAME, x, 3, mono, back, stat, message)
    call refused(stat, message, 'dimension 3 is out of range: x has rank 2')
    call weft_convolve2d(ctx, WEFT_SAME, x, reshape([1d0, 0d0, 0d0, 2d0], [2, 2]), back, fill=10d0)
    call expect(all(back(:, 1) == [21, 22, 23, 24]) .and. all(back(:, 2) == [25, 8, 11, 14]), 'convolve2d')
    call weft_convolve2d(ctx, WEFT_SAME, x, reshape([1d0, 0d0, 0d0, 2d0], [2, 2]), back, WEFT_BORDER_WRAP)
    call expect(all(back(:, 1) == [17, 12, 15, 18]), 'convolve2d of a repeated array')
    call weft_correlate2d(ctx, WEFT_VALID, x, reshape([1d0, 0d0, 0d0, 2d0], [2, 2]), back(:3, 1:1))
    call expect(all(back(:3, 1) == [13, 16, 19]), 'correlate2d')
    call weft_convolve2d(ctx, WEFT_SAME, x, x, back, fill=(1d0, 2d0), stat=stat, message=message)
    call refused(stat, message, 'the array is f64 and fill is complex f64; both must be of one type')
    call weft_histogram_axis(ctx, x(::3, :), 2, [1d0, 4d0, 8d0], bins)
    call expect(all(bins(1, :) == [1, 1]) .and. all(bins(2, :) == [0, 2]), 'histogram along dimension 2 of a section')
    call weft_histogram_even_axis(ctx, x, 1, 1d0, 6d0, bins(2:1:-1, :))
    call expect(all(bins(2, :) == [3, 0]) .and. all(bins(1, :) == [1, 2]), 'histogram_even along dimension 1')
    call weft_histogram_axis(ctx, x, 1, [1d0, 4d0], bins, stat, message)
    call refused(stat, message, 'the size of edges is 2 and the number of bins plus 1 is 3; the two must be equal')
    call weft_histogram_even_axis(ctx, x, 3, 1d0, 6d0, bins, stat, message)
    call refused(stat, message, 'dimension 3 is out of range: x has rank 2')
    call weft_convolve(ctx, WEFT_FULL, x(:3, 1), mono, y)
    call expect(all(y == [1, 1, 1, -3]), 'convolve')
    call weft_correlate(ctx, WEFT_VALID, x(:3, 1), mono, y(:2))
    call expect(all(y(:2) == -1), 'correlate')
    call weft_convolve(ctx, WEFT_FULL, z, [(0d0, 1d0), (0d0, 0d0)], cy)
    call expect(cy(1) == (0d0, 1d0), 'complex convolve')
  end subroutine transforms

  subroutine samples
    real(real32) :: samples_of(10, 10), part(50)
    real(real64) :: rate(3)
    integer(int8) :: tosses(100)
    integer(int32) :: dice(1000), least, greatest
    call weft_random(ctx, WEFT_NORMAL, 7_int64, samples_of, stream=3_int64)
    call weft_random(ctx, WEFT_NORMAL, 7_int64, part, stream=3_int64, first=50_int64)
    call expect(all(reshape(samples_of(:, 6:), [50]) == part), 'random, by its number')
    call weft_random(ctx, WEFT_EXPONENTIAL, 7_int64, rate, a=2d0)
    call expect(minval(rate) > 0, 'exponential')
    call weft_random(ctx, WEFT_BERNOULLI, 7_int64, tosses, a=1d0)
    call expect(minval(tosses) == 1, 'bernoulli')
    call weft_random_integers(ctx, 1_int64, 1, 6, dice)
    call weft_reduce(ctx, WEFT_MIN, dice, least)
    call weft_reduce(ctx, WEFT_MAX, dice, greatest)
    call expect(least == 1 .and. greatest == 6, 'random_integers')
  end subroutine samples

  subroutine formulas
    type(weft_expr) :: f
    real(real64) :: x(3) = [1, 2, 3], y(3), total
    real(real32) :: single
    integer :: stat
    character(160) :: message
    call weft_expr_compile(ctx, 'a*x^2 + i', f)
    call weft_map(ctx, f, [weft_bind('a', 2), weft_bind('x', x)], y)
    call expect(all(y == [2, 9, 20]), 'map')
    call weft_map_reduce(ctx, WEFT_SUM, f, WEFT_F64, 3_int64, [weft_bind('x', x), weft_bind('a', 2.0)], total)
    call expect(total == 31, 'map_reduce')
    call weft_map_reduce(ctx, WEFT_SUM, f, WEFT_F64, 3_int64, [weft_bind('x', x), weft_bind('a', 2.0)], total, &
      accumulate=WEFT_EXACT_SUM)
    call expect(total == 31, 'exact map_reduce')
    call weft_map_reduce(ctx, WEFT_SUM, f, WEFT_F32, 3_int64, [weft_bind('x', x), weft_bind('a', 2.0)], single)
    call expect(single == 31, 'map_reduce in f32')
    call weft_map(ctx, f, [weft_bind('a', 2), weft_bind('x', x)], y(:2), stat, message)
    call refused(stat, message, 'the size of x is 3 and the number of elements is 2; the two must be equal')
    call weft_map(ctx, f, [weft_bind('a', 2), weft_bind('x', x(::2))], y(:2), stat, message)
    call refused(stat, message, 'x is an array section with gaps between its elements')
    call weft_expr_free(f)
    call formulas_of_sections
    call formulas_of_complex_numbers
    call weft_expr_compile(ctx, 'a +* b', f, stat, message)
    call expect(stat == WEFT_INVALID .and. message /= '', 'a formula that is none')
  end subroutine formulas

  subroutine formulas_of_sections
    type(weft_expr) :: f
    real(real64) :: x(2, 3) = reshape([real(real64) :: 1, 2, 3, 4, 5, 6], [2, 3]), y(2, 3), z(4, 3)
    real(real32) :: row(5) = [real(real32) :: 10, 0, 20, 0, 30]
    real(real64) :: total
    integer :: stat, k
    character(160) :: message
    call weft_expr_compile(ctx, 'a*x + y', f)
    call weft_map_views(ctx, f, [weft_bind('a', 2), weft_bind('x', x), weft_bind('y', row(::2))], y)
    call expect(all(y == 2*x + spread([10, 20, 30], 1, 2)), 'formula of a matrix, a section and a number')
    z = 0
    call weft_map_views(ctx, f, [weft_bind('a', -1), weft_bind('x', x(:, 3:1:-1)), weft_bind('y', x(:, :1))], &
      z(::3, :))
    call expect(all(z(::3, :) == spread(x(:, 1), 2, 3) - x(:, 3:1:-1)), 'formula to a section')
    call expect(all(z(2:3, :) == 0), 'elements between those of a section')
    call weft_map_views(ctx, f, [weft_bind('a', 2), weft_bind('x', x), weft_bind('y', row)], y, stat, message)
    call refused(stat, message, 'y of shape (5) cannot be broadcast to out of shape (2, 3)')
    call weft_map_reduce_axes(ctx, WEFT_SUM, f, WEFT_F64, [2, 3], [weft_bind('a', 2), weft_bind('x', x), &
      weft_bind('y', row(::2))], [1], z(1, :))
    call expect(all(z(1, :) == sum(2*x + spread([10, 20, 30], 1, 2), 1)), 'sums of a formula along a dimension')
    call weft_map_reduce_axes(ctx, WEFT_MAX, f, WEFT_F64, [2, 3], [weft_bind('a', 1), weft_bind('x', x), &
      weft_bind('y', 1)], [2, 1], total)
    call expect(total == 7, 'maximum of a formula')
    call weft_map_reduce_axes(ctx, WEFT_SUM, f, WEFT_F64, [2, 3], [weft_bind('a', 2), weft_bind('x', x), &
      weft_bind('y', row)], [3], z(1, :), stat, message)
    call refused(stat, message, 'dimension 3 is out of range: the array of the values has rank 2')
    call weft_map_reduce_axes(ctx, WEFT_SUM, f, WEFT_F64, [2, -3], [weft_bind('a', 2), weft_bind('x', x), &
      weft_bind('y', row)], [1], z(1, :), stat, message)
    call refused(stat, message, 'extents(2) is -3, which is negative')
    call weft_expr_free(f)
    call weft_expr_compile(ctx, 'x + i', f)
    y = x
    call weft_map_views(ctx, f, [weft_bind('x', y)], y)
    call expect(all(y == x + transpose(reshape([(k, k = 0, 5)], [3, 2]))), 'formula in place')
    call weft_expr_free(f)
  end subroutine formulas_of_sections

  subroutine formulas_of_complex_numbers
    type(weft_expr) :: f
    complex(real64) :: z(3) = [(1, 2), (3, -1), (0.5, 0.25)], w(3) = [(0, 2), (1, 1), (4, 0)], product(3), total
    real(real64) :: norms(3)
    integer :: stat
    character(160) :: message
    call weft_expr_compile(ctx, 'z*w', f, complex_names=['z', 'w'])
    call weft_map_views(ctx, f, [weft_bind('z', z), weft_bind('w', w)], product)
    call expect(all(product == z*w), 'complex products')
    call weft_map_views(ctx, f, [weft_bind('z', z(3:1:-1)), weft_bind('w', (0d0, 2d0))], product)
    call expect(all(product == z(3:1:-1)*(0, 2)), 'complex section and number')
    call weft_map_reduce_axes(ctx, WEFT_SUM, f, WEFT_F64, [3], [weft_bind('z', z), weft_bind('w', w)], [1], total)
    call expect(total == sum(z*w), 'sum of complex products')
    call weft_map_views(ctx, f, [weft_bind('z', z), weft_bind('w', w)], norms, stat, message)
    call refused(stat, message, 'out is real, but the values of the formula are complex')
    call weft_expr_free(f)
    call weft_expr_compile(ctx, 're(z)', f, complex_names=['z'])
    call weft_map_views(ctx, f, [weft_bind('z', z)], norms)
    call expect(all(norms == real(z)), 'real parts')
    call weft_map_views(ctx, f, [weft_bind('z', z)], product, stat, message)
    call refused(stat, message, 'out is complex, but the values of the formula are real')
    call weft_map(ctx, f, [weft_bind('z', z)], norms, stat, message)
    call refused(stat, message, 'z is complex and must not be')
    call weft_expr_free(f)
    call weft_expr_compile(ctx, 'min(z, 1)', f, stat, message, complex_names=['z'])
    call expect(stat == WEFT_INVALID .and. index(message, 'complex numbers have no order') == 1, 'a refused formula')
  end subroutine formulas_of_complex_numbers

  subroutine texts
    character(*), parameter :: text = 'the warp and the weft'
    integer(int64) :: counts(3), positions(2), total
    integer(int32) :: numbers(2)
    call weft_match_count(ctx, text, ['the ', 'weft', 'loom'], counts)
    call expect(all(counts == [2, 1, 0]), 'match_count')
    call weft_match_list(ctx, text, ['weft', 'THE '], positions, numbers, total, WEFT_FOLD_CASE)
    call expect(total == 3 .and. all(positions == [0, 13]) .and. all(numbers == 1), 'match_list')
  end subroutine texts

  subroutine views
    real(real64), target :: x(2, 3)
    real(real64) :: t(3, 2), sums(2), all(1, 1), y(2, 3)
    real(real32) :: f(4, 2, 3), g(2, 3)
    integer(int32) :: i(2, 3, 2, 2)
    integer(int64) :: least(2, 2, 2), wide(2, 3, 2, 2)
    logical(c_bool) :: some(3)
    complex(real64) :: z(2), pairs(2, 2)
    type(weft_view), target :: view
    integer(c_int), target :: axes(1) = 0
    real(real64), target :: first(3)
    type(weft_view), target :: of_first
    integer :: stat, k
    character(160) :: message
    x = reshape([real(real64) :: 1, 2, 3, 4, 5, 6], [2, 3])
    call weft_copy_view(ctx, transpose(x), t)
    call expect(maxval(abs(t - transpose(x))) == 0, 'copy of a transposed matrix')
    y = 0
    call weft_copy_view(ctx, x(:, 3:1:-1), y)
    call expect(maxval(abs(y - x(:, 3:1:-1))) == 0, 'copy of a section with a negative stride')
    z = [(1d0, 2d0), (3d0, 4d0)]
    call weft_copy_view(ctx, z, pairs(1, :))
    call expect(maxval(abs(pairs(1, :) - z)) == 0, 'copy of complex numbers to a row')
    call weft_take_axis(ctx, WEFT_RANGE_ERROR, x, 2, [2, 0], y(:, :2))
    call expect(maxval(abs(y(:, :2) - x(:, [3, 1]))) == 0, 'columns in the order of indices')
    call weft_put_axis(ctx, WEFT_RANGE_ERROR, x(:, :2), 2, [1, 0], y)
    call expect(maxval(abs(y(:, :2) - x(:, [2, 1]))) == 0, 'columns at the positions of indices')
    call weft_reduce_axes(ctx, WEFT_SUM, x, [2], sums)
    call expect(maxval(abs(sums - sum(x, 2))) == 0, 'sums along dimension 2')
    call weft_reduce_axes(ctx, WEFT_MAX, x, [2, 1], all)
    call expect(all(1, 1) == 6, 'maximum of all dimensions, which are kept')
    f = 0
    f(2, :, :) = reshape([real(real32) :: 1, 2, 3, 4, 5, 6], [2, 3])
    call weft_reduce_axes(ctx, WEFT_NORM2, f(2, :, :), [1], first)
    call expect(maxval(abs(first - sqrt([5d0, 25d0, 61d0]))) < 1d-15, 'norms of f32 in f64')
    call weft_reduce_axes(ctx, WEFT_SUM, f, [1, 3], g(:, 1))
    call expect(maxval(abs(g(:, 1) - [9.0, 12.0])) == 0, 'sums along dimensions 1 and 3')
    i = reshape([(mod(7 * k, 5), k = 1, 24)], [2, 3, 2, 2])
    call weft_reduce_axes(ctx, WEFT_ARGMIN, i, [2], least)
    call expect(maxval(abs(least + 1 - minloc(i, 2))) == 0, 'argmin along dimension 2 of an array of rank 4')
    call weft_reduce_axes(ctx, WEFT_ANY, i(:, :, 1, 1), [1], some)
    call expect(count(some) == count(any(i(:, :, 1, 1) /= 0, 1)), 'any')
    call weft_reduce_axes(ctx, WEFT_SUM, x, [2], sums, accumulate=WEFT_EXACT_SUM)
    call expect(maxval(abs(sums - sum(x, 2))) == 0, 'exact sums along dimension 2')
    call weft_variance_axes(ctx, x, [2], sums, ddof=1)
    call expect(maxval(abs(sums - 4)) == 0, 'sample variances along dimension 2')
    call weft_dot_axes(ctx, x, x, [2], sums)
    call expect(maxval(abs(sums - sum(x * x, 2))) == 0, 'dot products along dimension 2')
    call weft_dot_axes(ctx, x, [2d0, 1d0, 0d0], [2], sums)
    call expect(maxval(abs(sums - matmul(x, [2d0, 1d0, 0d0]))) == 0, 'dot products with one vector')
    call weft_dot_axes(ctx, sums, x, [1], sums, stat, message)
    call refused(stat, message, 'y has more dimensions than x')
    call weft_scan_axis(ctx, WEFT_SUM, WEFT_EXCLUSIVE, x, 2, y, 10d0)
    call expect(maxval(abs(y - reshape([real(real64) :: 10, 10, 11, 12, 14, 16], [2, 3]))) == 0, 'scans with init')
    wide = i
    call weft_scan_axis(ctx, WEFT_SUM, WEFT_INCLUSIVE, i, 3, wide)
    call expect(maxval(abs(wide(:, :, 2, :) - i(:, :, 1, :) - i(:, :, 2, :))) == 0, 'scans in 64 bits')
    y = x
    call weft_scan_axis(ctx, WEFT_PROD, WEFT_INCLUSIVE, y(:, ::2), 2, y(:, ::2))
    call expect(maxval(abs(y(:, 3) - [5d0, 12d0])) == 0 .and. y(1, 2) == 3, 'scan in place of a section')
    y = x
    call weft_sort_axis(ctx, y(:, ::2), 2, y(:, ::2), WEFT_DESCENDING)
    call expect(maxval(abs(y - reshape([real(real64) :: 5, 6, 3, 4, 1, 2], [2, 3]))) == 0, 'sort of a section in place')
    call weft_sort_axis(ctx, -x, 1, y)
    call expect(maxval(abs(y + x(2:1:-1, :))) == 0, 'sort along dimension 1')
    call weft_argsort_axis(ctx, -x, 2, wide(:, :, 1, 1))
    call expect(maxval(abs(wide(1, :, 1, 1) - [2, 1, 0])) == 0, 'indices of 64 bits')
    call weft_argsort_axis(ctx, x, 1, i(:, :, 1, 1), WEFT_DESCENDING)
    call expect(maxval(abs(i(:, 3, 1, 1) - [1, 0])) == 0, 'indices of 32 bits in descending order')
    call weft_top_k_axis(ctx, WEFT_LARGEST, x, 2, y(:, :2), wide(:, :2, 1, 1))
    call expect(maxval(abs(y(:, 1) - x(:, 3))) == 0 .and. maxval(abs(y(:, 2) - x(:, 2))) == 0, 'top_k_axis')
    call expect(maxval(abs(wide(:, 1, 1, 1) - 2)) == 0 .and. maxval(abs(wide(:, 2, 1, 1) - 1)) == 0, 'their indices')
    call weft_top_k_axis(ctx, WEFT_SMALLEST, x, 1, y(1:1, :))
    call expect(maxval(abs(y(1, :) - x(1, :))) == 0, 'top_k_axis without indices')
    call weft_quantile_axis(ctx, x, 2, [0.5d0, 1d0], y(:, :2))
    call expect(maxval(abs(y(:, :2) - x(:, 2:3))) == 0, 'the median and the maximum')
    call weft_quantile_axis(ctx, x, 1, [0.5d0], y(:1, :), WEFT_HIGHER)
    call expect(maxval(abs(y(1, :) - x(2, :))) == 0, 'the higher of two elements')

    call weft_view_of(x, view)
    call weft_view_of(first, of_first)
    stat = c_weft_reduce_axes(ctx, WEFT_MIN, WEFT_DEFAULT, c_loc(view), 1_c_size_t, c_loc(axes), c_loc(of_first))
    call expect(stat == WEFT_OK .and. maxval(abs(first - minval(x, 1))) == 0, 'views for the C interface')
    call weft_reduce_axes(ctx, WEFT_SUM, x, [3], sums, stat, message)
    call refused(stat, message, 'dimension 3 is out of range: x has rank 2')
    call weft_reduce_axes(ctx, WEFT_SUM, x, [1, 1], sums, stat, message)
    call refused(stat, message, 'dimension 1 is named twice')
    call weft_reduce_axes(ctx, WEFT_SUM, x, [1], sums, stat, message)
    call refused(stat, message, 'out has shape (2): expected (3)')
    call weft_scan_axis(ctx, WEFT_SUM, WEFT_INCLUSIVE, z, 1, z, stat=stat, message=message)
    call refused(stat, message, 'x is complex and must not be')
    call weft_argsort_axis(ctx, x, 1, y, stat=stat, message=message)
    call refused(stat, message, 'indices is f64 and must be u64')
  end subroutine views

  subroutine contexts
    real(real64), pointer :: x(:)
    real(real64) :: total
    type(c_ptr) :: p
    call expect(weft_device(ctx) == device, 'device')
    call weft_set_threads(ctx, 2)
    call weft_synchronize(ctx)
    call expect(weft_alloc(ctx, WEFT_DEVICE_MEMORY, 24_c_size_t, p) == WEFT_OK, 'alloc')
    call c_f_pointer(p, x, [3])
    call expect(weft_copy(ctx, 24_c_size_t, c_loc_of([1d0, 2d0, 3d0]), p) == WEFT_OK, 'copy')
    call weft_reduce(ctx, WEFT_SUM, x, total)
    call expect(total == 6, 'sum of memory of the device')
    call expect(weft_free(ctx, WEFT_DEVICE_MEMORY, p) == WEFT_OK, 'free')
    call expect(weft_string(weft_op_name(WEFT_NORM2)) == 'norm2', 'op_name')
    call expect(weft_last_error(ctx) == '', 'last_error')
  end subroutine contexts

  function c_loc_of(x) result(p)
    real(real64), intent(in) :: x(:)
    real(real64), allocatable, target, save :: kept(:)
    type(c_ptr) :: p
    kept = x
    p = c_loc(kept)
  end function c_loc_of

  subroutine refusals
    real(real64) :: x(4) = 1, total
    real(real32) :: single
    integer(int32) :: number
    complex(real64) :: z(4) = 1
    integer(int64) :: none(0), best
    type(weft_context) :: other
    integer :: stat
    character(160) :: message
    call weft_reduce(ctx, WEFT_SUM, x(::2), total, stat, message)
    call refused(stat, message, 'x is an array section with gaps between its elements')
    call weft_reduce(ctx, WEFT_SUM, x, single, stat, message)
    call refused(stat, message, 'the result is f32 and must be f64')
    call weft_reduce(ctx, WEFT_SUM, z, total, stat, message)
    call refused(stat, message, 'x is complex and must not be')
    call weft_reduce(ctx, WEFT_SUM, [.true.], total, stat, message)
    call refused(stat, message, 'x is of a type that weft does not take')
    call weft_dot(ctx, x, x(:3), total, stat, message)
    call refused(stat, message, 'the size of x is 4 and that of y is 3; the two must be equal')
    call weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, x, x, 1, stat, message)
    call refused(stat, message, 'the array is f64 and init is i32; both must be of one type')
    call weft_unique(ctx, x, x(:2), number, stat, message)
    call refused(stat, message, 'y has 2 elements; expected at least 4')
    call weft_reduce(ctx, WEFT_ARGMIN, none, best, stat, message)
    call expect(stat == WEFT_EMPTY .and. message /= '', 'an error of the library itself')
    call weft_open(other, 'nothing', stat, message)
    call expect(stat /= WEFT_OK .and. index(message, 'nothing') > 0, 'an error of opening')
  end subroutine refusals

end program check
