#include <flowgraph/ops/image/scale_and_translate.hpp>

#include "images.hpp"

using namespace ops_test;

namespace {

fg::tensor<float> pair(float rows, float columns) { return {{2}, {rows, columns}}; }
template <class F> auto scaled(const fg::tensor<float>& x, const F& f, fg::tensor<float> scale, fg::tensor<float> translation) {
  return evaluate(f, x, scale, translation);
}

}  // namespace

TEST_CASE("a scale of one moves an image by the translation, and pixels from outside are zero") {
  const fg::tensor<float> x({1, 1, 4, 1}, {1, 2, 3, 4});
  const auto f = [](auto a, auto s, auto t) {
    return fg::scale_and_translate(a, fg::detail::constant_beside(a, fg::tensor<int>({2}, {1, 4})), s, t,
                                   {.kernel_type = fg::sampling_kernel::triangle});
  };
  CHECK(values(scaled(x, f, pair(1, 1), pair(0, 2))) == std::vector<float>{0, 0, 1, 2});
}

TEST_CASE("with antialias all pixels of a larger image contribute") {
  fg::tensor<float> x({1, 1, 8, 1}, {8, 0, 8, 0, 8, 0, 8, 0});
  for (const bool antialias : {true, false}) {
    const auto f = [&](auto a, auto s, auto t) {
      return fg::scale_and_translate(a, fg::detail::constant_beside(a, fg::tensor<int>({2}, {1, 2})), s, t,
                                     {fg::sampling_kernel::box, antialias});
    };
    const auto y = scaled(x, f, pair(1, 0.25f), pair(0, 0));
    if (antialias) CHECK(y.data()[0] == doctest::Approx(4));
    else CHECK(y.data()[0] != doctest::Approx(8).epsilon(0.01));
  }
}

TEST_CASE("the gradient of a scaled image is the transpose, for each kernel") {
  using kernel = fg::sampling_kernel;
  for (const kernel k : {kernel::lanczos1, kernel::lanczos3, kernel::lanczos5, kernel::gaussian, kernel::box, kernel::triangle,
                         kernel::keyscubic, kernel::mitchellcubic})
    for (const bool antialias : {true, false})
      for (const float scale : {0.4f, 1.7f}) {
        CAPTURE(static_cast<int>(k));
        check_linear_gradient(
            [&](auto a) {
              const auto s = fg::detail::constant_beside(a, pair(scale, 1.1f)),
                         t = fg::detail::constant_beside(a, pair(-0.5f, 1));
              return fg::scale_and_translate(a, fg::detail::constant_beside(a, fg::tensor<int>({2}, {5, 6})), s, t,
                                             {k, antialias});
            },
            drawn_images<float>({2, 9, 4, 2}));
      }
}

TEST_CASE("a scale that is not positive is refused") {
  fg::graph g;
  const auto x = g.constant(drawn_images<float>({1, 2, 2, 1}));
  fg::session s{g};
  const auto made = s.try_run(fg::fetch(
      fg::scale_and_translate(x, g.constant(fg::tensor<int>({2}, {2, 2})), g.constant(pair(1, 0)), g.constant(pair(0, 0)))));
  REQUIRE(!made);
  CHECK(made.error().code() == fg::error_code::invalid_argument);
  CHECK(says(made.error(), "scale must be positive"));
}
