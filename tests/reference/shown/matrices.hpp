// Full entries of the reference: linear algebra.

// matrix_diag
// diagonal: the diagonals, along the last axis
// k: the number of a diagonal, or the lowest and the highest number of a band
// rows: the number of rows; -1: as few as the diagonals need
// columns: the number of columns; -1: as few as the diagonals need
// padding: the elements beside the diagonals
// align: where diagonals that are shorter than the longest begin
// Returns a handle to matrices that are 0 beside these diagonals.
const shown matrix_diag_("matrix_diag", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::matrix_diag(g.constant(fg::tensor<float>({2}, {3, 4})))));
  std::cout << y(0, 0) << " " << y(0, 1) << " " << y(1, 1) << "\n";
  // prints: 3 0 4

  try {
    fg::matrix_diag(g.constant(1.f));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected diagonals, of one axis or more; found Const_1 float[]
});

// matrix_diag_part
// x: the matrices
// k: the number of a diagonal, or the lowest and the highest number of a band
// padding: the elements behind the end of short diagonals
// align: where diagonals that are shorter than the longest begin
// Returns a handle to the main diagonals, or to those of the band.
const shown matrix_diag_part_("matrix_diag_part", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::matrix_diag_part(g.constant(fg::tensor<float>({2, 2}, {3, 1, 2, 4})))));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 3 4

  try {
    fg::matrix_diag_part(g.constant(1.f));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected matrices, of two axes or more; found Const_1 float[]
});

