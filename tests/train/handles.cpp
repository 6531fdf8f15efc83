// Variables behind handles train as those read by reference do, to the bit.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/state/variable_behind.hpp>
#include <flowgraph/train/accumulate_gradients.hpp>
#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/ftrl.hpp>
#include <flowgraph/train/lazy_adam.hpp>
#include <flowgraph/train/moving_average.hpp>
#include <flowgraph/train/proximal.hpp>
#include <flowgraph/train/rms_prop.hpp>

#include <doctest/doctest.h>

#include <cstring>

namespace fg = flowgraph;

namespace {

constexpr std::int64_t table_size = 5, table_width = 3, runs_made = 4;

fg::tensor<float> handle_values(const fg::shape& s, float first) {
  fg::tensor<float> made(s);
  float next = first;
  for (float& e : made.writable()) e = next, next = next * -0.83f + 0.17f;
  return made;
}

// A table of which rows are looked up, a matrix that a loop reads in each iteration, and a bias that one side of a branch reads.
struct handle_model {
  explicit handle_model(bool handles) : behind(handles) {
    const auto made = [&](const char* name, const fg::tensor<float>& value) {
      if (!behind) return fg::any_out(g.variable(name, value));
      const auto h = fg::apply_in<float>(g, fg::var_handle_op{.declared = value.shape()}, {name});
      const auto first = g.constant(value);
      g.add_initializer(fg::apply_as<float>({}, fg::assign_variable_op{}, h, first).source);
      g.add_variable(h, true);
      return fg::any_out(h);
    };
    table = made("table", handle_values({table_size, table_width}, 0.5f));
    matrix = made("matrix", handle_values({table_width, table_width}, -0.4f));
    bias = made("bias", handle_values({table_width}, 0.3f));
    which = g.placeholder<std::int32_t>("which", {4});
    side = g.placeholder<bool>("side", {});
    const auto begin = std::tuple(g.constant(std::int32_t(0)), looked_up());
    const auto [n, last] = fg::while_loop(
        begin, [](fg::out<std::int32_t> i, fg::out<float>) { return i < 3; },
        [&](fg::out<std::int32_t> i, fg::out<float> x) {
          return std::tuple(i + 1, fg::tanh(fg::matmul(x, fg::reshape(read(matrix), {table_width, table_width}))));
        });
    const fg::out<float> y = fg::cond(
        side, [&, x = last] { return x + read(bias); }, [&, x = last] { return x * 2.f; });
    loss = fg::mean(fg::square(y));
  }

  fg::out<float> read(const fg::any_out& v) const {
    if (!behind) return {v.source, v.port};
    return fg::apply_as<float>({}, fg::read_variable_op{}, fg::out<fg::resource>{v.source, v.port});
  }
  fg::out<float> looked_up() const {
    if (!behind) return fg::gather(fg::out<float>{table.source, table.port}, which);
    const auto made =
        fg::apply_as<float, std::int32_t>({}, fg::resource_gather_op{}, fg::out<fg::resource>{table.source, table.port}, which);
    return fg::reshape(made, {4, table_width});
  }
  static fg::tensor<std::int32_t> rows_of(std::int64_t step) {
    const auto at = static_cast<std::int32_t>(step);
    return fg::tensor<std::int32_t>({4}, {at, 1, 1, static_cast<std::int32_t>((at + 2) % table_size)});
  }
  // The values of all variables after the steps, one behind the other.
  template <class Train> std::vector<float> after(const Train& train) {
    fg::session s{g};
    const fg::target step = train(*this);
    s.initialize();
    for (std::int64_t i = 0; i < runs_made; ++i) s.run(step, {{which, rows_of(i)}, {side, fg::tensor<bool>(i % 2 == 0)}});
    return values(s);
  }
  std::vector<float> values(fg::session& s) {
    std::vector<float> all;
    for (const fg::any_out& v : {table, matrix, bias})
      for (const float e : s.run(fg::fetch(read(v)))) all.push_back(e);
    return all;
  }

