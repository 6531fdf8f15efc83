#include "master.hpp"

#include <flowgraph/runtime/session_state.hpp>

#include <flowgraph/graph/handle.hpp>

#include <algorithm>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

using namespace detail;

namespace {
constexpr std::uint64_t most_steps = 0xffffffff;  // of a session: their numbers have 32 bits
}

error read_options(byte_reader& from, master_options& to) {
  to.isolated = from.number<std::uint8_t>() != 0;
  to.soft_placement = from.number<std::uint8_t>() != 0;
  to.improves = from.number<std::uint8_t>() != 0;
  to.narrows.which = from.number<narrowed_floats>();
  to.narrows.large_from = from.number<std::uint64_t>();
  to.pushed_up_to = from.number<std::uint64_t>();
  to.silence = std::chrono::nanoseconds(from.number<std::int64_t>());
  to.losses = from.number<std::uint64_t>();
  to.last_told = read_error(from);
  to.loss = read_error(from);
  to.held = read_held(from);
  if (!from.is_done() || to.narrows.which > narrowed_floats::large) return malformed("how a session is opened");
  return {};
}

master_session::master_session(const master_services& services, std::uint64_t number, const master_options& options)
    : services_(services), owner_(services.owner.lock()), number_(number), options_(options), steps_(options.steps) {
  for (std::uint32_t t = 0; t < services.all.size(); ++t)
    devices_.push_back(std::make_unique<device>(message{services.all.name_of(t), "/device:cpu:0"}.string()));
  placement_.emplace(devices_, options.soft_placement, nullptr, 1);
  placement_->share(placed_);
  inherit_state();
}

result<std::uint32_t> master_session::prepare(const graph_record& more, const request& wanted, std::string* needs) {
  const std::lock_guard planning(planning_);
  if (error why = take_nodes(more)) return why;
  {
    const std::lock_guard lock(mutex_);
    if (prepared_.size() >= services_.limits.parts)
      return error(error_code::resource_exhausted, message{"the session has ", prepared_.size(),
                                                           " runs of other edges: more are not allowed (task_limits::parts)"});
  }
  auto result = plan(wanted, needs);
  if (!result) return result.error();
  const std::lock_guard lock(mutex_);
  if (closed_) return closed_;
  for (std::size_t i = 0; i < (*result)->parts->parts.size(); ++i) (*result)->kept.push_back({parts_++, {}, false});
  prepared_.push_back(*std::move(result));
  return static_cast<std::uint32_t>(prepared_.size() - 1);
}

error master_session::take_nodes(const graph_record& more) {
  if (more.nodes.empty()) return {};
  if (const auto added = add_record(graph_, more, services_.ops); !added)
    return error(added.error())
        .because(error(error_code::not_found, message{"the master is ", services_.all.name_of(services_.self)}));
  return {};
}

std::uint32_t master_session::nodes() {
  const std::lock_guard planning(planning_);
  return static_cast<std::uint32_t>(graph_.size());
}

result<std::shared_ptr<master_session::prepared>> master_session::plan(const request& wanted, std::string* needs) {
  const auto wrong = [] { return detail::invalid_argument("a run names an edge that the graph has not"); };
  std::vector<any_out> feeds, fetches;
  std::vector<target> targets;
  const auto add = [&](std::span<const edge_record> from, std::vector<any_out>& to) {
    for (const edge_record& e : from) {
      if (e.node >= graph_.size() || e.port >= graph_.at(e.node)->outputs.size()) return false;
      to.push_back({graph_.at(e.node), e.port});
    }
    return true;
  };
  if (!add(wanted.feeds, feeds) || !add(wanted.fetches, fetches)) return wrong();
  for (const std::uint32_t t : wanted.targets) {
    if (t >= graph_.size()) return wrong();
    targets.push_back(graph_.at(t));
  }
  run_services services;
  services.memory = std::pmr::new_delete_resource();
  container resources;
  services.resources = &resources;
  draft_runner runner(services, draft_runner::most_of_plan, graph_.state());
  const node_runner run(runner);
  const pass_options passes;
  task_plan_request asked;
  static_cast<plan_request&>(asked) = {.feeds = feeds,
                                       .fetches = fetches,
                                       .targets = targets,
                                       .devices = &*placement_,
                                       .passes = options_.improves ? &passes : nullptr,
                                       .run = options_.improves ? &run : nullptr,
                                       .divide = &cut_by_task,
                                       .divides_one = true,
                                       .is_partial_run = wanted.is_partial_run,
                                       .shows_nodes = true};
  asked.narrows = options_.narrows;
  asked.pushed_up_to = options_.pushed_up_to;
  auto result = make_plan(graph_, asked);
  if (!result) return result.error();
  const detail::plan& whole = **result;
  auto p = std::make_shared<prepared>();
  p->parts = std::static_pointer_cast<const task_parts>(whole.parts);
  p->feeds = feeds.size();
  if (needs && wanted.is_partial_run) *needs = feeds_behind(whole);
  for (std::size_t i = 0; i < p->parts->fetches.size(); ++i) {
    any_tensor value;
    if (p->parts->fetches[i].part == no_index) value = whole.constants[whole.fetches[i].index].tensor;
    p->constants.push_back(std::move(value));
  }
  return p;
}

