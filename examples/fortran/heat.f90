! Heat in a rod by implicit steps (Crank and Nicolson, 1947): each step is one tridiagonal system.
!   gfortran heat.f90 $(pkg-config --cflags --libs weft-fortran) -o heat && ./heat
program heat
  use weft
  implicit none
  integer, parameter :: n = 1023, steps = 200
  real(8), parameter :: pi = 3.141592653589793d0, dt = 1d-3, r = dt * (n + 1)**2 / 2
  real(8) :: u(n), d(n), exact(n), error
  integer(8) :: singular
  integer :: i, step
  type(weft_context) :: ctx

  call weft_open(ctx, 'auto')
  u = [(sin(pi * i / (n + 1)), i = 1, n)]
  exact = u * exp(-pi**2 * dt * steps)
  do step = 1, steps
    d = (1 - 2 * r) * u
    d(2:) = d(2:) + r * u(:n - 1)
    d(:n - 1) = d(:n - 1) + r * u(2:)
    call weft_tridiag(ctx, -r, 1 + 2 * r, -r, d, u, singular)
    if (singular /= -1) error stop 'the system is singular'
  end do
  call weft_reduce(ctx, WEFT_NORMINF, u - exact, error)
  print '(a, es8.1, 2a)', 'largest error after 200 steps: ', error, ', computed on ', weft_device(ctx)
  call weft_close(ctx)
end program heat
