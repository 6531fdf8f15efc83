#include <flowgraph/ops/array/identity_variants.hpp>

#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("several tensors of several types pass, and so do their gradients") {
  fg::graph g;
  auto x = g.placeholder<double>("x", {2});
  auto t = g.placeholder<std::string>("t", {});
  const fg::any_out_list in{x * x, t};
  const fg::any_out_list passed = fg::identity_n(in);
  REQUIRE(passed.size() == 2);
  const fg::out<double> y{passed[0].source, passed[0].port};
  const fg::out<std::string> s{passed[1].source, passed[1].port};
  const fg::out<double> dx = fg::gradients(fg::sum(y) + fg::sum(y * y), x);  // two contributions to one output
  fg::session session{g};
  const auto [d, text] = session.run(fg::fetch(dx, s), {{x, vector<double>({1, 2})}, {t, fg::tensor<std::string>("a")}});
  CHECK(values(d) == std::vector<double>{2 + 4, 4 + 32});
  CHECK(text[0] == "a");
}

TEST_CASE("what passes is not overwritten by a prepared step's later nodes") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {3});
  auto a = x + 1.f;
  const fg::any_out_list passed = fg::identity_n(fg::any_out_list{a});
  const fg::out<float> y{passed[0].source, passed[0].port};
  auto z = (a * 2.f + 5.f) * 3.f;
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y, z));
  for (float k = 0; k < 3; ++k) {
    const auto [passed_on, other] = step(vector<float>({k, k, k}));
    CHECK(values(passed_on) == std::vector<float>(3, k + 1));
    CHECK(values(other) == std::vector<float>(3, ((k + 1) * 2 + 5) * 3));
  }
}

TEST_CASE("a declared shape is ensured when the tensor comes, and known before") {
  fg::graph g;
  auto x = g.placeholder<float>("x", fg::shape::unknown());
  auto y = fg::ensure_shape(x, {fg::any, 2});
  CHECK(y.shape() == fg::shape{fg::any, 2});
  fg::session s{g};
  CHECK(s.run(fg::fetch(y), {{x, counting<float>({3, 2})}}).shape() == fg::shape{3, 2});
  const auto refused = s.try_run(fg::fetch(y), {{x, counting<float>({2, 3})}});
  REQUIRE(!refused.has_value());
  CHECK(refused.error().code() == fg::error_code::invalid_argument);
  CHECK(says(refused.error(), "expected an input of shape [?,2]"));
}