void master_session::run(std::uint32_t handle, std::uint64_t asked, recycled_tensors feeds, bool may_wait,
                         fetched_or_error on_end, std::shared_ptr<step_traces> traces, bool in_pieces, std::uint64_t losses) {
  const auto s = std::allocate_shared<step>(recycled_allocator<step>());
  s->traces = std::move(traces);
  s->may_wait = may_wait;
  std::uint64_t oldest = 0;
  error why;
  {
    const std::lock_guard lock(mutex_);
    why = closed_ ? closed_ : check_losses_locked(losses);
    if (!why && handle >= prepared_.size()) why = detail::invalid_argument("the run has not been prepared");
    // These errors are found before anything has changed: not even a random number has been drawn.
    for (std::size_t i = 0; !why && !in_pieces && i < prepared_[handle]->parts->parts.size(); ++i)
      for (const std::uint32_t f : prepared_[handle]->parts->parts[i].whole_feeds)
        if (f >= feeds.size()) why = detail::invalid_argument("the run lacks feeds");
    if (!why && steps_ == most_steps)
      why = error(error_code::resource_exhausted,
                  message{"the session has run ", most_steps, " steps, as many as a session may: begin another session"});
    if (!why) {
      s->number = number_ << 32 | ++steps_;
      services_.others.traffic.count_step();
      s->asked = asked;
      s->what = prepared_[handle];
      const auto& parts = s->what->parts->parts;
      s->left = parts.size() + 1;
      s->parts.resize(parts.size());
      for (std::size_t i = 0; i < parts.size(); ++i)
        for (const std::string& n : parts[i].counted_nodes) {
          auto& counter = counters_[n];
          if (!counter) counter = std::make_unique<random_counter>();
          s->parts[i].runs.push_back(counter->next_run().run);
        }
      if (in_pieces) {
        s->pieces = std::make_unique<step_pieces>();
        s->pieces->is_fed.resize(s->what->feeds);
        s->pieces->is_asked.resize(s->what->parts->fetches.size());
        s->pieces->parts.resize(parts.size());
      }
      s->on_end = std::move(on_end);
      running_[s->number] = s;
      oldest = running_.begin()->first;
    }
  }
  if (why) return on_end(why, {});
  if (!in_pieces) start_parts(s, feeds, oldest);
}

void master_session::start_parts(const std::shared_ptr<step>& s, std::span<const any_tensor> feeds, std::uint64_t oldest) {
  const auto& parts = s->what->parts->parts;
  // The part of this task is started last, since it may run at once on this thread.
  for (const bool here : {false, true})
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if ((parts[i].task == services_.self) != here) continue;
      recycled_tensors of_part;
      for (const std::uint32_t f : parts[i].whole_feeds)
        if (!s->pieces) of_part.push_back(feeds[f]);
      start_part(s, i, std::move(of_part), oldest);
    }
  ended_part(s, no_index, {}, {});
}

void master_session::start_part(const std::shared_ptr<step>& s, std::size_t i, recycled_tensors feeds, std::uint64_t oldest) {
  const part_record& p = s->what->parts->parts[i];
  if (p.task == services_.self) return start_part_here(s, i, std::move(feeds), oldest);
  kept_part& kept = s->what->kept[i];
  const auto link = services_.others.to(p.task);
  bool is_new, is_lost;
  std::uint64_t expected = 0;
  {
    const std::lock_guard lock(mutex_);
    is_new = kept.registered.lock() != link;
    is_lost = is_new && has_lost_locked(p.task, 0, link->ordinal);
    const held_state* const h = is_new && !state_.doubted.contains(p.task) ? state_at_locked(p.task) : nullptr;
    expected = h ? h->incarnation : 0;
    if (!is_lost) kept.registered = link;
    s->parts[i].asked_over = link->ordinal;
  }
  if (is_lost) {
    const error cause(error_code::unavailable, message{"the connection to ", services_.all.name_of(p.task), " was lost"});
    return ended_part(s, i, lose_state(p.task, false, cause), {});
  }
  if (s->traces) ask_time(link);
  if (is_new) register_part(s, i, link, expected);
  body_of body(message_kind::run_part);
  body.bytes.number(s->number);
  body.bytes.number(kept.number);
  body.bytes.number(oldest);
  body.bytes.number(run_flags(s->may_wait, s->traces != nullptr, s->pieces != nullptr));
  body.bytes.number(static_cast<std::uint64_t>(s->parts[i].runs.size()));
  for (const std::uint64_t n : s->parts[i].runs) body.bytes.number(n);
  // The link stores this callback until the answer arrives, so the callback must not own the link. The link exists when it calls.
  link->ask(std::move(body.text), std::move(feeds),
            [self = shared_from_this(), s, i, by = link.get()](const error& why, frame came) {
              if (s->traces) s->traces->add(came.body, by->clock.best(trace_clock()));
              self->ended_part(s, i, why, std::move(came.tensors));
            });
}