  bool behind;
  fg::graph g;
  fg::any_out table, matrix, bias;
  fg::out<std::int32_t> which;
  fg::out<bool> side;
  fg::out<float> loss;
};

bool same_weights(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

template <class Method> void check_handles_with(const Method& method) {
  INFO(std::string(Method::name));
  const auto train = [&](handle_model& m) { return method.minimize(m.loss); };
  const std::vector<float> by_reference = handle_model(false).after(train), by_handle = handle_model(true).after(train);
  const std::vector<float> untrained =
      handle_model(true).after([](handle_model& m) { return fg::group(m.g, std::vector<fg::target>{}); });
  CHECK(by_reference != untrained);
  CHECK(same_weights(by_reference, by_handle));
}

}  // namespace

TEST_CASE("handles: every optimizer trains variables behind handles as those read by reference") {
  check_handles_with(fg::sgd{.rate = 0.1f});
  check_handles_with(fg::momentum{.rate = 0.1f, .nesterov = true});
  check_handles_with(fg::adam{.rate = 0.1f});
  check_handles_with(fg::adamw{.rate = 0.1f});
  check_handles_with(fg::lazy_adam{.rate = 0.1f});
  check_handles_with(fg::lazy_adamw{.rate = 0.1f});
  check_handles_with(fg::adagrad{.rate = 0.1f});
  check_handles_with(fg::adagrad_da{.rate = 0.1f});
  check_handles_with(fg::adadelta{.rate = 0.1f});
  check_handles_with(fg::rms_prop{.rate = 0.1f});
  check_handles_with(fg::rms_prop{.rate = 0.1f, .centered = true});
  check_handles_with(fg::ftrl{.rate = 0.1f});
  check_handles_with(fg::ftrl{.rate = 0.1f, .l2_shrinkage = 0.1f});
  check_handles_with(fg::proximal_sgd{.rate = 0.1f, .l1 = 0.01f});
  check_handles_with(fg::proximal_adagrad{.rate = 0.1f, .l1 = 0.01f});
  check_handles_with(fg::accumulate_gradients(fg::momentum{.rate = 0.1f}, {.steps = 2}));
}

TEST_CASE("handles: a prepared step trains them too, and reads come before the update of their run") {
  const auto trained = [](bool behind) {
    handle_model m(behind);
    const fg::target step = fg::momentum{.rate = 0.1f}.minimize(m.loss);
    fg::session s{m.g};
    s.initialize();
    auto prepared = s.prepare(fg::feed(m.which, m.side), fg::fetch(m.loss), step);
    std::vector<float> made;
    for (std::int64_t i = 0; i < runs_made; ++i)
      made.push_back(prepared(handle_model::rows_of(i), fg::tensor<bool>(i % 2 == 0)).scalar());
    const std::vector<float> last = m.values(s);
    made.insert(made.end(), last.begin(), last.end());
    return made;
  };
  CHECK(same_weights(trained(false), trained(true)));
  // Nothing but the order of accesses makes the loss wait for the old value.
  fg::graph g;
  const auto h = fg::apply_in<float>(g, fg::var_handle_op{.declared = {}}, {"w"});
  const auto first = fg::apply_as<float>({}, fg::assign_variable_op{}, h, g.constant(3.f));
  g.add_variable(h, true);
  const auto w = fg::apply_as<float>({}, fg::read_variable_op{}, h);
  const auto loss = w * 2.f;
  const fg::target step = fg::sgd{.rate = 0.5f}.minimize(loss);
  fg::session s{g};
  s.run(first);
  CHECK(s.run(fg::fetch(loss), step).scalar() == 6.f);
  auto prepared = s.prepare(fg::feed(), fg::fetch(loss), step);
  CHECK(prepared().scalar() == 4.f);
  CHECK(prepared().scalar() == 2.f);
}

TEST_CASE("handles: names of what is remembered, averages and replaced values are as those of the variable") {
  handle_model m(true);
  fg::adam{.rate = 0.1f}.minimize(m.loss);
  CHECK(m.g.find("matrix/Adam"));
  CHECK(m.g.find("matrix/Adam_1"));
  CHECK(m.g.find("Adam/update_matrix/ApplyAdam"));
  const auto bias = fg::variable_behind<float>(m.bias).value();
  CHECK(bias.name() == "bias/Variable");
  const fg::exponential_moving_average averaging{.decay = 0.5f};
  const fg::target averaged = averaging.apply(bias);
  fg::session s{m.g};
  s.initialize();
  s.assign({{m.bias, handle_values({table_width}, 1.f).erased()}});
  s.run(averaged);
  const auto average = s.run(fg::fetch(averaging.average(bias)));
  CHECK(average[0] == doctest::Approx(0.5f * (0.3f + 1.f)));
}
