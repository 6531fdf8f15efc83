// Writes models for TensorFlow to serve, each with inputs and flowgraph's answers: tests/peers/served_models.py.
//
//     written_models FOLDER      FOLDER/<model>/{saved_model.pb,variables}, FOLDER/<model>.asked.npz, FOLDER/<model>.answered.npz
//
// The numbers are small and dyadic, so sums of products are exact in any order.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/npy.hpp>
#include <flowgraph/interop/save_model.hpp>

#include <cstdio>

namespace {

namespace fg = flowgraph;

template <class T> fg::tensor<T> steps(const fg::shape& shape, int period, double unit) {
  fg::tensor<T> t(shape);
  for (std::size_t i = 0; i < t.size(); ++i)
    t.writable()[i] = static_cast<T>((static_cast<double>(i * 7 % static_cast<std::size_t>(period)) - period / 2) * unit);
  return t;
}

using named_edges = std::vector<std::pair<std::string, fg::any_out>>;
using tensors = std::vector<std::pair<std::string, fg::any_tensor>>;

class model_folder {
public:
  explicit model_folder(std::string path) : path_(std::move(path)) {}

  void write(const std::string& name, fg::session& s, const named_edges& inputs, const named_edges& outputs,
             const tensors& asked) {
    const std::string at = path_ + '/' + name;
    fg::save_saved_model(s, {{.inputs = inputs, .outputs = outputs}}, at, {.sync = false}).value();
    std::vector<fg::fed> feeds;
    std::vector<fg::any_out> fetches;
    for (const auto& [input, edge] : inputs)
      for (const auto& [given, value] : asked)
        if (given == input) feeds.emplace_back(edge, value);
    for (const auto& [output, edge] : outputs) fetches.push_back(edge);
    auto answers = s.try_run({.feeds = feeds, .fetches = fetches}).value();
    tensors answered;
    for (std::size_t i = 0; i < answers.size(); ++i) answered.emplace_back(outputs[i].first, answers[i]);
    fg::save_npz(at + ".asked.npz", asked, false).value();
    fg::save_npz(at + ".answered.npz", answered, false).value();
  }

private:
  std::string path_;
};

// The model is trained for some steps, so that its values differ from those of the initializers, without weights that a step
// makes inexact.
void dense(model_folder& to) {
  fg::graph g;
  const auto on = g.on_device("/device:CPU:0");
  const auto x = g.placeholder<float>("x", {fg::any, 4});
  const auto w = g.variable("layer/w", steps<float>({4, 3}, 9, 0.25));
  const auto b = g.variable("layer/b", steps<float>({3}, 5, 0.5));
  const auto y = fg::relu(fg::matmul(x, w) + b);
  const auto train = fg::sgd{.rate = 0.5f}.minimize(fg::sum(fg::matmul(x, w)));
  fg::session s{g};
  s.initialize();
  const auto rows = steps<float>({5, 4}, 11, 0.5);
  s.run(train, {{x, rows}});
  to.write("dense", s, {{"x", x}}, {{"y", y}, {"best", fg::argmax(y, 1)}, {"w", w}}, {{"x", rows.erased()}});
}

void convolution(model_folder& to) {
  fg::graph g;
  const auto images = g.placeholder<float>("images", {fg::any, 8, 8, 2});
  const auto filter = g.variable("filter", steps<float>({3, 3, 2, 4}, 7, 0.25));
  const auto w = g.variable("w", steps<float>({64, 3}, 9, 0.25));
  const auto hidden = fg::max_pool(fg::relu(fg::conv2d(images, filter)));
  const auto y = fg::matmul(fg::reshape(hidden, {-1, 64}), w);
  fg::session s{g};
  s.initialize();
  to.write("convolution", s, {{"images", images}}, {{"scores", y}}, {{"images", steps<float>({2, 8, 8, 2}, 5, 0.5).erased()}});
}

// Weights that are read in a loop, and a number of iterations that is fed.
void recurrent(model_folder& to) {
  fg::graph g;
  const auto x = g.placeholder<double>("x", {fg::any, 3});
  const auto n = g.placeholder<std::int32_t>("n", {});
  const auto w = g.variable("w", steps<double>({3, 3}, 5, 0.5));
  const auto [count, state] = fg::while_loop(
      std::tuple{g.constant(0), x}, [&](auto i, auto) { return fg::less(i, n); },
      [&](auto i, auto h) {
        return std::tuple{i + 1, fg::relu(fg::matmul(h, w) + x)};
      },
      {.shapes = {{}, {fg::any, 3}}});
  fg::session s{g};
  s.initialize();
  to.write("recurrent", s, {{"x", x}, {"n", n}}, {{"state", state}, {"count", count}},
           {{"x", steps<double>({2, 3}, 5, 1).erased()}, {"n", fg::tensor<std::int32_t>(6).erased()}});
}

// Rows of a table, a branch, whole numbers.
void embedding(model_folder& to) {
  fg::graph g;
  const auto ids = g.placeholder<std::int64_t>("ids", {fg::any});
  const auto table = g.variable("table", steps<float>({10, 4}, 13, 0.125));
  const auto offsets = g.variable("offsets", steps<std::int64_t>({10}, 10, 1000));
  const auto rows = fg::gather(table, ids);
  const auto total = fg::sum(fg::gather(offsets, ids));
  const auto chosen = fg::cond(
      fg::greater(total, std::int64_t{0}), [&] { return fg::sum(rows, 0); }, [&] { return fg::max(rows, 0); });
  fg::session s{g};
  s.initialize();
  to.write("embedding", s, {{"ids", ids}}, {{"rows", rows}, {"total", total}, {"chosen", chosen}},
           {{"ids", fg::tensor<std::int64_t>({4}, {9, 0, 3, 9}).erased()}});
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: written_models FOLDER\n"), 2;
  model_folder to(arguments[1]);
  dense(to);
  convolution(to);
  recurrent(to);
  embedding(to);
  return 0;
}
