#include <flowgraph/passes/group_elementwise.hpp>

#include <flowgraph/observe/not_finite.hpp>
#include <flowgraph/observe/trace.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/division.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/math/trigonometry.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/nn/bias.hpp>
#include <flowgraph/ops/nn/convolution.hpp>
#include <flowgraph/ops/nn/rectifier.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include <cstring>
#include <random>

#include "../harness/sanitized.hpp"
#include "drafted.hpp"

using namespace engine;

namespace {

const fg::pass_options grouping{.further = {fg::passes::group_elementwise}};

std::size_t changed_by_grouping(const fg::explanation& e) {
  for (const fg::pass_report& p : e.passes)
    if (p.name == "group_elementwise") return p.changed;
  FAIL("the pass did not report");
  return 0;
}
std::size_t groups_in(const fg::explanation& e) {
  return static_cast<std::size_t>(
      std::ranges::count_if(e.nodes, [](const fg::explained_node& n) { return n.op.starts_with("_Group("); }));
}

fg::tensor<float> filled_with(const fg::shape& s, std::uint32_t seed) {
  std::mt19937 random(seed);
  fg::tensor<float> made(s);
  for (float& v : made.writable()) v = static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 500.f;
  return made;
}

// Runs and prepared steps, with and without the pass, on one thread and on three: the same bits.
std::vector<std::string> bits(const fg::graph& g, const fg::pass_options& passes, const std::vector<fg::any_out>& fetches,
                              const std::vector<fg::fed>& feeds, fg::session_options options = {}) {
  options.passes = passes;
  fg::session s{g, options};
  s.initialize();
  std::vector<fg::any_out> fed;
  std::vector<fg::any_tensor> given, found(fetches.size());
  for (const fg::fed& f : feeds) fed.push_back(f.where), given.push_back(f.value);
  std::vector<std::string> made;
  const auto add = [&](const std::vector<fg::any_tensor>& all) {
    for (const fg::any_tensor& t : all)
      made.push_back(std::string(static_cast<const char*>(t.data()), t.bytes()) + to_string(t.shape()));
  };
  auto step = s.try_prepare(fed, fetches, {});
  REQUIRE_MESSAGE(step.has_value(), std::string(step.error().what()));
  for (int round = 0; round < 2; ++round) {
    const auto ran = step->try_run(given, found);
    REQUIRE_MESSAGE(ran.has_value(), std::string(ran.error().what()));
    add(found);
    auto queued = s.try_run(fg::run_request{feeds, fetches, {}});
    REQUIRE_MESSAGE(queued.has_value(), std::string(queued.error().what()));
    add(*queued);
  }
  return made;
}
void check_same(const fg::graph& g, const std::vector<fg::any_out>& fetches, const std::vector<fg::fed>& feeds) {
  const auto expected = bits(g, fg::pass_options::none(), fetches, feeds);
  CHECK((bits(g, grouping, fetches, feeds) == expected));
  for (const int threads : {2, 3, 4}) {
    fg::thread_pool pool(threads);
    CHECK((bits(g, grouping, fetches, feeds, {.pool = &pool}) == expected));
  }
}
std::vector<std::string> groups_of(const fg::graph& g, const fg::any_out& y, const std::vector<fg::fed>& feeds) {
  fg::session s{g, {.passes = grouping}};
  std::vector<fg::fed_shape> shapes;
  for (const fg::fed& f : feeds) shapes.push_back({f.where, f.value.shape()});
  std::vector<std::string> found;
  const fg::edge_or_name fetched[]{y};
  const auto told = s.try_explain(fetched, {}, shapes);
  REQUIRE_MESSAGE(told.has_value(), std::string(told.error().what()));
  for (const fg::explained_node& n : told->nodes)
    if (n.op.starts_with("_Group(")) found.push_back(n.op);
  return found;
}

}  // namespace

