// The master's answers to requests about the state of its session: whether its steps wait, the state at its tasks except for
// variables, and the tasks of nodes.

#include "../master.hpp"
#include "saved_bytes.hpp"

#include <flowgraph/runtime/placement.hpp>

#include <algorithm>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

using namespace detail;

void master_session::ask_tasks(message_kind kind, std::map<std::uint32_t, question> questions, all_answered on_end) {
  struct waiting {
    std::mutex mutex;
    std::size_t left = 0;
    error why;
    std::map<std::uint32_t, task_answer> answers;
    all_answered on_end;
  };
  const auto all = std::make_shared<waiting>();
  all->left = questions.size() + 1;
  all->on_end = std::move(on_end);
  const auto one = [all, self = shared_from_this()](std::uint32_t task, const error& why, task_answer came) {
    {
      const std::lock_guard lock(all->mutex);
      if (why && !all->why) all->why = error(why.code(), message{why.message(), " (on ", self->services_.all.name_of(task), ")"});
      if (!why && task != no_index) all->answers.emplace(task, std::move(came));
      if (--all->left > 0) return;
    }
    all->on_end(all->why, std::move(all->answers));
  };
  for (auto& [task, asked] : questions) {
    if (task != services_.self) {
      body_of body(kind);
      body.bytes.raw(asked.body);
      const auto link = services_.others.to(task);
      link->ask(std::move(body.text), std::move(asked.tensors), [one, t = task, by = link.get()](const error& why, frame came) {
        one(t, why, {std::move(came), by->incarnation(), by->ordinal});
      });
      continue;
    }
    byte_reader from(asked.body);
    worker::reply result = services_.here.about_state(&services_, kind, from, asked.tensors);
    frame came;
    came.body = std::move(result.body);
    came.tensors = std::move(result.tensors);
    one(task, result.why, {std::move(came), services_.incarnation, 0});
  }
  one(no_index, {}, {});
}

void master_session::tell_tasks(message_kind kind, const std::set<std::uint32_t>& tasks) {
  for (const std::uint32_t t : tasks) {
    if (t == services_.self) {
      if (kind == message_kind::drop_session) services_.here.drop_session(number_);
      else services_.here.go_on(number_);
      continue;
    }
    body_of body(kind);
    body.bytes.number(number_);
    frame f;
    f.kind = frame_kind::news;
    f.body = std::move(body.text);
    if (const auto link = services_.others.known(t)) link->send(std::move(f));
  }
}

// Holds all steps. The tasks receive the request at different times, but a held part sends nothing. So if as many values have
// arrived as were sent, no value is on its way.
void master_session::hold(replied on_end) {
  std::map<std::uint32_t, question> questions;
  std::uint64_t time;
  {
    const std::lock_guard lock(mutex_);
    time = ++held_times_;
    for (const auto& [number, s] : running_)
      for (const part_record& p : s->what->parts->parts) held_.insert(p.task);
    for (const std::uint32_t t : held_) byte_writer(questions[t].body).number(number_);
  }
  ask_tasks(message_kind::hold_steps, std::move(questions),
            [self = shared_from_this(), time, on_end = std::move(on_end)](const error& why,
                                                                          std::map<std::uint32_t, task_answer> answers) mutable {
              std::uint32_t count = 0;
              {
                const std::lock_guard lock(self->mutex_);
                if (!why && time == self->held_times_ && self->is_held(answers)) {
                  count = 1;
                  for (const auto& [number, s] : self->running_) count += s->is_waited_for();
                }
              }
              if (count == 0) self->go_on();
              recycled_text body;
              byte_writer(body).number(count);
              on_end({}, body, {});
            });
}

bool master_session::is_held(std::map<std::uint32_t, task_answer>& answers) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, run_report> reports;  // by task and step
  for (const auto& [task, a] : answers) {
    byte_reader from(a.came.body);
    for (auto left = from.count(17); left > 0 && from.ok(); --left) {
      const auto number = from.number<std::uint64_t>();
      const auto rest = from.number<run_rest>();
      reports[{task, number}] = {rest, from.number<std::uint64_t>()};
    }
    if (!from.is_done()) return false;
  }
  for (const auto& [number, s] : running_) {
    if (s->pieces && !s->pieces->has_begun) continue;
    std::uint64_t balance = 0;
    s->rest = run_rest::values;
    for (const part_record& p : s->what->parts->parts) {
      const run_report& found = reports[{p.task, number}];
      if (found.rest == run_rest::none) return false;
      balance += found.balance;
      if (found.rest == run_rest::goes_on || (found.rest == run_rest::begins_anew && s->rest == run_rest::values))
        s->rest = found.rest;
    }
    // A step that waits for its next piece does not count as waiting for others.
    if (balance != 0 || (s->rest == run_rest::values && s->is_waited_for())) return false;
  }
  return true;
}

