#pragma once
// A client's handle on a graph with state: runs the part of it that the fetches need.
//
//     fg::session s{g};
//     s.initialize();
//     auto [l, p] = s.run(fg::fetch(loss, probabilities), {{x, images}, {t, labels}});
//     auto step = s.prepare(fg::feed(x, t), fg::fetch(loss), train);
//     float now = step(images, labels).scalar();
//
// The graph may grow while sessions run it. Any number of threads may run one session at once; a step belongs to one thread.
// `run` raises errors, `try_run` returns them; after either the session is usable.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/runtime/feed.hpp>
#include <flowgraph/runtime/options.hpp>
#include <flowgraph/runtime/partial_run.hpp>
#include <flowgraph/runtime/step.hpp>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A run whose edges are known at run time only.
struct run_request {
  std::span<const fed> feeds = {};
  std::span<const any_out> fetches = {};
  std::span<const target> targets = {};
};

// A run whose edges are named: "scope/op:0", as files and tools speak.
struct named_run {
  std::vector<std::pair<std::string, any_tensor>> feeds = {};
  std::vector<std::string> fetches = {};
  std::vector<std::string> targets = {};
};

// Runs a graph, and holds its variables, queues and other state between runs.
class session {
public:
  explicit session(const graph& g, const session_options& options = {});
  ~session();
  session(session&&) noexcept;
  session& operator=(session&&) noexcept;

  // Gives every variable its initial value, in the order of their creation.
  void initialize(const run_options& options = {});
  result<void> try_initialize(const run_options& options = {});

  // Runs a target, or gives the tensors of the fetches, with these feeds; raises errors.
  void run(target t, std::initializer_list<fed> feeds = {}, const run_options& options = {});
  template <class... T>
  results<T...> run(const fetch_list<T...>& fetches, std::initializer_list<fed> feeds = {}, const run_options& options = {}) {
    auto made = run_or_raise({feeds, fetches.edges, {}}, options);
    return detail::typed_results<T...>(made);
  }
  // Fetches, and runs a target in the same run.
  template <class... T>
  results<T...> run(const fetch_list<T...>& fetches, target t, std::initializer_list<fed> feeds = {}, const run_options& options = {}) {
    auto made = run_or_raise({feeds, fetches.edges, {&t, 1}}, options);
    return detail::typed_results<T...>(made);
  }

  // Runs as `run` does, and returns errors.
  template <class... T>
  result<results<T...>> try_run(const fetch_list<T...>& fetches, std::initializer_list<fed> feeds = {}, const run_options& options = {}) {
    auto made = try_run({feeds, fetches.edges, {}}, options);
    if (!made) return made.error();
    return detail::typed_results<T...>(*made);
  }
  template <class... T>
  result<results<T...>> try_run(const fetch_list<T...>& fetches, target t, std::initializer_list<fed> feeds = {},
                                const run_options& options = {}) {
    auto made = try_run({feeds, fetches.edges, {&t, 1}}, options);
    if (!made) return made.error();
    return detail::typed_results<T...>(*made);
  }
  result<void> try_run(target t, std::initializer_list<fed> feeds = {}, const run_options& options = {});
  // Tensors in the order of the fetches.
  result<std::vector<any_tensor>> try_run(const run_request& request, const run_options& options = {});
  result<std::vector<any_tensor>> try_run(const named_run& request, const run_options& options = {});

  // Plans once; the step then runs without planning, and without allocating once it is warm.
  template <class... I, class... O, class... Targets>
  step<feed_list<I...>, fetch_list<O...>> prepare(const feed_list<I...>& feeds, const fetch_list<O...>& fetches, const Targets&... targets) {
    const std::array<target, sizeof...(Targets)> run{target(targets)...};
    return step<feed_list<I...>, fetch_list<O...>>(try_prepare(feeds.edges, fetches.edges, run).value());
  }
  template <class... I>
  step<feed_list<I...>, fetch_list<>> prepare(const feed_list<I...>& feeds, target t) {
    return prepare(feeds, fetch_list<>{}, t);
  }
  result<detail::prepared_step> try_prepare(std::span<const any_out> feeds, std::span<const any_out> fetches, std::span<const target> targets);

  // A run whose feeds arrive in pieces: everything that may be fed, fetched and run is named once.
  result<partial_run> try_begin_partial(std::span<const any_out> feeds, std::span<const any_out> fetches,
                                        std::span<const target> targets = {}, const run_options& options = {});

  // The container that holds variables, queues and other state.
  container& resources() const noexcept;
  // The graph that it runs.
  const graph& of() const noexcept;

private:
  std::vector<any_tensor> run_or_raise(const run_request& request, const run_options& options);
  std::shared_ptr<detail::session_state> state_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/runtime/flow_line.hpp>
#include <flowgraph/runtime/impl/session.hpp>
#endif
