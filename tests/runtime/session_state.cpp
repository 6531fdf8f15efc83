#include <flowgraph/runtime/session_state.hpp>

#include <flowgraph/runtime/session.hpp>

#include "../harness/engine_ops.hpp"

using namespace engine;

namespace {

struct state_of_model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {2});
  fg::out<float> a = fg::apply(add_op{}, x, x, {"a"});
  fg::out<float> b = fg::apply(add_op{}, a, a, {"b"});
  fg::detail::session_state state{g, {}};

  std::shared_ptr<fg::detail::planned> plan(std::vector<fg::any_out> fetches) {
    const fg::any_out feeds[]{x};
    fg::detail::plan_request request;
    request.feeds = feeds;
    request.fetches = fetches;
    auto found = state.plan_for(request);
    REQUIRE(found);
    return *found;
  }
};

}  // namespace

TEST_CASE("session_state: the plan of the same edges is kept, that of others is another") {
  state_of_model m;
  const auto first = m.plan({m.a, m.b});
  CHECK(m.plan({m.a, m.b}) == first);
  CHECK(m.plan({m.b, m.a}) != first);
  CHECK(m.plan({m.a}) != first);
  CHECK(m.state.plans.size() == 3);
}

TEST_CASE("session_state: an executor that is given back is used again") {
  state_of_model m;
  const auto p = m.plan({m.b});
  auto e = m.state.take_runner(*p, &fg::detail::make_executor);
  CHECK(m.state.take_runner(*p, &fg::detail::make_executor) != e);
  const auto* const used = e.get();
  m.state.give_back(*p, std::move(e));
  CHECK(m.state.take_runner(*p, &fg::detail::make_executor).get() == used);
}

TEST_CASE("session_state: a node keeps its counter of draws, and each node has one of its own") {
  state_of_model m;
  auto& counter = m.state.counter(m.a.source->id);
  counter.runs = 5;
  CHECK(m.state.counter(m.a.source->id).runs == 5);
  CHECK(m.state.counter(m.b.source->id).runs == 0);
}

TEST_CASE("session_state: a feed must have the edge's type and shape") {
  state_of_model m;
  CHECK_FALSE(fg::detail::check_feed(m.x, fg::tensor<float>({2}, {1, 2}).erased()));
  CHECK(fg::detail::check_feed(m.x, fg::tensor<float>({3}, {1, 2, 3}).erased()));
  CHECK(fg::detail::check_feed(m.x, fg::tensor<double>({2}, {1, 2}).erased()));
}