TEST_CASE("group_elementwise: a chain becomes one node, with the same bits for every size") {
  for (const std::int64_t size : {0, 1, 5, 1000, 4097, 300000}) {
    CAPTURE(size);
    fg::graph g;
    const auto x = g.placeholder<float>("x", fg::shape::unknown());
    const auto b = g.placeholder<float>("b", {});
    const auto y = fg::tanh((x * 2.f + b) * x);
    const std::vector<fg::fed> feeds{{x, filled_with({size}, 3)}, {b, 0.25f}};
    const auto told = fg::session(g, {.passes = grouping}).explain(fg::fetch(y), {{x, fg::shape{size}}, {b, {}}});
    CHECK(groups_in(told) == 1);
    CHECK(changed_by_grouping(told) == 4);
    const auto group = std::ranges::find(told.nodes, std::string("_Group(Mul, AddV2, Mul, Tanh)"), &fg::explained_node::op);
    REQUIRE(group != told.nodes.end());
    CHECK(group->name == y.name());
    check_same(g, {y}, feeds);
  }
}

TEST_CASE("group_elementwise: values that are broadcast, and results of other types") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", fg::shape::unknown()), row = g.placeholder<float>("row", fg::shape::unknown());
  const auto sum = fg::exp(x + row) - row;
  const auto is_large = fg::cast<float>(fg::greater(sum * row, row)) + x;
  for (const auto& [a, b] : std::vector<std::pair<fg::shape, fg::shape>>{{{7, 3}, {3}},
                                                                         {{7, 1}, {1, 5}},
                                                                         {{5, 1}, {1, 5}},
                                                                         {{4}, {}},
                                                                         {{}, {9}},
                                                                         {{1}, {2000}},
                                                                         {{0, 3}, {3}},
                                                                         {{2, 1, 3}, {5, 1}}})
    check_same(g, {is_large, sum}, {{x, filled_with(a, 5)}, {row, filled_with(b, 6)}});
  const auto told =
      fg::session(g, {.passes = grouping}).explain(fg::fetch(is_large), {{x, fg::shape{7, 3}}, {row, fg::shape{3}}});
  CHECK(groups_in(told) == 1);
}

TEST_CASE("group_elementwise: a row that repeats is read in tiles of whole rows, from either side") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", fg::shape::unknown()), row = g.placeholder<float>("row", fg::shape::unknown());
  const auto y = fg::maximum(row - x * row, 0.25f) + row * 2.f;
  for (const auto& [a, b] : std::vector<std::pair<fg::shape, fg::shape>>{{{300, 70}, {70}},
                                                                         {{2, 40, 30, 3}, {1, 1, 1, 3}},
                                                                         {{5, 4096}, {4096}},
                                                                         {{3, 20000}, {20000}},
                                                                         {{1, 50}, {50}},
                                                                         {{50, 1}, {1}},
                                                                         {{40, 3, 5}, {3, 5}},
                                                                         {{6, 0}, {0}},
                                                                         {{0, 6}, {6}}}) {
    CAPTURE(to_string(a));
    check_same(g, {y}, {{x, filled_with(a, 5)}, {row, filled_with(b, 6)}});
  }
}

TEST_CASE("group_elementwise: columns are read in tiles of whole rows, from either side") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", fg::shape::unknown()), column = g.placeholder<float>("column", fg::shape::unknown());
  const auto row = g.placeholder<float>("row", {fg::any});
  const auto y = (column - x * column) * row + fg::exp(column) + fg::square(column);
  for (const auto& [a, b] : std::vector<std::pair<fg::shape, fg::shape>>{{{300, 70}, {300, 1}},
                                                                         {{20, 30, 128}, {20, 30, 1}},
                                                                         {{20, 30, 3}, {1, 30, 1}},
                                                                         {{3, 9000}, {3, 1}},
                                                                         {{1, 50}, {1, 1}},
                                                                         {{50, 1}, {50, 1}},
                                                                         {{7, 7}, {7, 1}},
                                                                         {{5, 0}, {5, 1}},
                                                                         {{0, 6}, {0, 1}}}) {
    CAPTURE(to_string(a));
    check_same(g, {y}, {{x, filled_with(a, 5)}, {column, filled_with(b, 6)}, {row, filled_with({a[-1]}, 7)}});
  }
}

