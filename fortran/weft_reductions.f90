! Reductions, scans and recurrences, of whole arrays and of segments. The type of the result selects the type in which
! it accumulates.
module weft_reductions
  use weft_arrays
  implicit none
  private
  public :: weft_reduce, weft_reduce_lanes, weft_variance, weft_dot, weft_scan, weft_recurrence
  public :: weft_exact_add, weft_exact_add_dot
  public :: weft_segmented_reduce, weft_segmented_reduce_heads, weft_segmented_scan, weft_segmented_scan_heads
  public :: weft_reduce_by_key
  public :: weft_scatter_reduce, weft_scatter_count
  public :: weft_gather, weft_scatter

contains

  ! Returns the parameter `accumulate` of C for a scan: the type of y, or WEFT_DEFAULT if x has that type.
  function scan_accumulate(call, x, y) result(accumulate)
    type(weft_request), intent(inout) :: call
    type(weft_array), intent(in) :: x, y
    integer(c_int) :: accumulate
    call need_real(call, 'x', x)
    call need_real(call, 'y', y)
    call need_equal(call, 'the size of x', x%n, 'that of y', y%n)
    accumulate = merge(WEFT_DEFAULT, y%dtype, x%dtype == y%dtype)
  end function scan_accumulate

  ! Reduces x to one value with op: WEFT_SUM, WEFT_MEAN, ... accumulate: WEFT_EXACT_SUM for exact sums.
  subroutine weft_reduce(ctx, op, x, result, stat, message, accumulate)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: result(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    integer, intent(in), optional :: accumulate
    type(weft_request) :: call
    type(weft_array) :: ax, ar
    integer(c_int) :: sums
    ax = whole(call, 'x', x)
    ar = whole(call, 'result', result)
    call need_capacity(call, 'result', ar, 1_c_int64_t)
    sums = accumulate_for(call, op, ax, ar)
    if (present(accumulate)) sums = accumulate
    if (call%status == WEFT_OK) call%status = c_weft_reduce(ctx, op, ax%dtype, sums, ax%n, ax%p, ar%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_reduce

  ! Reduces x, of real32 or real64, to one value with op, WEFT_SUM or WEFT_PROD, by the tree of the C++ proposal WG21 P4016
  ! for this number of lanes, 1 to 1024.
  subroutine weft_reduce_lanes(ctx, op, lanes, x, result, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op, lanes
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: result(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ar
    integer(c_int) :: accumulate
    ax = whole(call, 'x', x)
    ar = whole(call, 'result', result)
    call need_capacity(call, 'result', ar, 1_c_int64_t)
    accumulate = accumulate_for(call, op, ax, ar)
    if (call%status == WEFT_OK) call%status = c_weft_reduce_lanes(ctx, op, ax%dtype, accumulate, ax%n, &
      int(lanes, c_size_t), ax%p, ar%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_reduce_lanes

  ! Computes the variance of x. ddof: 0 (default) for a population, 1 for a sample. accumulate: WEFT_EXACT_SUM for the
  ! exact variance.
  subroutine weft_variance(ctx, x, result, ddof, stat, message, accumulate)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: result(..)
    integer, intent(in), optional :: ddof
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    integer, intent(in), optional :: accumulate
    type(weft_request) :: call
    type(weft_array) :: ax, ar
    integer(c_int) :: sums
    integer(c_size_t) :: less
    less = 0
    if (present(ddof)) less = int(ddof, c_size_t)
    ax = whole(call, 'x', x)
    ar = whole(call, 'result', result)
    call need_capacity(call, 'result', ar, 1_c_int64_t)
    sums = accumulate_for(call, WEFT_MEAN, ax, ar)
    if (present(accumulate)) sums = accumulate
    if (call%status == WEFT_OK) call%status = c_weft_variance(ctx, ax%dtype, sums, ax%n, less, ax%p, ar%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_variance

  ! Computes the sum of x(i) * y(i). x and y have one type and size. accumulate: WEFT_EXACT_SUM for the exact sum.
  subroutine weft_dot(ctx, x, y, result, stat, message, accumulate)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: x(..), y(..)
    type(*), intent(inout), target :: result(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    integer, intent(in), optional :: accumulate
    type(weft_request) :: call
    type(weft_array) :: ax, ay, ar
    integer(c_int) :: sums
    ax = whole(call, 'x', x)
    ay = whole(call, 'y', y)
    ar = whole(call, 'result', result)
    call need_same_type(call, 'x', ax, 'y', ay)
    call need_equal(call, 'the size of x', ax%n, 'that of y', ay%n)
    call need_capacity(call, 'result', ar, 1_c_int64_t)
    sums = accumulate_for(call, WEFT_SUM, ax, ar)
    if (present(accumulate)) sums = accumulate
    if (call%status == WEFT_OK) call%status = c_weft_dot(ctx, ax%dtype, sums, ax%n, ax%p, ay%p, ar%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_dot

  ! Adds the terms of op to an exact sum: elements (WEFT_SUM), magnitudes (WEFT_NORM1) or squares (WEFT_NORM2). The words
  ! of the empty sum are 0. weft_exact_merge, weft_exact_value, weft_exact_save and weft_exact_load are those of C.
  subroutine weft_exact_add(ctx, op, x, state, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op
    type(*), intent(in), target :: x(..)
    type(weft_exact_state), intent(inout) :: state
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax
    ax = whole(call, 'x', x)
    if (call%status == WEFT_OK) call%status = c_weft_exact_add(ctx, op, ax%dtype, ax%n, ax%p, state)
    call finish(call, ctx, stat, message)
  end subroutine weft_exact_add

  ! Adds the products x(i) * y(i) to an exact sum. x and y have one type and size.
  subroutine weft_exact_add_dot(ctx, x, y, state, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: x(..), y(..)
    type(weft_exact_state), intent(inout) :: state
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ay
    ax = whole(call, 'x', x)
    ay = whole(call, 'y', y)
    call need_same_type(call, 'x', ax, 'y', ay)
    call need_equal(call, 'the size of x', ax%n, 'that of y', ay%n)
    if (call%status == WEFT_OK) call%status = c_weft_exact_add_dot(ctx, ax%dtype, ax%n, ax%p, ay%p, state)
    call finish(call, ctx, stat, message)
  end subroutine weft_exact_add_dot

  ! Computes the prefix scan of x. kind: WEFT_INCLUSIVE or WEFT_EXCLUSIVE. y: as many values as x has elements. init:
  ! one value of y's type.
  subroutine weft_scan(ctx, op, kind, x, y, init, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op, kind
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: y(..)
    type(*), intent(in), target, optional :: init(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ay, first
    integer(c_int) :: accumulate
    ax = whole(call, 'x', x)
    ay = whole(call, 'y', y)
    accumulate = scan_accumulate(call, ax, ay)
    if (present(init)) first = one_value(call, 'init', init, ay)
    if (call%status == WEFT_OK) &
      call%status = c_weft_scan(ctx, op, kind, ax%dtype, accumulate, ax%n, ax%p, first%p, ay%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_scan

  ! Computes the recurrence v(i) = s(i) v(i - 1) + u(i), for WEFT_REVERSE s(i) v(i + 1) + u(i), along the first
  ! dimension. s, u and v have one shape. init has one value for each row along the first dimension.
  subroutine weft_recurrence(ctx, direction, s, u, v, init, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: direction
    type(*), intent(in), target :: s(..), u(..)
    type(*), intent(inout), target :: v(..)
    type(*), intent(in), target, optional :: init(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: as, au, av, first
    integer(c_int64_t) :: rows
    as = whole(call, 's', s)
    au = whole(call, 'u', u)
    av = whole(call, 'v', v)
    rows = as%n / max(as%extent(1), 1_c_int64_t)
    call need_real(call, 's', as)
    call need_same_type(call, 's', as, 'u', au)
    call need_same_type(call, 's', as, 'v', av)
    call need_equal(call, 'the size of u', au%n, 'that of s', as%n)
    call need_equal(call, 'the size of v', av%n, 'that of s', as%n)
    if (present(init)) then
      first = whole(call, 'init', init)
      call need_same_type(call, 's', as, 'init', first)
      call need_equal(call, 'the size of init', first%n, 'the number of rows', rows)
    end if
    if (call%status == WEFT_OK) call%status = c_weft_recurrence(ctx, direction, as%dtype, rows, as%extent(1), as%p, &
      au%p, first%p, av%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_recurrence

  ! Reduces each segment of x to one value of `result`. offsets count from 0: segment s is x(offsets(s) + 1) to
  ! x(offsets(s + 1)). offsets has one element more than `result`.
  subroutine weft_segmented_reduce(ctx, op, x, offsets, result, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op
    type(*), intent(in), target :: x(..), offsets(..)
    type(*), intent(inout), target :: result(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ao, ar
    integer(c_int) :: accumulate
    ax = whole(call, 'x', x)
    ao = whole(call, 'offsets', offsets)
    ar = whole(call, 'result', result)
    call need_type(call, 'offsets', ao, WEFT_U64)
    call need_equal(call, 'the size of result', ar%n, 'that of offsets less 1', ao%n - 1)
    accumulate = accumulate_for(call, op, ax, ar)
    if (call%status == WEFT_OK) call%status = c_weft_segmented_reduce(ctx, op, ax%dtype, accumulate, ax%n, ax%p, &
      ar%n, ao%p, ar%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_segmented_reduce

  ! Reduces each segment of x to one value. A segment begins at the first element and where heads(i) is not 0.
  ! `result` has at least the size of x. count: number of segments, integer(8).
  subroutine weft_segmented_reduce_heads(ctx, op, x, heads, result, count, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op
    type(*), intent(in), target :: x(..), heads(..)
    type(*), intent(inout), target :: result(..), count(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ah, ar, ac
    integer(c_int) :: accumulate
    ax = whole(call, 'x', x)
    ah = whole(call, 'heads', heads)
    ar = whole(call, 'result', result)
    ac = whole(call, 'count', count)
    call need_type(call, 'heads', ah, WEFT_U8)
    call need_type(call, 'count', ac, WEFT_U64)
    call need_equal(call, 'the size of heads', ah%n, 'that of x', ax%n)
    call need_capacity(call, 'result', ar, ax%n)
    call need_capacity(call, 'count', ac, 1_c_int64_t)
    accumulate = accumulate_for(call, op, ax, ar)
    if (call%status == WEFT_OK) call%status = c_weft_segmented_reduce_heads(ctx, op, ax%dtype, accumulate, ax%n, &
      ax%p, ah%p, ar%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_segmented_reduce_heads

  ! Scans each segment of x. offsets count from 0: segment s is x(offsets(s) + 1) to x(offsets(s + 1)).
  subroutine weft_segmented_scan(ctx, op, kind, x, offsets, y, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op, kind
    type(*), intent(in), target :: x(..), offsets(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ao, ay
    integer(c_int) :: accumulate
    ax = whole(call, 'x', x)
    ao = whole(call, 'offsets', offsets)
    ay = whole(call, 'y', y)
    call need_type(call, 'offsets', ao, WEFT_U64)
    call need_capacity(call, 'offsets', ao, 1_c_int64_t)
    accumulate = scan_accumulate(call, ax, ay)
    if (call%status == WEFT_OK) call%status = c_weft_segmented_scan(ctx, op, kind, ax%dtype, accumulate, ax%n, &
      ax%p, ao%n - 1, ao%p, ay%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_segmented_scan

  ! Scans each segment of x. A segment begins at the first element and where heads(i) is not 0.
  subroutine weft_segmented_scan_heads(ctx, op, kind, x, heads, y, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op, kind
    type(*), intent(in), target :: x(..), heads(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ah, ay
    integer(c_int) :: accumulate
    ax = whole(call, 'x', x)
    ah = whole(call, 'heads', heads)
    ay = whole(call, 'y', y)
    call need_type(call, 'heads', ah, WEFT_U8)
    call need_equal(call, 'the size of heads', ah%n, 'that of x', ax%n)
    accumulate = scan_accumulate(call, ax, ay)
    if (call%status == WEFT_OK) call%status = c_weft_segmented_scan_heads(ctx, op, kind, ax%dtype, accumulate, &
      ax%n, ax%p, ah%p, ay%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_segmented_scan_heads

  ! Reduces the elements of x in each run of equal adjacent keys to one value. unique_keys and `result` have at least
  ! the size of x. count: number of runs, integer(8).
  subroutine weft_reduce_by_key(ctx, op, keys, x, unique_keys, result, count, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op
    type(*), intent(in), target :: keys(..), x(..)
    type(*), intent(inout), target :: unique_keys(..), result(..), count(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ak, ax, au, ar, ac
    integer(c_int) :: accumulate
    ak = whole(call, 'keys', keys)
    ax = whole(call, 'x', x)
    au = whole(call, 'unique_keys', unique_keys)
    ar = whole(call, 'result', result)
    ac = whole(call, 'count', count)
    call need_real(call, 'keys', ak)
    call need_same_type(call, 'keys', ak, 'unique_keys', au)
    call need_type(call, 'count', ac, WEFT_U64)
    call need_equal(call, 'the size of keys', ak%n, 'that of x', ax%n)
    call need_capacity(call, 'unique_keys', au, ax%n)
    call need_capacity(call, 'result', ar, ax%n)
    call need_capacity(call, 'count', ac, 1_c_int64_t)
    accumulate = accumulate_for(call, op, ax, ar)
    if (call%status == WEFT_OK) call%status = c_weft_reduce_by_key(ctx, op, ak%dtype, ax%dtype, accumulate, ax%n, &
      ak%p, ax%p, au%p, ar%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_reduce_by_key

  ! Reduces the columns of x that have the same index. x has one element, or one column x(:, i), for each index(i).
  ! Indices count from 0. `result` has one value, or one column, for each target. init: values of the type and size of
  ! `result`, combined before the elements.
  subroutine weft_scatter_reduce(ctx, op, range, x, index, result, init, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op, range
    type(*), intent(in), target :: x(..), index(..)
    type(*), intent(inout), target :: result(..)
    type(*), intent(in), target, optional :: init(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ai, ar, first
    integer(c_int) :: accumulate
    integer(c_int64_t) :: columns, m
    ax = whole(call, 'x', x)
    ai = whole(call, 'index', index)
    ar = whole(call, 'result', result)
    columns = 1
    if (rank(x) == 2) columns = ax%extent(1)
    m = ar%n / max(columns, 1_c_int64_t)
    call need_equal(call, 'the size of x', ax%n, 'that of index, times the rows of x', ai%n * columns)
    call need_equal(call, 'the size of result', ar%n, 'the targets, times the rows of x', m * columns)
    accumulate = accumulate_for(call, op, ax, ar)
    if (present(init)) then
      first = whole(call, 'init', init)
      call need_same_type(call, 'result', ar, 'init', first)
      call need_equal(call, 'the size of init', first%n, 'that of result', ar%n)
    end if
    if (call%status == WEFT_OK) call%status = c_weft_scatter_reduce(ctx, op, range, ax%dtype, accumulate, ai%dtype, &
      ai%n, columns, m, ax%p, ai%p, first%p, ar%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_scatter_reduce

  ! Counts the indices equal to j, from 0, in counts(j + 1), integer(8).
  subroutine weft_scatter_count(ctx, range, index, counts, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: range
    type(*), intent(in), target :: index(..)
    type(*), intent(inout), target :: counts(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ai, ac
    ai = whole(call, 'index', index)
    ac = whole(call, 'counts', counts)
    call need_type(call, 'counts', ac, WEFT_U64)
    if (call%status == WEFT_OK) call%status = c_weft_scatter_count(ctx, range, ai%dtype, ai%n, ac%n, ai%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_scatter_count

  ! Copies row index(i) of x, from 0, to row i of `result`. A row is an element, or a column (:, i) of a matrix.
  subroutine weft_gather(ctx, range, x, index, result, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: range
    type(*), intent(in), target :: x(..), index(..)
    type(*), intent(inout), target :: result(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ai, ar
    integer(c_int64_t) :: columns, m
    ax = whole(call, 'x', x)
    ai = whole(call, 'index', index)
    ar = whole(call, 'result', result)
    columns = 1
    if (rank(x) == 2) columns = ax%extent(1)
    m = ax%n / max(columns, 1_c_int64_t)
    call need_same_type(call, 'x', ax, 'result', ar)
    call need_equal(call, 'the size of result', ar%n, 'that of index, times the rows of x', ai%n * columns)
    if (call%status == WEFT_OK) call%status = c_weft_gather(ctx, range, ax%dtype, ai%dtype, ai%n, columns, m, ax%p, &
      ai%p, ar%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_gather

  ! Copies row i of x to row index(i), from 0, of `result`. A row is an element, or a column (:, i) of a matrix. The
  ! indices must be different.
  subroutine weft_scatter(ctx, range, x, index, result, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: range
    type(*), intent(in), target :: x(..), index(..)
    type(*), intent(inout), target :: result(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ai, ar
    integer(c_int64_t) :: columns, m
    ax = whole(call, 'x', x)
    ai = whole(call, 'index', index)
    ar = whole(call, 'result', result)
    columns = 1
    if (rank(x) == 2) columns = ax%extent(1)
    m = ar%n / max(columns, 1_c_int64_t)
    call need_same_type(call, 'x', ax, 'result', ar)
    call need_equal(call, 'the size of x', ax%n, 'that of index, times the rows of x', ai%n * columns)
    call need_equal(call, 'the size of result', ar%n, 'a multiple of the rows of x', m * columns)
    if (call%status == WEFT_OK) call%status = c_weft_scatter(ctx, range, ax%dtype, ai%dtype, ai%n, columns, m, ax%p, &
      ai%p, ar%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_scatter

end module weft_reductions
