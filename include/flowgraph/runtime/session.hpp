#pragma once
// A session runs parts of a graph and holds its variables and other state.
//
//     fg::session s{g};
//     s.initialize();
//     auto [l, p] = s.run(fg::fetch(loss, probabilities), {{x, images}, {t, labels}});
//     auto step = s.prepare(fg::feed(x, t), fg::fetch(loss), train);
//     float now = step(images, labels).scalar();
//
// The graph may grow while sessions run it. Several threads may run one session at once; a prepared step belongs to one thread.
// `run` raises errors and `try_run` returns them. After an error the session stays usable.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/op/container.hpp>
#include <flowgraph/op/saved_state.hpp>
#include <flowgraph/runtime/explain.hpp>
#include <flowgraph/runtime/feed.hpp>
#include <flowgraph/runtime/options.hpp>
#include <flowgraph/runtime/partial_run.hpp>
#include <flowgraph/runtime/pause/session_pause.hpp>
#include <flowgraph/runtime/step.hpp>
#include <flowgraph/runtime/variable_set.hpp>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct joint_graph;

// A run whose edges are known only at run time.
struct run_request {
  std::span<const fed> feeds = {};          // edges and their tensors
  std::span<const any_out> fetches = {};    // edges whose values are returned
  std::span<const target> targets = {};     // nodes to run
  std::span<const dtype> fetch_types = {};  // the element types that the caller expects; a fetch of another type is an error
};

// A run whose edges are given by names such as "scope/op:0", for tools and for programs that read files.
struct named_run {
  std::vector<std::pair<std::string, any_tensor>> feeds = {};  // edge names, and their tensors
  std::vector<std::string> fetches = {};                       // names of edges whose values are returned
  std::vector<std::string> targets = {};                       // names of nodes to run
};

namespace detail {

// The types of handles for a typed list of edges.
template <class List> struct feeds_in;
template <class... T> struct feeds_in<feed_list<T...>> {
  using handles = feed_list<T...>;
  static constexpr std::span<const dtype> types = listed_types<T...>;
};
template <class... T> struct feeds_in<named_feed_list<T...>> : feeds_in<feed_list<T...>> {};
template <class List> struct fetches_in;
template <class... T> struct fetches_in<fetch_list<T...>> {
  using handles = fetch_list<T...>;
  static constexpr std::span<const dtype> types = listed_types<T...>;
};
template <class... T> struct fetches_in<named_fetch_list<T...>> : fetches_in<fetch_list<T...>> {};

template <class List> using step_feeds = typename feeds_in<List>::handles;
template <class List> using step_fetches = typename fetches_in<List>::handles;

}  // namespace detail

// Runs a graph, and holds its variables, queues and other state between runs.
class session {
public:
  explicit session(const flowgraph::graph& g, const session_options& options = {});
  // Runs the graph at that target, for example in other processes. Only the options that affect plans apply.
  session(const flowgraph::graph& g, session_target target, const session_options& options = {});
  ~session();
  session(session&&) noexcept;
  session& operator=(session&&) noexcept;

  // Assigns the initial value of each variable, in the order in which the variables were created.
  void initialize(const run_options& options = {});
  result<void> try_initialize(const run_options& options = {});

  // Assigns tensors to variables without adding nodes to the graph: s.assign({{w, weights}, {b, biases}}). All values are checked
  // before the first variable changes. A variable and its tensor share memory; a change of either of them copies it first. The
  // plan is made once for each list of variables. Meanwhile, steps of other threads may see new values of some variables and old
  // values of others.
  void assign(std::initializer_list<fed> values, const run_options& options = {});
  void assign(std::span<const fed> values, const run_options& options = {});  // for lists known only at run time
  result<void> try_assign(std::span<const fed> values, const run_options& options = {});

