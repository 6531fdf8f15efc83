#include <flowgraph/deploy/freeze.hpp>

#include "../harness/engine_ops.hpp"

#include <flowgraph/graph/print.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/identity_variants.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/random/random.hpp>
#include <flowgraph/ops/state/resource_read.hpp>

using namespace engine;

namespace {

// How many nodes of an op there are.
std::size_t count(const fg::graph& g, std::string_view op) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < g.size(); ++i) found += g.at(i)->op->name() == op ? 1 : 0;
  return found;
}
bool has_variables(const fg::graph& g) { return count(g, "VariableV2") + count(g, "Variable") + count(g, "VarHandleOp") > 0; }

// The frozen graph gives what the session gives, by name, whatever becomes of the session.
template <class T>
fg::graph check_frozen(const fg::session& s, const fg::out<T>& y, std::initializer_list<fg::fed> feeds,
                       const fg::freeze_options& options = {}) {
  const fg::tensor<T> expected = const_cast<fg::session&>(s).run(fg::fetch(y), feeds);
  auto frozen = fg::freeze(s, {y}, options);
  REQUIRE_MESSAGE(frozen.has_value(), frozen.error().what());
  CHECK_FALSE(has_variables(*frozen));
  for (const bool dynamic : {false, true}) {
    fg::session alone{*frozen, {.dynamic = dynamic}};
    std::vector<fg::fed> by_name;
    for (const fg::fed& f : feeds) by_name.emplace_back(f.where.name(), f.value);
    const fg::any_out fetches[]{frozen->output(y.name()).value()};
    auto made = alone.try_run(fg::run_request{.feeds = by_name, .fetches = fetches});
    REQUIRE_MESSAGE(made.has_value(), made.error().what());
    const auto found = fg::tensor<T>::from((*made)[0]).value();
    CHECK(to_string(found.shape()) == to_string(expected.shape()));
    CHECK(std::equal(found.begin(), found.end(), expected.begin()));
  }
  return *frozen;
}

// A variable behind a handle, and what its session holds.
fg::out<fg::resource> handle_of(fg::graph& g, std::string_view name, const fg::shape& shape) {
  return fg::apply_in<float>(g, fg::var_handle_op{shape, {}, {}, {}, {}}, {name});
}
void give(fg::session& s, fg::graph& g, const fg::out<fg::resource>& handle, const fg::tensor<float>& value) {
  const auto set = fg::apply_as<float>({}, fg::assign_variable_op{}, handle, g.constant(value));
  s.run(fg::target(set));
}
fg::out<float> read(const fg::out<fg::resource>& handle, fg::site s = {}) {
  return fg::apply_as<float>(s, fg::read_variable_op{}, handle);
}

// What is behind a handle has a shape that only a run tells.
fg::out<float> scalar(const fg::out<float>& x) { return fg::ensure_shape(x, {}); }

struct dense_model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any, 2});
  fg::variable<float> w = g.variable("w", fg::tensor<float>({2, 2}, {1, -2, 3, 4}));
  fg::variable<float> b = g.variable("b", fg::tensor<float>({2}, {0.5f, -1}));
  fg::out<float> y = fg::identity(fg::relu(fg::matmul(x, w) + b), {.name = "y"});
  fg::out<float> train = fg::assign_add(w, fg::identity(w), {.name = "train"});
  fg::tensor<float> images{{2, 2}, {1, 2, -3, 0.25f}};
};

// Counts its runs.
struct custom_state_op {
  static constexpr std::string_view name = "CustomState";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const { std::copy(x.begin(), x.end(), y.begin()); }
};

void check_refusal(const fg::result<fg::graph>& made, error_code code, std::initializer_list<std::string_view> words) {
  REQUIRE_FALSE(made.has_value());
  INFO(made.error().what());
  CHECK(made.error().code() == code);
  for (const std::string_view word : words) CHECK(std::string_view(made.error().what()).find(word) != std::string_view::npos);
}

}  // namespace

TEST_CASE("freeze: variables become constants, and what the fetch does not need is gone") {
  dense_model m;
  fg::session s{m.g};
  s.initialize();
  s.run(m.train);
  fg::graph frozen = check_frozen(s, m.y, {{m.x, m.images}});
  CHECK(frozen.find("w")->op->name() == "Const");
  CHECK(frozen.find("train") == nullptr);
  CHECK(frozen.find("w/Assign") == nullptr);
  CHECK(frozen.initializers().empty());
  // Values are those of the moment: what the session does later changes nothing.
  const auto before = s.run(fg::fetch(m.y), {{m.x, m.images}});
  s.run(m.train);
  fg::session alone{frozen};
  auto step = alone.prepare(fg::feed<float>("x:0"), fg::fetch<float>("y:0"));
  CHECK(to_vector(step(m.images)) == to_vector(before));
  // By name, and by a typed list.
  CHECK(fg::freeze(s, {"y:0"}).has_value());
  CHECK(fg::freeze(s, fg::fetch(m.y)).has_value());
}

