! Random numbers. An array of any rank is filled with the samples first, first + 1, ... of a stream.
module weft_samples
  use weft_arrays
  implicit none
  private
  public :: weft_random, weft_random_integers

contains

  ! Fills out with samples of a distribution. a, b: parameters as in weft.h, 0 and 1 by default. stream, first: 0 by
  ! default.
  subroutine weft_random(ctx, distribution, seed, out, a, b, stream, first, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: distribution
    integer(c_int64_t), intent(in) :: seed
    type(*), intent(inout), target :: out(..)
    real(c_double), intent(in), optional :: a, b
    integer(c_int64_t), intent(in), optional :: stream, first
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: to
    real(c_double) :: pa, pb
    integer(c_int) :: dtype
    pa = 0
    pb = 1
    if (present(a)) pa = a
    if (present(b)) pb = b
    to = whole(call, 'out', out)
    call need_real(call, 'out', to)
    dtype = to%dtype
    if (distribution == WEFT_BERNOULLI) then
      call need_type(call, 'out', to, WEFT_U8)
      dtype = WEFT_U8
    end if
    if (call%status == WEFT_OK) call%status = c_weft_random(ctx, distribution, dtype, seed, number_of(stream), &
      number_of(first), to%n, pa, pb, to%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_random

  ! Fills out with random integers from lower to upper, both included. lower, upper: one value each, of the type of
  ! out. stream, first: 0 by default.
  subroutine weft_random_integers(ctx, seed, lower, upper, out, stream, first, stat, message)
    type(weft_context), intent(in) :: ctx
    integer(c_int64_t), intent(in) :: seed
    type(*), intent(in), target :: lower(..), upper(..)
    type(*), intent(inout), target :: out(..)
    integer(c_int64_t), intent(in), optional :: stream, first
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: to, al, au
    to = whole(call, 'out', out)
    al = one_value(call, 'lower', lower, to)
    au = one_value(call, 'upper', upper, to)
    if (call%status == WEFT_OK) call%status = c_weft_random_integers(ctx, to%dtype, seed, number_of(stream), &
      number_of(first), to%n, al%p, au%p, to%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_random_integers

  ! Returns the given number, or 0.
  function number_of(given) result(number)
    integer(c_int64_t), intent(in), optional :: given
    integer(c_int64_t) :: number
    number = 0
    if (present(given)) number = given
  end function number_of

end module weft_samples