  // Runs a target with these feeds, or runs the fetches with these feeds and returns their tensors. Raises errors.
  void run(target t, std::initializer_list<fed> feeds = {}, const run_options& options = {});
  template <class... T>
  results<T...> run(const fetch_list<T...>& fetches, std::initializer_list<fed> feeds = {}, const run_options& options = {}) {
    auto result = run_or_raise({feeds, fetches.edges, {}, detail::listed_types<T...>}, options);
    return detail::typed_results<T...>(result);
  }
  // Runs a target, and returns the tensors of the fetches of the same run.
  template <class... T>
  results<T...> run(const fetch_list<T...>& fetches, target t, std::initializer_list<fed> feeds = {},
                    const run_options& options = {}) {
    auto result = run_or_raise({feeds, fetches.edges, {&t, 1}, detail::listed_types<T...>}, options);
    return detail::typed_results<T...>(result);
  }

  // Runs a list of fetches that is known only at run time, and returns a std::vector of tensors in the order of the list.
  template <class T>
  listed_results<T> run(const fetch_vector<T>& fetches, std::initializer_list<fed> feeds = {}, const run_options& options = {}) {
    return try_run(fetches, feeds, options).value();
  }
  template <class T>
  listed_results<T> run(const fetch_vector<T>& fetches, target t, std::initializer_list<fed> feeds = {},
                        const run_options& options = {}) {
    return try_run(fetches, t, feeds, options).value();
  }
  template <class T>
  result<listed_results<T>> try_run(const fetch_vector<T>& fetches, std::initializer_list<fed> feeds = {},
                                    const run_options& options = {}) {
    return run_list(fetches, {}, feeds, options);
  }
  template <class T>
  result<listed_results<T>> try_run(const fetch_vector<T>& fetches, target t, std::initializer_list<fed> feeds = {},
                                    const run_options& options = {}) {
    return run_list(fetches, {&t, 1}, feeds, options);
  }

  // Like `run`, but returns errors.
  template <class... T>
  result<results<T...>> try_run(const fetch_list<T...>& fetches, std::initializer_list<fed> feeds = {},
                                const run_options& options = {}) {
    auto result = try_run({feeds, fetches.edges, {}, detail::listed_types<T...>}, options);
    if (!result) return result.error();
    return detail::typed_results<T...>(*result);
  }
  template <class... T>
  result<results<T...>> try_run(const fetch_list<T...>& fetches, target t, std::initializer_list<fed> feeds = {},
                                const run_options& options = {}) {
    auto result = try_run({feeds, fetches.edges, {&t, 1}, detail::listed_types<T...>}, options);
    if (!result) return result.error();
    return detail::typed_results<T...>(*result);
  }
  result<void> try_run(target t, std::initializer_list<fed> feeds = {}, const run_options& options = {});
  // Returns the tensors in the order of the fetches.
  result<std::vector<any_tensor>> try_run(const run_request& request, const run_options& options = {});
  result<std::vector<any_tensor>> try_run(const named_run& request, const run_options& options = {});

  // Runs fetches that are given by name, with their element types: s.run(fg::fetch<float>("y:0"), {{"x:0", images}}).
  template <class... T>
  result<results<T...>> try_run(const named_fetch_list<T...>& fetches, std::initializer_list<fed> feeds = {},
                                const run_options& options = {}) {
    return typed<T...>(run_by_name(feeds, fetches.edges, {}, detail::listed_types<T...>, options));
  }
  template <class... T>
  result<results<T...>> try_run(const named_fetch_list<T...>& fetches, const target_or_name& t,
                                std::initializer_list<fed> feeds = {}, const run_options& options = {}) {
    return typed<T...>(run_by_name(feeds, fetches.edges, {&t, 1}, detail::listed_types<T...>, options));
  }
  template <class... T>
  results<T...> run(const named_fetch_list<T...>& fetches, std::initializer_list<fed> feeds = {},
                    const run_options& options = {}) {
    return try_run(fetches, feeds, options).value();
  }
  template <class... T>
  results<T...> run(const named_fetch_list<T...>& fetches, const target_or_name& t, std::initializer_list<fed> feeds = {},
                    const run_options& options = {}) {
    return try_run(fetches, t, feeds, options).value();
  }

