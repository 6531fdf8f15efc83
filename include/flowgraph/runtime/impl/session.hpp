#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/runtime/planning/draft_runner.hpp>
#include <flowgraph/runtime/detail/look_up.hpp>
#include <flowgraph/runtime/impl/step.hpp>
#include <flowgraph/runtime/schedule/owned_root.hpp>
#include <flowgraph/runtime/parts/partitioned_runner.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/runtime/session_state.hpp>
#include <flowgraph/runtime/step_state.hpp>

#include <algorithm>
#include <chrono>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE session_state::session_state(const flowgraph::graph& g, const session_options& o)
    : graph(g), options(o), devices(o.devices, o.soft_placement, o.placement ? o.placement : o.place,
                                    o.pool ? static_cast<std::size_t>(o.pool->size()) : 1) {
  std::pmr::memory_resource* memory = o.memory ? o.memory : std::pmr::new_delete_resource();
  if (o.memory_limit) memory = budget = memory_budget::make(o.memory_limit, memory);
  if (!o.memory && large_blocks::is_useful) kept = large_blocks::make(memory);
  if (kept && budget) budget->set_spare(kept);
  if (!o.resources) own_resources = std::make_unique<container>(memory);
  services.pool = o.pool && o.pool->size() > 1 ? o.pool : nullptr;
  services.memory = memory;
  services.kept = kept;
  services.budget = budget;
  services.gate = &gate;
  services.resources = o.resources ? o.resources : own_resources.get();
  devices.share(*services.resources);
  if (o.target) elsewhere = o.target.place_->open(o);
}

// A helper that starts too late for its run may keep an executor alive in the pool.
inline void close_idle(planned& p) {
  threading::lock_guard lock(p.mutex);
  for (const auto& e : p.idle) e->close();
}

FLOWGRAPH_INLINE session_state::~session_state() {
  for (const known_plan& known : plans) close_idle(*known.plan);
  plans.clear();
  own_resources.reset();
  if (budget) budget->set_spare(nullptr);
  if (kept) kept->close();
  if (budget) budget->close();
}

inline std::size_t hash_of(const plan_request& r) {
  std::uint64_t h = 0xcbf29ce484222325u;
  auto mix = [&](const void* p, std::size_t port) { h = (h ^ (reinterpret_cast<std::uintptr_t>(p) + port)) * 0x100000001b3u; };
  for (const any_out& o : r.feeds) mix(o.source, o.port);
  mix(nullptr, 1);
  for (const any_out& o : r.fetches) mix(o.source, o.port);
  mix(nullptr, 2);
  for (const target& t : r.targets) mix(t.source, 0);
  return static_cast<std::size_t>(h);
}

inline bool is_for(const planned& p, const plan_request& r) {
  if (r.is_explained || p.is_partial_run != r.is_partial_run) return false;
  if (r.shows_nodes ? p.plan->has_groups : p.plan->lacks_groups) return false;
  return std::equal(p.feeds.begin(), p.feeds.end(), r.feeds.begin(), r.feeds.end()) &&
         std::equal(p.fetches.begin(), p.fetches.end(), r.fetches.begin(), r.fetches.end()) &&
         std::equal(p.targets.begin(), p.targets.end(), r.targets.begin(), r.targets.end(),
                    [](const target& a, const target& b) { return a.source == b.source; });
}

// Returns an error for the first edge whose typed handle states a wrong type. Edges without a stated type are not checked.
FLOWGRAPH_COLD inline error refused_types(std::span<const any_out> edges, std::span<const dtype> said, std::string_view done) {
  for (std::size_t i = 0; i < said.size(); ++i) {
    const node& n = *edges[i].source;
    const dtype found = n.outputs[edges[i].port].type;
    if (said[i] != found)
      return invalid_argument({"'", n.name, ":", edges[i].port, "' has elements of type ", name_of(found), ", but is ", done,
                               " as ", name_of(said[i])})
          .at(n.name, n.op->name(), n.where);
  }
  return {};
}
inline error check_types(const planned& p, const plan_request& r) {
  const auto agree = [](std::span<const dtype> said, const std::vector<dtype>& found) {
    return said.empty() || std::equal(said.begin(), said.end(), found.begin(), found.end());
  };
  if (agree(r.fetch_types, p.fetch_types) && agree(r.feed_types, p.feed_types)) [[likely]]
    return {};
  if (error why = refused_types(p.feeds, r.feed_types, "fed")) return why;
  return refused_types(p.fetches, r.fetch_types, "fetched");
}

FLOWGRAPH_INLINE known_plan* session_state::plan_at(std::size_t hash) {
  return std::ranges::lower_bound(plans, hash, {}, &known_plan::hash);
}

