! weft for Fortran 2018: `use weft`. docs/guide/fortran.md is its manual, include/weft.h that of the operations.
! Functions of weft.h that have no procedure of Fortran's own are here as weft_c declares them.
module weft
  use weft_arrays, only: weft_string
  use weft_c
  use weft_devices
  use weft_folds
  use weft_formulas
  use weft_matrices
  use weft_orders
  use weft_samples
  use weft_selections
  use weft_texts
  use weft_transforms
  implicit none
  public
end module weft
