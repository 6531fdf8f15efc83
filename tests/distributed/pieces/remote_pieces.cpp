// Partial runs of a remote session: they have the same results as partial runs in one process.

#include "partial_graph.hpp"

#include <flowgraph/observe/trace.hpp>

#include <algorithm>
#include <string>

using namespace flowgraph_test;
using namespace std::chrono_literals;

namespace {

using seen_values = std::vector<float>;

// Returns the results of partial runs that are fed in several ways.
seen_values pieces_seen(const partial_graph& m, fg::session& s) {
  seen_values all;
  const auto add = [&](const fg::result<std::vector<fg::any_tensor>>& made) {
    const seen_values found = all_elements(made);
    all.insert(all.end(), found.begin(), found.end());
  };
  s.initialize();
  const fg::tensor<float> a = three(0.1f, 0.7f, -3), b = three(2, 0.3f, 5), c = three(-1, 1e-3f, 9);
  for (int round = 0; round < 2; ++round) {
    {  // one after the other
      auto run = m.begin(s);
      add(go_on(run, {{m.x, a}}, {m.noisy, m.seven}));
      add(go_on(run, {{m.y, b}}, {m.product, m.looped, m.total}));
      add(go_on(run, {{m.z, c}}, {m.last, m.yes}));
      add(go_on(run, {}, {m.v}));
    }
    {  // in reverse order, and without fetches first
      auto run = m.begin(s);
      add(go_on(run, {}, {}));
      add(go_on(run, {{m.z, c}}, {}));
      add(go_on(run, {{m.y, b}}, {m.yes, m.v}));
      add(go_on(run, {{m.x, a}}, {}));
      add(s.try_run(fg::run_request{{}, std::vector<fg::any_out>{m.v}, {}}));  // all nodes have run
      add(go_on(run, {}, {m.last, m.total}));
    }
    {  // two at once, and runs between: numbers are drawn in the order in which the runs begin, values are read when they are
       // requested
      auto first = m.begin(s), second = m.begin(s);
      add(go_on(second, {{m.x, a}, {m.y, b}}, {m.product, m.total}));
      add(go_on(first, {{m.y, c}}, {}));
      add(s.try_run(fg::run_request{std::vector<fg::fed>{{m.x, a}}, std::vector<fg::any_out>{m.noisy}, {}}));
      add(go_on(first, {{m.x, b}}, {m.noisy}));
      add(go_on(first, {}, {m.product}));
      add(go_on(second, {{m.z, c}}, {m.last}));
    }
  }
  return all;
}

seen_values here_seen() {
  const partial_graph near(false);
  fg::session here{near.g};
  return pieces_seen(near, here);
}

bool names(const fg::error& why, std::string_view text) {
  return std::string_view(why.what()).find(text) != std::string_view::npos;
}

}  // namespace

TEST_CASE("remote pieces: what a program sees of partial runs on two tasks is to the bit what it sees in one process") {
  const seen_values wanted = here_seen();
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    for (const std::uint64_t limit : {65536u, 4u, 0u}) {
      CAPTURE(seed);
      CAPTURE(limit);
      simulated_cluster cluster(2, seed);
      const partial_graph far(true);
      fg::session there{far.g, cluster.connect(static_cast<std::uint32_t>(seed % 2), {.pushed_up_to = limit})};
      CHECK(pieces_seen(far, there) == wanted);
    }
  }
}

TEST_CASE("remote pieces: over TCP, too") {
  const seen_values wanted = here_seen();
  for (const std::uint64_t limit : {65536u, 0u}) {
    const two_servers cluster;
    const partial_graph far(true);
    fg::session there{far.g, fg::tcp::connect(cluster.addresses[0], {.pushed_up_to = limit})};
    CHECK(pieces_seen(far, there) == wanted);
  }
}

TEST_CASE("remote pieces: what needs edges not yet fed is refused as in one process, before anything is fed or runs") {
  simulated_cluster cluster(2);
  const partial_graph far(true), near(false);
  fg::session there{far.g, cluster.connect()}, here{near.g};
  there.initialize();
  here.initialize();
  const auto refused = [](const partial_graph& m, fg::session& s, const std::vector<fg::fed>& feeds,
                          const std::vector<fg::any_out>& fetches) {
    auto run = m.begin(s);
    const auto made = go_on(run, feeds, fetches);
    REQUIRE_FALSE(made.has_value());
    const std::string why = made.error().what();
    // Nothing was fed: the same edges can still be fed, and the variable is unchanged.
    CHECK(all_elements(s.try_run(fg::run_request{{}, std::vector<fg::any_out>{m.v}, {}})) == seen_values{1, 2, 3});
    CHECK(go_on(run, feeds, {}).has_value());
    return why.substr(0, why.find(" at "));
  };
  const auto three_zeros = three(0, 0, 0);
  const auto of = [&](const partial_graph& m, fg::session& s) {
    return std::vector<std::string>{refused(m, s, {{m.x, three_zeros}}, {m.noisy, m.product}), refused(m, s, {}, {m.noisy}),
                                    refused(m, s, {{m.y, three_zeros}}, {m.looped}),
                                    refused(m, s, {{m.y, three_zeros}}, {m.last})};
  };
  const auto found = of(far, there);
  CHECK(found == of(near, here));
  CHECK(found[0].find("depends on 'y', which has not been fed yet") != std::string::npos);
}

