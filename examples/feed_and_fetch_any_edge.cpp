// Every edge can be fetched, and every edge can be fed: what lies above a fed edge does not run.
//
//     x ──> Exp ──> Log ──> Mul ──> y
//             (1)     (2)    ^
//                            3          fetch (1); feed (2) in place of all that makes it

#include <flowgraph/flowgraph.hpp>

#include <cmath>
#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto raised = fg::exp(x);
  auto lowered = fg::log(raised, {.name = "lowered"});
  auto y = lowered * 3.f;

  fg::session s{g};
  const fg::tensor<float> one({1}, {1});
  auto [inner, result] = s.run(fg::fetch(raised, y), {{x, one}});
  std::printf("exp(1) = %.4f, y = %.4f\n", inner[0], result[0]);

  // x is not fed: the run does not need it.
  const fg::tensor<float> cut = s.run(fg::fetch(y), {{lowered, fg::tensor<float>({2}, {10, 20})}});
  std::printf("with `lowered` fed: %g %g\n", cut[0], cut[1]);

  // The same by name, as files and tools speak.
  fg::named_run by_name;
  by_name.feeds.emplace_back("lowered:0", fg::tensor<float>({1}, {5}).erased());
  by_name.fetches.push_back(y.name());
  auto found = s.try_run(by_name);

  // If a feed does not fit, the error contains the expected shape. The session stays usable.
  auto refused = s.try_run(fg::fetch(y), {{x, fg::tensor<float>({2, 2}, {1, 2, 3, 4})}});
  std::printf("%s\n", refused.error().what());

  const bool fetched = std::fabs(inner[0] - std::exp(1.f)) < 1e-5f && std::fabs(result[0] - 3) < 1e-5f;
  const bool fed = cut[0] == 30 && cut[1] == 60 && found && found->front().as<float>()[0] == 15;
  return fetched && fed && !refused ? 0 : 1;
}