void master_session::start_part_here(const std::shared_ptr<step>& s, std::size_t i, recycled_tensors feeds,
                                     std::uint64_t oldest) {
  const part_record& p = s->what->parts->parts[i];
  kept_part& kept = s->what->kept[i];
  bool is_new;
  {
    const std::lock_guard lock(mutex_);
    is_new = !std::exchange(kept.is_registered_here, true);
  }
  if (is_new)
    if (error why = services_.here.register_part(&services_, number_, options_.isolated, kept.number, p)) {
      const std::lock_guard lock(mutex_);
      kept.is_registered_here = false;
      services_.by.compute([self = shared_from_this(), s, i, why] { self->ended_part(s, i, why, {}); });
      return;
    }
  if (is_new) hold_state(p, services_.incarnation, 0);
  if (s->traces) s->parts[i].trace = services_.recording.begin(services_.all, p.task, s->number);
  unique_function<void(frame)> pieces;
  if (s->pieces) pieces = [self = shared_from_this()](frame news) { self->hear_of_fetches(std::move(news)); };
  services_.here.run_part(
      s->number, kept.number, oldest, std::move(feeds), s->parts[i].runs, s->may_wait,
      [self = shared_from_this(), s, i](const error& why, recycled_tensors fetched) {
        if (const auto& trace = s->parts[i].trace) s->traces->add(trace->bytes(), {});
        self->ended_part(s, i, why, std::move(fetched));
      },
      s->parts[i].trace, std::move(pieces));
}

// Sends part i to its task. `expected` is the incarnation whose process has state of the session; 0: any.
void master_session::register_part(const std::shared_ptr<step>& s, std::size_t i, const std::shared_ptr<asking_link>& link,
                                   std::uint64_t expected) {
  body_of body(message_kind::register_part);
  recycled_tensors tensors;
  body.bytes.number(number_);
  body.bytes.number(options_.isolated);
  body.bytes.number(s->what->kept[i].number);
  body.bytes.number(expected);
  body.bytes.number(std::min(services_.silence, options_.silence).count());
  write_part(body.bytes, tensors, s->what->parts->parts[i]);
  link->ask(std::move(body.text), std::move(tensors),
            [self = shared_from_this(), s, i, expected, by = link.get()](const error& why, frame) {
              const part_record& part = s->what->parts->parts[i];
              if (!why) return self->hold_state(part, by->incarnation(), by->ordinal);
              {
                const std::lock_guard lock(self->mutex_);
                s->what->kept[i].registered.reset();
              }
              const bool has_ended = expected != 0 && by->incarnation() != 0 && by->incarnation() != expected;
              self->fail(s, has_ended ? self->lose_state(part.task, true, why) : why);
            });
}

// The part that ends last answers the client. Part no_index is the loop that starts the parts.
void master_session::ended_part(const std::shared_ptr<step>& s, std::size_t part, const error& why, recycled_tensors fetched) {
  if (why) fail(s, why);
  bool is_over;
  if (part == no_index) {
    // Parts may have been started after the step had failed, or after the session was closed. End them now.
    error failed_meanwhile;
    bool has_closed;
    {
      const std::lock_guard lock(mutex_);
      failed_meanwhile = s->why;
      has_closed = static_cast<bool>(closed_);
    }
    if (failed_meanwhile) end_elsewhere(*s, failed_meanwhile);
    if (has_closed) {
      std::set<std::uint32_t> tasks;
      for (const part_record& r : s->what->parts->parts) tasks.insert(r.task);
      tell_tasks(message_kind::drop_session, tasks);
    }
  }
  {
    const std::lock_guard lock(mutex_);
    if (part != no_index) s->parts[part].fetched = std::move(fetched);
    if (part != no_index && s->pieces) s->pieces->parts[part].is_over = true;
    is_over = --s->left == 0;
    if (is_over) running_.erase(s->number);
    if (is_over && !s->why && !state_.doubted.empty())
      for (const part_record& p : s->what->parts->parts) state_.doubted.erase(p.task);
  }
  if (!is_over) {
    if (s->pieces) answer_piece(*s, {});
    return;
  }
  recycled_tensors result;
  const task_parts& parts = *s->what->parts;
  error failed = s->why;
  for (std::size_t i = 0; i < parts.fetches.size() && !failed && !s->pieces; ++i) {
    const auto& f = parts.fetches[i];
    if (f.part == no_index) result.push_back(s->what->constants[i]);
    else if (f.index < s->parts[f.part].fetched.size()) result.push_back(std::move(s->parts[f.part].fetched[f.index]));
    else
      failed = error(error_code::internal,
                     message{"task ", services_.all.name_of(parts.parts[f.part].task), " has not answered with all fetches"});
  }
  s->on_end(failed, std::move(result));
  if (s->pieces) answer_piece(*s, failed);
}

