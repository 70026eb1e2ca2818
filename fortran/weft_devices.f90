! Contexts: opening, closing, settings and queries.
module weft_devices
  use weft_arrays
  implicit none
  private
  public :: weft_open, weft_close, weft_device, weft_version, weft_last_error
  public :: weft_set_threads, weft_set_stream, weft_synchronize

contains

  ! Opens a context on a device: 'auto', 'cpu', 'cuda:1', ...; see weft_open in weft.h.
  subroutine weft_open(ctx, device, stat, message)
    type(weft_context), intent(out) :: ctx
    character(*), intent(in) :: device
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    call%status = c_weft_open(ctx, trim(device) // c_null_char)
    call finish(call, weft_context(), stat, message)
  end subroutine weft_open

  ! Closes a context. A context that is not open is allowed.
  subroutine weft_close(ctx)
    type(weft_context), intent(inout) :: ctx
    call c_weft_close(ctx)
    ctx = weft_context()
  end subroutine weft_close

  ! Returns the id of the context's device.
  function weft_device(ctx) result(id)
    type(weft_context), intent(in) :: ctx
    character(:), allocatable :: id
    id = weft_string(c_weft_device(ctx))
  end function weft_device

  ! Returns the version of the library.
  function weft_version() result(version)
    character(:), allocatable :: version
    version = weft_string(c_weft_version())
  end function weft_version

  ! Returns the error message of the last failed call on ctx, or an empty string.
  function weft_last_error(ctx) result(sentence)
    type(weft_context), intent(in) :: ctx
    character(:), allocatable :: sentence
    sentence = weft_string(c_weft_last_error(ctx))
  end function weft_last_error

  ! Sets the number of CPU threads; 0 selects the default.
  subroutine weft_set_threads(ctx, threads, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: threads
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    call%status = c_weft_set_threads(ctx, threads)
    call finish(call, ctx, stat, message)
  end subroutine weft_set_threads

  ! Makes a CUDA context use `stream`, a cudaStream_t. c_null_ptr restores the context's own stream.
  subroutine weft_set_stream(ctx, stream, stat, message)
    type(weft_context), intent(in) :: ctx
    type(c_ptr), intent(in) :: stream
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    call%status = c_weft_set_stream(ctx, stream)
    call finish(call, ctx, stat, message)
  end subroutine weft_set_stream

  ! Waits until all work submitted to the context is complete.
  subroutine weft_synchronize(ctx, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    call%status = c_weft_synchronize(ctx)
    call finish(call, ctx, stat, message)
  end subroutine weft_synchronize

end module weft_devices