FLOWGRAPH_INLINE result<std::shared_ptr<planned>> session_state::plan_for(const plan_request& request) {
  const std::size_t hash = hash_of(request);
  {
    threading::lock_guard lock(mutex);
    for (auto at = plan_at(hash); at != plans.end() && at->hash == hash; ++at)
      if (is_for(*at->plan, request)) {
        if (error why = check_types(*at->plan, request)) return why;
        at->plan->last_asked = ++asked;
        return at->plan;
      }
  }
  plan_request completed = request;
  completed.passes = &options.passes;
  completed.has_threads = services.pool != nullptr;
  completed.is_dynamic = options.dynamic;
  completed.divide = options.cut.divide;
  draft_runner runner(services, draft_runner::most_of_plan, graph.state());
  const node_runner run(runner);
  completed.run = &run;
  auto result = elsewhere ? elsewhere->make_plan(graph, completed) : make_plan(graph, completed);
  if (!result) return result.error();
  auto p = std::make_shared<planned>();
  p->plan = *result;
  p->is_partial_run = request.is_partial_run;
  p->feeds.assign(request.feeds.begin(), request.feeds.end());
  p->fetches.assign(request.fetches.begin(), request.fetches.end());
  p->targets.assign(request.targets.begin(), request.targets.end());
  for (const any_out& o : p->feeds) p->feed_types.push_back(o.type());
  for (const any_out& o : p->fetches) p->fetch_types.push_back(o.type());
  if (error why = check_types(*p, request)) return why;
  if (request.is_explained) return p;
  std::shared_ptr<planned> dropped;
  {
    threading::lock_guard lock(mutex);
    dropped = take_oldest_plan();
    p->last_asked = ++asked;
    plans.insert(plan_at(hash), {hash, p});
  }
  if (dropped) close_idle(*dropped);
  return p;
}

FLOWGRAPH_SELDOM error session_state::only_here(std::string_view call) const { return elsewhere->cannot(call); }

FLOWGRAPH_INLINE std::shared_ptr<planned> session_state::take_oldest_plan() {
  if (plans.size() < most_plans) return {};
  auto oldest = plans.end();
  for (auto at = plans.begin(); at != plans.end(); ++at)
    if (at->plan.use_count() == 1 && (oldest == plans.end() || at->plan->last_asked < oldest->plan->last_asked)) oldest = at;
  if (oldest == plans.end()) return {};
  std::shared_ptr<planned> taken = std::move(oldest->plan);
  plans.erase(oldest);
  return taken;
}

FLOWGRAPH_INLINE std::shared_ptr<plan_runner> session_state::take_runner(planned& p, runner_function make) {
  {
    threading::lock_guard lock(p.mutex);
    if (!p.idle.empty()) {
      auto e = std::move(p.idle.back());
      p.idle.pop_back();
      return e;
    }
  }
  auto e = p.plan->parts ? p.plan->parts->make_runner(p.plan, services) : make(p.plan, services);
  threading::lock_guard lock(p.mutex);
  p.runners.push_back(e);
  if (ends_runs) e->cancel(refused());
  return e;
}

FLOWGRAPH_INLINE void session_state::give_back(planned& p, std::shared_ptr<plan_runner> e) {
  threading::lock_guard lock(p.mutex);
  p.idle.push_back(std::move(e));
}

FLOWGRAPH_INLINE bool session_state::close(const close_options& o) {
  is_closed = true;
  is_shut = true;
  // The end of a run sends no notification, so that runs need not check for a waiting thread: this thread polls.
  for (auto pause = std::chrono::microseconds(50); o.wait && has_runs() && !o.deadline.has_passed();
       pause = std::min(2 * pause, std::chrono::microseconds(1000)))
    threading::this_thread::sleep_for(pause);
  const bool have_ended = !has_runs();
  if (!have_ended) cancel_runs();
  return have_ended;
}

FLOWGRAPH_INLINE bool session_state::has_runs() {
  if (in_progress != 0) return true;
  threading::lock_guard lock(mutex);
  return std::ranges::any_of(steps, [](const step_state* s) { return s->is_running.load(); });
}

FLOWGRAPH_INLINE void session_state::cancel_runs() {
  ends_runs = true;
  threading::lock_guard lock(mutex);
  for (const known_plan& known : plans) {
    threading::lock_guard runners(known.plan->mutex);
    for (const auto& runner : known.plan->runners)
      if (const auto e = runner.lock()) e->cancel(refused());
  }
}

FLOWGRAPH_INLINE random_counter& session_state::counter(std::uint32_t node) {
  threading::lock_guard lock(counting);
  return counter_while_locked(node);
}

