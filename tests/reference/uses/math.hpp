// Lines of use of ops/math, ops/linear_algebra and ops/reduction. Each line stands in docs/reference as it is here.

inline void uses_of_numbers(fg::graph g) {
  const auto x = g.placeholder<float>("x", {2, 3}), y = g.placeholder<float>("y", {2, 3}), z = g.placeholder<float>("z", {2, 3});
  const auto i = g.placeholder<std::int32_t>("i", {2, 3}), j = g.placeholder<std::int32_t>("j", {2, 3});
  const auto p = g.placeholder<bool>("p", {2, 3}), q = g.placeholder<bool>("q", {2, 3});
  const auto c = g.placeholder<fg::complex64>("c", {2, 3});

  auto i0 = fg::bessel_i0(x);
  auto i0e = fg::bessel_i0e(x);
  auto i1 = fg::bessel_i1(x);
  auto i1e = fg::bessel_i1e(x);
  auto j0 = fg::bessel_j0(x);
  auto j1 = fg::bessel_j1(x);
  auto k0 = fg::bessel_k0(x);
  auto k0e = fg::bessel_k0e(x);
  auto k1 = fg::bessel_k1(x);
  auto k1e = fg::bessel_k1e(x);
  auto y0 = fg::bessel_y0(x);
  auto y1 = fg::bessel_y1(x);
  auto both_bits = fg::bitwise_and(i, j);
  auto any_bits = fg::bitwise_or(i, j);
  auto one_bits = fg::bitwise_xor(i, j);
  auto shifted = fg::left_shift(i, j);
  auto shifted_back = fg::right_shift(i, j);
  auto inverted = fg::invert(i);
  auto bits = fg::population_count(i);
  auto as_double = fg::cast<double>(x);
  auto clipped = fg::clip_by_value(x, 0.f, 1.f);
  auto short_ones = fg::clip_by_norm(x, 5.f);
  auto average_norm = fg::clip_by_average_norm(x, 1.f);
  auto equals = fg::equal(x, y);
  auto differs = fg::not_equal(x, y);
  auto is_less = fg::less(x, 0.f);
  auto at_most = fg::less_equal(x, y);
  auto is_greater = fg::greater(x, 0.f);
  auto at_least = fg::greater_equal(x, y);
  auto both = fg::logical_and(p, q);
  auto either = fg::logical_or(p, q);
  auto opposite = fg::logical_not(p);
  auto chosen = fg::select(p, x, y);
  auto made = fg::complex(x, y);
  auto real_part = fg::real(c);
  auto imaginary_part = fg::imag(c);
  auto argument = fg::angle(c);
  auto down = fg::floor_div(i, 7);
  auto remainder = fg::floor_mod(i, 7);
  auto toward_zero = fg::truncate_div(i, 7);
  auto signed_remainder = fg::truncate_mod(i, 7);
  auto counts = fg::bincount(i, g.constant(10), x);
  auto histogram = fg::histogram_fixed_width(x, g.constant(fg::tensor<float>({2}, {0, 1})), g.constant(20));
  auto dawson = fg::dawsn(x);
  auto exponential_integral = fg::expint(x);
  auto cosine_integral = fg::fresnel_cos(x);
  auto sine_integral = fg::fresnel_sin(x);
  auto spence = fg::spence(x);
  auto high = fg::maximum(x, 0.f);
  auto low = fg::minimum(x, y);
  auto distance = fg::squared_difference(x, y);
  auto minus = fg::negative(x);
  auto size = fg::abs(x);
  auto sign = fg::sign(x);
  auto floor = fg::floor(x);
  auto square = fg::square(x);
  auto power_of_e = fg::exp(x);
  auto power_minus_1 = fg::expm1(x);
  auto logarithm = fg::log(x);
  auto logarithm_of_more = fg::log1p(x);
  auto reciprocal = fg::reciprocal(x);
  auto root = fg::sqrt(x);
  auto over_root = fg::rsqrt(x);
  auto conjugate = fg::conj(c);
  auto total = fg::add_n(fg::out_list<float>{x, y, z});
  auto cube = fg::pow(x, 3.f);
  auto product = fg::mul_no_nan(x, y);
  auto quotient = fg::div_no_nan(x, y);
  auto ratio = fg::xdivy(x, y);
  auto times_log = fg::xlogy(x, y);
  auto times_log1p = fg::xlog1py(x, y);
  auto up = fg::ceil(x);
  auto even = fg::rint(x);
  auto rounded = fg::round(x);
  auto finite = fg::is_finite(x);
  auto infinite = fg::is_inf(x);
  auto not_a_number = fg::is_nan(x);
  auto next = fg::next_after(x, y);
  auto close = fg::approximate_equal(x, y, 1e-3f);
  auto error_function = fg::erf(x);
  auto complement = fg::erfc(x);
  auto inverse_error_function = fg::erfinv(x);
  auto quantile = fg::ndtri(x);
  auto log_gamma = fg::lgamma(x);
  auto psi = fg::digamma(x);
  auto psi_n = fg::polygamma(x, y);
  auto zeta = fg::zeta(x, y);
  auto lower_gamma = fg::igamma(x, y);
  auto upper_gamma = fg::igammac(x, y);
  auto incomplete_beta = fg::betainc(x, y, z);
  auto sine = fg::sin(x);
  auto cosine = fg::cos(x);
  auto tangent = fg::tan(x);
  auto arc_sine = fg::asin(x);
  auto arc_cosine = fg::acos(x);
  auto arc_tangent = fg::atan(x);
  auto hyperbolic_sine = fg::sinh(x);
  auto hyperbolic_cosine = fg::cosh(x);
  auto area_sine = fg::asinh(x);
  auto area_cosine = fg::acosh(x + 2.f);
  auto area_tangent = fg::atanh(x);
  auto polar = fg::atan2(y, x);

  // math/complex.hpp:
  auto magnitude = fg::abs(c);
}

