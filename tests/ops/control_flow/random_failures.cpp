// Runs that end early in any kernel of any iteration, wherever loops and branches nest, forward and backward: the error says where,
// the next run gives the right answer, and no memory stays behind.
//
// FLOWGRAPH_TEST_PROGRAMS and FLOWGRAPH_TEST_SEED choose the random programs.

#include "../../harness/engine_ops.hpp"
#include "../../harness/random_program.hpp"

#include <flowgraph/graph/gradients.hpp>

#include <stop_token>

namespace {

using namespace programs;
using engine::counting_memory;
using fg::error_code;

// What happens in one call of the runs that a kernel takes part in.
class trouble {
public:
  enum class kind { none, fails, stops };

  // In call `nth` of the run to come.
  void plan(kind what, int nth) {
    what_ = what;
    nth_ = nth;
    calls_ = 0;
    stop_ = std::stop_source();
  }
  void call(fg::cpu ctx, integer tag) {
    if (++calls_ != nth_ || what_ == kind::none) return;
    if (what_ == kind::stops) {
      stop_.request_stop();
      return;
    }
    failed_in = ctx.at();
    failed_with = tag;
    ctx.fail(error_code::data_loss, "the kernel refuses");
  }
  fg::run_options options() const { return {.stop = stop_.get_token()}; }
  int calls() const { return calls_; }

  const fg::node* failed_in = nullptr;
  integer failed_with = 0;

private:
  kind what_ = kind::none;
  int nth_ = 0;
  std::atomic<int> calls_ = 0;
  std::stop_source stop_;
};

// Hands a number on and is worth a thread; the tag says in which iteration.
struct troubled_op {
  static constexpr std::string_view name = "Troubled";
  static constexpr bool expensive = true;
  static constexpr bool stateful = true;
  trouble* of = nullptr;

  fg::shape shape(const fg::shape& x, const fg::shape&, const fg::shape&) const { return x; }
  void operator()(fg::cpu ctx, fg::view<const double> x, fg::view<const integer> tag, fg::view<const double>,
                  fg::view<double> y) const {
    y.scalar() = x.scalar();
    of->call(ctx, tag.scalar());
  }
  fg::gradients_of<double, 3> gradient(number, fg::out<integer> tag, number ballast, number, number dy) const {
    return {{fg::apply(*this, dy, tag, ballast, fg::site{"back"}), fg::none, fg::none}};
  }
};

// ---- every nesting

// A loop that a kernel stands in, outermost first.
struct level {
  std::string frame;
  integer iterations;
};

struct nesting {
  static constexpr integer digits = 100;  // a tag is the outer iteration times this, and the inner one

  trouble happens;
  fg::graph g;
  number x = g.placeholder<double>("x", {});
  fg::out<bool> p = g.placeholder<bool>("p", {});
  number ballast = ballast_in(g);
  int parallel = 1;
  std::vector<level> levels;
  number y, dy;

  void build(auto&& body) {
    y = body(*this);
    dy = fg::gradients(y, x);
  }
  // Two kernels that may run at the same time.
  number troubled(number a, fg::out<integer> tag) {
    const troubled_op op{&happens};
    const number left = fg::apply(op, a, tag, ballast, fg::site{"left"});
    const number right = fg::apply(op, a * 0.5, tag, ballast, fg::site{"right"});
    return left * right + 0.125;
  }
  number repeat(std::string_view name, integer times, number first, const std::function<number(fg::out<integer>, number)>& body) {
    return fg::for_range(g.constant(integer(0)), times, first, body, {.name = name, .parallel_iterations = parallel});
  }

  // Where the engine has to say that a kernel with this tag failed. Backward the loops stand in the same order.
  std::string place_of(const fg::node& n, integer tag) const {
    const bool is_backward = n.name.ends_with("/back");
    std::string places, frame;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const integer forward = k + 1 == levels.size() ? tag % digits : tag / digits;
      if (is_backward) frame += (frame.empty() ? "gradients/" : "/gradients/") + levels[k].frame + "/Exit_1_grad";
      else frame = levels[k].frame;
      places = "iteration " + std::to_string(is_backward ? levels[k].iterations - 1 - forward : forward) + " of " + frame +
               (k == 0 ? "" : " in " + places);
    }
    return std::string(n.name) + ", " + places;
  }
};

using handle = fg::out<integer>;