TEST_CASE("group_elementwise: sums over the last axis join, and so does what they read") {
  for (const fg::shape& known : {fg::shape{fg::any, 96}, {fg::any, fg::any, 96}, {fg::any, 7}, {fg::any, 1024}}) {
    if (flowgraph_test::is_sanitized && known[-1] == 1024) continue;
    fg::graph g;
    const auto x = g.placeholder<float>("x", known), scale = g.placeholder<float>("scale", {known[-1]});
    const auto normalized = [&](fg::out<float> in) {
      const auto centered = in - fg::mean(in, {-1}, true);
      const auto variance = fg::mean(fg::square(centered), g.constant(fg::tensor<std::int64_t>({1}, {known.rank - 1})), true);
      return centered * fg::rsqrt(variance + 1e-5f) * scale;
    };
    const auto y = normalized(fg::tanh(x));
    const auto e = fg::exp(x - fg::max(x, {-1}, true)), softmax = e / fg::sum(e, {-1}, true);
    for (const std::int64_t rows : {0, 1, 2, 5, 350}) {
      fg::shape s = known;
      for (int i = 0; i + 1 < s.rank; ++i) s[i] = i == 0 ? rows : 2;
      CAPTURE(to_string(s));
      const std::vector<fg::fed> feeds{{x, filled_with(s, 3)}, {scale, filled_with({s[-1]}, 4)}};
      CHECK(groups_of(g, y, feeds) == std::vector<std::string>{"_Group(Tanh, Mean, Sub, Square, Mean, AddV2, Rsqrt, Mul, Mul)"});
      CHECK(groups_of(g, softmax, feeds) == std::vector<std::string>{"_Group(Max, Sub, Exp, Sum, RealDiv)"});
      check_same(g, {y, softmax}, feeds);
    }
  }
}

TEST_CASE("group_elementwise: rows that a program reduces, beside members that are computed by their kernels") {
  for (const std::int64_t width : {128, 768, 1024, 200}) {
    if (flowgraph_test::is_sanitized && width % 768 != 0) continue;
    fg::graph g;
    const auto x = g.placeholder<float>("x", {fg::any, width}), scale = g.placeholder<float>("scale", {width}),
               offset = g.placeholder<float>("offset", {width}), column = g.placeholder<float>("column", {fg::any, 1}),
               one = g.placeholder<float>("one", {});
    const auto mean = [](fg::out<float> in) { return fg::mean(in, {1}, true); };
    // As tf.nn.moments and tf.nn.batch_normalization write it.
    const auto m = mean(x), inverse = fg::rsqrt(mean(fg::squared_difference(x, m)) + one * 0.5f) * scale;
    const auto centered = x - mean(x);
    const std::vector<fg::any_out> fetches{
        x * inverse + (offset - m * inverse),
        fg::tanh(centered) * fg::rsqrt(mean(fg::square(centered)) + 1e-5f) * scale,            // ends the program
        centered * (column - mean(fg::abs(centered * scale)) * column) + centered * centered,  // reads a column
        fg::sqrt(fg::abs(x)) / (fg::sum(fg::sqrt(fg::abs(x - 1.f)), {1}, true) + 1.f),
        (x + (scale * 2.f + offset)) * mean(x * (scale - 0.5f)),  // computes a row
        ((x - mean(x)) * (x - mean(x * 2.f))) * ((x - mean(x * 3.f)) * (x - mean(x * 4.f))),
    };
    for (const std::int64_t rows : {0, 1, 2, 7, 100}) {
      CAPTURE(width);
      CAPTURE(rows);
      check_same(g, fetches,
                 {{x, filled_with({rows, width}, 3)},
                  {scale, filled_with({width}, 4)},
                  {offset, filled_with({width}, 5)},
                  {column, filled_with({rows, 1}, 6)},
                  {one, 0.75f}});
    }
  }
}

TEST_CASE("group_elementwise: sums of rows of other types, and sums that do not join") {
  fg::graph g;
  const auto x = g.placeholder<double>("x", {fg::any, 33}), y = x - fg::mean(x, {1}, true);
  const auto h = g.placeholder<fg::half>("h", {fg::any, 33}), z = fg::square(h) / fg::sum(h, {1}, true);
  const fg::tensor<float> values = filled_with({700, 33}, 6);
  fg::tensor<double> doubles({700, 33});
  fg::tensor<fg::half> halves({700, 33});
  for (std::size_t i = 0; i < values.size(); ++i) {
    doubles.writable()[i] = static_cast<double>(values.data()[i]);
    halves.writable()[i] = fg::half(values.data()[i]);
  }
  check_same(g, {y, z}, {{x, doubles}, {h, halves}});
  CHECK(groups_of(g, y, {{x, doubles}}) == std::vector<std::string>{"_Group(Mean, Sub)"});

  const auto v = g.placeholder<float>("v", {fg::any, 40}), long_rows = g.placeholder<float>("long_rows", {fg::any, 2000});
  const auto of = [](fg::out<float> in, int axis, bool keep) { return in * fg::sum(in, {axis}, keep); };
  const std::vector<fg::fed> feeds{{v, filled_with({40, 40}, 1)}, {long_rows, filled_with({40, 2000}, 2)}};
  const std::vector<fg::out<float>> alone{of(v, 0, true), of(v, 1, false), of(long_rows, 1, true)};
  for (const auto& each : alone) CHECK(groups_of(g, each, feeds).empty());
  check_same(g, {alone[0], alone[1], alone[2]}, feeds);
}

