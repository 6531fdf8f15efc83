// A user's source, whose project turns more warnings on than we do: nothing that it includes or instantiates has any. Compiled, never run.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/export.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/ops/all.hpp>
#include <flowgraph/ops/array/embedding.hpp>
#include <flowgraph/ops/random/distribution.hpp>
#include <flowgraph/ops/rnn/dynamic_rnn.hpp>
#include <flowgraph/ops/rnn/lstm_cell.hpp>
#include <flowgraph/train/clip.hpp>

namespace fg = flowgraph;

namespace {

struct twice {
  static constexpr std::string_view name = "Twice";
  using types = fg::floating;

  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + x[i];
  }
  template <class T> fg::out<T> gradient(fg::out<T>, fg::out<T>, fg::out<T> dy) const { return fg::apply(twice{}, dy); }
};

// Arithmetic of one type, element by element and by rows.
template <class T> fg::out<T> arithmetic(fg::graph& g, const char* name) {
  auto x = g.placeholder<T>(name, {fg::any, 4});
  auto w = g.variable(fg::message{name, "_w"}.string(), fg::zeros<T>({4, 4}));
  auto y = fg::matmul(x, w) * x + fg::square(x) - x / (x + T(1));
  auto rows = fg::gather(fg::concat({y, fg::transpose(y, {0, 1})}, 0), g.constant(fg::tensor<std::int32_t>{{2}, {0, 1}}));
  return fg::sum(fg::reshape(fg::cast<T>(fg::cast<float>(rows)), {-1}));
}

fg::out<float> network(fg::graph& g, fg::out<float> image) {
  auto kernel = g.variable("kernel", fg::glorot_uniform<float>({3, 3, 1, 8}));
  auto pooled = fg::max_pool(fg::relu(fg::conv2d(image, kernel)));
  auto flat = fg::reshape(pooled, {8, -1});
  auto noise =
      fg::random_normal<float>(g, {8, 288}) + fg::random_uniform<float>(g, {8, 288}) + fg::truncated_normal<float>(g, {8, 288});
  auto activated = fg::tanh(flat) * fg::sigmoid(noise) + fg::erf(flat) + fg::exp(-fg::abs(flat)) + fg::softmax(flat);
  auto [steps, last] = fg::while_loop(
      std::tuple{g.constant(0), activated}, [](auto n, auto) { return n < 3; },
      [](auto n, auto v) {
        return std::tuple{n + 1, fg::apply(twice{}, v)};
      });
  auto chosen = fg::cond(
      fg::mean(last) > 0.f, [&] { return fg::maximum(last, 0.f); }, [&] { return fg::pow(last, last); });
  return fg::reshape(chosen, {8, 6, 48});
}

}  // namespace

int main() {
  fg::graph g;
  auto sums = arithmetic<float>(g, "f") + fg::cast<float>(arithmetic<double>(g, "d"));
  auto x = g.placeholder<float>("x", {8, 12, 12, 1});
  auto t = g.placeholder<std::int32_t>("t", {8});

  const fg::lstm_cell<float> cell(g, 48, 10);
  auto [outputs, last] = fg::dynamic_rnn(cell, network(g, x));
  auto logits = last.h;
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(logits, t)) + sums;
  auto hits = fg::mean(fg::cast<float>(fg::equal(fg::argmax<std::int32_t>(logits, 1), t)));
  const fg::adam method{.rate = 1e-3f};
  auto train = method.apply(fg::clip_by_global_norm(method.gradients(loss), 1.f));

  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(x, t), fg::fetch(loss, hits), train);
  auto [l, h] = step(fg::tensor<float>({8, 12, 12, 1}), fg::tensor<std::int32_t>(fg::shape{8}));
  return l.scalar() > h.scalar() ? 0 : 1;
}