// solve
// a: square matrices
// b: the right sides, as columns of matrices
// options: whether the equations have the adjoint of a
// Returns a handle to the x of a x = b. The run fails if a matrix is not invertible.
const shown solve_("solve", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<double>({2, 2}, {2, 0, 0, 4})), b = g.constant(fg::tensor<double>({2, 1}, {6, 8}));
  fg::session s(g);
  const auto x = s.run(fg::fetch(fg::solve(a, b)));
  std::cout << x(0, 0) << " " << x(1, 0) << "\n";
  // prints: 3 2

  try {
    fg::solve(a, g.constant(fg::tensor<double>({3, 1})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the matrices have different numbers of rows; found Const double[2,2], Const_2 double[3,1]
});

// triangular_solve
// a: square matrices of which one triangle is read
// b: the right sides, as columns of matrices
// options: which triangle is read, and whether the equations have its adjoint
// Returns a handle to the x of a x = b. A zero on a diagonal gives infinite or undefined results.
const shown triangular_solve_("triangular_solve", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<double>({2, 2}, {2, 9, 1, 4})), b = g.constant(fg::tensor<double>({2, 1}, {6, 11}));
  fg::session s(g);
  const auto x = s.run(fg::fetch(fg::triangular_solve(a, b)));
  std::cout << x(0, 0) << " " << x(1, 0) << "\n";
  // prints: 3 2

  try {
    fg::triangular_solve(a, g.constant(fg::tensor<double>({3, 1})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the matrices have different numbers of rows; found Const double[2,2], Const_2 double[3,1]
});

// cholesky
// x: positive definite matrices, of which the lower triangle is read
// Returns a handle to the lower triangular l of x = l l^H. The result of a matrix that is not positive definite consists of NaN.
const shown cholesky_("cholesky", [] {
  fg::graph g;
  fg::session s(g);
  const auto l = s.run(fg::fetch(fg::cholesky(g.constant(fg::tensor<double>({2, 2}, {4, 2, 2, 10})))));
  std::cout << l(0, 0) << " " << l(1, 0) << " " << l(1, 1) << "\n";
  // prints: 2 1 3

  try {
    fg::cholesky(g.constant(fg::tensor<double>({2, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected square matrices; found Const_1 double[2,3]
});

// cholesky_solve
// l: the Cholesky decomposition of a
// b: the right sides, as columns of matrices
// Returns a handle to the x of a x = b.
const shown cholesky_solve_("cholesky_solve", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<double>({2, 2}, {4, 2, 2, 10})), b = g.constant(fg::tensor<double>({2, 1}, {8, 22}));
  fg::session s(g);
  const auto x = s.run(fg::fetch(fg::cholesky_solve(fg::cholesky(a), b)));
  std::cout << x(0, 0) << " " << x(1, 0) << "\n";
  // prints: 1 2

  try {
    fg::cholesky_solve(a, g.constant(fg::tensor<double>({3, 1})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the matrices have different numbers of rows; found Const double[2,2], Const_2 double[3,1]
});

// inverse
// x: square matrices
// options: whether the adjoint is inverted
// Returns a handle to the inverses. The run fails if a matrix is not invertible.
const shown inverse_("inverse", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::inverse(g.constant(fg::tensor<double>({2, 2}, {2, 0, 0, 4})))));
  std::cout << y(0, 0) << " " << y(1, 1) << "\n";
  // prints: 0.5 0.25

  try {
    fg::inverse(g.constant(fg::tensor<double>({2, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected square matrices; found Const_1 double[2,3]
});

// det
// x: square matrices
// Returns a handle to the determinant of each matrix.
const shown det_("det", [] {
  fg::graph g;
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::det(g.constant(fg::tensor<double>({2, 2}, {2, 0, 0, 4}))))).scalar() << "\n";
  // prints: 8

  try {
    fg::det(g.constant(fg::tensor<double>({2, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected square matrices; found Const_1 double[2,3]
});

// log_det
// x: square matrices
// Returns handles to the sign of each determinant, and to the logarithm of its absolute value.
const shown log_det_("log_det", [] {
  fg::graph g;
  const auto [sign, log] = fg::log_det(g.constant(fg::tensor<double>({2, 2}, {0, 1, 1, 0})));
  fg::session s(g);
  const auto [first, second] = s.run(fg::fetch(sign, log));
  std::cout << first.scalar() << " " << second.scalar() << "\n";
  // prints: -1 0

  try {
    fg::log_det(g.constant(fg::tensor<double>({2, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected square matrices; found Const_1 double[2,3]
});

// lu
// x: square matrices
// Returns handles to l and u in one matrix, and to the order of the rows. The run fails if a matrix is not invertible.
const shown lu_("lu", [] {
  fg::graph g;
  const auto [both, rows] = fg::lu(g.constant(fg::tensor<double>({2, 2}, {1, 4, 2, 6})));
  fg::session s(g);
  const auto [made, order] = s.run(fg::fetch(both, rows));
  std::cout << made(0, 0) << " " << made(1, 0) << " " << order[0] << "\n";
  // prints: 2 0.5 1

  try {
    fg::lu(g.constant(fg::tensor<double>({2, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected square matrices; found Const_1 double[2,3]
});

// qr
// x: the matrices
// options: whether q is square
// Returns handles to q, which has orthonormal columns, and to the upper triangular r of x = q r.
const shown qr_("qr", [] {
  fg::graph g;
  fg::session s(g);
  const auto r = s.run(fg::fetch(fg::qr(g.constant(fg::tensor<double>({2, 1}, {3, 4}))).r));
  std::cout << r(0, 0) << "\n";
  // prints: -5

  try {
    fg::qr(g.constant(fg::tensor<double>({2})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected matrices; found Const_1 double[2]
});

// lstsq
// a: the matrices of the equations
// b: the right sides, as columns of matrices
// options: the weight of the length of x, and the way of the solution
// Returns a handle to the x for which a x is nearest to b. The run fails if the columns of a matrix depend on each other, unless
// `fast` is false.
const shown lstsq_("lstsq", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<double>({3, 1}, {1, 1, 1})), b = g.constant(fg::tensor<double>({3, 1}, {1, 2, 6}));
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::lstsq(a, b, {.fast = false})))(0, 0) << "\n";
  // prints: 3

  try {
    fg::lstsq(a, g.constant(fg::tensor<double>({2, 1})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the matrices have different numbers of rows; found Const double[3,1], Const_2 double[2,1], lstsq/l2_1 double[]
});

// eigh
// x: symmetric or Hermitian matrices, of which the lower triangle is read
// Returns handles to the eigenvalues in ascending order, and to the eigenvectors as columns. The run fails if an element is not
// a number.
const shown eigh_("eigh", [] {
  fg::graph g;
  fg::session s(g);
  const auto e = s.run(fg::fetch(fg::eigh(g.constant(fg::tensor<double>({2, 2}, {4, 0, 0, 2}))).values));
  std::cout << e[0] << " " << e[1] << "\n";
  // prints: 2 4

  try {
    fg::eigh(g.constant(fg::tensor<double>({2, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected square matrices; found Const_1 double[2,3]
});

// svd
// x: the matrices
// options: whether u and v are square
// Returns handles to the singular values in descending order, and to the singular vectors as columns of u and v. The results of
// a matrix with an element that is not finite are NaN.
const shown svd_("svd", [] {
  fg::graph g;
  fg::session s(g);
  const auto values = s.run(fg::fetch(fg::svd(g.constant(fg::tensor<double>({2, 2}, {3, 0, 0, -5}))).s));
  std::cout << values[0] << " " << values[1] << "\n";
  // prints: 5 3

  try {
    fg::svd(g.constant(fg::tensor<double>({2})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected matrices; found Const_1 double[2]
});

// cross
// a: vectors of three elements, along the last axis
// b: vectors of the same shape
// Returns a handle to the cross products. The run fails if the vectors do not have three elements.
const shown cross_("cross", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({3}, {1, 0, 0})), b = g.constant(fg::tensor<float>({3}, {0, 1, 0}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::cross(a, b)));
  std::cout << y[0] << " " << y[1] << " " << y[2] << "\n";
  // prints: 0 0 1

  try {
    fg::cross(a, g.constant(fg::tensor<float>({2, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected two tensors of the same shape; found Const float[3], Const_2 float[2,3]
});

// eig
// x: square matrices
// Returns handles to the complex eigenvalues, whose order is not specified, and to the eigenvectors as columns. The run fails if
// a real matrix contains an infinity.
const shown eig_("eig", [] {
  fg::graph g;
  fg::session s(g);
  const auto e = s.run(fg::fetch(fg::eig(g.constant(fg::tensor<double>({2, 2}, {0, 2, -2, 0}))).values));
  std::cout << e[0].real() << " " << std::abs(e[0].imag()) << "\n";
  // prints: 0 2

  try {
    fg::eig(g.constant(fg::tensor<double>({2, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected square matrices; found Const_1 double[2,3]
});

// matrix_exponential
// x: square matrices
// Returns a handle to the sum of x^k / k! for all k from 0. It has no gradient.
const shown matrix_exponential_("matrix_exponential", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::matrix_exponential(g.constant(fg::tensor<double>({2, 2}, {0, 3, 0, 0})))));
  std::cout << y(0, 0) << " " << y(0, 1) << " " << y(1, 1) << "\n";
  // prints: 1 3 1

  try {
    fg::matrix_exponential(g.constant(fg::tensor<double>({2, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected square matrices; found Const_1 double[2,3]
});

// matrix_logarithm
// x: square matrices of complex numbers
// Returns a handle to the matrices whose exponentials are x; NaN where x is not invertible. It has no gradient.
const shown matrix_logarithm_("matrix_logarithm", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::matrix_logarithm(g.constant(fg::tensor<fg::complex128>({2, 2}, {1, 3, 0, 1})))));
  std::cout << y(0, 0).real() << " " << y(0, 1).real() << "\n";
  // prints: 0 3

  try {
    fg::matrix_logarithm(g.constant(fg::tensor<fg::complex128>({2, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected square matrices; found Const_1 complex128[2,3]
});

// matrix_square_root
// x: square matrices
// Returns a handle to the matrices whose squares are x; NaN where a real matrix has a negative eigenvalue.
const shown matrix_square_root_("matrix_square_root", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::matrix_square_root(g.constant(fg::tensor<double>({2, 2}, {4, 5, 0, 9})))));
  std::cout << y(0, 0) << " " << y(0, 1) << " " << y(1, 1) << "\n";
  // prints: 2 1 3

  try {
    fg::matrix_square_root(g.constant(fg::tensor<double>({2, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected square matrices; found Const_1 double[2,3]
});

// tridiagonal_matmul
// above: the diagonal above the main diagonal, as a matrix of one row; its last element is not read
// main: the main diagonal
// below: the diagonal below it; its first element is not read
// x: the matrices to multiply
// Returns a handle to the products of the matrices with these diagonals and x.
const shown tridiagonal_matmul_("tridiagonal_matmul", [] {
  fg::graph g;
  const auto row = [&](double a, double b) { return g.constant(fg::tensor<double>({1, 2}, {a, b})); };
  const auto x = g.constant(fg::tensor<double>({2, 1}, {10, 100}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::tridiagonal_matmul(row(2, 0), row(1, 1), row(0, 3), x)));
  std::cout << y(0, 0) << " " << y(1, 0) << "\n";
  // prints: 210 130

  try {
    fg::tridiagonal_matmul(x, x, x, x);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected diagonals of one row; found Const double[2,1], Const double[2,1], Const double[2,1], Const double[2,1]
});

// tridiagonal_solve
// diagonals: matrices of three rows: the diagonal above the main diagonal, the main diagonal, and the diagonal below it
// b: the right sides, as columns of matrices
// options: whether rows are exchanged, and whether pivots of zero are replaced
// Returns a handle to the x of a x = b. It is NaN if a pivot is zero, or 0 if the numbers are complex.
const shown tridiagonal_solve_("tridiagonal_solve", [] {
  fg::graph g;
  const auto d = g.constant(fg::tensor<double>({3, 2}, {2, 0, 1, 1, 0, 3})),
             b = g.constant(fg::tensor<double>({2, 1}, {210, 130}));
  fg::session s(g);
  const auto x = s.run(fg::fetch(fg::tridiagonal_solve(d, b)));
  std::cout << x(0, 0) << " " << x(1, 0) << "\n";
  // prints: 10 100

  try {
    fg::tridiagonal_solve(b, b);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected three diagonals; found Const_1 double[2,1], Const_1 double[2,1]
});

// banded_triangular_solve
// bands: the diagonals of the triangular matrices as rows, the main diagonal first; last for upper triangular matrices
// b: the right sides, as columns of matrices
// options: which triangle the matrices are, and whether their adjoints are meant
// Returns a handle to the x of a x = b. The run fails if an element of the main diagonal is zero.
const shown banded_triangular_solve_("banded_triangular_solve", [] {
  fg::graph g;
  const auto bands = g.constant(fg::tensor<double>({2, 2}, {2, 4, 0, 1})), b = g.constant(fg::tensor<double>({2, 1}, {6, 7}));
  fg::session s(g);
  const auto x = s.run(fg::fetch(fg::banded_triangular_solve(bands, b)));
  std::cout << x(0, 0) << " " << x(1, 0) << "\n";
  // prints: 3 1

  try {
    fg::banded_triangular_solve(bands, g.constant(fg::tensor<double>({3, 1})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the matrices have different numbers of rows; found Const double[2,2], Const_2 double[3,1]
});
