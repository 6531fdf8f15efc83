#include <flowgraph/ops/array/constant.hpp>

#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/state/variable.hpp>

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

TEST_CASE("a constant and a variable copy the elements of a borrowed tensor") {
  std::vector<float> mine{1, 2, 3};
  const auto lent = fg::tensor<float>::borrow({3}, mine.data());
  fg::graph g;
  const auto c = g.constant(lent);
  const auto v = g.variable("v", lent);
  mine.assign(3, 7.f);
  fg::session s{g};
  s.initialize();
  const auto [constant, variable] = s.run(fg::fetch(c, v));
  CHECK(constant[2] == 3);
  CHECK(variable[0] == 1);
}

TEST_CASE("extents that do not fit the constant of an op are refused") {
  const std::int64_t big = std::int64_t{1} << 32;
  const auto refused = [](auto build, std::string_view why) {
    fg::graph g;
    const auto x = g.constant(fg::tensor<float>({4}, {1, 2, 3, 4}));
    const fg::error found = refusal(g, [&] { build(x); });
    CHECK(found.code() == fg::error_code::invalid_argument);
    CHECK(found.message() == why);
  };
  refused([&](auto x) { fg::reshape(x, {big + 4}); }, "the extent 4294967300 is not in the range of int32");
  refused([&](auto x) { fg::slice(x, {big + 1}, {1}); }, "the extent 4294967297 is not in the range of int32");
  refused([&](auto x) { fg::pad(x, {big}, {0}); }, "the extent 4294967296 is not in the range of int32");
  refused([&](auto x) { fg::pad(x, {0}, {-big}); }, "the extent -4294967296 is not in the range of int32");
  refused([](auto x) { fg::reshape(x, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4}); }, "expected a list of at most 12 extents");
  fg::graph g;
  const auto one = g.constant(1.f);
  CHECK(refusal(g, [&] { fg::fill({big + 2}, one); }).node() == "Fill/dims");
  CHECK(g.size() == 1);
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
