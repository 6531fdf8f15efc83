#include <flowgraph/runtime/planning/draft_runner.hpp>

#include <flowgraph/ops/array/reshape.hpp>

#include "../../passes/drafted.hpp"

using namespace engine;

namespace {

struct run_alone {
  drafted_graph drafted;
  counting_memory memory;
  fg::error why;
  std::vector<fg::any_tensor> made;

  run_alone(const fg::graph& g, const fg::any_out& o, std::size_t limit = 1000) : drafted(g, {}, {o}) {
    fg::run_services services;
    services.memory = &memory;
    const draft_node& n = *drafted.made.fetches[0].from;
    made.resize(n.outputs.size());
    why = fg::detail::draft_runner(services, limit, g.state())(n, made);
  }
};

}  // namespace

TEST_CASE("draft_runner: a node over constants, in memory that a plan may keep longer than the session lives") {
  fg::graph g;
  auto c = g.constant(fg::tensor<float>({2}, {1.f, 2.f}));
  const run_alone sum(g, add(c, c));
  REQUIRE_FALSE(sum.why);
  CHECK(to_vector(fg::tensor<float>::from(sum.made[0]).value()) == std::vector<float>{2.f, 4.f});
  CHECK(sum.memory.in_use() == 0);
  const run_alone shown(g, fg::reshape(c, {2, 1}));
  REQUIRE_FALSE(shown.why);
  CHECK(to_string(shown.made[0].shape()) == "[2,1]");
  CHECK(shown.memory.in_use() == 0);
}

TEST_CASE("draft_runner: a node that asks for more memory than the limit fails") {
  fg::graph g;
  constexpr std::size_t size = 1000, bytes = size * sizeof(float);
  auto c = g.constant(fg::tensor<float>(fg::shape{size}));
  CHECK_FALSE(run_alone(g, add(c, c), 2 * bytes).why);
  CHECK(run_alone(g, add(c, c), bytes - 1).why.code() == error_code::resource_exhausted);
  CHECK_FALSE(run_alone(g, fg::reshape(c, {2, 500}), 0).why);  // asks for none
}

TEST_CASE("draft_runner: what fails, and what no kernel of the CPU is for, is an error") {
  fg::graph g;
  auto c = g.constant(fg::tensor<float>({2}, {1.f, 2.f}));
  CHECK(run_alone(g, failing(c)).why.code() == error_code::data_loss);
  auto on = g.on_device("/device:accel:0");
  CHECK(run_alone(g, add(c, c)).why.code() == error_code::unimplemented);
}