void master_session::go_on() {
  std::set<std::uint32_t> tasks;
  {
    const std::lock_guard lock(mutex_);
    ++held_times_;
    tasks.swap(held_);
    for (const auto& [number, s] : running_) s->rest = run_rest::none;
  }
  tell_tasks(message_kind::go_on_steps, tasks);
}

// The tasks of the resources and of the nodes that the graph names. Resources are identified by section and name, nodes by name.
struct master_session::state_places {
  std::map<std::pair<std::string, std::string>, std::uint32_t> resources;
  std::map<std::string, std::uint32_t, std::less<>> nodes;
};

master_session::state_places master_session::places_of_state() {
  state_places result;
  const std::lock_guard planning(planning_);
  const std::lock_guard lock(graph_.state().mutex);
  placement_->extend(graph_.state());
  for (std::size_t i = 0; i < graph_.state().nodes.size(); ++i) {
    const node* const n = graph_.state().nodes[i];
    const auto place = placement_->place_of(*n);
    if (!place) continue;
    if (n->op->counts_runs || n->op->per_run) result.nodes[std::string(n->name)] = *place;
    if (auto name = resource_of(*n); !name.second.empty()) result.resources.emplace(std::move(name), *place);
  }
  return result;
}

master_session::question master_session::question_of(std::span<const std::uint64_t> begun_anew,
                                                     std::span<const saved_state::draws> draws,
                                                     std::span<const saved_resource> resources) const {
  question result;
  byte_writer to(result.body);
  to.number(number_);
  to.number(options_.isolated);
  to.number(static_cast<std::uint64_t>(begun_anew.size()));
  for (const std::uint64_t number : begun_anew) to.number(number);
  write_draws(to, draws);
  write_resources(to, result.tensors, resources);
  return result;
}

void master_session::save(replied on_end) {
  const state_places places = places_of_state();
  std::vector<std::uint64_t> begun_anew;
  std::map<std::string, saved_state::draws> draws;
  std::map<std::uint32_t, std::vector<saved_resource>> named;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [n, counter] : counters_) {
      draws[n] = {n, counter->runs, 0};
      if (const auto at = places.nodes.find(n); at != places.nodes.end()) named[at->second];
    }
    for (const auto& [number, s] : running_) {
      if (s->rest != run_rest::begins_anew) continue;
      begun_anew.push_back(number);
      for (std::size_t i = 0; i < s->parts.size(); ++i)
        for (std::size_t k = 0; k < s->parts[i].runs.size(); ++k) {
          auto& runs = draws[s->what->parts->parts[i].counted_nodes[k]].runs;
          runs = std::min(runs, s->parts[i].runs[k]);
        }
    }
  }
  for (const auto& [name, task] : places.resources) named[task].push_back({name.first, name.second, {}});
  std::map<std::uint32_t, question> questions;
  for (const auto& [task, resources] : named) questions[task] = question_of(begun_anew, {}, resources);
  ask_tasks(message_kind::save_resources, std::move(questions),
            [self = shared_from_this(), draws = std::move(draws), on_end = std::move(on_end)](
                error why, std::map<std::uint32_t, task_answer> answers) mutable {
              if (!why) why = self->check_state(answers);
              if (why) return on_end(why, {}, {});
              std::vector<saved_resource> resources;
              for (auto& [task, a] : answers) {
                byte_reader from(a.came.body);
                for (const saved_state::draws& d : read_draws(from)) draws[d.node].numbers = d.numbers;
                for (saved_resource& r : read_resources(from, a.came.tensors)) resources.push_back(std::move(r));
                if (!from.is_done()) return on_end(malformed("the state of a task"), {}, {});
              }
              std::vector<saved_state::draws> all;
              for (auto& [node, d] : draws) {
                d.node = node;
                if (d.runs != 0 || d.numbers != 0) all.push_back(std::move(d));
              }
              recycled_text body;
              recycled_tensors tensors;
              byte_writer to(body);
              write_draws(to, all);
              write_resources(to, tensors, resources);
              on_end({}, body, std::move(tensors));
            });
}