void master_session::fail(const std::shared_ptr<step>& s, const error& why) {
  std::vector<std::shared_ptr<step>> others;
  {
    const std::lock_guard lock(mutex_);
    if (s->why || s->left == 0) return;
    s->why = why;
    if (doubts_state_locked(*s, why)) others = fail_all_locked(why);
  }
  end_failed(s, why);
  for (const auto& other : others) end_failed(other, why);
}

void master_session::end_failed(const std::shared_ptr<step>& s, const error& why) {
  bool has_parts;
  {
    const std::lock_guard lock(mutex_);
    if (s->left == 0) return;
    has_parts = !s->pieces || s->pieces->has_begun;
    if (!has_parts) s->left = 1;
  }
  if (!has_parts) return ended_part(s, no_index, {}, {});
  end_elsewhere(*s, why);
}

void master_session::end_elsewhere(const step& s, const error& why) {
  for (const part_record& p : s.what->parts->parts) {
    if (p.task == services_.self) {
      services_.here.end_step(s.number, why);
      continue;
    }
    body_of body(message_kind::end_step);
    body.bytes.number(s.number);
    write_error(body.bytes, why);
    frame f;
    f.kind = frame_kind::news;
    f.body = std::move(body.text);
    if (const auto link = services_.others.known(p.task)) link->send(std::move(f));
  }
}

void master_session::cancel(std::uint64_t asked, const error& why) {
  std::vector<std::shared_ptr<step>> found;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, s] : running_)
      if (s->asked == asked) found.push_back(s);
  }
  for (const auto& s : found) fail(s, why);
}

void master_session::fail_where(function_ref<bool(const step&)> is_hurt, const error& why) {
  std::vector<std::shared_ptr<step>> found;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, s] : running_)
      if (is_hurt(*s)) found.push_back(s);
  }
  for (const auto& s : found) fail(s, why);
}

void master_session::lost_values(std::uint32_t task, std::uint64_t last, const error& why) {
  const auto takes_part = [&](const step& s) {
    return std::ranges::any_of(s.what->parts->parts, [&](const part_record& p) { return p.task == task; });
  };
  fail_where([&](const step& s) { return s.number <= last && takes_part(s); }, why);
}

void master_session::clear(const std::vector<std::string>& sections, unique_function<void(const error&)> on_end) {
  struct waiting {
    std::mutex mutex;
    std::size_t left;
    error why;
    unique_function<void(const error&)> on_end;
  };
  const auto all = std::make_shared<waiting>();
  all->left = services_.all.size();
  all->on_end = std::move(on_end);
  const auto one = [all](const error& why) {
    {
      const std::lock_guard lock(all->mutex);
      if (why && !all->why) all->why = why;
      if (--all->left > 0) return;
    }
    all->on_end(all->why);
  };
  for (std::uint32_t t = 0; t < services_.all.size(); ++t) {
    if (t == services_.self) {
      services_.here.clear_containers(number_, sections);
      one({});
      continue;
    }
    body_of body(message_kind::clear_containers);
    body.bytes.number(number_);
    body.bytes.number(static_cast<std::uint64_t>(sections.size()));
    for (const std::string& s : sections) body.bytes.text(s);
    services_.others.to(t)->ask(std::move(body.text), {}, [one](const error& why, frame) { one(why); });
  }
}

void master_session::close(const error& why) {
  std::vector<std::shared_ptr<step>> open;
  std::set<std::uint32_t> tasks;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    closed_ = why;
    for (const auto& [number, s] : running_) open.push_back(s);
    tasks = state_.loaded;
    for (const auto& p : prepared_)
      for (const part_record& r : p->parts->parts) tasks.insert(r.task);
  }
  for (const auto& s : open) fail(s, why);
  tell_tasks(message_kind::drop_session, tasks);
}

}  // namespace flowgraph::distributed