  // Prepares a step: plans the run once. The step then runs without planning and, once it is warm, without allocating. Edges may
  // be handles or names.
  template <class Feeds, class Fetches, class... Targets>
    requires requires { typename detail::step_fetches<Fetches>; }
  step<detail::step_feeds<Feeds>, detail::step_fetches<Fetches>> prepare(const Feeds& feeds, const Fetches& fetches,
                                                                         const Targets&... targets) {
    return try_prepare(feeds, fetches, targets...).value();
  }
  template <class Feeds> step<detail::step_feeds<Feeds>, fetch_list<>> prepare(const Feeds& feeds, const target_or_name& t) {
    return try_prepare(feeds, fetch_list<>{}, t).value();
  }
  template <class Feeds, class Fetches, class... Targets>
    requires requires { typename detail::step_fetches<Fetches>; }
  result<step<detail::step_feeds<Feeds>, detail::step_fetches<Fetches>>> try_prepare(const Feeds& feeds, const Fetches& fetches,
                                                                                     const Targets&... targets) {
    const std::array<target_or_name, sizeof...(Targets)> run{target_or_name(targets)...};
    auto result =
        prepare_typed(feeds.edges, detail::feeds_in<Feeds>::types, fetches.edges, detail::fetches_in<Fetches>::types, run);
    if (!result) return result.error();
    return step<detail::step_feeds<Feeds>, detail::step_fetches<Fetches>>(*std::move(result));
  }
  // Prepares a step whose edges are known only at run time.
  result<any_step> try_prepare(std::span<const any_out> feeds, std::span<const any_out> fetches, std::span<const target> targets);

  // Lists the nodes and calls of a run or a prepared step: to_text(s.explain(fg::fetch(y), {{x, fg::shape{8, 16}}})). Like
  // `prepare`, it makes a plan: it creates named resources and folds constants, but runs no other nodes.
  template <class Fetches>
    requires(sizeof(detail::step_fetches<Fetches>) > 0)
  explanation explain(const Fetches& fetches, std::initializer_list<fed_shape> feeds = {}) {
    return explain_or_raise(fetches.edges, {}, feeds);
  }
  template <class Fetches, class Target>
    requires(sizeof(detail::step_fetches<Fetches>) > 0 && std::is_constructible_v<target_or_name, const Target&>)
  explanation explain(const Fetches& fetches, const Target& t, std::initializer_list<fed_shape> feeds = {}) {
    const target_or_name run[]{t};
    return explain_or_raise(fetches.edges, run, feeds);
  }
  template <class Target>
    requires(std::is_constructible_v<target_or_name, const Target&>)
  explanation explain(const Target& t, std::initializer_list<fed_shape> feeds = {}) {
    const target_or_name run[]{t};
    return explain_or_raise(std::array<any_out, 0>{}, run, feeds);
  }
  // Like `explain`, for edges and nodes that are known only at run time.
  result<explanation> try_explain(std::span<const edge_or_name> fetches, std::span<const target_or_name> targets,
                                  std::span<const fed_shape> feeds);

  // Begins a partial run, which is fed and fetched in several calls. All edges that later calls may feed or fetch, and all
  // targets, must be passed here.
  result<partial_run> try_begin_partial(std::span<const any_out> feeds, std::span<const any_out> fetches,
                                        std::span<const target> targets = {}, const run_options& options = {});

  // Groups variables that have values, so that they can be replaced together: runtime/variable_set.hpp.
  template <class... Variables> variable_set make_set(std::string name, const Variables&... variables) {
    const std::array<any_out, sizeof...(Variables)> all{variables...};
    return try_make_set(std::move(name), all).value();
  }
  // Does the same for a list of variables that is known only at run time: a std::vector, std::array or std::span.
  template <detail::handles List> variable_set make_set(std::string name, const List& variables) {
    return try_make_set(std::move(name), any_out_list(variables.begin(), variables.end())).value();
  }
  result<variable_set> try_make_set(std::string name, std::span<const any_out> variables);

  // Refuses new runs with error_code::cancelled. Runs that wait for a kernel or another device are ended with the same code, and
  // so are runs by the ready queue (step_report::queued) that have kernels left to start. Other runs are completed; `close` waits
  // for runs only if `options` require it. Returns true if no run is in progress any more. May be called from any thread and
  // several times: a later call can wait for runs that an earlier call has ended, or end runs that another call waits for.
  bool close(const close_options& options = {});

  // Frees the large blocks of memory that earlier runs have left to later runs, and returns their bytes. Blocks in use and idle
  // blocks together are at most a quarter larger than the blocks that runs have used at the same time. May be called from any
  // thread.
  std::size_t free_idle_memory();