TEST_CASE("group_elementwise: rows that are reduced, beside values that no tile has") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, fg::any, 512}),
             beside = g.placeholder<float>("beside", fg::shape::unknown());
  const auto y = fg::abs(x - fg::mean(x * 2.f, {2}, true)) * beside;
  for (const fg::shape& s : {fg::shape{6, 50, 512}, {1, 50, 512}, {6, 1, 1}, {6, 50, 1}, {}})
    check_same(g, {y}, {{x, filled_with({6, 50, 512}, 3)}, {beside, filled_with(s, 4)}});
}

TEST_CASE("group_elementwise: a bias joins, whose channels come last") {
  for (const fg::data_format f : {fg::data_format::nhwc, fg::data_format::nchw}) {
    fg::graph g;
    const auto x = g.placeholder<float>("x", fg::shape::unknown()), bias = g.placeholder<float>("bias", {fg::any});
    const auto y = fg::relu(fg::bias_add(fg::abs(x), bias * 0.5f, f)) + x;
    for (const fg::shape& s : {fg::shape{200, 33}, {1, 33}, {3, 1}, {1, 1}, {0, 2}, {2, 3, 4, 33}, {2, 33, 5, 4}, {2, 9000}}) {
      CAPTURE(to_string(s));
      const std::int64_t channels = s[f == fg::data_format::nhwc ? -1 : 1];
      const std::vector<fg::fed> feeds{{x, filled_with(s, 3)}, {bias, filled_with({channels}, 4)}};
      check_same(g, {y}, feeds);
      const auto found = groups_of(g, y, feeds);
      const bool joined = found.size() == 1 && found[0].find("BiasAdd") != std::string::npos;
      CHECK(joined == (f == fg::data_format::nhwc));
    }
  }
}

TEST_CASE("group_elementwise: intermediate values have the memory of the result, unless an input that is still read gave it") {
  for (const fg::shape& size : {fg::shape{300, 96}, {3, 9000}, {1, 1}, {2, 40, 30, 3}}) {
    CAPTURE(to_string(size));
    fg::graph g;
    const auto x = g.placeholder<float>("x", fg::shape::unknown()), row = g.placeholder<float>("row", {fg::any});
    // Values that only the group reads, so that its result takes the memory of one of them.
    const auto p = [&] { return fg::sum(x, {0}); };
    const auto early = p(), late = p(), first = p(), twice = p(), other = p(), compared = p();
    const std::vector<fg::any_out> fetches{
        fg::relu(early * row + row) + late,                 // reads an input behind the first intermediate value
        first - fg::relu(row - fg::abs(first)),             // reads its first operand again
        twice * fg::sigmoid(twice),                         // reads it in two members
        fg::relu6(fg::maximum(row, 0.5f) * (other + row)),  // begins with a row
        fg::cast<float>(fg::greater(compared * row, 0.25f)) + compared * 0.5f,  // has values of another type
    };
    fg::shape images{2};
    for (int i = 0; i < size.rank; ++i) images.push_back(size[i]);
    check_same(g, fetches, {{x, filled_with(images, 7)}, {row, filled_with({size[-1]}, 8)}});
  }
}

TEST_CASE("group_elementwise: batch normalization behind a convolution") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", fg::shape::unknown()), beside = g.placeholder<float>("beside", fg::shape::unknown());
  const auto made = fg::conv2d(x, g.constant(filled_with({3, 3, 16, 24}, 12)));
  const auto biased = fg::bias_add(made, g.constant(filled_with({24}, 20)));
  const auto y = fg::relu6(biased * g.constant(filled_with({24}, 21)) + g.constant(filled_with({1, 1, 1, 24}, 22))) + beside;
  for (const std::int64_t images : {0, 1, 3}) {
    const std::vector<fg::fed> feeds{{x, filled_with({images, 40, 30, 16}, 1)}, {beside, filled_with({images, 40, 30, 24}, 2)}};
    CHECK(groups_of(g, y, feeds) == std::vector<std::string>{"_Group(BiasAdd, Mul, AddV2, Relu6, AddV2)"});
    check_same(g, {y}, feeds);
  }
}

