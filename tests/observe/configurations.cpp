#include <flowgraph/observe/configurations.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/train/optimizer.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

// x plus one, and with this container x plus two: the fault that the comparison has to find.
const fg::container* container_of_fault = nullptr;
struct faulty_op {
  static constexpr std::string_view name = "Faulty";
  using types = fg::type_list<float>;
  static constexpr fg::op_facts facts{.not_differentiable = true};

  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<T> y) const {
    const T more = &ctx.resources() == container_of_fault ? T(2) : T(1);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + more;
  }
};

struct trained_model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {8, 3}), h, loss;
  fg::target train;
  fg::tensor<float> rows{{8, 3}};

  explicit trained_model(bool is_faulty) {
    auto w = g.variable("w", fg::tensor<float>({3, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3}));
    h = fg::matmul(x, w, fg::site{"h"}) * 0.1f;
    if (is_faulty) h = fg::apply(faulty_op{}, fg::exp(x, {"before"}), {"fault"});
    loss = fg::mean(fg::square(fg::exp(h * 0.01f)), {"loss"});
    if (!is_faulty) train = fg::adam{.rate = 0.01f}.minimize(loss);
    for (float value = 0; float& e : rows.writable()) e = (value += 0.1f);
  }
};

}  // namespace

TEST_CASE("configurations: threads, passes, the ready queue and devices give the same bits, over steps of training") {
  trained_model m(false);
  fg::thread_pool pool(3);
  const fg::device_list cpus = fg::cpu_devices(2);
  const fg::fed feeds[]{{m.x, m.rows}};
  const fg::any_out fetches[]{m.loss, m.h};
  const fg::target targets[]{m.train};
  const auto report = fg::compare_configurations(m.g, {.feeds = feeds, .fetches = fetches, .targets = targets, .runs = 4},
                                                 {{"alone", {}},
                                                  {"threads", {.pool = &pool}},
                                                  {"no passes", {.passes = fg::pass_options::none()}},
                                                  {"dynamic", {.dynamic = true}},
                                                  {"devices", {.devices = cpus}},
                                                  {"cut", {.devices = cpus, .cut = fg::per_device}}})
                          .value();
  CHECK(report.compared == 5);
  CHECK_MESSAGE(report.are_equal(), report.text());
}

TEST_CASE("configurations: a kernel that gives other numbers with threads is found, and only where it does") {
  trained_model m(true);
  fg::thread_pool pool(2);
  fg::container own;
  container_of_fault = &own;
  const fg::fed feeds[]{{m.x, m.rows}};
  const fg::any_out fetches[]{m.loss};
  const auto compare = [&](fg::tolerance allowed) {
    return fg::compare_configurations(
               m.g, {.feeds = feeds, .fetches = fetches, .allowed = allowed},
               {{"alone", {}}, {"dynamic", {.dynamic = true}}, {"threads", {.pool = &pool, .resources = &own}}})
        .value();
  };
  const auto report = compare({});
  REQUIRE(report.differences.size() == 1);
  CHECK(report.differences[0].configuration == "threads");
  CHECK(report.differences[0].fetch == "loss");
  REQUIRE(report.differences[0].first);
  CHECK(report.differences[0].first->name == "fault");
  CHECK(report.differences[0].first->inputs == std::vector<std::string>{"before: equal"});
  CHECK(report.text().find("first: fault (Faulty<float>): 24 of 24 elements differ, the most by 1") != std::string::npos);
  CHECK(compare({.absolute = 1}).are_equal());
}

TEST_CASE("configurations: in a cut plan the first difference is found by fetching") {
  trained_model m(true);
  fg::thread_pool pool(2);
  const fg::device_list cpus = fg::cpu_devices(2);
  fg::container own;
  container_of_fault = &own;
  const fg::fed feeds[]{{m.x, m.rows}};
  const fg::any_out fetches[]{m.loss};
  const auto report = fg::compare_configurations(
                          m.g, {.feeds = feeds, .fetches = fetches},
                          {{"alone", {}}, {"cut", {.pool = &pool, .resources = &own, .devices = cpus, .cut = fg::per_device}}})
                          .value();
  REQUIRE(report.differences.size() == 1);
  REQUIRE(report.differences[0].first);
  CHECK(report.differences[0].first->name == "fault");
}

TEST_CASE("configurations: a run that fails names its configuration; sessions may begin in another way") {
  trained_model m(false);
  const fg::any_out fetches[]{m.loss};
  const fg::fed feeds[]{{m.x, m.rows}};
  const auto failed =
      fg::compare_configurations(m.g, {.feeds = feeds, .fetches = fetches}, {{"a", {}}, {"small", {.memory_limit = 8}}});
  REQUIRE_FALSE(failed.has_value());
  CHECK(std::string(failed.error().message()).starts_with("configuration 'small': "));
  int begun = 0;
  const auto begin = [&](fg::session& s) {
    ++begun;
    return s.try_initialize();
  };
  CHECK(fg::compare_configurations(m.g, {.feeds = feeds, .fetches = fetches, .begin = begin}, {{"a", {}}, {"b", {}}})
            .value()
            .are_equal());
  CHECK(begun == 2);
  CHECK_FALSE(fg::compare_configurations(m.g, {.fetches = fetches}, {{"a", {}}}).has_value());
}
