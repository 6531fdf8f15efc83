// Runs over several devices that end early, in one plan and cut between the devices: the error is the first cause, the next run gives the right
// answer, and nothing stays behind.
//
// FLOWGRAPH_TEST_PROGRAMS and FLOWGRAPH_TEST_SEED choose the random programs.

#include "../../harness/late_answers.hpp"
#include "../../harness/troubled_runs.hpp"

namespace {

using namespace programs;

constexpr std::array<std::string_view, 3> three_cpus{"/cpu:0", "/cpu:1", "/cpu:2"};

// Over three CPUs, in one plan and cut between them.
template <class F> void over_three_cpus(F&& f) {
  fg::thread_pool pool(4);
  for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool})
    for (const bool cut : {false, true})
      for (const bool prepared : {false, true}) {
        CAPTURE((p != nullptr));
        CAPTURE(cut);
        CAPTURE(prepared);
        f(way{p, false, prepared, 3, cut});
      }
}

// Hands a number on when the answer comes; is worth nothing else.
struct late_op {
  static constexpr std::string_view name = "Late";
  static constexpr fg::op_facts facts{.stateful = true};
  engine::async_body body;

  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu ctx, fg::view<const double> x, fg::view<double> y, fg::done answer) const {
    y.scalar() = x.scalar();
    body(ctx, std::move(answer));
  }
  number gradient(number, number, number dy) const { return fg::apply(*this, dy); }
};

// What the results of a program hold.
std::vector<char> bytes_of(const plain::state& s) {
  std::vector<char> all;
  const auto append = [&](const auto& values) {
    const auto* first = reinterpret_cast<const char*>(values.data());
    all.insert(all.end(), first, first + values.size() * sizeof(values[0]));
  };
  append(s.i);
  append(s.d);
  append(s.kept_i);
  append(s.kept_d);
  return all;
}

}  // namespace

TEST_CASE("failures over three devices: a kernel fails in each of its calls, and node, frames and iterations are named") {
  for (const auto& [name, body] : nestings)
    for (const int parallel : {1, 10}) {
      CAPTURE(name);
      CAPTURE(parallel);
      nesting n;
      n.parallel = parallel;
      n.build(body);
      spread(n.g, 3, three_cpus);
      over_three_cpus([&](const way& w) {
        std::vector<fg::fed> feeds;
        feeds.push_back({fg::any_out(n.x), fg::tensor<double>(0.75).erased()});
        feeds.push_back({fg::any_out(n.p), fg::tensor<bool>(true).erased()});
        patient s(n.g, {n.y, n.dy}, feeds, n.happens, w);
        for (int call = 1; call <= s.calls; ++call) {
          CAPTURE(call);
          const fg::error why = s.run(trouble::kind::fails, call);
          REQUIRE(why.code() == error_code::data_loss);
          CHECK(std::string(why.node()) == n.place_of(*n.happens.failed_in, n.happens.failed_with));
          s.expect_nothing_left();
          if (call % 4 == 0) s.expect_health();
        }
      });
    }
}

TEST_CASE("failures over three devices: random programs and their gradients, while other kernels are to answer later") {
  const std::uint64_t how_many = number_from("FLOWGRAPH_TEST_PROGRAMS", 12), seed = number_from("FLOWGRAPH_TEST_SEED", 1);
  std::array<std::uint64_t, 3> ended{};
  engine::late_answers late;
  for (std::uint64_t at = seed; at < seed + how_many; ++at) {
    CAPTURE(at);
    plain::state start;
    const bool has_variables = at % 4 < 2;
    const block b = random_block(at, start, has_variables);
    const plain::state expected = run_from(b, start, {});
    trouble happens;
    const troubled_op op{&happens};
    std::mt19937_64 random(at);
    const bool waits = at % 2 == 0;  // with kernels that answer later no loop has a schedule
    program p(b, {.each =
                      [&](number x) {
                        fg::graph g = fg::graph_of(*x.source);
                        x = fg::apply(op, x, g.constant(integer(0)), ballast_in(g));
                        return waits && random() % 3 == 0 ? fg::apply(late_op{late.body()}, x) : x;
                      },
                  .forgets = has_variables});
    std::vector<fg::any_out> fetches = p.results();
    for (const auto& d : fg::gradients(p.loss(), p.first.d, {.allow_none = true}))
      if (!d.is_none()) fetches.push_back(number(d));
    spread(p.g, at, three_cpus);
    over_three_cpus([&](const way& w) {
      patient s(p.g, fetches, p.feeds(start), happens, w);
      s.has_variables = has_variables;
      const std::vector<char> right = bytes_of(expected), made = s.expect_health();
      CHECK(std::equal(right.begin(), right.end(), made.begin()));
      const auto one_of = [&](int n) { return n == 0 ? 0 : static_cast<int>(random() % static_cast<std::uint64_t>(n)) + 1; };
      for (int round = 0; round < 2; ++round) {
        const int failing = one_of(s.calls);
        fg::error why = s.run(trouble::kind::fails, failing);
        REQUIRE(why.code() == (failing > 0 ? error_code::data_loss : error_code::ok));
        if (why) {
          const std::string named(why.node()), cause(happens.failed_in->name);
          CHECK((named == cause || named.starts_with(cause + ", iteration ")));
          ++ended[0];
        }
        s.expect_nothing_left();
        why = s.run(trouble::kind::stops, one_of(s.calls));
        CHECK((!why || why.code() == error_code::cancelled));
        ended[1] += why ? 1 : 0;
        s.expect_nothing_left();
        why = s.run(fg::run_options::within(std::chrono::microseconds(random() % 300)));
        CHECK((!why || why.code() == error_code::deadline_exceeded));
        ended[2] += why ? 1 : 0;
        s.expect_nothing_left();
        s.expect_health();
      }
    });
    CHECK(late.started == late.answered);
  }
  for (const std::uint64_t n : ended) CHECK(n > how_many);
  CHECK(late.started > 0);
  CHECK(late.told_late == 0);
  MESSAGE("failed, cancelled, too late: ", ended[0], " ", ended[1], " ", ended[2], "; told to stop: ", late.told.load());
}