TEST_CASE("group_elementwise: what others need stays a node of its own") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1000});
  const auto shared = fg::exp(x), fetched = shared * 2.f, waited = -x;
  fg::out<float> after;
  {
    const auto scope = g.after(waited);
    after = fg::abs(x);
  }
  const auto y = fetched + shared * after + waited;
  const auto total = fg::sum(shared);
  const auto told = fg::session(g, {.passes = grouping}).explain(fg::fetch(y, fetched, total), {{x, fg::shape{1000}}});
  for (const fg::any_out& alone : std::vector<fg::any_out>{shared, fetched, waited}) {
    CAPTURE(alone.name());
    CHECK(std::ranges::any_of(
        told.nodes, [&](const fg::explained_node& n) { return n.name == alone.name() && !n.op.starts_with("_Group("); }));
  }
  CHECK(groups_in(told) == 1);
  check_same(g, {y, fetched, total}, {{x, filled_with({1000}, 9)}});
}

TEST_CASE("group_elementwise: in loops, on branches and over devices") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", fg::shape::unknown());
  const auto five = g.constant(std::int32_t{5});
  const auto [i, y] = fg::while_loop(
      std::tuple{g.constant(std::int32_t{0}), x}, [&](auto k, auto) { return fg::less(k, five); },
      [](auto k, auto v) {
        return std::tuple{k + 1, fg::sin(v * 1.5f + 0.25f) - v * v};
      });
  check_same(g, {y, i}, {{x, filled_with({700}, 2)}});
  const auto told = fg::session(g, {.passes = grouping}).explain(fg::fetch(y), {{x, fg::shape{700}}});
  CHECK(groups_in(told) >= 1);

  fg::graph spread;
  const auto a = spread.placeholder<float>("a", {64});
  fg::out<float> here, there;
  {
    const auto on = spread.on_device("/cpu:1");
    here = fg::exp(a * 0.5f) + a;
  }
  {
    const auto on = spread.on_device("/cpu:0");
    there = fg::tanh(here - a) * here;
  }
  const fg::device_list cpus = fg::cpu_devices(2);
  const auto expected = bits(spread, fg::pass_options::none(), {there}, {{a, filled_with({64}, 8)}}, {.devices = cpus});
  CHECK((bits(spread, grouping, {there}, {{a, filled_with({64}, 8)}}, {.devices = cpus}) == expected));
  fg::session_options cut{.devices = cpus, .cut = fg::per_device};
  CHECK((bits(spread, grouping, {there}, {{a, filled_with({64}, 8)}}, cut) == expected));
  fg::session s{spread, {.devices = cpus, .passes = grouping}};
  CHECK(groups_in(s.explain(fg::fetch(there), {{a, fg::shape{64}}})) == 2);
}

TEST_CASE("group_elementwise: an error names the node and its line, also the shapes that do not fit") {
  fg::graph g;
  const auto x = g.placeholder<std::int32_t>("x", fg::shape::unknown()),
             y = g.placeholder<std::int32_t>("y", fg::shape::unknown());
  const auto divided = fg::floor_div(x, y, {.name = "quotient"});
  const auto made = divided * x + 1;
  fg::session s{g, {.passes = grouping}};
  const auto zero =
      s.try_run(fg::fetch(made), {{x, fg::tensor<std::int32_t>({2}, {4, 6})}, {y, fg::tensor<std::int32_t>({2}, {2, 0})}});
  REQUIRE_FALSE(zero.has_value());
  CHECK(zero.error().code() == error_code::invalid_argument);
  CHECK(std::string_view(zero.error().what()).find("quotient") != std::string_view::npos);
  CHECK(std::string_view(zero.error().what()).find("group_elementwise.cpp") != std::string_view::npos);
  const auto unfit =
      s.try_run(fg::fetch(made), {{x, fg::tensor<std::int32_t>({2}, {4, 6})}, {y, fg::tensor<std::int32_t>({3}, {2, 1, 1})}});
  REQUIRE_FALSE(unfit.has_value());
  CHECK(unfit.error().code() == error_code::invalid_argument);
  CHECK(std::string_view(unfit.error().what()).find("quotient") != std::string_view::npos);
  CHECK(s.run(fg::fetch(made), {{x, fg::tensor<std::int32_t>({1}, {4})}, {y, fg::tensor<std::int32_t>({1}, {2})}})[0] == 9);
}

