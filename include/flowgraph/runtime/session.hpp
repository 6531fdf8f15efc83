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

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct joint_part;

// A run whose edges are known at run time only.
struct run_request {
  std::span<const fed> feeds = {};
  std::span<const any_out> fetches = {};
  std::span<const target> targets = {};
  std::span<const dtype> fetch_types = {};  // where the caller expects them: a fetch of another type is an error
};

// A run whose edges are named: "scope/op:0", as files and tools speak.
struct named_run {
  std::vector<std::pair<std::string, any_tensor>> feeds = {};
  std::vector<std::string> fetches = {};
  std::vector<std::string> targets = {};
};

namespace detail {

// The lists of handles that typed lists of edges stand for.
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
  // Runs the graph there; of the options, those apply that say how plans are made.
  session(const flowgraph::graph& g, session_target target, const session_options& options = {});
  ~session();
  session(session&&) noexcept;
  session& operator=(session&&) noexcept;

  // Gives every variable its initial value, in the order of their creation.
  void initialize(const run_options& options = {});
  result<void> try_initialize(const run_options& options = {});

  // Gives variables values from outside, s.assign({{w, weights}, {b, biases}}), and adds no nodes. All is checked before the first
  // one changes. The variables keep the tensors' memory, which both copy when they are to change it. Planned once for a list of
  // variables. Steps that other threads run meanwhile may see some of the variables changed and others not.
  void assign(std::initializer_list<fed> values, const run_options& options = {});
  void assign(std::span<const fed> values, const run_options& options = {});  // of a list known at run time
  result<void> try_assign(std::span<const fed> values, const run_options& options = {});

  // Runs a target, or gives the tensors of the fetches, with these feeds; raises errors.
  void run(target t, std::initializer_list<fed> feeds = {}, const run_options& options = {});
  template <class... T>
  results<T...> run(const fetch_list<T...>& fetches, std::initializer_list<fed> feeds = {}, const run_options& options = {}) {
    auto made = run_or_raise({feeds, fetches.edges, {}, detail::listed_types<T...>}, options);
    return detail::typed_results<T...>(made);
  }
  // Fetches, and runs a target in the same run.
  template <class... T>
  results<T...> run(const fetch_list<T...>& fetches, target t, std::initializer_list<fed> feeds = {},
                    const run_options& options = {}) {
    auto made = run_or_raise({feeds, fetches.edges, {&t, 1}, detail::listed_types<T...>}, options);
    return detail::typed_results<T...>(made);
  }

  // Of a list known at run time the tensors are a std::vector, in its order.
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

  // Runs as `run` does, and returns errors.
  template <class... T>
  result<results<T...>> try_run(const fetch_list<T...>& fetches, std::initializer_list<fed> feeds = {},
                                const run_options& options = {}) {
    auto made = try_run({feeds, fetches.edges, {}, detail::listed_types<T...>}, options);
    if (!made) return made.error();
    return detail::typed_results<T...>(*made);
  }
  template <class... T>
  result<results<T...>> try_run(const fetch_list<T...>& fetches, target t, std::initializer_list<fed> feeds = {},
                                const run_options& options = {}) {
    auto made = try_run({feeds, fetches.edges, {&t, 1}, detail::listed_types<T...>}, options);
    if (!made) return made.error();
    return detail::typed_results<T...>(*made);
  }
  result<void> try_run(target t, std::initializer_list<fed> feeds = {}, const run_options& options = {});
  // Tensors in the order of the fetches.
  result<std::vector<any_tensor>> try_run(const run_request& request, const run_options& options = {});
  result<std::vector<any_tensor>> try_run(const named_run& request, const run_options& options = {});

  // By name, with types: s.run(fg::fetch<float>("y:0"), {{"x:0", images}}).
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