void master_session::load(byte_reader& from, std::span<const any_tensor> tensors, replied on_end) {
  struct share {
    std::vector<saved_state::draws> draws;
    std::vector<saved_resource> resources;
  };
  const auto draws = read_draws(from);
  auto resources = read_resources(from, tensors);
  if (!from.is_done()) return on_end(malformed("the state of a session"), {}, {});
  const auto places = std::make_shared<const state_places>(places_of_state());
  std::map<std::uint32_t, share> shares;
  for (saved_resource& r : resources) {
    const auto at = places->resources.find({r.section, r.name});
    if (at == places->resources.end())
      return on_end(error(error_code::not_found, message{"the saved state has contents of resource '", r.name,
                                                         "', which no node of the session's graph names: which task is to have "
                                                         "them is not known"}),
                    {}, {});
    shares[at->second].resources.push_back(std::move(r));
  }
  for (const saved_state::draws& d : draws)
    if (const auto at = places->nodes.find(d.node); at != places->nodes.end()) shares[at->second].draws.push_back(d);
  std::map<std::uint32_t, question> questions;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [n, counter] : counters_)
      if (const auto at = places->nodes.find(n); at != places->nodes.end()) shares[at->second];
    for (const auto& [task, s] : shares) state_.loaded.insert(task);
  }
  std::map<std::uint32_t, held_state> held;
  for (const auto& [task, s] : shares) {
    questions[task] = question_of({}, s.draws, s.resources);
    held_state& names = held[task];
    for (const saved_state::draws& d : s.draws) names.own.known.insert(message{"random numbers of '", d.node, "'"});
    for (const saved_resource& r : s.resources)
      (options_.isolated ? names.own : names.shared).known.insert(message{"contents of '", r.name, "'"});
  }
  ask_tasks(message_kind::load_resources, std::move(questions),
            [self = shared_from_this(), draws, places, held = std::move(held), on_end = std::move(on_end)](
                error why, std::map<std::uint32_t, task_answer> answers) mutable {
              if (!why) why = self->check_state(answers);
              if (why) return self->undo_load(std::move(answers), why, std::move(on_end));
              for (auto& [task, names] : held)
                if (const auto at = answers.find(task); at != answers.end())
                  self->hold_state(task, at->second.incarnation, at->second.over, std::move(names.shared), std::move(names.own));
              {
                const std::lock_guard lock(self->mutex_);
                for (const auto& [n, counter] : self->counters_) counter->runs = 0;
                for (const saved_state::draws& d : draws) {
                  if (!places->nodes.contains(d.node)) continue;
                  auto& counter = self->counters_[d.node];
                  if (!counter) counter = std::make_unique<random_counter>();
                  counter->runs = d.runs;
                }
              }
              on_end({}, {}, {});
            });
}

// If one task fails to load its share, the tasks that have loaded theirs get back their former state, which is in `answers`.
void master_session::undo_load(std::map<std::uint32_t, task_answer> answers, const error& why, replied on_end) {
  std::map<std::uint32_t, question> undone;
  for (auto& [task, a] : answers) {
    byte_reader had(a.came.body);
    const auto before = read_draws(had);
    undone[task] = question_of({}, before, read_resources(had, a.came.tensors));
  }
  ask_tasks(
      message_kind::load_resources, std::move(undone),
      [why, on_end = std::move(on_end)](const error&, std::map<std::uint32_t, task_answer>) mutable { on_end(why, {}, {}); });
}

// Answers a request about state. Every answer begins like an answer to `prepare`: with the number of nodes that the master has, and
// an error.
void master_session::about_state(message_kind kind, const graph_record& more, byte_reader& from,
                                 std::span<const any_tensor> tensors, replied on_end) {
  error why;
  std::uint32_t count;
  {
    const std::lock_guard planning(planning_);
    why = take_nodes(more);
    count = static_cast<std::uint32_t>(graph_.size());
  }
  auto answer = [self = shared_from_this(), count, on_end = std::move(on_end)](const error& failed, std::string_view body,
                                                                               recycled_tensors result) mutable {
    recycled_text text;
    byte_writer to(text);
    to.number(count);
    write_error(to, failed);
    if (failed) to.number(self->losses(failed));
    else to.raw(body);
    on_end({}, text, std::move(result));
  };
  if (!why && kind != message_kind::places) {
    const auto losses = from.number<std::uint64_t>();
    const std::lock_guard lock(mutex_);
    why = check_losses_locked(losses);
  }
  if (why) return answer(why, {}, {});
  if (kind == message_kind::save_state)
    return from.is_done() ? save(std::move(answer)) : answer(malformed("a request to save state"), {}, {});
  if (kind == message_kind::load_state) return load(from, tensors, std::move(answer));
  recycled_text body;
  byte_writer to(body);
  to.number(options_.improves);
  to.number(static_cast<std::uint64_t>(devices_.size()));
  for (std::size_t d = 0; d < devices_.size(); ++d) to.text(to_string(devices_[d].name()));
  const std::lock_guard planning(planning_);
  const std::lock_guard lock(graph_.state().mutex);
  placement_->extend(graph_.state());
  to.number(static_cast<std::uint64_t>(graph_.state().nodes.size()));
  for (std::size_t i = 0; i < graph_.state().nodes.size(); ++i) {
    const node* const n = graph_.state().nodes[i];
    const auto place = placement_->place_of(*n);
    to.number(place ? *place : no_index);
    to.number(placement_->reason_of(n->id));
    write_error(to, place ? error() : place.error());
  }
  answer({}, body, {});
}

}  // namespace flowgraph::distributed
