#include <flowgraph/ops/array/constant.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("a constant is its tensor, unless it is told to wait for another node") {
  fg::graph g;
  const auto value = vector<float>({1, 2, 3});
  auto c = g.constant(value);
  CHECK(c.shape() == fg::shape{3});
  CHECK(g.constant(true).shape() == fg::shape{});
  auto gate = g.placeholder<float>("gate", {});
  auto after = g.after(gate);
  auto late = g.constant(value, {.name = "late"});
  CHECK(late.name() == "late");

  fg::session s{g};
  CHECK(s.run(fg::fetch(c)).data() == value.data());
  const auto unfed = s.try_run(fg::fetch(late));
  REQUIRE_FALSE(unfed);
  CHECK(says(unfed.error(), "gate"));
  CHECK(s.run(fg::fetch(late), {{gate, 0.f}}).data() == value.data());
}

TEST_CASE("a constant whose value has another type than its outputs gives an error, not garbage") {
  fg::graph g;
  auto gate = g.placeholder<float>("gate", {});
  auto after = g.after(gate);
  bool is_refused = false;
  try {
    fg::apply_in<double>(g, fg::const_op{fg::tensor<float>(1.f).erased()});
  } catch (const fg::error& why) {
    is_refused = why.code() == fg::error_code::invalid_argument &&
                 says(why, "must be a tensor of double[] as attribute 'dtype' says; found float[]");
  }
  CHECK(is_refused);
}

TEST_CASE("a placeholder with a default passes its input until it is fed") {
  fg::graph g;
  auto x = g.constant(vector<float>({1, 2}));
  auto y = fg::placeholder_with_default(x, {fg::any});
  CHECK(y.shape() == fg::shape{-1});
  fg::session s{g};
  CHECK(values(s.run(fg::fetch(y))) == std::vector<float>{1, 2});
  CHECK(values(s.run(fg::fetch(y), {{y, vector<float>({3, 4, 5})}})) == std::vector<float>{3, 4, 5});
  CHECK(says(refusal(g, [&] { fg::placeholder_with_default(x, {3}); }), "expected an input of shape [3]"));
}
