! Contexts: opening, closing, and what is known of them.
module weft_devices
  use weft_arrays
  implicit none
  private
  public :: weft_open, weft_close, weft_device, weft_version, weft_last_error
  public :: weft_set_threads, weft_set_stream, weft_synchronize

contains

  subroutine weft_open(ctx, device, stat, message)
    type(weft_context), intent(out) :: ctx
    character(*), intent(in) :: device
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    call%status = c_weft_open(ctx, trim(device) // c_null_char)
    call finish(call, weft_context(), stat, message)
  end subroutine weft_open

  subroutine weft_close(ctx)
    type(weft_context), intent(inout) :: ctx
    call c_weft_close(ctx)
    ctx = weft_context()
  end subroutine weft_close

  function weft_device(ctx) result(id)
    type(weft_context), intent(in) :: ctx
    character(:), allocatable :: id
    id = weft_string(c_weft_device(ctx))
  end function weft_device

  function weft_version() result(version)
    character(:), allocatable :: version
    version = weft_string(c_weft_version())
  end function weft_version

  function weft_last_error(ctx) result(sentence)
    type(weft_context), intent(in) :: ctx
    character(:), allocatable :: sentence
    sentence = weft_string(c_weft_last_error(ctx))
  end function weft_last_error

  subroutine weft_set_threads(ctx, threads, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: threads
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    call%status = c_weft_set_threads(ctx, threads)
    call finish(call, ctx, stat, message)
  end subroutine weft_set_threads

  ! stream: a cudaStream_t, or c_null_ptr for the context's own.
  subroutine weft_set_stream(ctx, stream, stat, message)
    type(weft_context), intent(in) :: ctx
    type(c_ptr), intent(in) :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    call%status = c_weft_set_stream(ctx, stream)
    call finish(call, ctx, stat, message)
  end subroutine weft_set_stream

  subroutine weft_synchronize(ctx, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    call%status = c_weft_synchronize(ctx)
    call finish(call, ctx, stat, message)
  end subroutine weft_synchronize

end module weft_devices
