#pragma once
// A prepared run: pruned, planned and given its memory once. Belongs to one thread; keeps its session's state alive.
//
//     auto step = s.prepare(fg::feed(x, t), fg::fetch(loss), train);
//     for (...) float l = step(images, labels).scalar();
//
// Where edges are known by their names alone: s.prepare(fg::feed<float>("x:0"), fg::fetch<float>("y:0"), "train_op").
// A result holds its output's buffer; the step takes a second buffer only while the caller still holds the first.
// Feeds of another shape than before plan once more; the plans of recent shapes are kept, as many as session_options::kept_layouts says.

#include <flowgraph/core/owned.hpp>
#include <flowgraph/passes/options.hpp>
#include <flowgraph/runtime/feed.hpp>
#include <flowgraph/runtime/options.hpp>

#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {
struct step_state;
}

// How a loop runs: its iterations by a schedule, or by the ready queue, and then why.
struct loop_report {
  std::string name;
  bool is_straight;
  std::string why;
};
// A fetch whose elements are copied in each run, since they lie in memory of the step.
struct copy_report {
  std::string name;
  std::size_t bytes;
};
// How many buffers, and how many bytes of working memory, the plan of the latest shapes uses; how many nodes its
// schedule has, or why they run by the ready queue; its loops; the copies of the latest run besides its kernels' work; and what
// the passes over the plan did.
struct step_report {
  std::size_t buffers, arena_bytes, nodes, dynamic_nodes;
  std::string queued;
  std::vector<loop_report> loops;
  std::vector<copy_report> copies;
  std::vector<pass_report> passes;
};

template <class Feeds, class Fetches> class step;

// A step whose edges and their types are known at run time only.
class any_step {
public:
  explicit any_step(owned<detail::step_state> state) noexcept;
  any_step(any_step&&) noexcept;
  any_step& operator=(any_step&&) noexcept;
  ~any_step();

  // Runs with these feeds, in the order they were prepared; `fetched` receives the results. The error names what failed.
  result<void> try_run(std::span<const any_tensor> feeds, std::span<any_tensor> fetched);
  // Honours stop token and deadline.
  result<void> try_run(std::span<const any_tensor> feeds, std::span<any_tensor> fetched, const run_options& options);
  // What the latest shapes' plan uses: buffers, bytes, nodes, loops.
  step_report plan() const;

private:
  template <class Feeds, class Fetches> friend class step;
  // Precondition: as many feeds and results as were prepared.
  error run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched, const run_options* options);
  error check_and_run(std::span<const any_tensor> feeds, std::span<any_tensor> fetched, const run_options* options);

  owned<detail::step_state> state_;
};

// What `prepare` gives: called with tensors, in the order of the feeds, it runs the step and gives what was fetched.
template <class... I, class... O> class step<feed_list<I...>, fetch_list<O...>> {
public:
  // Raises errors. Without fetches it returns nothing.
  auto operator()(const tensor<I>&... feeds) {
    if (error why = run(nullptr, feeds...)) detail::raise(why);
    if constexpr (sizeof...(O) > 0) return take();
  }
  // Chosen for tensors of other element types than the feeds have, to say so in few lines.
  template <class... U>
    requires(sizeof...(U) == sizeof...(I) && !(std::is_same_v<U, I> && ...)) auto operator()(const tensor<U>&...) {
    static_assert(std::is_same_v<std::tuple<tensor<U>...>, std::tuple<tensor<I>...>>,
                  "flowgraph: a step is given tensors of other element types");
    if constexpr (sizeof...(O) > 0) return results<O...>();
  }
  // Returns errors; honours stop token and deadline.
  auto try_run(const run_options& options, const tensor<I>&... feeds) {
    error why = run(&options, feeds...);
    if constexpr (sizeof...(O) > 0) return why ? result<results<O...>>(why) : result<results<O...>>(take());
    else return result<void>(why);
  }
  // What the latest shapes' plan uses: buffers, bytes, nodes, loops.
  step_report plan() const { return prepared_.plan(); }

private:
  friend class session;
  // Precondition: its edges have these types.
  explicit step(any_step prepared) noexcept : prepared_(std::move(prepared)) {}

  error run(const run_options* options, const tensor<I>&... feeds) {
    const std::array<const any_tensor*, sizeof...(I)> in{&feeds.erased()...};
    return prepared_.run(in, fetched_, options);
  }
  results<O...> take() { return detail::typed_results<O...>(fetched_); }

  any_step prepared_;
  std::array<any_tensor, sizeof...(O)> fetched_;
};

}
}  // namespace flowgraph