TEST_CASE("group_elementwise: random graphs of element-wise nodes have groups, and equal bits") {
  std::size_t groups = 0;
  constexpr std::uint32_t graphs = flowgraph_test::is_sanitized ? 15 : 60;
  for (std::uint32_t seed = 1; seed <= graphs; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    fg::graph g;
    const auto x = g.placeholder<float>("x", {40, 70}), row = g.placeholder<float>("row", {70}),
               one = g.placeholder<float>("one", {});
    std::vector<fg::out<float>> all{x, row, one};
    const auto any = [&] { return all[all.size() - 1 - std::min<std::size_t>(all.size() - 1, random() % 6 * (random() % 3))]; };
    for (int n = 0; n < 40; ++n) switch (random() % 8) {
        case 0: all.push_back(any() + any()); break;
        case 1: all.push_back(any() * any()); break;
        case 2: all.push_back(any() - any()); break;
        case 3: all.push_back(fg::tanh(any())); break;
        case 4: all.push_back(fg::maximum(any(), any())); break;
        case 5: all.push_back(fg::square(any()) * 0.125f); break;
        case 6: all.push_back(fg::cast<float>(fg::less(any(), any()))); break;
        default: all.push_back(fg::abs(any()) + 0.5f);
      }
    std::vector<fg::any_out> fetches{all.back(), all[all.size() / 2], fg::sum(all[all.size() - 5])};
    fg::session s{g, {.passes = grouping}};
    std::vector<fg::any_out> fed{x, row, one};
    const auto told =
        s.explain(fg::fetch(all.back(), all[all.size() / 2]), {{x, fg::shape{40, 70}}, {row, fg::shape{70}}, {one, {}}});
    groups += groups_in(told);
    check_same(g, fetches, {{x, filled_with({40, 70}, seed)}, {row, filled_with({70}, seed + 1)}, {one, 0.75f}});
  }
  MESSAGE("groups in ", graphs, " random graphs: ", groups);
  CHECK(groups >= 3 * graphs);
}

TEST_CASE("group_elementwise: on by default where a group saves memory, off by its switch") {
  const auto groups = [](const fg::shape& size, std::size_t members, const fg::pass_options& passes) {
    fg::graph g;
    const auto x = g.placeholder<float>("x", size);
    fg::out<float> y = x;
    for (std::size_t i = 0; i < members; ++i) y = fg::tanh(y);
    return groups_in(fg::session(g, {.passes = passes}).explain(fg::fetch(y)));
  };
  CHECK(groups({100, 90}, 2, {}) == 1);
  CHECK(groups({fg::any, 500}, 2, {}) == 1);
  CHECK(groups({fg::any}, 2, {}) == 1);
  CHECK(groups(fg::shape::unknown(), 2, {}) == 1);
  CHECK(groups({100}, 2, {}) == 0);
  CHECK(groups({}, 8, {}) == 0);
  CHECK(groups({fg::any, 10}, 2, {}) == 0);
  CHECK(groups({1200}, 8, {}) == 1);
  CHECK(groups({100}, 2, grouping) == 1);
  CHECK(groups({100, 90}, 2, {.group_elementwise = false}) == 0);
  CHECK(groups({100, 90}, 2, fg::pass_options::none()) == 0);
}

TEST_CASE("group_elementwise: explain lists the members, and why the other nodes are in no group") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 500});
  const auto twice = fg::exp(x, {.name = "twice"});
  const auto fetched = fg::abs(twice, {.name = "fetched"});
  const auto last = fg::tanh(fg::square(twice * fetched, {.name = "squared"}), {.name = "last"});
  const auto summed = fg::sum(fg::sqrt(x, {.name = "summed"}), {0});
  const auto small = -fg::relu(g.placeholder<float>("z", {3}), {.name = "small"});
  fg::session s{g};
  const std::string text = fg::to_text(s.explain(fg::fetch(fetched, last, summed, small)));
  CAPTURE(text);
  for (const char* line : {"    squared = Square<float>\n    last = Tanh<float>\n", "'twice' is in no group: 2 nodes read it\n",
                           "'fetched' is in no group: a fetch or a target names it\n",
                           "'summed' is in no group: the reader 'Sum' cannot be in a group\n",
                           "'small' is in no group: the group would have few elements\n"})
    CHECK_MESSAGE(text.find(line) != std::string::npos, line);
}

