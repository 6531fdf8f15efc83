// Loops and branches that are created and differentiated here. Each is fed several times, so that branches take both sides and
// loops end early.

#include "recorder.hpp"

#include <flowgraph/ops/control_flow/map.hpp>
#include <flowgraph/ops/rnn/dynamic_rnn.hpp>

#include <cmath>

namespace conformance {

namespace {

using number = fg::out<double>;
using list = fg::out_list<double>;

fg::tensor<double> wave(const fg::shape& shape, double first) {
  fg::tensor<double> t(shape);
  for (std::size_t i = 0; i < t.size(); ++i) t.writable()[i] = std::sin(static_cast<double>(i) * 1.7 + first) / 2;
  return t;
}

// Adds the gradients of `of` by each of `by`, and their gradients, `order` times. A gradient that does not exist is left out.
void differentiate(const number& of, const list& by, int order, std::vector<fg::any_out>& made) {
  if (order == 0) return;
  const auto found = fg::gradients(fg::sum(of), by, {.allow_none = true});
  for (const auto& g : found) {
    if (g.is_none()) continue;
    const number slope = g;
    made.push_back(slope);
    differentiate(slope, by, order - 1, made);
  }
}

// Records a function of two numbers and its derivatives, at several points.
template <class F> std::string of_numbers(std::string name, int order, F build) {
  fg::graph g;
  const number x = g.placeholder<double>("x", {}), w = g.placeholder<double>("w", {});
  const number y = build(x, w);
  std::vector<fg::any_out> fetches{y};
  differentiate(y, {x, w}, order, fetches);
  recorder r(std::move(name), g);
  for (const auto& [a, b] : {std::pair{0.9, 1.5}, {1.7, -0.6}, {-0.4, 0.3}})
    r.run(fetches, {}, {{x, fg::tensor<double>(a)}, {w, fg::tensor<double>(b)}});
  return r.file();
}

// Records a function of tensors of shapes {rows, 3} and {3, 3}, and its derivatives.
template <class F> std::string of_rows(std::string name, int order, F build) {
  fg::graph g;
  const number x = g.placeholder<double>("x", {fg::any, 3}), w = g.placeholder<double>("w", {3, 3});
  const number y = build(x, w);
  std::vector<fg::any_out> fetches{y};
  differentiate(y, {x, w}, order, fetches);
  recorder r(std::move(name), g);
  for (const int rows : {4, 1}) r.run(fetches, {}, {{x, wave({rows, 3}, 0.3)}, {w, wave({3, 3}, 0.8)}});
  return r.file();
}

// Repeats a = body(a, i) `count` times.
template <class Count, class F> number repeat(number a, Count count, F body, const fg::while_options& o = {}) {
  return std::get<1>(fg::while_loop(
      std::tuple{fg::cast<std::int32_t>(fg::sum(a * 0.0)), a}, [&](auto i, auto) { return i < count; },
      [&](auto i, auto v) {
        return std::tuple{i + 1, body(v, i)};
      },
      o));
}

std::string while_loops() {
  std::string made = of_numbers(
      "while", 3, [](number x, number w) { return repeat(x, 3, [&](number a, auto) { return fg::tanh(a * w) + a * a * 0.3; }); });
  made +=
      of_numbers("while_not_once", 2, [](number x, number w) { return repeat(x, 0, [&](number a, auto) { return a * w; }) * w; });
  made += of_numbers("while_variables", 2, [](number x, number w) {
    auto [k, a, b, c] = fg::while_loop(
        std::tuple{x * 0.0, x, w, x}, [](auto i, auto, auto, auto) { return i < 3.0; },
        [](auto i, auto u, auto v, auto t) {
          return std::tuple{i + 1.0, fg::tanh(v), u * v + 0.1 * u, t * 2.0};
        });
    return a * b;
  });
  made += of_numbers("while_condition", 2, [](number x, number w) {
    return fg::while_loop(
        x, [](number a) { return a < 20.0; }, [&](number a) { return a * a * 0.5 + a + fg::abs(w) + 1.0; });
  });
  made += of_numbers("while_serial", 1, [](number x, number w) {
    return repeat(x, 6, [&](number a, auto) { return fg::sigmoid(a + w) * a; }, {.parallel_iterations = 1});
  });
  made += of_numbers("maximum_iterations", 2, [](number x, number w) {
    return fg::while_loop(
        x, [](number a) { return a < 3.0; }, [&](number a) { return a * 1.1 + w * w * 0.1 + 0.2; }, {.maximum_iterations = 5});
  });
  made += of_numbers("without_back_prop", 1, [](number x, number w) {
    return repeat(x, 3, [](number a, auto) { return a * 2.0; }, {.back_prop = false}) * x * w;
  });
  made += of_rows("while_matrices", 2, [](number x, number w) {
    const number big = fg::constant(fg::graph_of(*w.source), wave({3, 60}, 0.1));  // enters: too large to copy
    return repeat(x, 4, [&](number a, auto) { return fg::tanh(fg::matmul(a, w)) + fg::sum(fg::matmul(a, big)) * 0.01; });
  });
  return made;
}

std::string nested() {
  std::string made = of_numbers("while_in_while", 2, [](number x, number w) {
    return repeat(
        x, 3, [&](number a, auto) { return repeat(a, 2, [&](number b, auto) { return fg::tanh(b * w) + a * b * 0.2; }) * a; });
  });
  made += of_numbers("inner_count_changes", 2, [](number x, number w) {
    return repeat(
        x, 4, [&](number a, auto i) { return repeat(a, i, [&](number b, auto) { return fg::tanh(b + w) * 0.7; }) + a * 0.5; });
  });
  made += of_numbers("three_deep", 1, [](number x, number w) {
    return repeat(x, 2, [&](number a, auto) {
      return repeat(a, 3, [&](number b, auto j) {
        return repeat(b, j, [&](number c, auto) { return fg::sigmoid(c * w + a) + b * 0.3; }) * 0.9;
      });
    });
  });
  made += of_numbers("cond_in_while", 2, [](number x, number w) {
    return repeat(x, 4, [&](number a, auto) {
      return fg::cond(
          a > 1.0, [&] { return a * w * 0.3 + a * 0.4; }, [&] { return fg::tanh(a * w) + a; });
    });
  });
  made += of_numbers("conds_and_whiles", 2, [](number x, number w) {
    return repeat(x, 4, [&](number a, auto i) {
      return fg::cond(
          i < 2,
          [&] {
            return fg::cond(
                a < w, [&] { return a * a * 0.5; }, [&] { return fg::tanh(a) * w; });
          },
          [&] { return repeat(a, 2, [&](number b, auto) { return fg::tanh(b + w); }); });
    });
  });
  made += of_numbers("while_in_cond", 2, [](number x, number w) {
    return fg::cond(
        x < w, [&] { return x * x; }, [&] { return repeat(w, 2, [&](number a, auto) { return a * x; }); });
  });
  made += of_numbers("case_of", 2, [](number x, number w) {
    const auto which = fg::cast<std::int32_t>(x * 2.0);
    return fg::case_of(
        which, [&] { return x * w; }, [&] { return fg::exp(x); }, [&] { return w + 1.0; },
        [&] { return repeat(x, 3, [&](number a, auto) { return a * w; }); });
  });
  made += of_numbers("case_in_while", 1, [](number x, number w) {
    return repeat(x, 5, [&](number a, auto i) {
      return fg::case_of(
          i, [&] { return a * w; }, [&] { return fg::sigmoid(a); }, [&] { return a + w; });
    });
  });
  made += of_numbers("constants_of_branches", 1, [](number x, number w) {
    fg::graph g = fg::graph_of(*x.source);
    return repeat(x, 4, [&](number a, auto i) {
      return a * fg::cond(
                     i < 2, [&] { return g.constant(0.5); }, [&] { return fg::maximum(w, g.constant(0.25)); });
    });
  });
  return made;
}

std::string over_rows() {
  std::string made = of_numbers("for_range", 2, [](number x, number w) {
    return fg::for_range(0, fg::cast<std::int32_t>(x * 0.0) + 4, x,
                         [&](auto i, number a) { return a * w + fg::cast<double>(i) * a * 0.1; });
  });
  made += of_rows("map_fn", 2, [](number x, number w) {
    return fg::map_fn([&](number row) { return fg::sum(fg::square(row * w)) + row; }, x);
  });
  made += of_rows("scan", 2, [](number x, number w) {
    return fg::scan([&](number total, number row) { return fg::tanh(total + row) * fg::sum(w); }, x, fg::sum(w, 0));
  });
  made += of_rows("foldl", 2, [](number x, number w) {
    return fg::foldl([&](number best, number row) { return fg::maximum(best, fg::sum(row * w)) + best * 0.1; }, x, fg::sum(w));
  });
  made += of_rows("foldr", 1, [](number x, number w) {
    return fg::foldr([&](number a, number row) { return fg::sigmoid(a + row * fg::sum(w)); }, x);
  });
  made += of_rows("map_in_while", 2, [](number x, number w) {
    return repeat(
        x, 3, [&](number a, auto) { return fg::map_fn([&](number row) { return fg::tanh(row * fg::sum(w)) + row; }, a) * 0.8; },
        {.shapes = {{}, {fg::any, 3}}});
  });
  made += of_rows("map_of_scans", 1, [](number x, number w) {
    return fg::map_fn(
        [&](number row) { return fg::scan([&](number t, number v) { return t * v + fg::sum(w); }, row, fg::sum(row)); }, x);
  });
  return made;
}

template <class Cell, class Options> std::string rnn(std::string name, const Options& options, bool with_lengths) {
  fg::graph g;
  const number x = g.placeholder<double>("x", {3, fg::any, 2});
  const Cell cell(g, 2, 2, options);
  fg::rnn_options<typename Cell::state_type> o;
  if (with_lengths) o.lengths = g.constant(fg::tensor<std::int32_t>({3}, {3, 1, 0}));
  const auto made = fg::dynamic_rnn(cell, x, o);
  number loss = fg::sum(fg::square(made.outputs) + made.outputs);
  for (const fg::any_out& part : fg::detail::flat(made.state)) loss = loss + fg::sum(fg::square(number{part.source, part.port}));
  std::vector<fg::any_out> fetches{made.outputs, loss};
  differentiate(loss, {x, cell.weights.kernel, cell.weights.bias}, 1, fetches);
  const number dw = fg::gradients(loss, cell.weights.kernel);
  fetches.push_back(number(fg::gradients(fg::sum(fg::square(dw)), x)));
  recorder r(std::move(name), g);
  r.initialize();
  for (const int time : {3, 1}) r.run(fetches, {}, {{x, wave({3, with_lengths ? 3 : time, 2}, 0.4)}});
  return r.file();
}

std::string recurrent() {
  fg::lstm_options<double> lstm;
  lstm.kernel = [](const fg::shape& s) { return fg::initial_tensor(wave(s, 0.3)); };
  return rnn<fg::lstm_cell<double>>("lstm", lstm, false) + rnn<fg::lstm_cell<double>>("lstm_lengths", lstm, true);
}

// A training loop: its weights are variables.
std::string training() {
  fg::graph g;
  const auto w = g.variable("w", wave({3, 3}, 0.2));
  const number y = repeat(g.constant(wave({2, 3}, 0.5)), 3, [&](number a, auto) { return fg::tanh(fg::matmul(a, w)) + a; });
  const number loss = fg::mean(fg::square(y));
  const auto train = fg::adam{.rate = 0.05}.minimize(loss);
  recorder r("loop_training", g);
  r.initialize();
  for (int i = 0; i < 4; ++i) r.run({loss}, {train});
  r.run({w});
  return r.file();
}

// Gradients that are added when TensorFlow already has the loop.
template <class F> std::string later_gradients(std::string name, F build) {
  fg::graph g;
  const number x = g.placeholder<double>("x", {fg::any}), w = g.placeholder<double>("w", {});
  const number y = build(x, w);
  recorder r(std::move(name), g);
  const std::vector<fg::fed> feeds{{x, wave({3}, 0.9)}, {w, fg::tensor<double>(1.5)}};
  r.run({y}, {}, feeds);
  const number dx = fg::gradients(fg::sum(y), x);
  r.run({y, dx}, {}, feeds);
  const number dxw = fg::gradients(fg::sum(dx), w);
  r.run({y, dx, dxw}, {}, feeds);
  return r.file();
}

std::string added_later() {
  std::string made = later_gradients("loop_gradients_later", [](number x, number w) {
    return repeat(x, 3, [&](number a, auto) { return repeat(a, 2, [&](number b, auto) { return fg::tanh(b * w) + a; }); });
  });
  made += later_gradients("map_gradients_later", [](number x, number w) {
    return fg::map_fn([&](number row) { return repeat(row, 2, [&](number b, auto) { return fg::tanh(b * w) + row; }); }, x);
  });
  return made;
}

}  // namespace

std::string own_loops() { return while_loops() + nested() + over_rows() + recurrent() + training() + added_later(); }

}  // namespace conformance