  // Pauses the session until the returned object is destroyed. Meanwhile, no run of another thread begins. When the function
  // returns, each run in progress has ended or waits for another run, for example at a queue. Waiting runs keep waiting. The
  // function always waits for the end of runs of fg::run_together. If two threads pause the session, the second waits for the
  // first. If the stop token or the deadline of `options` ends the wait, the result is an error.
  session_pause pause(const run_options& options = {});
  result<session_pause> try_pause(const run_options& options = {});

  // Returns the state other than variables: the number of random values drawn, the contents of queues and readers, and the
  // elements that waiting runs have passed or collected. Call it while the session is paused or idle. If a resource cannot be
  // saved, the error names it. Large resources, such as sparse tables, are refused or left out; savers write them to files.
  saved_state save_state() const;
  result<saved_state> try_save_state(container::large_contents how = container::large_contents::refused) const;
  // Replaces the state by a saved state, which may come from another process. State that the saved state does not contain is
  // reset to that of a new session. Contents of queues and readers that no node has created yet are kept until a node creates them.
  // If a resource cannot be loaded, the error names it, and nothing has changed.
  void load_state(const saved_state& from);
  result<void> try_load_state(const saved_state& from);

  // Returns the container of variables, queues and other state.
  container& resources() const noexcept;
  // Returns the graph that the session runs.
  const flowgraph::graph& graph() const noexcept;
  [[deprecated("call graph()")]] const flowgraph::graph& of() const noexcept { return graph(); }

private:
  friend result<std::vector<std::vector<any_tensor>>> try_run_together(std::span<const joint_graph> parts,
                                                                       const run_options& options);
  friend result<planned_record> planned_record_of(const session& s, std::span<const edge_or_name> feeds,
                                                  std::span<const edge_or_name> fetches, std::span<const target_or_name> targets);

  // Handles, or names that are looked up.
  struct edge_list {
    std::span<const any_out> handles;
    std::span<const edge_or_name> named;
    template <std::size_t N> edge_list(const std::array<any_out, N>& all) : handles(all) {}
    template <std::size_t N> edge_list(const std::array<edge_or_name, N>& all) : named(all) {}
  };
  template <class... T> static result<results<T...>> typed(result<std::vector<any_tensor>> result) {
    if (!result) return result.error();
    return detail::typed_results<T...>(*result);
  }

  template <class T>
  result<listed_results<T>> run_list(const fetch_vector<T>& fetches, std::span<const target> targets,
                                     std::initializer_list<fed> feeds, const run_options& options) {
    constexpr bool is_erased = std::is_same_v<T, any_tensor>;
    std::vector<dtype> types;
    if constexpr (!is_erased) types.assign(fetches.edges.size(), dtype_of<T>);
    auto result = try_run({feeds, fetches.edges, targets, types}, options);
    if constexpr (is_erased) {
      return result;
    } else {
      if (!result) return result.error();
      listed_results<T> tensors;
      for (any_tensor& each : *result) tensors.push_back(*tensor<T>::from(std::move(each)));
      return tensors;
    }
  }

  std::vector<any_tensor> run_or_raise(const run_request& request, const run_options& options);
  result<std::vector<any_tensor>> run_by_name(std::span<const fed> feeds, std::span<const edge_or_name> fetches,
                                              std::span<const target_or_name> targets, std::span<const dtype> types,
                                              const run_options& options);
  result<any_step> prepare_typed(const edge_list& feeds, std::span<const dtype> feed_types, const edge_list& fetches,
                                 std::span<const dtype> fetch_types, std::span<const target_or_name> targets);
  explanation explain_or_raise(const edge_list& fetches, std::span<const target_or_name> targets,
                               std::initializer_list<fed_shape> feeds);
  std::shared_ptr<detail::session_state> state_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/assign.hpp>
#include <flowgraph/runtime/impl/explain.hpp>
#include <flowgraph/runtime/impl/partial_run.hpp>
#include <flowgraph/runtime/impl/session.hpp>
#include <flowgraph/runtime/impl/variable_set.hpp>
#include <flowgraph/runtime/impl/session_pause.hpp>
#endif
