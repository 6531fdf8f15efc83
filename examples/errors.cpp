// How errors look and are handled: while the graph is built, in a feed, in a kernel and at a deadline. The session stays usable.
//
//     rows {any, 2}, index {} ──> Gather ──> CheckedReciprocal (an op of this file, which refuses zeros)

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/array/gather.hpp>

#include <chrono>
#include <cstdio>

namespace fg = flowgraph;
using fg::error_code;

struct checked_reciprocal {
  static constexpr std::string_view name = "CheckedReciprocal";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};

  constexpr fg::shape shape(fg::shape x) const { return x; }

  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      // Reports the fault and returns; the library adds the node, the op and the line.
      if (x[i] == T(0)) return ctx.fail(error_code::invalid_argument, fg::message{"element ", i, " is zero"});
      y[i] = T(1) / x[i];
    }
  }
};

int main() {
  fg::graph g;
  auto rows = g.placeholder<float>("rows", {fg::any, 2});
  auto index = g.placeholder<std::int32_t>("index", {});
  auto row = fg::gather(rows, index, 0, {.name = "row"});
  auto y = fg::apply(checked_reciprocal{}, row, {.name = "y"});
  const unsigned line = __LINE__ - 1;

  // While the graph is built: raised at the line that is wrong. What was built before is as it was.
  std::string built;
  try {
    fg::matmul(rows, g.constant(fg::tensor<float>({3, 4})));
  } catch (const fg::error& why) { built = why.what(); }
  std::printf("%s\n", built.c_str());

  // While it runs: try_run returns the error as a value, with its parts.
  fg::session s{g};
  const fg::tensor<float> table({2, 2}, {1, 2, 4, 0});
  const auto zero = s.try_run(fg::fetch(y), {{rows, table}, {index, 1}});
  const fg::error& why = zero.error();
  std::printf("%s\n", why.what());
  bool right = !zero && why.code() == error_code::invalid_argument && why.message() == "element 1 is zero";
  right = right && why.node() == "y" && why.op() == "CheckedReciprocal" && why.where().line() == line;

  // The code of an error tells which errors a program can put right.
  const auto last = s.try_run(fg::fetch(y), {{rows, table}, {index, 7}});
  const auto missing = s.try_run(fg::fetch(y), {{rows, table}});
  right = right && last.error().node() == "row" && missing.error().code() == error_code::invalid_argument;
  std::printf("%s\n%s\n", last.error().what(), missing.error().what());

  // A run that takes too long: here a loop that never ends.
  auto endless = fg::while_loop(
      y, [&](auto) { return g.constant(true); }, [](auto v) { return v; });
  const auto soon = fg::run_options::within(std::chrono::milliseconds(5));
  const auto late = s.try_run(fg::fetch(endless), {{rows, table}, {index, 0}}, soon);
  std::printf("%s\n", late.error().what());
  right = right && late.error().code() == error_code::deadline_exceeded;

  // `run` raises what `try_run` returns, and so does `value()`.
  const auto good = s.try_run(fg::fetch(y), {{rows, table}, {index, 0}}).value();
  return right && !built.empty() && good[0] == 1 && good[1] == 0.5f ? 0 : 1;
}