  // Plans once; the step then runs without planning, and without allocating once it is warm. Edges may be handles or names.
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
    auto made =
        prepare_typed(feeds.edges, detail::feeds_in<Feeds>::types, fetches.edges, detail::fetches_in<Fetches>::types, run);
    if (!made) return made.error();
    return step<detail::step_feeds<Feeds>, detail::step_fetches<Fetches>>(*std::move(made));
  }
  // A step whose edges are known at run time only.
  result<any_step> try_prepare(std::span<const any_out> feeds, std::span<const any_out> fetches, std::span<const target> targets);

  // Lists the nodes and calls of a run or a prepared step: to_text(s.explain(fg::fetch(y), {{x, fg::shape{8, 16}}})). It plans as
  // `prepare` does, so it names resources and computes what folds; nothing else runs.
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
  // The same for edges and nodes that are known at run time only.
  result<explanation> try_explain(std::span<const edge_or_name> fetches, std::span<const target_or_name> targets,
                                  std::span<const fed_shape> feeds);

  // A run whose feeds arrive in pieces: everything that may be fed, fetched and run is named once.
  result<partial_run> try_begin_partial(std::span<const any_out> feeds, std::span<const any_out> fetches,
                                        std::span<const target> targets = {}, const run_options& options = {});

  // Variables that have their values, to be swapped as one from now on: runtime/variable_set.hpp.
  template <class... Variables> variable_set make_set(std::string name, const Variables&... variables) {
    const std::array<any_out, sizeof...(Variables)> all{variables...};
    return try_make_set(std::move(name), all).value();
  }
  // Of a list known at run time: a std::vector, std::array or std::span of variables.
  template <detail::handles List> variable_set make_set(std::string name, const List& variables) {
    return try_make_set(std::move(name), any_out_list(variables.begin(), variables.end())).value();
  }
  result<variable_set> try_make_set(std::string name, std::span<const any_out> variables);

  // Refuses what is asked for from now on, with error_code::cancelled, and ends runs that wait for a kernel or for another device with
  // the same code; runs that compute come to their end. Does not wait for that, unless `options` say so. True: no run is in progress
  // any more. From any thread, more than once: a second call can wait for what the first has ended, or end what another waits for.
  bool close(const close_options& options = {});

  // Brings the session to rest until the result is destroyed: no run begins, but for those of this thread, and each that has begun has ended
  // or waits for another, at a queue or the like. One that waits so stays as it is; runs of fg::run_together are waited for in any case.
  // Two threads that pause it rest one after the other. An error: why `options` ended the wait.
  session_pause pause(const run_options& options = {});
  result<session_pause> try_pause(const run_options& options = {});

  // What it holds besides variables: how many random numbers were drawn, and what queues and readers hold, with what runs that wait have
  // given or gathered. Of a session at rest, or one that runs nothing. An error names what cannot be saved.
  saved_state save_state() const;
  result<saved_state> try_save_state() const;
  // Takes such a state, also in another process: what is not in it is as in a new session. Contents of queues and readers that no node has
  // made yet are kept until one does. An error names the resource, and nothing has changed.
  void load_state(const saved_state& from);
  result<void> try_load_state(const saved_state& from);

  // The container that holds variables, queues and other state.
  container& resources() const noexcept;
  // The graph that it runs.
  const flowgraph::graph& graph() const noexcept;
  [[deprecated("call graph()")]] const flowgraph::graph& of() const noexcept { return graph(); }

private:
  friend result<std::vector<std::vector<any_tensor>>> try_run_together(std::span<const joint_part> parts,
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
  template <class... T> static result<results<T...>> typed(result<std::vector<any_tensor>> made) {
    if (!made) return made.error();
    return detail::typed_results<T...>(*made);
  }

  template <class T>
  result<listed_results<T>> run_list(const fetch_vector<T>& fetches, std::span<const target> targets,
                                     std::initializer_list<fed> feeds, const run_options& options) {
    constexpr bool is_erased = std::is_same_v<T, any_tensor>;
    std::vector<dtype> types;
    if constexpr (!is_erased) types.assign(fetches.edges.size(), dtype_of<T>);
    auto made = try_run({feeds, fetches.edges, targets, types}, options);
    if constexpr (is_erased) {
      return made;
    } else {
      if (!made) return made.error();
      listed_results<T> tensors;
      for (any_tensor& each : *made) tensors.push_back(*tensor<T>::from(std::move(each)));
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

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/assign.hpp>
#include <flowgraph/runtime/impl/explain.hpp>
#include <flowgraph/runtime/impl/session.hpp>
#include <flowgraph/runtime/impl/variable_set.hpp>
#include <flowgraph/runtime/impl/session_pause.hpp>
#endif
