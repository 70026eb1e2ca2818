! Fourier transforms and convolutions.
module weft_transforms
  use weft_arrays
  implicit none
  private
  public :: weft_fft, weft_convolve, weft_correlate

contains

  ! Computes the Fourier transforms along the first dimension; the other dimensions count arrays. kind: WEFT_C2C,
  ! WEFT_C2C_INVERSE, WEFT_R2C (y has n / 2 + 1 values for n of x) or WEFT_C2R (x has n / 2 + 1 values for n of y).
  subroutine weft_fft(ctx, kind, x, y, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: kind
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ay
    integer(c_int64_t) :: n, batch
    ax = whole(call, 'x', x)
    ay = whole(call, 'y', y)
    n = merge(ay%extent(1), ax%extent(1), kind == WEFT_C2R)
    batch = merge(ay%n, ax%n, kind == WEFT_C2R) / max(n, 1_c_int64_t)
    if (ax%dtype /= ay%dtype) call need_same_type(call, 'x', ax, 'y', ay)
    call need_field(call, 'x', ax, merge(WEFT_REAL, WEFT_COMPLEX, kind == WEFT_R2C))
    call need_field(call, 'y', ay, merge(WEFT_REAL, WEFT_COMPLEX, kind == WEFT_C2R))
    call need_equal(call, 'the size of x', ax%n, 'what it must be for y', &
      batch * merge(n / 2 + 1, n, kind == WEFT_C2R))
    call need_equal(call, 'the size of y', ay%n, 'what it must be for x', &
      batch * merge(n / 2 + 1, n, kind == WEFT_R2C))
    if (call%status == WEFT_OK) call%status = c_weft_fft(ctx, kind, ax%dtype, batch, n, ax%p, ay%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_fft

  ! Requires that x, h and y have one type and that y has the size that the mode determines.
  subroutine need_convolution(call, mode, x, h, y)
    type(weft_request), intent(inout) :: call
    integer, intent(in) :: mode
    type(weft_array), intent(in) :: x, h, y
    integer(c_int64_t) :: wanted
    call need_same_type(call, 'x', x, 'h', h)
    call need_same_type(call, 'x', x, 'y', y)
    wanted = max(x%n, h%n)
    if (mode == WEFT_FULL) wanted = x%n + h%n - 1
    if (mode == WEFT_VALID) wanted = wanted - min(x%n, h%n) + 1
    call need_equal(call, 'the size of y', y%n, 'what the mode gives', wanted)
  end subroutine need_convolution

  ! Computes the convolution of x with h. mode: WEFT_FULL, WEFT_SAME or WEFT_VALID.
  subroutine weft_convolve(ctx, mode, x, h, y, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: mode
    type(*), intent(in), target :: x(..), h(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ah, ay
    ax = whole(call, 'x', x)
    ah = whole(call, 'h', h)
    ay = whole(call, 'y', y)
    call need_convolution(call, mode, ax, ah, ay)
    if (call%status == WEFT_OK) &
      call%status = c_weft_convolve(ctx, mode, ax%dtype, ax%field, ax%n, ax%p, ah%n, ah%p, ay%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_convolve

  ! Computes the correlation of x with h. mode: WEFT_FULL, WEFT_SAME or WEFT_VALID.
  subroutine weft_correlate(ctx, mode, x, h, y, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: mode
    type(*), intent(in), target :: x(..), h(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ah, ay
    ax = whole(call, 'x', x)
    ah = whole(call, 'h', h)
    ay = whole(call, 'y', y)
    call need_convolution(call, mode, ax, ah, ay)
    if (call%status == WEFT_OK) &
      call%status = c_weft_correlate(ctx, mode, ax%dtype, ax%field, ax%n, ax%p, ah%n, ah%p, ay%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_correlate

end module weft_transforms
