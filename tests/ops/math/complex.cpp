#include <flowgraph/ops/math/complex.hpp>

#include <flowgraph/graph/registration.hpp>

#include "../evaluate.hpp"

using namespace ops_test;
using complex = fg::complex64;

TEST_CASE("parts are put together and taken apart") {
  const auto x = vector<complex>({complex(3, 4), complex(-1, 0), complex(0, -2)});
  CHECK(values(evaluate([](auto a) { return fg::real(a); }, x)) == std::vector<float>{3, -1, 0});
  CHECK(values(evaluate([](auto a) { return fg::imag(a); }, x)) == std::vector<float>{4, 0, -2});
  CHECK(values(evaluate([](auto a) { return fg::abs(a); }, x)) == std::vector<float>{5, 1, 2});
  CHECK(evaluate([](auto a) { return fg::angle(a); }, x)[2] == doctest::Approx(-1.5707963f));
  CHECK(values(evaluate([](auto a) { return fg::complex(fg::real(a), fg::imag(a)); }, x)) == values(x));
  const auto wide =
      evaluate([](auto a, auto b) { return fg::complex(a, b); }, vector<double>({1, 2}), fg::tensor<double>({2, 1}, {5, 6}));
  CHECK(values(wide) == std::vector<fg::complex128>{{1, 5}, {2, 5}, {1, 6}, {2, 6}});
}

TEST_CASE("the gradient of an absolute value is 0 at 0") {
  fg::graph g;
  auto x = g.placeholder<complex>("x", {2});
  const fg::out<complex> dx = fg::gradients(fg::abs(x), x);
  fg::session s{g};
  CHECK(values(s.run(fg::fetch(dx), {{x, vector<complex>({0, complex(0, 2)})}})) == std::vector<complex>{0, complex(0, 1)});
}

TEST_CASE("float goes with complex64 and double with complex128: no op mixes them") {
  CHECK(fg::tables_of<fg::complex_op>.size() == 2);
  for (const fg::op_table* t : fg::tables_of<fg::complex_op>)
    CHECK((t->types()[0].type == fg::dtype::float32) == (t->types()[1].type == fg::dtype::complex64));
}