TEST_CASE("freeze: it outlives the session and its memory") {
  dense_model m;
  fg::graph frozen;
  {
    std::pmr::monotonic_buffer_resource memory;
    fg::session s{m.g, {.memory = &memory, .memory_limit = 1 << 20}};
    s.initialize();
    frozen = fg::freeze(s, {m.y}).value();
  }
  fg::session alone{frozen};
  CHECK(alone.run(fg::fetch<float>("y"), {{"x", m.images}})[0] == 7.5f);
}

TEST_CASE("freeze: variables behind handles, read, gathered and measured") {
  fg::graph g;
  auto handle = handle_of(g, "v", {3, 2});
  auto rows = g.placeholder<std::int32_t>("rows", {fg::any});
  fg::session s{g};
  give(s, g, handle, fg::tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  const fg::tensor<std::int32_t> wanted({2}, {2, 0});

  check_frozen(s, fg::identity(read(handle), {.name = "whole"}), {});
  auto frozen =
      check_frozen(s, fg::apply_as<float, std::int32_t>({"picked"}, fg::resource_gather_op{}, handle, rows), {{rows, wanted}});
  CHECK(frozen.find("picked")->op->name() == "Gather");
  auto batch = g.placeholder<std::int32_t>("batch", {3, 1});
  check_frozen(s, fg::apply_as<float, std::int32_t>({"batched"}, fg::resource_gather_op{.batch_dims = 1}, handle, batch),
               {{batch, fg::tensor<std::int32_t>({3, 1}, {1, 0, 1})}});
  check_frozen(s, fg::apply_as<float, std::int32_t>({"element"}, fg::resource_gather_nd_op{}, handle, rows), {{rows, wanted}});
  check_frozen(s, fg::apply_as<std::int64_t>({"extents"}, fg::variable_shape_op{}, handle), {});
  check_frozen(s, fg::out<bool>(fg::apply(fg::var_is_initialized_op{}, handle, fg::site{"is_there"})), {});
}

TEST_CASE("freeze: variables that loops and branches read, by value, by reference and by handle") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto p = g.placeholder<bool>("p", {});
  auto w = g.variable("w", fg::tensor<float>(3.f));
  auto handle = handle_of(g, "v", {});
  fg::session s{g};
  s.initialize();
  give(s, g, handle, fg::tensor<float>(5.f));

  auto [i, in_loop] = fg::while_loop(
      std::tuple{g.constant(0), x}, [&](auto k, auto) { return k < g.constant(4); },
      [&](auto k, auto a) {
        return std::tuple{k + 1, a * 0.5f + w + scalar(read(handle))};
      });
  check_frozen(s, in_loop, {{x, fg::tensor<float>(2.f)}});
  auto nested = fg::cond(
      p,
      [&] {
        auto [last, r] = fg::while_loop(
            std::tuple{g.constant(0), x}, [&](auto k, auto) { return k < g.constant(3); },
            [&](auto k, auto a) {
              return std::tuple{k + 1, a + scalar(read(handle))};
            });
        return r;
      },
      [&] { return fg::identity(w); });
  for (const bool which : {false, true}) check_frozen(s, nested, {{x, fg::tensor<float>(2.f)}, {p, fg::tensor<bool>(which)}});

  // Handles through primitives: a loop that carries one, and a branch in which the read is dead.
  auto [no, yes] = fg::switch_(handle, p);
  auto read_if = read(yes), other = fg::identity(fg::apply_as<float>({}, fg::read_variable_op{}, no)) * 2.f;
  auto either = fg::merge({other, read_if}).value;
  for (const bool which : {false, true}) check_frozen(s, fg::identity(either), {{p, fg::tensor<bool>(which)}});
  auto shape_if = fg::apply_as<std::int32_t>({}, fg::variable_shape_op{}, yes);
  auto met = fg::merge({shape_if, fg::switch_(g.constant(fg::tensor<std::int32_t>({1}, {7})), p).if_false}).value;
  for (const bool which : {false, true}) check_frozen(s, fg::identity(met), {{p, fg::tensor<bool>(which)}});

  // References through RefSwitch and RefMerge.
  auto [ref_no, ref_yes] = fg::apply(fg::ref_switch_op{}, w, p);
  auto merged = fg::apply(fg::ref_merge_op{}, fg::out_list<float>{ref_no, ref_yes});
  auto sum = std::get<0>(merged) + x;
  for (const bool which : {false, true}) check_frozen(s, sum, {{x, fg::tensor<float>(2.f)}, {p, fg::tensor<bool>(which)}});
}

