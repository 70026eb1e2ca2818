! Selections, runs, histograms, top_k and search_sorted. Indices and positions count from 0. Outputs of selections and
! runs have at least the size of x; count is integer(8).
module weft_selections
  use weft_arrays
  implicit none
  private
  public :: weft_select, weft_select_if, weft_select_indices, weft_select_indices_if
  public :: weft_partition, weft_partition_if, weft_unique, weft_run_length
  public :: weft_histogram, weft_histogram_even, weft_top_k, weft_search_sorted

contains

  ! Describes the output `count`, an integer(8).
  function counter(call, count) result(a)
    type(weft_request), intent(inout) :: call
    type(*), intent(in) :: count(..)
    type(weft_array) :: a
    a = whole(call, 'count', count)
    call need_type(call, 'count', a, WEFT_U64)
    call need_capacity(call, 'count', a, 1_c_int64_t)
  end function counter

  ! Describes one flag for each of n elements: integer(int8) or logical(c_bool).
  function flags_of(call, flags, n) result(a)
    type(weft_request), intent(inout) :: call
    type(*), intent(in) :: flags(..)
    integer(c_int64_t), intent(in) :: n
    type(weft_array) :: a
    a = whole(call, 'flags', flags)
    call need_type(call, 'flags', a, WEFT_U8)
    call need_equal(call, 'the size of flags', a%n, 'that of x', n)
  end function flags_of

  ! Describes an output of the type of x with at least as many elements.
  function kept(call, name, y, x) result(a)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(*), intent(in) :: y(..)
    type(weft_array), intent(in) :: x
    type(weft_array) :: a
    a = whole(call, name, y)
    call need_real(call, 'x', x)
    call need_same_type(call, 'x', x, name, a)
    call need_capacity(call, name, a, x%n)
  end function kept

  ! Describes an output of integer(8), used for u64, with at least n elements.
  function numbers(call, name, y, n) result(a)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(*), intent(in) :: y(..)
    integer(c_int64_t), intent(in) :: n
    type(weft_array) :: a
    a = whole(call, name, y)
    call need_type(call, name, a, WEFT_U64)
    call need_capacity(call, name, a, n)
  end function numbers

  ! Copies x(i) where flags(i) is not 0.
  subroutine weft_select(ctx, x, flags, y, count, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: x(..), flags(..)
    type(*), intent(inout), target :: y(..), count(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, af, ay, ac
    ax = whole(call, 'x', x)
    af = flags_of(call, flags, ax%n)
    ay = kept(call, 'y', y, ax)
    ac = counter(call, count)
    if (call%status == WEFT_OK) call%status = c_weft_select(ctx, ax%dtype, ax%n, ax%p, af%p, ay%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_select

  ! Copies x(i) where the comparison of x(i) with value is true: WEFT_LT, WEFT_LE, ...
  subroutine weft_select_if(ctx, comparison, x, value, y, count, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: comparison
    type(*), intent(in), target :: x(..), value(..)
    type(*), intent(inout), target :: y(..), count(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, av, ay, ac
    ax = whole(call, 'x', x)
    av = one_value(call, 'value', value, ax)
    ay = kept(call, 'y', y, ax)
    ac = counter(call, count)
    if (call%status == WEFT_OK) &
      call%status = c_weft_select_if(ctx, comparison, ax%dtype, ax%n, ax%p, av%p, ay%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_select_if

  ! Writes the indices, from 0, where flags(i) is not 0.
  subroutine weft_select_indices(ctx, flags, y, count, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: flags(..)
    type(*), intent(inout), target :: y(..), count(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: af, ay, ac
    af = whole(call, 'flags', flags)
    call need_type(call, 'flags', af, WEFT_U8)
    ay = numbers(call, 'y', y, af%n)
    ac = counter(call, count)
    if (call%status == WEFT_OK) call%status = c_weft_select_indices(ctx, af%n, af%p, ay%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_select_indices

  ! Writes the indices, from 0, where the comparison of x(i) with value is true.
  subroutine weft_select_indices_if(ctx, comparison, x, value, y, count, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: comparison
    type(*), intent(in), target :: x(..), value(..)
    type(*), intent(inout), target :: y(..), count(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, av, ay, ac
    ax = whole(call, 'x', x)
    call need_real(call, 'x', ax)
    av = one_value(call, 'value', value, ax)
    ay = numbers(call, 'y', y, ax%n)
    ac = counter(call, count)
    if (call%status == WEFT_OK) &
      call%status = c_weft_select_indices_if(ctx, comparison, ax%dtype, ax%n, ax%p, av%p, ay%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_select_indices_if

  ! Copies first the x(i) where flags(i) is not 0, then the others, both in their order.
  subroutine weft_partition(ctx, x, flags, y, count, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: x(..), flags(..)
    type(*), intent(inout), target :: y(..), count(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, af, ay, ac
    ax = whole(call, 'x', x)
    af = flags_of(call, flags, ax%n)
    ay = kept(call, 'y', y, ax)
    ac = counter(call, count)
    if (call%status == WEFT_OK) call%status = c_weft_partition(ctx, ax%dtype, ax%n, ax%p, af%p, ay%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_partition

  ! Copies first the x(i) where the comparison with value is true, then the others, both in their order.
  subroutine weft_partition_if(ctx, comparison, x, value, y, count, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: comparison
    type(*), intent(in), target :: x(..), value(..)
    type(*), intent(inout), target :: y(..), count(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, av, ay, ac
    ax = whole(call, 'x', x)
    av = one_value(call, 'value', value, ax)
    ay = kept(call, 'y', y, ax)
    ac = counter(call, count)
    if (call%status == WEFT_OK) &
      call%status = c_weft_partition_if(ctx, comparison, ax%dtype, ax%n, ax%p, av%p, ay%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_partition_if

  ! Copies the first element of each run of equal adjacent elements.
  subroutine weft_unique(ctx, x, y, count, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: y(..), count(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ay, ac
    ax = whole(call, 'x', x)
    ay = kept(call, 'y', y, ax)
    ac = counter(call, count)
    if (call%status == WEFT_OK) call%status = c_weft_unique(ctx, ax%dtype, ax%n, ax%p, ay%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_unique

  ! Writes the first element and the length of each run of equal adjacent elements. lengths: integer(8).
  subroutine weft_run_length(ctx, x, values, lengths, count, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: values(..), lengths(..), count(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, av, al, ac
    ax = whole(call, 'x', x)
    av = kept(call, 'values', values, ax)
    al = numbers(call, 'lengths', lengths, ax%n)
    ac = counter(call, count)
    if (call%status == WEFT_OK) call%status = c_weft_run_length(ctx, ax%dtype, ax%n, ax%p, av%p, al%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_run_length

  ! Counts the elements of x in the bins between adjacent edges. edges has one element more than counts, integer(8).
  subroutine weft_histogram(ctx, x, edges, counts, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: x(..), edges(..)
    type(*), intent(inout), target :: counts(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ae, ac
    ax = whole(call, 'x', x)
    ae = whole(call, 'edges', edges)
    ac = numbers(call, 'counts', counts, 1_c_int64_t)
    call need_real(call, 'x', ax)
    call need_same_type(call, 'x', ax, 'edges', ae)
    call need_equal(call, 'the size of edges', ae%n, 'that of counts plus 1', ac%n + 1)
    if (call%status == WEFT_OK) call%status = c_weft_histogram(ctx, ax%dtype, ax%n, ax%p, ac%n, ae%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_histogram

  ! Counts the elements of x in size(counts) bins of equal width from lower to upper. counts: integer(8).
  subroutine weft_histogram_even(ctx, x, lower, upper, counts, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: x(..), lower(..), upper(..)
    type(*), intent(inout), target :: counts(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, al, au, ac
    ax = whole(call, 'x', x)
    call need_real(call, 'x', ax)
    al = one_value(call, 'lower', lower, ax)
    au = one_value(call, 'upper', upper, ax)
    ac = numbers(call, 'counts', counts, 1_c_int64_t)
    if (call%status == WEFT_OK) &
      call%status = c_weft_histogram_even(ctx, ax%dtype, ax%n, ax%p, ac%n, al%p, au%p, ac%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_histogram_even

  ! Writes the k largest or smallest elements of x, in order, and their indices. k is the size of values.
  subroutine weft_top_k(ctx, extreme, x, values, indices, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: extreme
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: values(..)
    type(*), intent(inout), target, optional :: indices(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, av, ai
    ax = whole(call, 'x', x)
    av = whole(call, 'values', values)
    call need_real(call, 'x', ax)
    call need_same_type(call, 'x', ax, 'values', av)
    if (present(indices)) ai = numbers(call, 'indices', indices, av%n)
    if (call%status == WEFT_OK) &
      call%status = c_weft_top_k(ctx, extreme, ax%dtype, ax%n, ax%p, av%n, av%p, ai%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_top_k

  ! Writes for each query its lower bound (WEFT_LEFT) or upper bound (WEFT_RIGHT) in `sorted`. positions: integer(8).
  subroutine weft_search_sorted(ctx, side, sorted, queries, positions, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: side
    type(*), intent(in), target :: sorted(..), queries(..)
    type(*), intent(inout), target :: positions(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: as, aq, ap
    as = whole(call, 'sorted', sorted)
    aq = whole(call, 'queries', queries)
    call need_real(call, 'sorted', as)
    call need_same_type(call, 'sorted', as, 'queries', aq)
    ap = numbers(call, 'positions', positions, aq%n)
    if (call%status == WEFT_OK) &
      call%status = c_weft_search_sorted(ctx, side, as%dtype, as%n, as%p, aq%n, aq%p, ap%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_search_sorted

end module weft_selections