TEST_CASE("group_elementwise: traced, measured and watched runs see the members, and have the same bits") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", fg::shape::unknown());
  const auto product = fg::square(x, {.name = "product"});
  const auto root = fg::sqrt(product - 1.f, {.name = "root"});
  const auto y = fg::maximum(root, x, {.name = "y"});
  fg::session s{g};
  const fg::tensor<float> in = filled_with({300}, 4);
  const auto plain = [&](const fg::run_options& how) { return s.try_run(fg::fetch(y), {{x, in}}, how).value(); };
  const fg::tensor<float> expected = plain({});
  CHECK(groups_in(s.explain(fg::fetch(y), {{x, fg::shape{300}}})) == 1);
  const auto same = [&](const fg::tensor<float>& t) { return std::memcmp(t.data(), expected.data(), expected.size() * 4) == 0; };

  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  for (const bool is_prepared : {false, true}) {
    CAPTURE(is_prepared);
    fg::trace_recorder seen;
    if (is_prepared) CHECK(same(step.try_run({.trace = &seen}, in).value()));
    else CHECK(same(plain({.trace = &seen})));
    const fg::collected_trace t = seen.collect();
    for (const char* name : {"product", "root", "y"})
      CHECK(std::ranges::any_of(t.events, [&](const fg::trace_event& e) {
        return e.kind == fg::trace_kind::kernel && e.node != fg::trace_event::none && t.nodes[e.node].name == name;
      }));
    CHECK(same(is_prepared ? step(in) : plain({})));
  }
  std::vector<std::string> heard;
  fg::watched_run watch([&](const fg::watched_call& c) { heard.emplace_back(c.at->name); });
  CHECK(same(plain({.measure = &watch})));
  for (const char* name : {"product", "root", "y"}) CHECK(std::ranges::find(heard, name) != heard.end());
  fg::finite_check check;
  plain({.measure = &check});
  REQUIRE(check.found());
  CHECK(check.found()->node == "root");
  CHECK(same(plain({})));
}

TEST_CASE("group_elementwise: random trees of short functions have equal bits at every size") {
  for (std::uint32_t seed = 1; seed <= (flowgraph_test::is_sanitized ? 30 : 120); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    fg::graph g;
    const auto x = g.placeholder<float>("x", fg::shape::unknown()), row = g.placeholder<float>("row", fg::shape::unknown()),
               one = g.placeholder<float>("one", {});
    std::vector<fg::out<float>> all{x, row, one, x};
    const auto any = [&] { return all[all.size() - 1 - random() % std::min<std::size_t>(all.size(), 4)]; };
    const std::size_t nodes = 3 + random() % 14;
    for (std::size_t n = 0; n < nodes; ++n) switch (random() % 13) {
        case 0: all.push_back(any() + any()); break;
        case 1: all.push_back(any() * any()); break;
        case 2: all.push_back(any() - any()); break;
        case 3: all.push_back(any() / (fg::abs(any()) + 1.f)); break;
        case 4: all.push_back(fg::maximum(any(), any())); break;
        case 5: all.push_back(fg::minimum(any(), 0.5f)); break;
        case 6: all.push_back(-any()); break;
        case 7: all.push_back(fg::relu(any())); break;
        case 8: all.push_back(fg::relu6(any())); break;
        case 9: all.push_back(fg::square(any()) * 0.125f); break;
        case 10: all.push_back(fg::rsqrt(fg::abs(any()) + 2.f)); break;
        case 11: all.push_back(fg::sqrt(fg::abs(any()))); break;
        default: all.push_back(fg::sigmoid(any()));
      }
    const std::int64_t rows = 1 + random() % 40, columns = 1 + random() % 300;
    check_same(g, {all.back()}, {{x, filled_with({rows, columns}, seed)}, {row, filled_with({columns}, seed + 1)}, {one, 0.75f}});
  }
}
