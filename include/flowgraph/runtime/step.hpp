#pragma once
// A prepared step: a run that can be repeated. Its plan is made and its memory is allocated only once. It belongs to one thread
// and keeps the state of its session alive.
//
//     auto step = s.prepare(fg::feed(x, t), fg::fetch(loss), train);
//     for (...) float l = step(images, labels).scalar();
//
// For edges that are known only by name: s.prepare(fg::feed<float>("x:0"), fg::fetch<float>("y:0"), "train_op").
// A result shares the buffer of its output. The step uses a second buffer only while the caller still holds the first.
// Feeds of a new shape require a new plan. The plans of recent shapes are kept; session_options::kept_layouts is their number.

#include <flowgraph/core/owned.hpp>
#include <flowgraph/passes/options.hpp>
#include <flowgraph/runtime/feed.hpp>
#include <flowgraph/runtime/options.hpp>

#include <optional>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {
struct step_state;
}

// Describes whether a loop runs by a schedule or by the ready queue, and why.
struct loop_report {
  std::string name;            // name of the loop
  bool is_straight;            // true: the loop runs by a schedule
  std::string why;             // why it runs by the ready queue
  bool is_of_scalars = false;  // true: its plain arithmetic on single numbers needs no calls of kernels
};
// A fetch whose elements each run copies, because they are in the memory of the step.
struct copy_report {
  std::string name;   // name of the fetched edge
  std::size_t bytes;  // bytes copied per run
};
// The plan for the latest shapes: number of buffers, bytes of working memory, number of scheduled nodes, the reason if nodes run
// by the ready queue, loops, the fetches that the latest run copied, and the results of the passes.
struct step_report {
  std::size_t buffers, arena_bytes, nodes, dynamic_nodes;  // buffers, bytes, nodes, and nodes whose shapes only a run determines
  std::string queued;                                      // why nodes run by the ready queue; empty: no node does
  std::vector<loop_report> loops;                          // a report for each loop
  std::vector<copy_report> copies;                         // the fetches that the latest run copied
  std::vector<pass_report> passes;                         // the results of the passes
  std::optional<std::size_t> live_bytes = {};  // most bytes of buffers in use at once; empty: branches, loops or the ready queue
};

template <class Feeds, class Fetches> class step;

// A prepared step whose edges and types are known only at run time.
class any_step {
public:
  explicit any_step(owned<detail::step_state> state) noexcept;
  any_step(any_step&&) noexcept;
  any_step& operator=(any_step&&) noexcept;
  ~any_step();

  // Runs the step with these feeds, in the order of the edges that were passed to `try_prepare`, and writes the results to
  // `fetched`, which may be the same tensors as the feeds. If the run fails, `fetched` does not change; the error names the node.
  result<void> try_run(std::span<const any_tensor> feeds, std::span<any_tensor> fetched);
  // Like the function above, but with options such as a stop token or a deadline.
  result<void> try_run(std::span<const any_tensor> feeds, std::span<any_tensor> fetched, const run_options& options);
  // Returns the plan for the latest shapes: buffers, bytes, nodes and loops.
  step_report plan() const;

private:
  template <class Feeds, class Fetches> friend class step;
  // Precondition: the numbers of feeds and results are those of the prepared step.
  error run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched, const run_options* options);
  error check_and_run(std::span<const any_tensor> feeds, std::span<any_tensor> fetched, const run_options* options);

  owned<detail::step_state> state_;
};

// The result of `session::prepare`. A call takes tensors in the order of the feeds, runs the step and returns the fetches.
template <class... I, class... O> class step<feed_list<I...>, fetch_list<O...>> {
public:
  // Runs the step. Raises errors. Without fetches it returns nothing.
  auto operator()(const tensor<I>&... feeds) {
    if (error why = run(nullptr, feeds...)) detail::raise(why);
    if constexpr (sizeof...(O) > 0) return take();
  }
  // This overload is chosen for tensors whose element types differ from those of the feeds. It gives a short compiler error.
  template <class... U>
    requires(sizeof...(U) == sizeof...(I) && !(std::is_same_v<U, I> && ...)) auto operator()(const tensor<U>&...) {
    static_assert(std::is_same_v<std::tuple<tensor<U>...>, std::tuple<tensor<I>...>>,
                  "flowgraph: a step is given tensors of other element types");
    if constexpr (sizeof...(O) > 0) return results<O...>();
  }
  // Runs the step with a stop token and a deadline, and returns errors.
  auto try_run(const run_options& options, const tensor<I>&... feeds) {
    error why = run(&options, feeds...);
    if constexpr (sizeof...(O) > 0) return why ? result<results<O...>>(why) : result<results<O...>>(take());
    else return result<void>(why);
  }
  // Returns the plan for the latest shapes: buffers, bytes, nodes and loops.
  step_report plan() const { return prepared_.plan(); }

private:
  friend class session;
  // Precondition: the edges of the step have these types.
  explicit step(any_step prepared) noexcept : prepared_(std::move(prepared)) {}

  error run(const run_options* options, const tensor<I>&... feeds) {
    const std::array<const any_tensor*, sizeof...(I)> in{&feeds.erased()...};
    return prepared_.run(in, fetched_, options);
  }
  results<O...> take() { return detail::typed_results<O...>(fetched_); }

  any_step prepared_;
  std::array<any_tensor, sizeof...(O)> fetched_;
};

}  // namespace flowgraph
