// An op of one's own is one struct: attributes, element types, shape rule, kernel, gradient. Nothing is registered or generated.
//
//     x ──> Swish ──> Sum ──> loss           d loss / d x, from the struct's `gradient`, lands in the same graph

#include <flowgraph/flowgraph.hpp>

#include <cmath>
#include <cstdio>

namespace fg = flowgraph;

// x * sigmoid(beta * x)
struct swish {
  static constexpr std::string_view name = "Swish";
  using types = fg::floating;                             // element types it exists for
  static constexpr fg::op_facts facts{.in_place = true};  // the kernel may write where it reads
  float beta = 1;                                         // an attribute
  static constexpr auto attrs = fg::attrs(fg::attr("beta", &swish::beta));

  constexpr fg::shape shape(fg::shape x) const { return x; }

  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = T(x[i] / (1 + std::exp(-beta * x[i])));
  }

  template <class T> fg::out<T> gradient(fg::out<T> x, fg::out<T> y, fg::out<T> dy) const {
    auto s = fg::sigmoid(x * T(beta));
    return dy * (s + y * T(beta) * (T(1) - s));
  }
};
static_assert(swish{}.shape({2, 3}) == fg::shape{2, 3});  // shape rules also run at compile time

int main() {
  fg::graph g;
  auto x = g.placeholder<double>("x", {fg::any});
  auto y = fg::apply(swish{.beta = 1.5f}, x);
  fg::out<double> dx = fg::gradients(fg::sum(y), x);

  fg::session s{g};
  const double h = 1e-4;
  const fg::tensor<double> at({3}, {-2, 0.5, 3});
  const fg::tensor<double> above({3}, {-2 + h, 0.5 + h, 3 + h}), below({3}, {-2 - h, 0.5 - h, 3 - h});
  const fg::tensor<double> slopes = s.run(fg::fetch(dx), {{x, at}});
  const fg::tensor<double> high = s.run(fg::fetch(y), {{x, above}}), low = s.run(fg::fetch(y), {{x, below}});

  bool right = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const double measured = (high[i] - low[i]) / (2 * h);
    std::printf("x %5.2f  slope %.6f  measured %.6f\n", at[i], slopes[i], measured);
    right = right && std::fabs(slopes[i] - measured) < 1e-6;
  }
  return right ? 0 : 1;
}
