! Words in texts. Trailing blanks of a word are not part of it.
module weft_texts
  use weft_arrays
  implicit none
  private
  public :: weft_match_count, weft_match_list

  ! Words in the form of weft_patterns.
  type :: word_list
    character(kind=c_char), allocatable :: bytes(:)
    integer(c_int64_t), allocatable :: offsets(:)
  end type word_list

contains

  ! Returns the words without their trailing blanks.
  function list_of(words) result(list)
    character(*), intent(in) :: words(:)
    type(word_list) :: list
    integer :: i, k, at
    allocate (list%offsets(size(words) + 1), list%bytes(max(size(words) * len(words), 1)))
    at = 0
    do i = 1, size(words)
      list%offsets(i) = at
      do k = 1, len_trim(words(i))
        at = at + 1
        list%bytes(at) = words(i)(k:k)
      end do
    end do
    list%offsets(size(words) + 1) = at
  end function list_of

  ! Counts the occurrences of each word. counts: one for each word. flags: sum of weft_match_flags.
  subroutine weft_match_count(ctx, text, words, counts, flags, stat, message)
    type(weft_context), intent(in) :: ctx
    character(*), intent(in), target :: text
    character(*), intent(in) :: words(:)
    integer(c_int64_t), intent(out), target, contiguous :: counts(:)
    integer, intent(in), optional :: flags
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(word_list), target :: list
    type(weft_patterns), target :: patterns
    call need_equal(call, 'the size of counts', size(counts, kind=c_int64_t), 'that of words', &
      size(words, kind=c_int64_t))
    list = list_of(words)
    patterns = patterns_of(list)
    if (call%status == WEFT_OK) call%status = c_weft_match_count(ctx, len(text, c_size_t), c_loc(text), 0_c_size_t, &
      len(text, c_size_t), c_loc(patterns), flags_of(flags), c_loc(counts))
    call finish(call, ctx, stat, message)
  end subroutine weft_match_count

  ! Lists the matches: words(numbers(k) + 1) occurs at positions(k), counted from 0. If there are more matches than
  ! the arrays hold, the first are written. total: number of all matches. flags: sum of weft_match_flags.
  subroutine weft_match_list(ctx, text, words, positions, numbers, total, flags, stat, message)
    type(weft_context), intent(in) :: ctx
    character(*), intent(in), target :: text
    character(*), intent(in) :: words(:)
    integer(c_int64_t), intent(out), target, contiguous :: positions(:)
    integer(c_int32_t), intent(out), target, contiguous :: numbers(:)
    integer(c_int64_t), intent(out), target :: total
    integer, intent(in), optional :: flags
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: message
    type(weft_request) :: call
    type(word_list), target :: list
    type(weft_patterns), target :: patterns
    call need_equal(call, 'the size of numbers', size(numbers, kind=c_int64_t), 'that of positions', &
      size(positions, kind=c_int64_t))
    list = list_of(words)
    patterns = patterns_of(list)
    if (call%status == WEFT_OK) call%status = c_weft_match_list(ctx, len(text, c_size_t), c_loc(text), 0_c_size_t, &
      len(text, c_size_t), c_loc(patterns), flags_of(flags), size(positions, kind=c_size_t), c_loc(positions), &
      c_loc(numbers), c_loc(total))
    call finish(call, ctx, stat, message)
  end subroutine weft_match_list

  ! Returns weft_patterns that points into `list`.
  function patterns_of(list) result(patterns)
    type(word_list), intent(in), target :: list
    type(weft_patterns) :: patterns
    patterns%count = size(list%offsets, kind=c_size_t) - 1
    patterns%offsets = c_loc(list%offsets)
    patterns%bytes = c_loc(list%bytes)
  end function patterns_of

  ! Returns the given flags, or WEFT_MATCH_BYTES.
  function flags_of(given) result(flags)
    integer, intent(in), optional :: given
    integer(c_int) :: flags
    flags = WEFT_MATCH_BYTES
    if (present(given)) flags = given
  end function flags_of

end module weft_texts
