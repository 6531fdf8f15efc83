// Branches from functions: Collatz's sequence, its length counted by a loop whose body chooses.
//
//     n ──> while n is not 1:  n ──> Switch ──(even)──> n / 2 ─────> Merge ──> n,   steps + 1
//                                      └──(odd)──> 3 n + 1 ────────────^

#include <flowgraph/flowgraph.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto n = g.placeholder<std::int64_t>("n", {});
  auto odd_ones = g.variable("odd_ones", fg::tensor<std::int64_t>(0));
  auto one = g.constant(std::int64_t(1));

  auto [last, steps] = fg::while_loop(
      std::tuple{n, g.constant(0)}, [&](auto m, auto) { return one < m; },
      [&](auto m, auto count) {
        auto half = m / std::int64_t(2);
        auto is_even = fg::equal(half * std::int64_t(2), m);
        auto next = fg::cond(
            is_even, [&] { return half; }, [&] { return m * std::int64_t(3) + one; });

        // A branch may do something and give nothing.
        fg::cond(
            is_even, [] {}, [&] { fg::assign_add(odd_ones, one); });
        return std::tuple{next, count + 1};
      });

  auto name = fg::case_of(
      steps, [&] { return g.constant(std::string("none")); }, [&] { return g.constant(std::string("one")); },
      [&] { return g.constant(std::string("many")); });

  auto sum = fg::for_range(0, steps, g.constant(0), [](auto i, auto s) { return s + i; });

  fg::session s{g};
  s.initialize();
  auto [count, word, triangle] = s.run(fg::fetch(steps, name, sum), {{n, std::int64_t(27)}});
  const auto odd = s.run(fg::fetch(odd_ones)).scalar();
  std::printf("27 needs %d steps (%s), %d of them from odd numbers\n", count.scalar(), word.scalar().c_str(),
              static_cast<int>(odd));
  return count.scalar() == 111 && odd == 41 && word.scalar() == "many" && triangle.scalar() == 111 * 110 / 2 ? 0 : 1;
}
