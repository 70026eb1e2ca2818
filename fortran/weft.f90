! weft for Fortran 2018: `use weft`. The manual of this module is docs/guide/fortran.md; the manual of the operations
! is include/weft.h. A function of weft.h without a Fortran procedure is available as weft_c declares it.
module weft
  use weft_arrays, only: weft_string
  use weft_c
  use weft_devices
  use weft_reductions
  use weft_formulas
  use weft_matrices
  use weft_orders
  use weft_samples
  use weft_selections
  use weft_texts
  use weft_transforms
  use weft_views
  implicit none
  public
end module weft
