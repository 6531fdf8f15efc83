#include <flowgraph/op/runner.hpp>

#include <flowgraph/op/make_table.hpp>
#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace runners {

struct at_once {
  static constexpr std::string_view name = "AtOnce";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  static constexpr fg::shape shape(const fg::shape& x) { return x; }
  void operator()(fg::cpu, fg::view<const float>, fg::view<float>) const {}
};
struct later {
  static constexpr std::string_view name = "Later";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  static constexpr fg::shape shape(const fg::shape& x) { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y, fg::done answer) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = 2 * x[i];
    answer();
  }
};
struct for_a_run {
  static constexpr std::string_view name = "ForARun";
  static constexpr fg::op_facts facts{.not_differentiable = true, .per_run = true};
  static constexpr fg::shape shape(const fg::shape& x) { return x; }
  void operator()(fg::cpu, fg::view<const float>, fg::view<float>) const {}
};

}  // namespace runners

TEST_CASE("runner: ops that no schedule runs name the ready queue, with what answers later or without, others do not") {
  using fg::detail::description_of;
  CHECK((description_of<runners::at_once>.runner == nullptr));
  CHECK((description_of<runners::later>.runner == fg::detail::answering_runner));
  CHECK((description_of<runners::for_a_run>.runner == fg::detail::ready_queue_runner));
}

TEST_CASE("runner: a prepared step has the ready queue by an op that needs it, or since its session says so") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const fg::out<float> twice = fg::apply(runners::later{}, x), y = x + x;
  for (const bool dynamic : {false, true}) {
    fg::session s{g, {.dynamic = dynamic}};
    auto answered = s.prepare(fg::feed(x), fg::fetch(twice));
    auto plain = s.prepare(fg::feed(x), fg::fetch(y));
    CHECK(answered.plan().queued == (dynamic ? "the session is dynamic" : "a kernel is asynchronous"));
    CHECK(plain.plan().queued == (dynamic ? "the session is dynamic" : ""));
    const fg::tensor<float> given({2}, {1, 3});
    CHECK(answered(given)[1] == 6);
    CHECK(plain(given)[1] == 6);
  }
}
