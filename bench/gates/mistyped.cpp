// Mistakes that must not compile, and that a compiler must explain in few words. MISTAKE picks one; 0 compiles.

#include <flowgraph/flowgraph.hpp>

namespace fg = flowgraph;

void build(fg::graph& g) {
  [[maybe_unused]] auto x = g.placeholder<float>("x", {4, 4});
  [[maybe_unused]] auto d = g.placeholder<double>("d", {4, 4});
  [[maybe_unused]] auto n = g.placeholder<std::int32_t>("n", {4});
#if MISTAKE == 1
  fg::matmul(x, d);
#elif MISTAKE == 2
  auto y = x + d;
#elif MISTAKE == 3
  fg::relu(g.placeholder<bool>("p", {4}));
#elif MISTAKE == 4
  fg::apply(fg::mat_mul_op{}, x, d);
#elif MISTAKE == 5
  fg::session s{g};
  s.run(fg::fetch(x), {{n, fg::tensor<float>(fg::shape{4})}});
#elif MISTAKE == 6
  fg::apply(fg::mat_mul_op{}, x);
#endif
}