TEST_CASE("freeze: what no constant can stand for is refused by name") {
  dense_model m;
  auto handle = handle_of(m.g, "v", {});
  auto q = fg::fifo_queue<float>(m.g, {.capacity = 2});
  auto taken = q.dequeue();
  auto counted = fg::apply(custom_state_op{}, m.x, fg::site{"mine"});
  fg::session s{m.g};
  check_refusal(fg::freeze(s, {m.y}), error_code::failed_precondition, {"'w'", "no value", "VariableV2"});
  s.initialize();
  check_refusal(fg::freeze(s, {read(handle)}), error_code::failed_precondition, {"'v'", "no value"});
  check_refusal(fg::freeze(s, {m.train}), error_code::failed_precondition, {"'train'", "AssignAdd", "'w'", __FILE__});
  check_refusal(fg::freeze(s, {fg::any_out(taken)}), error_code::failed_precondition, {"FIFOQueueV2", "state"});
  check_refusal(fg::freeze(s, {counted}), error_code::failed_precondition, {"'mine'", "CustomState"});
  const std::string_view mine[]{"CustomState"};
  CHECK(fg::freeze(s, {counted}, {.keep = mine}).has_value());
  {
    auto after = m.g.after(m.train);
    check_refusal(fg::freeze(s, {fg::identity(m.x)}), error_code::failed_precondition, {"'train'"});
  }
  check_refusal(fg::freeze(s, {"nobody:0"}), error_code::not_found, {"nobody"});
  check_refusal(fg::freeze(s, std::initializer_list<fg::edge_or_name>{}), error_code::invalid_argument, {"fetches"});
  fg::graph other;
  check_refusal(fg::freeze(s, {other.constant(1.f)}), error_code::invalid_argument, {"another graph"});
  check_refusal(fg::freeze(s, {fg::any_out{m.y.source, 4}}), error_code::invalid_argument, {"'y:4'"});
}

TEST_CASE("freeze: what depends on constants alone is computed once") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto w = g.variable("w", fg::tensor<float>({2}, {1, 2}));
  auto twice = fg::identity(w + w, {.name = "twice"});
  auto y = fg::identity(x * twice + fg::relu(twice, {.name = "relu"}), {.name = "y"});
  fg::session s{g};
  s.initialize();
  auto folded = check_frozen(s, y, {{x, fg::tensor<float>({2}, {3, 4})}});
  CHECK(folded.find("relu")->op->name() == "Const");
  CHECK(folded.find("twice") == nullptr);  // read by others as the constant behind it
  CHECK(folded.find("w") == nullptr);
  CHECK(count(folded, "Identity") == 1);  // y, which is fetched
  auto as_it_is = check_frozen(s, y, {{x, fg::tensor<float>({2}, {3, 4})}}, {.fold = false});
  CHECK(as_it_is.find("relu")->op->name() == "Relu");
  CHECK(as_it_is.find("twice")->op->name() == "Identity");

  // A fetch may be constant itself.
  auto constant = check_frozen(s, fg::relu(w, {.name = "all"}), {});
  CHECK(constant.size() == 1);
  CHECK(constant.find("all")->op->name() == "Const");
}

TEST_CASE("freeze: folding has a limit, and leaves what it must not or cannot compute") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto large = fg::fill(g.constant(fg::tensor<std::int64_t>({2}, {1 << 20, 1 << 20})), g.constant(1.f), {.name = "large"});
  fg::session s{g};
  auto kept = fg::freeze(s, {fg::identity(large)}).value();
  CHECK(kept.find("large")->op->name() == "Fill");

  auto some = fg::fill(g.constant(fg::tensor<std::int32_t>({1}, {100})), g.constant(1.f), {.name = "some"});
  CHECK(fg::freeze(s, {some}).value().find("some")->op->name() == "Const");
  CHECK(fg::freeze(s, {some}, {.folded_bytes = 399}).value().find("some")->op->name() == "Fill");
  auto relu = fg::relu(some, {.name = "relu"});  // no larger than what it is computed from
  CHECK(fg::freeze(s, {relu}, {.folded_bytes = 400}).value().find("relu")->op->name() == "Const");

  auto fails = failing(g.constant(1.f), {.name = "fails"});
  const std::string_view probe[]{"Probe"};
  CHECK(fg::freeze(s, {fails}, {.keep = probe}).value().find("fails")->op->name() == "Probe");
  auto drawn = fg::random_uniform<float>(g, {3});
  CHECK(fg::freeze(s, {drawn}).value().output(drawn.name()).value().source->op->name() == "RandomUniform");
  auto stands_in = fg::placeholder_with_default(g.constant(2.f), {}, {.name = "stands_in"});
  CHECK(fg::freeze(s, {stands_in}).value().find("stands_in")->op->name() == "PlaceholderWithDefault");

  // Of a node with several outputs each that is read becomes a constant of its own; fetched, it stays.
  auto parts = fg::split(g.constant(fg::tensor<float>({4}, {1, 2, 3, 4})), 2, 0);
  check_frozen(s, parts[1] * x, {{x, fg::tensor<float>(2.f)}});
  check_frozen(s, parts[1], {});
}