inline void uses_of_matrices(fg::graph g) {
  const auto a = g.placeholder<float>("a", {4, 4}), b = g.placeholder<float>("b", {4, 4}), d = g.placeholder<float>("d", {4});
  const auto row = g.placeholder<float>("row", {1, 4}), bands = g.placeholder<float>("bands", {3, 4});
  const auto complexes = g.placeholder<fg::complex64>("complexes", {4, 4});
  const auto x = g.placeholder<float>("x", {8, 4, 3}), y = g.placeholder<float>("y", {8, 3, 5});

  auto products = fg::einsum("bij,bjk->bik", {x, y});
  auto stack = fg::batch_matmul(x, y);
  auto c = fg::matmul(a, b);
  auto diagonal_matrix = fg::matrix_diag(d);
  auto diagonal = fg::matrix_diag_part(a);
  auto with_diagonal = fg::matrix_set_diag(a, d);
  auto lower_triangle = fg::matrix_band_part(a, -1, 0);
  auto solution = fg::solve(a, b);
  auto of_triangle = fg::triangular_solve(a, b);
  auto inverted = fg::inverse(a);
  auto root = fg::cholesky(a);
  auto by_root = fg::cholesky_solve(root, b);
  auto volume = fg::det(a);
  auto [sign, log] = fg::log_det(a);
  auto [lu, rows] = fg::lu(a);
  auto [q, r] = fg::qr(x);
  auto nearest = fg::lstsq(a, b);
  auto [values, vectors] = fg::eigh(a);
  auto [s, u, v] = fg::svd(x);
  auto of_general = fg::eig(a);
  auto grown = fg::matrix_exponential(a);
  auto rate = fg::matrix_logarithm(complexes);
  auto half_way = fg::matrix_square_root(a);
  auto three_diagonals = fg::tridiagonal_matmul(row, row, row, b);
  auto of_diagonals = fg::tridiagonal_solve(bands, b);
  auto of_bands = fg::banded_triangular_solve(bands, b);

  // solve_options:
  auto of_adjoint = fg::solve(a, b, {.adjoint = true});

  // triangular_solve_options:
  auto of_upper = fg::triangular_solve(a, b, {.lower = false});

  // inverse_options:
  auto inverse_of_adjoint = fg::inverse(a, {.adjoint = true});

  // qr_options:
  auto square_q = fg::qr(x, {.full_matrices = true}).q;

  // lstsq_options:
  auto ridge = fg::lstsq(a, b, {.l2_regularizer = 0.1});

  // svd_options:
  auto square_u = fg::svd(x, {.full_matrices = true}).u;

  // matmul_options:
  auto left_transposed = fg::matmul(a, b, {.transpose_a = true});

  // batch_matmul_options:
  auto with_adjoint = fg::batch_matmul(x, y, {.adj_y = false});
}

inline void uses_of_reductions(fg::graph g) {
  const auto x = g.placeholder<float>("x", {6, 4});
  const auto p = g.placeholder<bool>("p", {6, 4});
  const auto ids = g.placeholder<std::int32_t>("ids", {6}), rows = g.placeholder<std::int32_t>("rows", {3});
  const auto lines = g.placeholder<std::int32_t>("lines", {3});

  auto length = fg::euclidean_norm(x, 1);
  auto sums = fg::sum(x, 1);
  auto mean = fg::mean(x);
  auto product = fg::prod(x, 0);
  auto largest = fg::max(x, 1);
  auto vector = fg::flatten({x});
  auto parts = fg::unflatten(vector, {x});
  auto derivatives = fg::jacobian(vector, x);
  auto by_parameter = fg::jacobian_matrix(vector, {x});
  auto by_row = fg::batch_jacobian(fg::square(x), x);
  auto curvature = fg::hessian_vector_product(fg::sum(fg::square(x)), x, x);
  auto smallest = fg::min(x, 1, true);
  auto all = fg::all_of(p);
  auto some = fg::any_of(p, 1);
  auto where_largest = fg::argmax(x, 1);
  auto where_smallest = fg::argmin(x, 1);
  auto running = fg::cumsum(x, 0);
  auto running_product = fg::cumprod(x, 0);
  auto running_logsumexp = fg::cumulative_logsumexp(x, 0);
  auto segment_sums = fg::segment_sum(x, ids);
  auto segment_means = fg::segment_mean(x, ids);
  auto segment_products = fg::segment_prod(x, ids);
  auto segment_maxima = fg::segment_max(x, ids);
  auto segment_minima = fg::segment_min(x, ids);
  auto products = fg::unsorted_segment_prod(x, ids, 4);
  auto maxima = fg::unsorted_segment_max(x, ids, 4);
  auto minima = fg::unsorted_segment_min(x, ids, 4);
  auto picked_sums = fg::sparse_segment_sum(x, rows, lines);
  auto picked_means = fg::sparse_segment_mean(x, rows, lines);
  auto picked_roots = fg::sparse_segment_sqrt_n(x, rows, lines);
}