FLOWGRAPH_INLINE random_counter& session_state::counter_while_locked(std::uint32_t node) {
  if (node >= counters.size()) counters.resize(node + std::size_t{1});
  auto& held = counters[node];
  if (!held) held = std::make_unique<random_counter>();
  return *held;
}

FLOWGRAPH_INLINE void session_state::draw_ordinals(const plan& p, std::span<random_ordinal> ordinals) {
  if (ordinals.empty()) return;
  threading::lock_guard lock(counting);
  for (std::size_t i = 0; i < ordinals.size(); ++i) ordinals[i] = counter_while_locked(p.random_nodes[i]->id).next_run();
}

FLOWGRAPH_INLINE error check_feed(const any_out& edge, const any_tensor& value) {
  const output_info& declared = edge.source->outputs[edge.port];
  if (value.type() != declared.type)
    return invalid_argument(
               {"the tensor fed to '", edge.name(), "' must be ", name_of(declared.type), ", found ", name_of(value.type())})
        .at(edge.source->name, edge.source->op->name(), edge.source->where);
  if (!fits(value.shape(), declared.shape))
    return invalid_argument({"the tensor fed to '", edge.name(), "' must have shape ", declared.shape, ", found ", value.shape()})
        .at(edge.source->name, edge.source->op->name(), edge.source->where);
  if (value.is_far()) [[unlikely]]
    return invalid_argument({"the tensor fed to '", edge.name(), "' lies in the memory of a device; feeds come from the host"})
        .at(edge.source->name, edge.source->op->name(), edge.source->where);
  return {};
}

FLOWGRAPH_INLINE result<any_out> edge_of(const graph& g, const fed& f) {
  if (f.name.empty()) return f.where;
  return g.output(f.name);
}

FLOWGRAPH_INLINE result<std::vector<any_tensor>> session_state::run(const run_request& request, const run_options& given) {
  const traced_run traced(given);
  const run_options& run = traced.options();
  const run_in_progress counted(*this);
  if (is_shut) [[unlikely]]
    if (error why = admit(&run)) return why;
  std::vector<any_out> edges;
  edges.reserve(request.feeds.size());
  for (const fed& f : request.feeds) {
    if (f.name.empty()) {
      edges.push_back(f.where);
      continue;
    }
    auto named = edge_of(graph, f);
    if (!named) return named.error();
    edges.push_back(*named);
  }
  auto found = plan_for({.feeds = edges,
                         .fetches = request.fetches,
                         .targets = request.targets,
                         .devices = &devices,
                         .fetch_types = request.fetch_types,
                         .shows_nodes = shows_nodes(run),
                         .limits = &run});
  if (!found) return found.error();
  planned& p = **found;
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (error why = check_feed(edges[i], request.feeds[i].value)) return why;

  auto e = take_runner(p, runner_of(*p.plan));
  draw_ordinals(*p.plan, e->ordinals());
  e->start(run, run.measure != nullptr);
  for (std::size_t i = 0; i < request.feeds.size(); ++i) e->feed(i, request.feeds[i].value);
  error why = e->drive();
  std::vector<any_tensor> values;
  values.reserve(request.fetches.size());
  for (std::size_t i = 0; i < request.fetches.size() && !why; ++i) {
    auto t = e->take(i);
    if (t) values.push_back(*std::move(t));
    else why = t.error();
  }
  e->end(!why);
  give_back(p, std::move(e));
  if (why) return why;
  return values;
}

}  // namespace detail

FLOWGRAPH_INLINE session::session(const flowgraph::graph& g, const session_options& options)
    : state_(std::make_shared<detail::session_state>(g, options)) {}
FLOWGRAPH_SELDOM session::session(const flowgraph::graph& g, session_target target, const session_options& options)
    : session(g, [&] {
        session_options there = options;
        there.target = std::move(target);
        return there;
      }()) {}
FLOWGRAPH_INLINE session::~session() = default;
FLOWGRAPH_INLINE session::session(session&&) noexcept = default;
FLOWGRAPH_INLINE session& session::operator=(session&&) noexcept = default;

FLOWGRAPH_INLINE void session::initialize(const run_options& options) { try_initialize(options).value(); }

FLOWGRAPH_INLINE result<void> session::try_initialize(const run_options& options) {
  if (!state_) return detail::session_state::moved();
  if (error why = state_->graph.first_error()) return why;
  std::vector<target> all;
  for (node* n : state_->graph.initializers()) all.push_back(n);
  auto result = state_->run({{}, {}, all}, options);
  if (!result) return result.error();
  return {};
}

