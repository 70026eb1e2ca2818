! Descriptions and checks of arrays, and errors, for the modules that wrap the operations.
module weft_arrays
  use weft_c
  implicit none
  public

  integer, parameter :: max_rank = 15

  ! Description of an array: struct weft_array of look.c, member by member.
  type, bind(c) :: weft_array
    type(c_ptr) :: p = c_null_ptr
    integer(c_int64_t) :: n = 0, extent(max_rank) = 1, step(max_rank) = 0
    integer(c_int32_t) :: dtype = 0, field = 0, rank = 0, contiguous = 1
    integer(c_int64_t) :: element_bytes = 0
  end type weft_array

  ! Status of a call that is being prepared: WEFT_OK, or the first error in its arguments with a message.
  type :: weft_request
    integer(c_int) :: status = WEFT_OK
    character(200) :: sentence = ''
  end type weft_request

  interface
    subroutine weft_fortran_look(x, a) bind(c)
      import
      type(*), intent(in) :: x(..)
      type(weft_array), intent(out) :: a
    end subroutine weft_fortran_look
  end interface

contains

  ! Returns a C string as a Fortran string; an empty one for a null pointer.
  function weft_string(p) result(text)
    type(c_ptr), intent(in) :: p
    character(:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    integer :: i
    interface
      function c_strlen(s) bind(c, name='strlen') result(length)
        import
        type(c_ptr), value :: s
        integer(c_size_t) :: length
      end function c_strlen
    end interface
    text = ''
    if (.not. c_associated(p)) return
    call c_f_pointer(p, bytes, [c_strlen(p)])
    do i = 1, size(bytes)
      text = text // bytes(i)
    end do
  end function weft_string

  ! Returns n as decimal digits.
  function decimal(n) result(text)
    integer(c_int64_t), intent(in) :: n
    character(:), allocatable :: text
    character(24) :: digits
    write (digits, '(i0)') n
    text = trim(digits)
  end function decimal

  ! Marks the call as failed with the message `sentence`, unless it has already failed.
  subroutine refuse(call, sentence)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: sentence
    if (call%status /= WEFT_OK) return
    call%status = WEFT_INVALID
    call%sentence = sentence
  end subroutine refuse

  ! Passes status and message to the caller, as Fortran's own statements do. A failure without stat ends the program.
  subroutine finish(call, ctx, stat, message)
    type(weft_request), intent(inout) :: call
    type(weft_context), intent(in) :: ctx
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    if (call%status /= WEFT_OK .and. call%sentence == '') call%sentence = weft_string(c_weft_last_error(ctx))
    if (present(stat)) stat = call%status
    if (present(message)) message = call%sentence
    if (call%status /= WEFT_OK .and. .not. present(stat)) error stop 'weft: ' // trim(call%sentence)
  end subroutine finish

  ! Describes an array, which may have gaps between its elements.
  function strided(call, name, x) result(a)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(*), intent(in) :: x(..)
    type(weft_array) :: a
    call weft_fortran_look(x, a)
    if (a%dtype == WEFT_DEFAULT) call refuse(call, name // ' is of a type that weft does not take')
    if (a%n < 0) call refuse(call, name // ' is an array of assumed size, whose extent is not known')
  end function strided

  ! Describes an array whose elements must be contiguous.
  function whole(call, name, x) result(a)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(*), intent(in) :: x(..)
    type(weft_array) :: a
    a = strided(call, name, x)
    call need_contiguous(call, name, a)
  end function whole

  ! Returns the view of an array that strided() described, with elements of type dtype.
  function view_of(a, dtype) result(view)
    type(weft_array), intent(in) :: a
    integer(c_int), intent(in) :: dtype
    type(weft_view) :: view
    view%size = c_sizeof(view)
    view%dtype = dtype
    view%dimensions = a%rank
    view%shape = 0
    view%stride = 0
    view%shape(:max_rank) = a%extent
    view%stride(:max_rank) = a%step * a%element_bytes
    view%data = a%p
    view%buffer = c_null_ptr
    view%buffer_bytes = 0
  end function view_of

  ! Returns the view of an array in which the two parts of a complex number are one more dimension.
  function view_with_parts(a) result(view)
    type(weft_array), intent(in) :: a
    type(weft_view) :: view
    view = view_of(a, a%dtype)
    if (a%field == WEFT_REAL) return
    view%dimensions = a%rank + 1
    view%shape(a%rank + 1) = 2
    view%stride(a%rank + 1) = a%element_bytes / 2
  end function view_with_parts

  ! Returns true if an array of type dtype can be passed where `wanted` is required. Fortran has no unsigned types:
  ! integer(8) is used for u64, integer(4) for u32, integer(1) and logical(c_bool) for u8.
  function stands_for(dtype, wanted) result(does)
    integer(c_int), intent(in) :: dtype, wanted
    logical :: does
    does = dtype == wanted
    if (wanted == WEFT_U64) does = dtype == WEFT_I64
    if (wanted == WEFT_U32) does = dtype == WEFT_I32
    if (wanted == WEFT_U8) does = dtype == WEFT_I8 .or. dtype == WEFT_U8
  end function stands_for

  ! Returns the given order, or WEFT_ASCENDING.
  function direction(order) result(given)
    integer, intent(in), optional :: order
    integer(c_int) :: given
    given = WEFT_ASCENDING
    if (present(order)) given = order
  end function direction

  ! Returns the name of a type, for messages.
  function type_name(dtype, field) result(name)
    integer(c_int), intent(in) :: dtype, field
    character(:), allocatable :: name
    name = weft_string(weft_dtype_name(dtype))
    if (field == WEFT_COMPLEX) name = 'complex ' // name
  end function type_name

  ! Requires that the array has the type `wanted`, or the type that is used for it, and is not complex.
  subroutine need_type(call, name, a, wanted)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(weft_array), intent(in) :: a
    integer(c_int), intent(in) :: wanted
    if (a%field == WEFT_REAL .and. stands_for(a%dtype, wanted)) return
    call refuse(call, name // ' is ' // type_name(a%dtype, a%field) // ' and must be ' // type_name(wanted, WEFT_REAL))
  end subroutine need_type

  ! Requires that the elements of the array are contiguous.
  subroutine need_contiguous(call, name, a)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(weft_array), intent(in) :: a
    if (a%contiguous == 0) call refuse(call, name // ' is an array section with gaps between its elements')
  end subroutine need_contiguous

  ! Requires that the array is not complex.
  subroutine need_real(call, name, a)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(weft_array), intent(in) :: a
    if (a%field == WEFT_COMPLEX) call refuse(call, name // ' is complex and must not be')
  end subroutine need_real

  ! Requires that the array is real or complex, as `field` states.
  subroutine need_field(call, name, a, field)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(weft_array), intent(in) :: a
    integer(c_int), intent(in) :: field
    if (a%field == field) return
    if (field == WEFT_REAL) call refuse(call, name // ' is complex and must be real for this transform')
    call refuse(call, name // ' is real and must be complex for this transform')
  end subroutine need_field

  ! Requires that x and y have one type, and that both or none are complex.
  subroutine need_same_type(call, name_x, x, name_y, y)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name_x, name_y
    type(weft_array), intent(in) :: x, y
    if (x%dtype == y%dtype .and. x%field == y%field) return
    call refuse(call, name_x // ' is ' // type_name(x%dtype, x%field) // ' and ' // name_y // ' is ' // &
      type_name(y%dtype, y%field) // '; both must be of one type')
  end subroutine need_same_type

  ! Requires that the value `number` of `what` equals `value`, that of `must`.
  subroutine need_equal(call, what, number, must, value)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: what, must
    integer(c_int64_t), intent(in) :: number, value
    if (number == value) return
    call refuse(call, what // ' is ' // decimal(number) // ' and ' // must // ' is ' // decimal(value) // &
      '; the two must be equal')
  end subroutine need_equal

  ! Requires that `what` has at least `needed` elements.
  subroutine need_capacity(call, what, a, needed)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: what
    type(weft_array), intent(in) :: a
    integer(c_int64_t), intent(in) :: needed
    if (a%n >= needed) return
    call refuse(call, what // ' has ' // decimal(a%n) // ' elements; expected at least ' // decimal(needed))
  end subroutine need_capacity

  ! Describes one element of the type of `like`, in host memory: an initial value, a factor or a bound.
  function one_value(call, name, x, like) result(a)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(*), intent(in) :: x(..)
    type(weft_array), intent(in) :: like
    type(weft_array) :: a
    a = whole(call, name, x)
    call need_equal(call, 'the size of ' // name, a%n, 'one value', 1_c_int64_t)
    call need_same_type(call, 'the array', like, name, a)
  end function one_value

  ! Returns the parameter `accumulate` of C for a reduction. In Fortran the type of the result selects it: an f64
  ! result of f32 elements accumulates in f64.
  function accumulate_for(call, op, x, result) result(accumulate)
    type(weft_request), intent(inout) :: call
    integer, intent(in) :: op
    type(weft_array), intent(in) :: x, result
    integer(c_int) :: accumulate, natural
    accumulate = WEFT_DEFAULT
    call need_real(call, 'x', x)
    if (call%status /= WEFT_OK) return
    if (weft_reduce_result(op, x%dtype, WEFT_DEFAULT, natural) /= WEFT_OK) return ! the call itself reports the error
    if (natural == WEFT_F32 .and. result%dtype == WEFT_F64) accumulate = WEFT_F64
    if (accumulate == WEFT_DEFAULT) call need_type(call, 'the result', result, natural)
  end function accumulate_for

  ! Requires that the dimensions are those of an array of rank `rank`, whose name is `name`.
  subroutine need_dimensions(call, name, dims, rank)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    integer, intent(in) :: dims(:)
    integer(c_int32_t), intent(in) :: rank
    integer :: i, j
    do i = 1, size(dims)
      if (dims(i) < 1 .or. dims(i) > rank) call refuse(call, 'dimension ' // decimal(int(dims(i), c_int64_t)) // &
        ' is out of range: ' // name // ' has rank ' // decimal(int(rank, c_int64_t)))
      do j = 1, i - 1
        if (dims(i) == dims(j)) call refuse(call, 'dimension ' // decimal(int(dims(i), c_int64_t)) // &
          ' is named twice')
      end do
    end do
  end subroutine need_dimensions

end module weft_arrays
