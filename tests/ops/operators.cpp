#include <flowgraph/ops/operators.hpp>

#include "evaluate.hpp"

using namespace ops_test;

TEST_CASE("operators take handles, variables and scalars on either side") {
  const auto x = vector<float>({1, 2, 4});
  CHECK(values(evaluate([](auto a) { return 1.f - a; }, x)) == std::vector<float>{0, -1, -3});
  CHECK(values(evaluate([](auto a) { return 8.f / a + a; }, x)) == std::vector<float>{9, 6, 6});
  CHECK(values(evaluate([](auto a) { return -a * a; }, x)) == std::vector<float>{-1, -4, -16});
  CHECK(values(evaluate([](auto a) { return a < 2.f; }, x)) == std::vector<bool>{true, false, false});
  CHECK(values(evaluate([](auto a) { return a >= 2.f; }, x)) == std::vector<bool>{false, true, true});
  CHECK(values(evaluate([](auto a) { return 2.f <= a; }, x)) == std::vector<bool>{false, true, true});
  CHECK(values(evaluate([](auto a) { return a > a; }, x)) == std::vector<bool>{false, false, false});
}

TEST_CASE("a scalar operand becomes a constant, at the line of the operator and under its name") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = x * 3.f;
  const auto line = static_cast<unsigned>(__LINE__ - 1);
  CHECK(y.source->where.line() == line);
  CHECK(std::string_view(y.source->where.file_name()).find("operators.cpp") != std::string_view::npos);
  const fg::node* three = y.source->inputs[1].from;
  CHECK(three->op->name() == "Const");
  CHECK(three->name == "Mul/y");
  CHECK(three->where.line() == line);
  auto named = fg::maximum(x, 0.f, {.name = "clipped"});
  CHECK(named.name() == "clipped");
}

TEST_CASE("quotients of integers are whole") {
  CHECK(evaluate([](auto a) { return a / 2; }, fg::tensor<std::int32_t>(7)).scalar() == 3);
}
