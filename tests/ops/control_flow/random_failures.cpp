// Runs that end early in any kernel of any iteration, wherever loops and branches nest, forward and backward: the error says where,
// the next run gives the right answer, and no memory stays behind.
//
// FLOWGRAPH_TEST_PROGRAMS and FLOWGRAPH_TEST_SEED choose the random programs.

#include "../../harness/troubled_runs.hpp"

namespace {

using namespace programs;

template <class F> void in_every_way(F&& f) {
  fg::thread_pool pool(4);
  for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool})
    for (const way& w : {way{p, false, false}, way{p, false, true}, way{p, true, false}}) {
      CAPTURE((p != nullptr));
      CAPTURE(w.dynamic);
      CAPTURE(w.prepared);
      f(w);
    }
}

// Each nesting on 1 and 4 threads with iterations that overlap and that do not, forward alone and with its gradient.
template <class F> void in_every_nesting(F&& f) {
  for (const auto& [name, body] : nestings)
    for (const int parallel : {1, 10}) {
      CAPTURE(name);
      CAPTURE(parallel);
      nesting n;
      n.parallel = parallel;
      n.build(body);
      for (const bool with_gradient : {false, true}) {
        CAPTURE(with_gradient);
        in_every_way([&](const way& w) {
          std::vector<fg::any_out> fetches{n.y};
          if (with_gradient) fetches.push_back(n.dy);
          std::vector<fg::fed> feeds;
          feeds.push_back({fg::any_out(n.x), fg::tensor<double>(0.75).erased()});
          feeds.push_back({fg::any_out(n.p), fg::tensor<bool>(true).erased()});
          patient s(n.g, fetches, feeds, n.happens, w);
          CHECK(s.calls > 0);
          f(n, s);
        });
      }
    }
}

}  // namespace

TEST_CASE("failures: a kernel fails in each of its calls, and node, frames and iterations are named") {
  in_every_nesting([](nesting& n, patient& s) {
    for (int call = 1; call <= s.calls; ++call) {
      CAPTURE(call);
      const fg::error why = s.run(trouble::kind::fails, call);
      REQUIRE(why.code() == error_code::data_loss);
      CHECK(std::string(why.node()) == n.place_of(*n.happens.failed_in, n.happens.failed_with));
      CHECK(why.op() == "Troubled");
      s.expect_nothing_left();
      s.expect_health();
    }
  });
}

TEST_CASE("failures: memory is refused at each allocation") {
  in_every_nesting([](nesting&, patient& s) {
    std::size_t found = 0, asked = s.allocations;
    const bool keeps_memory = s.keeps_memory();
    if (keeps_memory) {
      CHECK(s.allocations == 0);
      const std::size_t before = s.memory.allocations();
      s.renew();
      s.expect_health();
      asked = s.memory.allocations() - before;
    }
    for (std::size_t nth = 1; nth <= asked; ++nth) {
      CAPTURE(nth);
      if (keeps_memory) s.renew();
      s.memory.refuse(nth);
      const fg::error why = s.run();
      if (s.memory.has_refused()) {  // on several threads a run may need less
        ++found;
        if (keeps_memory && !why) continue;  // what lay idle was enough
        CHECK(why.code() == error_code::resource_exhausted);
        CHECK_FALSE(why.node().empty());
      }
      s.memory.refuse(0);
      s.expect_nothing_left();
      s.expect_health();
    }
    CHECK(found > asked / 2);
  });
}

TEST_CASE("failures: a run is cancelled within each of its kernels, and at any moment from outside") {
  in_every_nesting([](nesting&, patient& s) {
    for (int call = 1; call <= s.calls; ++call) {
      CAPTURE(call);
      const fg::error why = s.run(trouble::kind::stops, call);
      CHECK((!why || why.code() == error_code::cancelled));
      s.expect_nothing_left();
      s.expect_health();
    }
  });
  nesting n;
  n.build(nestings.back().second);
  std::mt19937 random(5);
  std::array<int, 2> ended{};
  in_every_way([&](const way& w) {
    std::vector<fg::fed> feeds;
    feeds.push_back({fg::any_out(n.x), fg::tensor<double>(0.75).erased()});
    feeds.push_back({fg::any_out(n.p), fg::tensor<bool>(true).erased()});
    patient s(n.g, {n.y, n.dy}, feeds, n.happens, w);
    for (int round = 0; round < 100; ++round) {
      std::stop_source stop;
      std::atomic<bool> is_running = false;
      std::thread stopper([&, pause = random() % 200] {
        while (!is_running) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::microseconds(pause));
        stop.request_stop();
      });
      is_running = true;
      const fg::error why = s.run({.stop = stop.get_token()});
      stopper.join();
      CHECK((!why || why.code() == error_code::cancelled));
      ++ended[why ? 1 : 0];
      s.expect_nothing_left();
      s.expect_health();
    }
  });
  MESSAGE("whole: ", ended[0], ", cancelled: ", ended[1]);
}

TEST_CASE("failures: random programs with their gradients, at random points") {
  const std::uint64_t how_many = number_from("FLOWGRAPH_TEST_PROGRAMS", 60), seed = number_from("FLOWGRAPH_TEST_SEED", 1);
  std::array<std::uint64_t, 3> ended{};
  for (std::uint64_t at = seed; at < seed + how_many; ++at) {
    CAPTURE(at);
    plain::state start;
    const bool has_variables = at % 2 == 0;
    const block b = random_block(at, start, has_variables);
    trouble happens;
    const troubled_op op{&happens};
    program p(b, {.each =
                      [&](number x) {
                        fg::graph g = fg::graph_of(*x.source);
                        return fg::apply(op, x, g.constant(integer(0)), ballast_in(g));
                      },
                  .forgets = has_variables});
    std::vector<fg::any_out> fetches = p.results();
    for (const auto& d : fg::gradients(p.loss(), p.first.d, {.allow_none = true}))
      if (!d.is_none()) fetches.push_back(number(d));
    std::mt19937_64 random(at);
    in_every_way([&](const way& w) {
      patient s(p.g, fetches, p.feeds(start), happens, w);
      s.has_variables = has_variables;
      const auto one_of = [&](auto n) { return n == 0 ? 0 : static_cast<int>(random() % static_cast<std::uint64_t>(n)) + 1; };
      for (int round = 0; round < 3; ++round) {
        const int failing = one_of(s.calls), stopping = one_of(s.calls);
        fg::error why = s.run(trouble::kind::fails, failing);
        CHECK(why.code() == (failing > 0 ? error_code::data_loss : error_code::ok));
        ended[0] += why ? 1 : 0;
        s.expect_nothing_left();
        why = s.run(trouble::kind::stops, stopping);
        CHECK((!why || why.code() == error_code::cancelled));
        ended[1] += why ? 1 : 0;
        s.expect_nothing_left();
        s.memory.refuse(static_cast<std::size_t>(one_of(s.allocations)));
        why = s.run();
        CHECK(why.code() == (s.memory.has_refused() ? error_code::resource_exhausted : error_code::ok));
        ended[2] += why ? 1 : 0;
        s.memory.refuse(0);
        s.expect_nothing_left();
        s.expect_health();
      }
    });
  }
  for (const std::uint64_t n : ended) CHECK(n > how_many);
  MESSAGE("failed, cancelled, without memory: ", ended[0], " ", ended[1], " ", ended[2]);
}
