! Operations on views: copies, reductions and scans along dimensions. Arrays may be sections with gaps between their
! elements. Dimensions are numbered from 1, as in Fortran's sum(x, dim).
module weft_views
  use weft_arrays
  implicit none
  private
  public :: weft_view_of, weft_copy_view, weft_reduce_axes, weft_variance_axes, weft_dot_axes, weft_scan_axis, &
    weft_sort_axis, weft_argsort_axis, weft_top_k_axis, weft_quantile_axis, weft_take_axis, weft_put_axis, &
    weft_recurrence_axis, weft_fft_axes, weft_convolve_axis, weft_correlate_axis, weft_convolve2d, &
    weft_correlate2d, weft_histogram_axis, weft_histogram_even_axis

contains

  ! Sets view to an array or a section, for functions of C. It is valid while the array is a target that exists.
  subroutine weft_view_of(x, view, stat, message)
    type(*), intent(in), target :: x(..)
    type(weft_view), intent(out) :: view
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: a
    a = strided(call, 'x', x)
    call need_real(call, 'x', a)
    view = view_of(a, a%dtype)
    call finish(call, weft_context(), stat, message)
  end subroutine weft_view_of

  ! Copies the elements of x to y. The shape of x is broadcast to that of y, from the last dimension to the first.
  subroutine weft_copy_view(ctx, x, y, stat, message)
    type(weft_context), intent(in) :: ctx
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ay
    type(weft_view), target :: from, to
    ax = strided(call, 'x', x)
    ay = strided(call, 'y', y)
    call need_same_type(call, 'x', ax, 'y', ay)
    from = view_with_parts(ax)
    to = view_with_parts(ay)
    if (call%status == WEFT_OK) call%status = c_weft_copy_view(ctx, c_loc(from), c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_copy_view

  ! Copies elements of x to y in the order of the indices along a dimension, which start at 0. The shape of index is
  ! broadcast to that of y, from the last dimension to the first.
  subroutine weft_take_axis(ctx, range, x, dim, index, y, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: range, dim
    type(*), intent(in), target :: x(..), index(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    call copy_at(c_weft_take_axis, 'x', rank(x), ctx, range, x, dim, index, y, stat, message)
  end subroutine weft_take_axis

  ! Copies elements of x to the positions in y that the indices state along a dimension, which start at 0. The shapes
  ! of x and of index are broadcast to that of y, with the extent of index along the dimension, from the last
  ! dimension to the first.
  subroutine weft_put_axis(ctx, range, x, dim, index, y, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: range, dim
    type(*), intent(in), target :: x(..), index(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    call copy_at(c_weft_put_axis, 'y', rank(y), ctx, range, x, dim, index, y, stat, message)
  end subroutine weft_put_axis

  ! Calls a function that copies elements of x to y with indices along a dimension of the array `name`, which has the
  ! rank `dimensions`.
  subroutine copy_at(copy, name, dimensions, ctx, range, x, dim, index, y, stat, message)
    procedure(c_weft_take_axis) :: copy
    character(*), intent(in) :: name
    integer, intent(in) :: dimensions
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: range, dim
    type(*), intent(in), target :: x(..), index(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ai, ay
    type(weft_view), target :: from, by, to
    ax = strided(call, 'x', x)
    ai = strided(call, 'index', index)
    ay = strided(call, 'y', y)
    call need_real(call, 'x', ax)
    call need_real(call, 'y', ay)
    call need_dimensions(call, name, [dim], dimensions)
    from = view_of(ax, ax%dtype)
    by = view_of(ai, ai%dtype)
    to = view_of(ay, ay%dtype)
    if (call%status == WEFT_OK) call%status = copy(ctx, range, c_loc(from), dim - 1, c_loc(by), c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine copy_at

  ! Reduces x along dimensions with op. The last of dims varies fastest. The shape of result is that of x without these
  ! dimensions, or with extent 1 for each of them. accumulate: WEFT_EXACT_SUM for exact sums.
  subroutine weft_reduce_axes(ctx, op, x, dims, result, stat, message, accumulate)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op, dims(:)
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: result(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    integer, intent(in), optional :: accumulate
    type(weft_request) :: call
    type(weft_view), target :: from, to
    integer(c_int), target :: axes(max_rank)
    integer(c_int) :: sums
    call prepare(call, op, x, dims, result, accumulate, from, to, axes, sums)
    if (call%status == WEFT_OK) call%status = c_weft_reduce_axes(ctx, op, sums, c_loc(from), &
      int(size(dims), c_size_t), c_loc(axes), c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_reduce_axes

  ! Computes the variance of x along dimensions. Arguments as for weft_variance and weft_reduce_axes.
  subroutine weft_variance_axes(ctx, x, dims, result, ddof, stat, message, accumulate)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: dims(:)
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: result(..)
    integer, intent(in), optional :: ddof
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    integer, intent(in), optional :: accumulate
    type(weft_request) :: call
    type(weft_view), target :: from, to
    integer(c_int), target :: axes(max_rank)
    integer(c_int) :: sums
    integer(c_size_t) :: less
    less = 0
    if (present(ddof)) less = int(ddof, c_size_t)
    call prepare(call, WEFT_MEAN, x, dims, result, accumulate, from, to, axes, sums)
    if (call%status == WEFT_OK) call%status = c_weft_variance_axes(ctx, sums, less, c_loc(from), &
      int(size(dims), c_size_t), c_loc(axes), c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_variance_axes

  ! Computes dot products of x and y along dimensions of x. y is broadcast to the shape of x, from the last dimension to
  ! the first. Arguments as for weft_dot and weft_reduce_axes.
  subroutine weft_dot_axes(ctx, x, y, dims, result, stat, message, accumulate)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: dims(:)
    type(*), intent(in), target :: x(..), y(..)
    type(*), intent(inout), target :: result(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    integer, intent(in), optional :: accumulate
    type(weft_request) :: call
    type(weft_array) :: ax, ay
    type(weft_view), target :: from, by, to
    integer(c_int), target :: axes(max_rank)
    integer(c_int) :: sums
    ax = strided(call, 'x', x)
    ay = strided(call, 'y', y)
    call need_same_type(call, 'x', ax, 'y', ay)
    if (ay%rank > ax%rank) call refuse(call, 'y has more dimensions than x')
    by = view_of(ay, ay%dtype)
    call prepare(call, WEFT_SUM, x, dims, result, accumulate, from, to, axes, sums)
    if (call%status == WEFT_OK) call%status = c_weft_dot_axes(ctx, sums, c_loc(from), c_loc(by), &
      int(size(dims), c_size_t), c_loc(axes), c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_dot_axes

  ! Fills the arguments of a reduction along dimensions.
  subroutine prepare(call, op, x, dims, result, accumulate, from, to, axes, sums)
    type(weft_request), intent(inout) :: call
    integer, intent(in) :: op, dims(:)
    type(*), intent(in), target :: x(..), result(..)
    integer, intent(in), optional :: accumulate
    type(weft_view), intent(out) :: from, to
    integer(c_int), intent(out) :: axes(max_rank), sums
    type(weft_array) :: ax, ar
    integer(c_int) :: dtype
    ax = strided(call, 'x', x)
    ar = strided(call, 'result', result)
    sums = accumulate_for(call, op, ax, ar)
    if (present(accumulate)) sums = accumulate
    dtype = ar%dtype
    ! Counts and truth values have types that Fortran does not have.
    if (weft_reduce_result(op, ax%dtype, sums, dtype) == WEFT_OK) then
      if (.not. stands_for(ar%dtype, dtype)) dtype = ar%dtype
    end if
    from = view_of(ax, ax%dtype)
    to = view_of(ar, dtype)
    axes = 0
    call need_dimensions(call, 'x', dims, ax%rank)
    if (call%status == WEFT_OK) axes(:size(dims)) = int(dims - 1, c_int)
  end subroutine prepare

  ! Computes the prefix scans of x along a dimension. y has the shape of x and may be x. Other arguments as for
  ! weft_scan.
  subroutine weft_scan_axis(ctx, op, kind, x, dim, y, init, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: op, kind, dim
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: y(..)
    type(*), intent(in), target, optional :: init(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ay, first
    type(weft_view), target :: from, to
    ax = strided(call, 'x', x)
    ay = strided(call, 'y', y)
    call need_real(call, 'x', ax)
    call need_real(call, 'y', ay)
    call need_dimensions(call, 'x', [dim], ax%rank)
    if (present(init)) first = one_value(call, 'init', init, ay)
    from = view_of(ax, ax%dtype)
    to = view_of(ay, ay%dtype)
    if (call%status == WEFT_OK) call%status = c_weft_scan_axis(ctx, op, kind, &
      merge(WEFT_DEFAULT, ay%dtype, ax%dtype == ay%dtype), c_loc(from), dim - 1, first%p, c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_scan_axis

  ! Computes the recurrence v(i) = s(i) v(i - 1) + u(i), for WEFT_REVERSE s(i) v(i + 1) + u(i), along a dimension. s and u
  ! are broadcast to the shape of v, init to that of v with extent 1 along the dimension. v may be s or u.
  subroutine weft_recurrence_axis(ctx, direction, s, u, dim, v, init, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: direction, dim
    type(*), intent(in), target :: s(..), u(..)
    type(*), intent(inout), target :: v(..)
    type(*), intent(in), target, optional :: init(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: as, au, av, ai
    type(weft_view), target :: factors, terms, first, to
    type(c_ptr) :: start
    as = strided(call, 's', s)
    au = strided(call, 'u', u)
    av = strided(call, 'v', v)
    call need_real(call, 's', as)
    call need_same_type(call, 's', as, 'u', au)
    call need_same_type(call, 's', as, 'v', av)
    call need_dimensions(call, 'v', [dim], av%rank)
    factors = view_of(as, as%dtype)
    terms = view_of(au, au%dtype)
    to = view_of(av, av%dtype)
    start = c_null_ptr
    if (present(init)) then
      ai = strided(call, 'init', init)
      call need_same_type(call, 's', as, 'init', ai)
      first = view_of(ai, ai%dtype)
      start = c_loc(first)
    end if
    if (call%status == WEFT_OK) call%status = c_weft_recurrence_axis(ctx, direction, c_loc(factors), c_loc(terms), &
      dim - 1, start, c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_recurrence_axis

  ! Computes the Fourier transforms along the dimensions dims, forward from the last one of the list and inverse from the
  ! first one. For WEFT_R2C y has n / 2 + 1 values for n of x along the last one of the list, for WEFT_C2R x has. y may
  ! be x for the complex kinds. The arrays may be sections.
  subroutine weft_fft_axes(ctx, kind, x, dims, y, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: kind, dims(:)
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ay
    type(weft_view), target :: from, to
    integer(c_int), target :: axes(max_rank)
    ax = strided(call, 'x', x)
    ay = strided(call, 'y', y)
    if (ax%dtype /= ay%dtype) call need_same_type(call, 'x', ax, 'y', ay)
    call need_field(call, 'x', ax, merge(WEFT_REAL, WEFT_COMPLEX, kind == WEFT_R2C))
    call need_field(call, 'y', ay, merge(WEFT_REAL, WEFT_COMPLEX, kind == WEFT_C2R))
    call need_dimensions(call, 'x', dims, ax%rank)
    from = view_with_parts(ax)
    to = view_with_parts(ay)
    if (call%status == WEFT_OK) then
      axes(:size(dims)) = int(dims - 1, c_int)
      call%status = c_weft_fft_axes(ctx, kind, c_loc(from), int(size(dims), c_size_t), c_loc(axes), c_loc(to))
    end if
    call finish(call, ctx, stat, message)
  end subroutine weft_fft_axes

  ! Fills the arguments of a convolution or correlation along a dimension.
  subroutine prepare_filters(call, x, dim, h, y, field, from, by, to)
    type(weft_request), intent(inout) :: call
    type(*), intent(in), target :: x(..), h(..), y(..)
    integer, intent(in) :: dim
    integer(c_int), intent(out) :: field
    type(weft_view), intent(out) :: from, by, to
    type(weft_array) :: ax, ah, ay
    ax = strided(call, 'x', x)
    ah = strided(call, 'h', h)
    ay = strided(call, 'y', y)
    call need_same_type(call, 'x', ax, 'h', ah)
    call need_same_type(call, 'x', ax, 'y', ay)
    call need_dimensions(call, 'x', [dim], ax%rank)
    field = ax%field
    from = view_with_parts(ax)
    by = view_with_parts(ah)
    to = view_with_parts(ay)
  end subroutine prepare_filters

  ! Computes the convolution of each vector of x along a dimension with h. h has one dimension, or as many as x: the
  ! others are broadcast to those of x. mode: WEFT_FULL, WEFT_SAME or WEFT_VALID, which determines the extent of y along
  ! the dimension. The arrays may be sections.
  subroutine weft_convolve_axis(ctx, mode, x, dim, h, y, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: mode, dim
    type(*), intent(in), target :: x(..), h(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_view), target :: from, by, to
    integer(c_int) :: field
    call prepare_filters(call, x, dim, h, y, field, from, by, to)
    if (call%status == WEFT_OK) &
      call%status = c_weft_convolve_axis(ctx, mode, field, c_loc(from), dim - 1, c_loc(by), c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_convolve_axis

  ! Computes the correlation of each vector of x along a dimension with h, as weft_convolve_axis the convolution.
  subroutine weft_correlate_axis(ctx, mode, x, dim, h, y, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: mode, dim
    type(*), intent(in), target :: x(..), h(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_view), target :: from, by, to
    integer(c_int) :: field
    call prepare_filters(call, x, dim, h, y, field, from, by, to)
    if (call%status == WEFT_OK) &
      call%status = c_weft_correlate_axis(ctx, mode, field, c_loc(from), dim - 1, c_loc(by), c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_correlate_axis

  ! Returns the view of an array in which the first dimension, whose elements are adjacent, is the last one of C. The
  ! two parts of a complex number are one more dimension.
  function rows_of(a) result(view)
    type(weft_array), intent(in) :: a
    type(weft_view) :: view
    view = view_with_parts(a)
    view%shape(:a%rank) = view%shape(a%rank:1:-1)
    view%stride(:a%rank) = view%stride(a%rank:1:-1)
  end function rows_of

  ! Fills the arguments of a two-dimensional convolution or correlation.
  subroutine prepare_images(call, x, h, y, border, fill, field, edge, outside, from, by, to)
    type(weft_request), intent(inout) :: call
    type(*), intent(in), target :: x(..), h(..), y(..)
    integer, intent(in), optional :: border
    type(*), intent(in), target, optional :: fill(..)
    integer(c_int), intent(out) :: field, edge
    type(weft_array), intent(out) :: outside
    type(weft_view), intent(out) :: from, by, to
    type(weft_array) :: ax, ah, ay
    ax = strided(call, 'x', x)
    ah = strided(call, 'h', h)
    ay = strided(call, 'y', y)
    call need_same_type(call, 'x', ax, 'h', ah)
    call need_same_type(call, 'x', ax, 'y', ay)
    field = ax%field
    edge = WEFT_BORDER_FILL
    if (present(border)) edge = border
    if (present(fill)) outside = one_value(call, 'fill', fill, ax)
    from = rows_of(ax)
    by = rows_of(ah)
    to = rows_of(ay)
  end subroutine prepare_images

  ! Computes the two-dimensional convolution of x(:, :, i, j, ...) with h, which has two dimensions. mode: WEFT_FULL,
  ! WEFT_SAME or WEFT_VALID, which determines the first two extents of y. border: the elements outside x,
  ! WEFT_BORDER_FILL (default), WEFT_BORDER_WRAP or WEFT_BORDER_SYMMETRIC. fill: one value of the type of x; default 0.
  ! The first dimension is that of the columns in C. The arrays may be sections.
  subroutine weft_convolve2d(ctx, mode, x, h, y, border, fill, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: mode
    type(*), intent(in), target :: x(..), h(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(in), optional :: border
    type(*), intent(in), target, optional :: fill(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: outside
    type(weft_view), target :: from, by, to
    integer(c_int) :: field, edge
    call prepare_images(call, x, h, y, border, fill, field, edge, outside, from, by, to)
    if (call%status == WEFT_OK) &
      call%status = c_weft_convolve2d(ctx, mode, edge, outside%p, field, c_loc(from), c_loc(by), c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_convolve2d

  ! Computes the two-dimensional correlation of x(:, :, i, j, ...) with h, as weft_convolve2d the convolution.
  subroutine weft_correlate2d(ctx, mode, x, h, y, border, fill, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: mode
    type(*), intent(in), target :: x(..), h(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(in), optional :: border
    type(*), intent(in), target, optional :: fill(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: outside
    type(weft_view), target :: from, by, to
    integer(c_int) :: field, edge
    call prepare_images(call, x, h, y, border, fill, field, edge, outside, from, by, to)
    if (call%status == WEFT_OK) &
      call%status = c_weft_correlate2d(ctx, mode, edge, outside%p, field, c_loc(from), c_loc(by), c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_correlate2d

  ! Fills the arguments that both histograms along a dimension have. bins: those of counts along it.
  subroutine prepare_counts(call, x, dim, counts, ax, bins, from, to)
    type(weft_request), intent(inout) :: call
    type(*), intent(in), target :: x(..), counts(..)
    integer, intent(in) :: dim
    type(weft_array), intent(out) :: ax
    integer(c_size_t), intent(out) :: bins
    type(weft_view), intent(out) :: from, to
    type(weft_array) :: ac
    ax = strided(call, 'x', x)
    ac = strided(call, 'counts', counts)
    call need_real(call, 'x', ax)
    call need_type(call, 'counts', ac, WEFT_U64)
    call need_dimensions(call, 'x', [dim], ax%rank)
    call need_dimensions(call, 'counts', [dim], ac%rank)
    from = view_of(ax, ax%dtype)
    to = view_of(ac, WEFT_U64)
    bins = 0
    if (call%status == WEFT_OK) bins = to%shape(dim)
  end subroutine prepare_counts

  ! Counts the elements of each vector of x along a dimension in the bins between adjacent edges. counts, integer(8), has
  ! the shape of x, with one element less than edges along the dimension. x and counts may be sections.
  subroutine weft_histogram_axis(ctx, x, dim, edges, counts, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: dim
    type(*), intent(in), target :: x(..), edges(..)
    type(*), intent(inout), target :: counts(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ae
    type(weft_view), target :: from, to
    integer(c_size_t) :: bins
    call prepare_counts(call, x, dim, counts, ax, bins, from, to)
    ae = whole(call, 'edges', edges)
    call need_same_type(call, 'x', ax, 'edges', ae)
    call need_equal(call, 'the size of edges', ae%n, 'the number of bins plus 1', int(bins, c_int64_t) + 1)
    if (call%status == WEFT_OK) &
      call%status = c_weft_histogram_axis(ctx, c_loc(from), dim - 1, bins, ae%p, c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_histogram_axis

  ! Counts the elements of each vector of x along a dimension in bins of equal width from lower to upper, as many as
  ! counts, integer(8), has along the dimension. Along all others it has the shape of x. Both may be sections.
  subroutine weft_histogram_even_axis(ctx, x, dim, lower, upper, counts, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: dim
    type(*), intent(in), target :: x(..), lower(..), upper(..)
    type(*), intent(inout), target :: counts(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, al, au
    type(weft_view), target :: from, to
    integer(c_size_t) :: bins
    call prepare_counts(call, x, dim, counts, ax, bins, from, to)
    al = one_value(call, 'lower', lower, ax)
    au = one_value(call, 'upper', upper, ax)
    if (call%status == WEFT_OK) &
      call%status = c_weft_histogram_even_axis(ctx, c_loc(from), dim - 1, bins, al%p, au%p, c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_histogram_even_axis

  ! Sorts x along a dimension. y has the shape and type of x and may be x.
  subroutine weft_sort_axis(ctx, x, dim, y, order, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: dim
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: y(..)
    integer, intent(in), optional :: order
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ay
    type(weft_view), target :: from, to
    ax = strided(call, 'x', x)
    ay = strided(call, 'y', y)
    call need_real(call, 'x', ax)
    call need_real(call, 'y', ay)
    call need_dimensions(call, 'x', [dim], ax%rank)
    from = view_of(ax, ax%dtype)
    to = view_of(ay, ay%dtype)
    if (call%status == WEFT_OK) call%status = c_weft_sort_axis(ctx, direction(order), c_loc(from), &
      dim - 1, c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_sort_axis

  ! Writes the indices, from 0, that sort x along a dimension. `indices` has the shape of x and elements of 32 or 64
  ! bits.
  subroutine weft_argsort_axis(ctx, x, dim, indices, order, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: dim
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: indices(..)
    integer, intent(in), optional :: order
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ai
    type(weft_view), target :: from, to
    integer(c_int) :: index
    ax = strided(call, 'x', x)
    ai = strided(call, 'indices', indices)
    index = merge(WEFT_U32, WEFT_U64, ai%dtype == WEFT_I32)
    call need_real(call, 'x', ax)
    call need_type(call, 'indices', ai, index)
    call need_dimensions(call, 'x', [dim], ax%rank)
    from = view_of(ax, ax%dtype)
    to = view_of(ai, index)
    if (call%status == WEFT_OK) call%status = c_weft_argsort_axis(ctx, direction(order), c_loc(from), dim - 1, &
      c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_argsort_axis

  ! Writes the k largest or smallest elements of each vector along a dimension, in order, and their indices, from 0, in
  ! elements of 32 or 64 bits. k is the length of values along the dimension.
  subroutine weft_top_k_axis(ctx, extreme, x, dim, values, indices, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: extreme, dim
    type(*), intent(in), target :: x(..)
    type(*), intent(inout), target :: values(..)
    type(*), intent(inout), target, optional :: indices(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, av, ai
    type(weft_view), target :: from, to, at
    type(c_ptr) :: positions
    integer(c_int) :: index
    integer(c_size_t) :: k
    positions = c_null_ptr
    ax = strided(call, 'x', x)
    av = strided(call, 'values', values)
    call need_real(call, 'x', ax)
    call need_real(call, 'values', av)
    call need_dimensions(call, 'x', [dim], ax%rank)
    call need_dimensions(call, 'values', [dim], av%rank)
    from = view_of(ax, ax%dtype)
    to = view_of(av, av%dtype)
    if (present(indices)) then
      ai = strided(call, 'indices', indices)
      index = merge(WEFT_U32, WEFT_U64, ai%dtype == WEFT_I32)
      call need_type(call, 'indices', ai, index)
      at = view_of(ai, index)
      positions = c_loc(at)
    end if
    if (call%status == WEFT_OK) then
      k = to%shape(dim)
      call%status = c_weft_top_k_axis(ctx, extreme, c_loc(from), dim - 1, k, c_loc(to), positions)
    end if
    call finish(call, ctx, stat, message)
  end subroutine weft_top_k_axis

  ! Writes quantiles of each vector along a dimension to y, whose length along it is that of q: numbers from 0 to 1. y
  ! has the type of x, or for WEFT_LINEAR (the default) and WEFT_MIDPOINT of integers real64.
  subroutine weft_quantile_axis(ctx, x, dim, q, y, method, stat, message)
    type(weft_context), intent(in) :: ctx
    integer, intent(in) :: dim
    type(*), intent(in), target :: x(..)
    real(c_double), intent(in) :: q(:)
    type(*), intent(inout), target :: y(..)
    integer, intent(in), optional :: method
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(weft_array) :: ax, ay
    type(weft_view), target :: from, to
    real(c_double), target :: numbers(size(q))
    integer(c_int) :: given
    ax = strided(call, 'x', x)
    ay = strided(call, 'y', y)
    call need_real(call, 'x', ax)
    call need_real(call, 'y', ay)
    call need_dimensions(call, 'x', [dim], ax%rank)
    from = view_of(ax, ax%dtype)
    to = view_of(ay, ay%dtype)
    numbers = q
    given = WEFT_LINEAR
    if (present(method)) given = method
    if (call%status == WEFT_OK) call%status = c_weft_quantile_axis(ctx, given, c_loc(from), dim - 1, &
      size(q, kind=c_size_t), c_loc(numbers), c_loc(to))
    call finish(call, ctx, stat, message)
  end subroutine weft_quantile_axis

end module weft_views
