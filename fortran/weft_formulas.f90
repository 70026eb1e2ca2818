! Formulas over arrays and numbers.
module weft_formulas
  use weft_arrays
  implicit none
  private
  public :: weft_expr_compile, weft_variable, weft_bind, weft_map, weft_map_reduce, weft_map_views, &
    weft_map_reduce_axes

  integer, parameter :: name_bytes = 64

  ! Binds a name of a formula to a number, which is copied, or to an array, which is not.
  type :: weft_variable
    private
    character(kind=c_char) :: name(name_bytes) = c_null_char
    type(weft_array) :: array
    integer(c_int8_t) :: number(16) = 0
    type(weft_request) :: call
  end type weft_variable

contains

  ! Compiles a formula; weft_expr_compile in weft.h describes its grammar. complex_names are the names of complex
  ! variables (weft_expr_compile_complex).
  subroutine weft_expr_compile(ctx, formula, expr, stat, message, complex_names)
    type(weft_context), intent(in) :: ctx
    character(*), intent(in) :: formula
    type(weft_expr), intent(out) :: expr
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    character(*), intent(in), optional :: complex_names(:)
    type(weft_request) :: call
    character(kind=c_char), allocatable, target :: texts(:, :)
    type(c_ptr), allocatable, target :: names(:)
    integer :: count, i, k
    count = 0
    if (present(complex_names)) count = size(complex_names)
    allocate (texts(name_bytes + 1, count), names(count))
    texts = c_null_char
    do k = 1, count
      do i = 1, min(len_trim(complex_names(k)), name_bytes)
        texts(i, k) = complex_names(k)(i:i)
      end do
      names(k) = c_loc(texts(1, k))
    end do
    call%status = weft_expr_compile_complex(ctx, trim(formula) // c_null_char, c_loc(names), int(count, c_size_t), expr)
    call finish(call, ctx, stat, message)
  end subroutine weft_expr_compile

  ! Binds a name to x: a number, or an array variable that must keep its address until the formula has been evaluated.
  ! For weft_map_views and weft_map_reduce_axes it may be a section, and complex if the formula is compiled so.
  function weft_bind(name, x) result(variable)
    character(*), intent(in) :: name
    type(*), intent(in), target :: x(..)
    type(weft_variable) :: variable
    integer(c_int8_t), pointer :: bytes(:)
    integer :: i
    variable%array = strided(variable%call, name, x)
    if (len_trim(name) >= name_bytes) call refuse(variable%call, 'the name ' // trim(name) // ' is too long')
    do i = 1, min(len_trim(name), name_bytes - 1)
      variable%name(i) = name(i:i)
    end do
    if (variable%call%status /= WEFT_OK .or. variable%array%rank > 0) return
    call c_f_pointer(variable%array%p, bytes, [variable%array%element_bytes])
    variable%number(:size(bytes)) = bytes
  end function weft_bind

  ! Returns the bindings of the C interface. Arrays must have n elements.
  function bindings_of(call, variables, n) result(bindings)
    type(weft_request), intent(inout) :: call
    type(weft_variable), intent(in), target :: variables(:)
    integer(c_int64_t), intent(in) :: n
    type(weft_binding) :: bindings(size(variables))
    integer :: i
    do i = 1, size(variables)
      if (call%status == WEFT_OK) call = variables(i)%call
      bindings(i)%name = c_loc(variables(i)%name)
      bindings(i)%dtype = variables(i)%array%dtype
      bindings(i)%array = c_null_ptr
      bindings(i)%scalar = c_null_ptr
      if (variables(i)%array%rank == 0) then
        bindings(i)%scalar = c_loc(variables(i)%number)
      else
        bindings(i)%array = variables(i)%array%p
        call need_real(call, weft_string(bindings(i)%name), variables(i)%array)
        call need_contiguous(call, weft_string(bindings(i)%name), variables(i)%array)
        call need_equal(call, 'the size of ' // weft_string(bindings(i)%name), variables(i)%array%n, &
          'the number of elements', n)
      end if
    end do
  end function bindings_of

  ! Evaluates a formula in the type of out: out(i) is its value at element i - 1.
  subroutine weft_map(ctx, expr, variables, out, stat, message)
    type(weft_context), intent(in) :: ctx
    type(weft_expr), intent(in) :: expr
    type(weft_variable), intent(in), target :: variables(:)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: to
    type(weft_binding), target :: bindings(size(variables))
    to = whole(call, 'out', out)
    call need_real(call, 'out', to)
    bindings = bindings_of(call, variables, to%n)
    if (call%status == WEFT_OK) call%status = c_weft_map(ctx, expr, to%dtype, to%n, c_loc(bindings), &
      int(size(bindings), c_size_t), to%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_map

  ! Evaluates a formula in the type of out, from the elements of arrays and sections with the same indices. The
  ! shapes are broadcast to that of out, from the last dimension to the first. In the formula, i is the number of the
  ! element, from 0, where the last dimension varies fastest. out may be one of the arrays.
  subroutine weft_map_views(ctx, expr, variables, out, stat, message)
    type(weft_context), intent(in) :: ctx
    type(weft_expr), intent(in) :: expr
    type(weft_variable), intent(in), target :: variables(:)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ao
    type(weft_view), target :: views(size(variables)), to
    type(weft_view_binding), target :: bindings(size(variables))
    ao = strided(call, 'out', out)
    call need_field_of(call, 'out', ao, expr)
    to = view_with_parts(ao)
    call bind_views(call, variables, views, bindings)
    if (call%status == WEFT_OK) call%status = c_weft_map_views(ctx, expr, ao%dtype, c_loc(bindings), &
      int(size(bindings), c_size_t), c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_map_views

  ! Requires that the array is complex if the values of the formula are, and real if they are.
  subroutine need_field_of(call, name, a, expr)
    type(weft_request), intent(inout) :: call
    character(*), intent(in) :: name
    type(weft_array), intent(in) :: a
    type(weft_expr), intent(in) :: expr
    if (call%status /= WEFT_OK) return
    if ((weft_expr_is_complex(expr) /= 0) .eqv. (a%field == WEFT_COMPLEX)) return
    if (a%field == WEFT_COMPLEX) then
      call refuse(call, name // ' is complex, but the values of the formula are real')
    else
      call refuse(call, name // ' is real, but the values of the formula are complex')
    end if
  end subroutine need_field_of

  ! Fills the bindings of variables, and the views to which they point.
  subroutine bind_views(call, variables, views, bindings)
    type(weft_request), intent(inout) :: call
    type(weft_variable), intent(in), target :: variables(:)
    type(weft_view), intent(out), target :: views(:)
    type(weft_view_binding), intent(out) :: bindings(:)
    integer :: k
    do k = 1, size(variables)
      if (call%status == WEFT_OK) call = variables(k)%call
      bindings(k)%name = c_loc(variables(k)%name)
      bindings(k)%view = c_null_ptr
      bindings(k)%dtype = variables(k)%array%dtype
      bindings(k)%scalar = c_null_ptr
      if (variables(k)%array%rank == 0) then
        bindings(k)%scalar = c_loc(variables(k)%number)
      else
        views(k) = view_with_parts(variables(k)%array)
        bindings(k)%view = c_loc(views(k))
      end if
    end do
  end subroutine bind_views

  ! Reduces the values of a formula along dimensions with op, without storing them. It is evaluated in dtype: WEFT_F64,
  ! ... The shapes of the variables are broadcast to that of the values, `extents`. The shape of result is that of the
  ! values without the dimensions, or with extent 1 for each of them. accumulate: WEFT_EXACT_SUM for exact sums.
  subroutine weft_map_reduce_axes(ctx, op, expr, dtype, extents, variables, dims, result, stat, message, accumulate)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op, dtype, extents(:), dims(:)
    type(weft_expr), intent(in) :: expr
    type(weft_variable), intent(in), target :: variables(:)
    type(*), intent(inout), target :: result(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    integer, intent(in), optional :: accumulate
    type(weft_request) :: call
    type(weft_array) :: values, ar, parts
    type(weft_view), target :: views(size(variables)), to
    type(weft_view_binding), target :: bindings(size(variables))
    integer(c_size_t), target :: shape(size(extents))
    integer(c_int), target :: axes(size(dims))
    integer(c_int) :: sums, natural
    integer :: k
    values%dtype = dtype
    values%field = WEFT_REAL
    ar = strided(call, 'result', result)
    call need_field_of(call, 'result', ar, expr)
    parts = ar
    parts%field = WEFT_REAL
    sums = accumulate_for(call, op, values, parts)
    if (present(accumulate)) sums = accumulate
    natural = ar%dtype
    ! Counts and truth values have types that Fortran does not have.
    if (weft_reduce_result(op, int(dtype, c_int), sums, natural) == WEFT_OK) then
      if (.not. stands_for(ar%dtype, natural)) natural = ar%dtype
    end if
    to = view_of(ar, natural)
    if (ar%field == WEFT_COMPLEX) to = view_with_parts(ar)
    call bind_views(call, variables, views, bindings)
    call need_dimensions(call, 'the array of the values', dims, int(size(extents), c_int32_t))
    shape = int(extents, c_size_t)
    axes = int(dims - 1, c_int)
    do k = 1, size(extents)
      if (extents(k) < 0) call refuse(call, 'extents(' // decimal(int(k, c_int64_t)) // ') is ' // &
        decimal(int(extents(k), c_int64_t)) // ', which is negative')
    end do
    if (call%status == WEFT_OK) call%status = c_weft_map_reduce_axes(ctx, op, expr, dtype, sums, &
      int(size(extents), c_size_t), c_loc(shape), c_loc(bindings), int(size(bindings), c_size_t), &
      int(size(dims), c_size_t), c_loc(axes), c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_map_reduce_axes

  ! Reduces the values of a formula at n elements with op. It is evaluated in dtype: WEFT_F64, ... accumulate:
  ! WEFT_EXACT_SUM for exact sums.
  subroutine weft_map_reduce(ctx, op, expr, dtype, n, variables, result, stat, message, accumulate)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op, dtype
    type(weft_expr), intent(in) :: expr
    integer(c_int64_t), intent(in) :: n
    type(weft_variable), intent(in), target :: variables(:)
    type(*), intent(inout), target :: result(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    integer, intent(in), optional :: accumulate
    type(weft_request) :: call
    type(weft_array) :: values, ar
    type(weft_binding), target :: bindings(size(variables))
    integer(c_int) :: sums
    values%dtype = dtype
    values%field = WEFT_REAL
    ar = whole(call, 'result', result)
    call need_capacity(call, 'result', ar, 1_c_int64_t)
    bindings = bindings_of(call, variables, n)
    sums = accumulate_for(call, op, values, ar)
    if (present(accumulate)) sums = accumulate
    if (call%status == WEFT_OK) call%status = c_weft_map_reduce(ctx, op, expr, dtype, sums, n, &
      c_loc(bindings), int(size(bindings), c_size_t), ar%p)
    call finish(call, ctx, stat, message)
  end subroutine weft_map_reduce

end module weft_formulas