TEST_CASE("remote pieces: each edge is fed once and fetched once, and an edge that is dead takes nothing away") {
  simulated_cluster cluster(2);
  const partial_graph m(true);
  fg::session s{m.g, cluster.connect()};
  s.initialize();
  auto run = m.begin(s);
  CHECK(go_on(run, {{m.x, three(1, 1, 1)}}, {m.noisy}).has_value());
  CHECK(names(go_on(run, {{m.x, three(1, 1, 1)}}, {}).error(), "'x' has been fed already"));
  CHECK(names(go_on(run, {}, {m.noisy}).error(), "has been fetched already"));
  CHECK(names(go_on(run, {{fg::any_out(m.y), fg::tensor<float>({2}).erased()}}, {}).error(), "must have shape"));
  for (int i = 0; i < 2; ++i) {
    const std::vector<fg::fed> once{{m.y, three(1, 1, 1)}, {m.z, three(1, 2, 3)}};
    const auto made = go_on(run, i == 0 ? once : std::vector<fg::fed>{}, {m.yes, m.no});
    REQUIRE_FALSE(made.has_value());
    CHECK(names(made.error(), "on a branch that was not taken"));
  }
  CHECK(all_elements(go_on(run, {}, {m.yes})) == seen_values{2, 4, 6});
  CHECK(go_on(run, {}, {m.total, m.last}).has_value());
}

TEST_CASE("remote pieces: an error of a task ends the run with the node's name, and the session goes on") {
  simulated_cluster cluster(2);
  fg::graph g;
  const auto x = g.placeholder<float>("x", fg::shape::unknown()), y = g.placeholder<float>("y", fg::shape::unknown());
  const auto first = x * 2.f;
  const auto on = g.on_device(on_worker(1));
  const auto second = fg::matmul(first, y, {.name = "far_product"});
  fg::session s{g, cluster.connect()};
  const std::vector<fg::any_out> feeds{x, y}, fetches{first, second};
  for (int i = 0; i < 2; ++i) {
    auto run = s.try_begin_partial(feeds, fetches).value();
    CHECK(go_on(run, {{x, fg::tensor<float>({1, 2}, {1, 2})}}, {first}).has_value());
    const auto made = go_on(run, {{y, fg::tensor<float>({3, 1}, {1, 2, 3})}}, {second});
    REQUIRE_FALSE(made.has_value());
    CHECK(names(made.error(), "far_product"));
    CHECK(names(made.error(), "/job:worker/task:1"));
    CHECK(go_on(run, {}, {}).error().code() == fg::error_code::failed_precondition);
    auto again = s.try_begin_partial(feeds, fetches).value();
    CHECK(go_on(again, {{x, fg::tensor<float>({1, 1}, {3})}, {y, fg::tensor<float>({1, 1}, {4})}}, {second})
              .value()[0]
              .as<float>()[0] == 24);
  }
}

TEST_CASE("remote pieces: targets run, and a run without feeds and fetches is over after its first piece") {
  simulated_cluster cluster(2);
  const partial_graph m(true);
  fg::session s{m.g, cluster.connect()};
  s.initialize();
  const fg::target all[]{m.total};
  auto run = s.try_begin_partial(std::vector<fg::any_out>{m.x, m.y}, {}, all).value();
  CHECK(go_on(run, {{m.x, three(1, 1, 1)}}, {}).has_value());
  CHECK(s.run(fg::fetch(m.v))[0] == 1);
  CHECK(go_on(run, {{m.y, three(0, 10, 10)}}, {}).has_value());
  CHECK(s.run(fg::fetch(m.v))[0] == 1);
  CHECK(s.run(fg::fetch(m.v))[1] >= 12);
  const fg::target initial[]{m.g.initializers()[0]};
  auto once = s.try_begin_partial({}, {}, initial).value();
  CHECK(s.run(fg::fetch(m.v))[1] >= 12);
  CHECK(go_on(once, {}, {}).has_value());
  CHECK(s.run(fg::fetch(m.v))[1] == 2);
  const fg::any_out constant[]{m.seven};
  auto known = s.try_begin_partial({}, constant).value();
  CHECK(all_elements(known.try_continue({}, constant)) == seen_values{7});
}

TEST_CASE("remote pieces: a handle outlives its session's, and one that is replaced gives up its run") {
  simulated_cluster cluster(2);
  const partial_graph m(true);
  {
    auto s = std::make_unique<fg::session>(m.g, cluster.connect());
    auto run = m.begin(*s), other = m.begin(*s);
    CHECK(go_on(other, {{m.x, three(1, 2, 3)}}, {m.noisy}).has_value());
    other = m.begin(*s);
    s.reset();
    CHECK(go_on(run, {{m.x, three(1, 2, 3)}}, {m.noisy}).has_value());
  }
  cluster.net.run_for(1s);
  for (std::uint32_t t = 0; t < 2; ++t) CHECK(cluster[t].kept() == 0);
}

TEST_CASE("remote pieces: a run that is traced has the records of all tasks when its last piece has ended") {
  simulated_cluster cluster(2, 1, cluster_ops(), {.record = fg::record_parts});
  const partial_graph m(true);
  fg::session s{m.g, cluster.connect()};
  s.initialize();
  const std::vector<fg::any_out> feeds{m.x, m.y}, fetches{m.noisy, m.product};
  fg::trace_recorder seen;
  auto run = s.try_begin_partial(feeds, fetches, {}, {.trace = &seen}).value();
  CHECK(go_on(run, {{m.x, three(1, 1, 1)}}, {m.noisy}).has_value());
  CHECK(go_on(run, {{m.y, three(1, 1, 1)}}, {m.product}).has_value());
  const auto found = seen.collect();
  const std::string product(m.product.source->name), noisy(m.noisy.source->name);
  for (const std::string& name : {product, noisy}) {
    CAPTURE(name);
    CHECK(std::ranges::count_if(found.events, [&](const fg::trace_event& e) {
            return e.kind == fg::trace_kind::kernel && e.node != fg::trace_event::none && found.nodes[e.node].name == name;
          }) == 1);
  }
}