FLOWGRAPH_INLINE result<std::vector<any_tensor>> session::try_run(const run_request& request, const run_options& options) {
  if (!state_) return detail::session_state::moved();
  return state_->run(request, options);
}

FLOWGRAPH_INLINE result<std::vector<any_tensor>> session::try_run(const named_run& request, const run_options& options) {
  if (!state_) return detail::session_state::moved();
  detail::sequence<fed> feeds;
  std::vector<any_out> fetches;
  std::vector<target> targets;
  for (const auto& [name, value] : request.feeds) {
    auto edge = state_->graph.output(name);
    if (!edge) return edge.error();
    feeds.push_back({*edge, value});
  }
  for (const std::string& name : request.fetches) {
    auto edge = state_->graph.output(name);
    if (!edge) return edge.error();
    fetches.push_back(*edge);
  }
  for (const std::string& name : request.targets) {
    node* n = state_->graph.find(name);
    if (!n) return error(error_code::not_found, message{"the graph has no node named '", name, "'"});
    targets.push_back(n);
  }
  return state_->run({feeds, fetches, targets}, options);
}

FLOWGRAPH_INLINE std::vector<any_tensor> session::run_or_raise(const run_request& request, const run_options& options) {
  return try_run(request, options).value();
}

FLOWGRAPH_INLINE void session::run(target t, std::initializer_list<fed> feeds, const run_options& options) {
  run_or_raise({feeds, {}, {&t, 1}}, options);
}
FLOWGRAPH_INLINE result<void> session::try_run(target t, std::initializer_list<fed> feeds, const run_options& options) {
  if (auto result = try_run(run_request{feeds, {}, {&t, 1}}, options); !result) return result.error();
  return {};
}

FLOWGRAPH_INLINE bool session::close(const close_options& options) { return !state_ || state_->close(options); }

FLOWGRAPH_SELDOM std::size_t session::free_idle_memory() { return state_ && state_->kept ? state_->kept->free_idle() : 0; }

FLOWGRAPH_INLINE container& session::resources() const noexcept { return *state_->services.resources; }
FLOWGRAPH_INLINE const flowgraph::graph& session::graph() const noexcept { return state_->graph; }

namespace detail {

inline result<any_step> prepare_step(const std::shared_ptr<session_state>& s, const plan_request& request) {
  if (s->is_closed) return session_state::refused();
  auto found = s->plan_for(request);
  if (!found) return found.error();
  owned<step_state> result(new step_state(s, *found));
  sequence<shape> declared;
  for (const any_out& f : (*found)->feeds) declared.push_back(f.shape());
  if (error why = result->prepare(std::move(declared))) return why;
  return any_step(std::move(result));
}

}  // namespace detail

FLOWGRAPH_INLINE result<any_step> session::try_prepare(std::span<const any_out> feeds, std::span<const any_out> fetches,
                                                       std::span<const target> targets) {
  if (!state_) return detail::session_state::moved();
  return detail::prepare_step(state_, {.feeds = feeds, .fetches = fetches, .targets = targets, .devices = &state_->devices});
}

FLOWGRAPH_INLINE result<any_step> session::prepare_typed(const edge_list& feeds, std::span<const dtype> feed_types,
                                                         const edge_list& fetches, std::span<const dtype> fetch_types,
                                                         std::span<const target_or_name> targets) {
  if (!state_) return detail::session_state::moved();
  std::vector<any_out> fed(feeds.handles.begin(), feeds.handles.end()), fetched(fetches.handles.begin(), fetches.handles.end());
  std::vector<target> run;
  if (error why = detail::look_up_all(state_->graph, feeds.named, fed)) return why;
  if (error why = detail::look_up_all(state_->graph, fetches.named, fetched)) return why;
  if (error why = detail::look_up_all(state_->graph, targets, run)) return why;
  return detail::prepare_step(state_, {.feeds = fed,
                                       .fetches = fetched,
                                       .targets = run,
                                       .devices = &state_->devices,
                                       .feed_types = feed_types,
                                       .fetch_types = fetch_types});
}

FLOWGRAPH_INLINE result<std::vector<any_tensor>> session::run_by_name(std::span<const fed> feeds,
                                                                      std::span<const edge_or_name> fetches,
                                                                      std::span<const target_or_name> targets,
                                                                      std::span<const dtype> types, const run_options& options) {
  if (!state_) return detail::session_state::moved();
  std::vector<any_out> fetched;
  std::vector<target> run;
  if (error why = detail::look_up_all(state_->graph, fetches, fetched)) return why;
  if (error why = detail::look_up_all(state_->graph, targets, run)) return why;
  return state_->run({feeds, fetched, run, types}, options);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
