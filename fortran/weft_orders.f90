! Sorting and merging. Indices count from 0. order: WEFT_ASCENDING by default.
module weft_orders
  use weft_arrays
  implicit none
  private
  public :: weft_merge, weft_sort, weft_sort_pairs, weft_sort_bits, weft_argsort

contains

  ! Describes an output that receives the elements of x in another order.
  function moved(call, name, y, x) result(a)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(*), intent(in) :: y(..)
    type(weft_array), intent(in) :: x
    type(weft_array) :: a
    a = whole(call, name, y)
    call need_same_type(call, 'what is sorted', x, name, a)
    call need_equal(call, 'the size of ' // name, a%n, 'that of what is sorted', x%n)
  end function moved

  ! Merges the sorted arrays a and b into y, whose size must be that of both together.
  subroutine weft_merge(ctx, a, b, y, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: a(..), b(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: aa, ab, ay
    aa = whole(call, 'a', a)
    ab = whole(call, 'b', b)
    ay = whole(call, 'y', y)
    call need_real(call, 'a', aa)
    call need_same_type(call, 'a', aa, 'b', ab)
    call need_same_type(call, 'a', aa, 'y', ay)
    call need_equal(call, 'the size of y', ay%n, 'that of a and b together', aa%n + ab%n)
    if (call%status == WEFT_OK) call%status = c_weft_merge(ctx, aa%dtype, aa%n, aa%p, ab%n, ab%p, ay%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_merge

  ! Sorts keys stably. `sorted` has the size of keys.
  subroutine weft_sort(ctx, keys, sorted, order, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: keys(..)
    type(*), intent(inout), target :: sorted(..)
    integer, intent(in), optional :: order
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ak, as
    ak = whole(call, 'keys', keys)
    as = moved(call, 'sorted', sorted, ak)
    call need_real(call, 'keys', ak)
    if (call%status == WEFT_OK) call%status = c_weft_sort(ctx, direction(order), ak%dtype, ak%n, ak%p, as%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_sort

  ! Sorts keys stably and moves each value with its key. values have any supported type, complex included.
  subroutine weft_sort_pairs(ctx, keys, values, sorted_keys, sorted_values, order, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: keys(..), values(..)
    type(*), intent(inout), target :: sorted_keys(..), sorted_values(..)
    integer, intent(in), optional :: order
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ak, av, ask, asv
    ak = whole(call, 'keys', keys)
    av = whole(call, 'values', values)
    ask = moved(call, 'sorted_keys', sorted_keys, ak)
    asv = moved(call, 'sorted_values', sorted_values, av)
    call need_real(call, 'keys', ak)
    call need_equal(call, 'the size of values', av%n, 'that of keys', ak%n)
    if (call%status == WEFT_OK) call%status = c_weft_sort_pairs(ctx, direction(order), ak%dtype, ak%n, ak%p, &
      av%element_bytes, av%p, ask%p, asv%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_sort_pairs

  ! Sorts integer keys by the bits first_bit to first_bit + bits - 1, stably. values and sorted_values: both or
  ! neither.
  subroutine weft_sort_bits(ctx, keys, first_bit, bits, sorted_keys, values, sorted_values, order, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: keys(..)
    integer, intent(in) :: first_bit, bits
    type(*), intent(inout), target :: sorted_keys(..)
    type(*), intent(in), target, optional :: values(..)
    type(*), intent(inout), target, optional :: sorted_values(..)
    integer, intent(in), optional :: order
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ak, av, ask, asv
    ak = whole(call, 'keys', keys)
    ask = moved(call, 'sorted_keys', sorted_keys, ak)
    call need_real(call, 'keys', ak)
    if (present(values) .neqv. present(sorted_values)) &
      call refuse(call, 'of values and sorted_values one is given; both or neither must be')
    if (present(values) .and. present(sorted_values)) then
      av = whole(call, 'values', values)
      asv = moved(call, 'sorted_values', sorted_values, av)
      call need_equal(call, 'the size of values', av%n, 'that of keys', ak%n)
    end if
    if (call%status == WEFT_OK) call%status = c_weft_sort_bits(ctx, direction(order), ak%dtype, first_bit, bits, &
      ak%n, ak%p, av%element_bytes, av%p, ask%p, asv%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_sort_bits

  ! Writes the indices, from 0, that sort keys: integer(int32) or integer(int64).
  subroutine weft_argsort(ctx, keys, indices, order, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: keys(..)
    type(*), intent(inout), target :: indices(..)
    integer, intent(in), optional :: order
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ak, ai
    integer(c_int) :: index
    ak = whole(call, 'keys', keys)
    ai = whole(call, 'indices', indices)
    index = merge(WEFT_U32, WEFT_U64, ai%dtype == WEFT_I32)
    call need_real(call, 'keys', ak)
    call need_type(call, 'indices', ai, index)
    call need_equal(call, 'the size of indices', ai%n, 'that of keys', ak%n)
    if (call%status == WEFT_OK) &
      call%status = c_weft_argsort(ctx, direction(order), ak%dtype, index, ak%n, ak%p, ai%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_argsort

end module weft_orders