const std::vector<std::pair<std::string, std::function<number(nesting&)>>> nestings{
    {"loop",
     [](nesting& n) {
       n.levels = {{"loop", 5}};
       return n.repeat("loop", 5, n.x, [&](handle i, number a) { return n.troubled(a, i); });
     }},
    {"loop in loop",
     [](nesting& n) {
       n.levels = {{"outer", 3}, {"outer/inner", 4}};
       return n.repeat("outer", 3, n.x, [&](handle i, number a) {
         return n.repeat("inner", 4, a, [&](handle j, number b) { return n.troubled(b, i * nesting::digits + j); });
       });
     }},
    {"loop in branch",
     [](nesting& n) {
       n.levels = {{"cond/loop", 5}};
       return fg::cond(
           n.p, [&] { return n.repeat("loop", 5, n.x, [&](handle i, number a) { return n.troubled(a, i); }); },
           [&] { return n.x; });
     }},
    {"branch in loop",
     [](nesting& n) {
       n.levels = {{"loop", 6}};
       return n.repeat("loop", 6, n.x, [&](handle i, number a) {
         return fg::cond(
             fg::equal(i / integer(2) * integer(2), i), [&] { return n.troubled(a, i); }, [&] { return a * 0.75; });
       });
     }},
    {"loop in branch in loop in branch",
     [](nesting& n) {
       n.levels = {{"cond/outer", 4}, {"cond/outer/cond/inner", 2}};
       return fg::cond(
           n.p,
           [&] {
             return n.repeat("outer", 4, n.x, [&](handle i, number a) {
               return fg::cond(
                   i < integer(2),
                   [&] {
                     return n.repeat("inner", 2, a, [&](handle j, number b) { return n.troubled(b, i * nesting::digits + j); });
                   },
                   [&] { return a * a; });
             });
           },
           [&] { return n.x; });
     }},
};

// On how many threads, whether loops may be straight lines, and whether by a prepared step, which keeps its memory.
struct way {
  fg::thread_pool* pool;
  bool dynamic;
  bool prepared;
};

// A session that gives the same again and again, whatever happens in between.
class patient {
public:
  patient(const fg::graph& g, std::vector<fg::any_out> fetches, std::vector<fg::fed> feeds, trouble& t, const way& w)
      : fetches_(std::move(fetches)), feeds_(std::move(feeds)), trouble_(t),
        session_(g, {.pool = w.pool, .memory = &memory, .dynamic = w.dynamic}) {
    if (w.prepared) renew();
    warm_up();
    const std::size_t before = memory.allocations();
    expect_health();
    allocations = memory.allocations() - before;
    calls = trouble_.calls();
  }
  // Why a run ended; no error if it did not.
  fg::error run(trouble::kind what = trouble::kind::none, int nth = 0) {
    trouble_.plan(what, nth);
    return run(trouble_.options());
  }
  fg::error run(const fg::run_options& options) {
    auto made = step_ ? run_step(options) : session_.try_run(fg::run_request{feeds_, fetches_, {}}, options);
    if (!made) return made.error();
    made_.clear();
    for (const fg::any_tensor& t : *made) {
      const auto* bytes = static_cast<const char*>(t.data());
      made_.insert(made_.end(), bytes, bytes + t.bytes());
    }
    return {};
  }
  void expect_health() {
    trouble_.plan(trouble::kind::none, 0);
    made_.clear();
    const fg::error why = run({});
    REQUIRE_MESSAGE(!why, why.what());
    if (expected_.empty()) expected_ = made_;
    CHECK(made_ == expected_);
    if (is_warm_) expect_nothing_left();
  }
  // A step's memory grows for some runs, until no run asks for more.
  void warm_up() {
    expect_health();
    for (int round = 0; keeps_memory() && round < 20; ++round) expect_health();
    in_use_ = memory.in_use();
    is_warm_ = true;
  }
  void expect_nothing_left() { CHECK((keeps_memory() ? memory.in_use() <= in_use_ : memory.in_use() == in_use_)); }
  bool keeps_memory() const { return step_ && step_->plan().queued.empty(); }
  // From a step that has no memory yet.
  void renew() {
    std::vector<fg::any_out> edges;
    for (const fg::fed& f : feeds_) edges.push_back(f.where);
    step_.reset();
    step_.emplace(session_.try_prepare(edges, fetches_, {}).value());
  }

  counting_memory memory;
  int calls = 0;
  std::size_t allocations = 0;  // of a run

private:
  fg::result<std::vector<fg::any_tensor>> run_step(const fg::run_options& options) {
    std::vector<fg::any_tensor> given;
    for (const fg::fed& f : feeds_) given.push_back(f.value);
    std::vector<fg::any_tensor> made(fetches_.size());
    if (auto done = step_->try_run(given, made, options); !done) return done.error();
    return made;
  }

  std::vector<fg::any_out> fetches_;
  std::vector<fg::fed> feeds_;
  trouble& trouble_;
  fg::session session_;
  std::optional<fg::any_step> step_;
  std::vector<char> made_, expected_;
  std::size_t in_use_ = 0;
  bool is_warm_ = false;
};

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
    const block b = random_block(at, start);
    trouble happens;
    const troubled_op op{&happens};
    program p(b, {.each = [&](number x) {
                fg::graph g = fg::graph_of(*x.source);
                return fg::apply(op, x, g.constant(integer(0)), ballast_in(g));
              }});
    std::vector<fg::any_out> fetches = p.results();
    for (const auto& d : fg::gradients(p.loss(), p.first.d, {.allow_none = true}))
      if (!d.is_none()) fetches.push_back(number(d));
    std::mt19937_64 random(at);
    in_every_way([&](const way& w) {
      patient s(p.g, fetches, p.feeds(start), happens, w);
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
