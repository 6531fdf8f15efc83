#pragma once
// Runs that end early in any kernel of any iteration of nested loops and branches, and sessions that must still work afterwards.

#include "engine_ops.hpp"
#include "random_program.hpp"

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/op/device.hpp>

#include <optional>
#include <stop_token>

namespace programs {

using engine::counting_memory;
using fg::error_code;

// The trouble in one call of the runs that a kernel takes part in.
class trouble {
public:
  enum class kind { none, fails, stops };

  // Plans the trouble for call `nth` of the next run.
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
    failed_in = *ctx.at();
    failed_with = tag;
    ctx.fail(error_code::data_loss, "the kernel refuses");
  }
  fg::run_options options() const { return {.stop = stop_.get_token()}; }
  int calls() const { return calls_; }

  std::optional<fg::call_site> failed_in;
  integer failed_with = 0;

private:
  kind what_ = kind::none;
  int nth_ = 0;
  std::atomic<int> calls_ = 0;
  std::stop_source stop_;
};

// Passes a number on, and is worth a thread. The tag identifies the iteration.
struct troubled_op {
  static constexpr std::string_view name = "Troubled";
  static constexpr fg::op_facts facts{.stateful = true, .expensive = true};
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

// A loop around a kernel, from the outermost on.
struct level {
  std::string frame;
  integer iterations;
};

struct nesting {
  static constexpr integer digits = 100;  // a tag is the outer iteration times this number, plus the inner one

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
  // Returns the result of two kernels that may run at the same time.
  number troubled(number a, fg::out<integer> tag) {
    const troubled_op op{&happens};
    const number left = fg::apply(op, a, tag, ballast, fg::site{"left"});
    const number right = fg::apply(op, a * 0.5, tag, ballast, fg::site{"right"});
    return left * right + 0.125;
  }
  number repeat(std::string_view name, integer times, number first, const std::function<number(fg::out<integer>, number)>& body) {
    return fg::for_range(g.constant(integer(0)), times, first, body, {.name = name, .parallel_iterations = parallel});
  }

  // Returns the place that the engine must report if a kernel with this tag fails. In the backward pass the loops have the same
  // order.
  std::string place_of(const fg::call_site& n, integer tag) const {
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

inline const std::vector<std::pair<std::string, std::function<number(nesting&)>>> nestings{
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

// The number of threads, whether loops may run by a schedule, and whether by a prepared step, which keeps its memory; the number
// of CPUs, 0 if the session has only its own; and whether the plan is cut between the CPUs.
struct way {
  fg::thread_pool* pool;
  bool dynamic;
  bool prepared;
  std::size_t cpus = 0;
  bool cut = false;
};

// A session that must return the same results again and again, independently of failed runs in between.
class patient {
public:
  patient(const fg::graph& g, std::vector<fg::any_out> fetches, std::vector<fg::fed> feeds, trouble& t, const way& w)
      : fetches_(std::move(fetches)), feeds_(std::move(feeds)), trouble_(t), cpus_(fg::cpu_devices(w.cpus)),
        session_(g, {.pool = w.pool,
                     .memory = &memory,
                     .devices = cpus_,
                     .soft_placement = true,
                     .cut = w.cut ? fg::per_device : fg::cutting(),
                     .dynamic = w.dynamic}) {
    session_.try_initialize().value();
    if (w.prepared) renew();
    warm_up();
    const std::size_t before = memory.allocations();
    expect_health();
    allocations = memory.allocations() - before;
    calls = trouble_.calls();
  }
  // Returns the error that ended a run; no error if it succeeded.
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
  // Runs, and returns the results.
  const std::vector<char>& expect_health() {
    trouble_.plan(trouble::kind::none, 0);
    made_.clear();
    const fg::error why = run({});
    REQUIRE_MESSAGE(!why, why.what());
    if (expected_.empty()) expected_ = made_;
    CHECK(made_ == expected_);
    if (is_warm_) expect_nothing_left(true);
    return made_;
  }
  // Runs until a step's memory grows no more, which takes some runs.
  void warm_up() {
    expect_health();
    for (int round = 0; keeps_memory() && round < 20; ++round) expect_health();
    in_use_ = in_use();
    is_warm_ = true;
  }
  // Variables may be as a failed run has left them. Then only a `whole` run shows their values.
  void expect_nothing_left(bool whole = false) {
    if (has_variables && !whole) return;
    const std::vector<std::size_t> now = in_use();
    for (std::size_t k = 0; k < now.size(); ++k) {
      CAPTURE(k);
      CHECK((keeps_memory() ? now[k] <= in_use_[k] : now[k] == in_use_[k]));
    }
  }
  bool keeps_memory() const { return step_ && step_->plan().queued.empty(); }
  // Starts again with a step that has no memory yet.
  void renew() {
    std::vector<fg::any_out> edges;
    for (const fg::fed& f : feeds_) edges.push_back(f.where);
    step_.reset();
    step_.emplace(session_.try_prepare(edges, fetches_, {}).value());
  }

  counting_memory memory;
  bool has_variables = false;  // whether the program has variables
  int calls = 0;
  std::size_t allocations = 0;  // allocations of a run

private:
  // Returns the bytes in use of the session and of each device.
  std::vector<std::size_t> in_use() const {
    std::vector<std::size_t> all{memory.in_use()};
    for (std::size_t d = 0; d < cpus_.size(); ++d) all.push_back(cpus_[d].budget()->in_use());
    return all;
  }
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
  fg::device_list cpus_;
  fg::session session_;
  std::optional<fg::any_step> step_;
  std::vector<char> made_, expected_;
  std::vector<std::size_t> in_use_;
  bool is_warm_ = false;
};

}  // namespace programs
