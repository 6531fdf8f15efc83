#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/detail/named_counters.hpp>
#include <flowgraph/runtime/joint_run.hpp>
#include <flowgraph/runtime/parts/driver.hpp>
#include <flowgraph/runtime/session_state.hpp>

#include <deque>
#include <map>
#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Carries out one call of try_run_together.
class joint_runner {
public:
  joint_runner() = default;
  joint_runner(const joint_runner&) = delete;
  ~joint_runner() {
    if (driver_) driver_->release();
    for (joined& j : parts_)
      if (j.runs) j.session->give_back(*j.planned, std::move(j.runs));
  }

  error add(session_state& s, const joint_graph& part, const run_options& options) {
    joined& j = parts_.emplace_back();
    j.session = &s;
    j.counted.emplace(s);
    if (s.elsewhere)
      return error(error_code::unimplemented,
                   message{"the parts of a joint run meet in this process, and a session of it runs elsewhere, at ",
                           s.elsewhere->address(), ": a graph as a whole, which names its tasks, is cut there by the master"});
    if (s.is_shut) [[unlikely]]
      if (error why = s.admit(nullptr)) return why;
    std::vector<any_out> edges;
    for (const fed& f : part.feeds) {
      auto edge = edge_of(s.graph, f);
      if (!edge) return edge.error();
      edges.push_back(*edge);
    }
    auto found = s.plan_for({.feeds = edges,
                             .fetches = part.fetches,
                             .targets = part.targets,
                             .devices = &s.devices,
                             .shows_nodes = shows_nodes(options),
                             .limits = &options});
    if (!found) return found.error();  // also if a handle is empty or of another graph
    for (std::size_t i = 0; i < edges.size(); ++i)
      if (error why = check_feed(edges[i], part.feeds[i].value)) return why;
    j.planned = *found;
    if (j.planned->plan->parts)
      return error(error_code::unimplemented, "a part of a joint run cannot itself be cut: give its session no .cut");
    return number_edges(j);
  }

  result<std::vector<std::vector<any_tensor>>> run(std::span<const joint_graph> parts, const run_options& options) {
    if (error why = check_senders()) return why;
    driver_.emplace(edges_.size());
    for (joined& j : parts_) {
      auto runs = std::static_pointer_cast<executor>(j.session->take_runner(*j.planned, runner_of(*j.planned->plan)));
      j.runs = runs;
      if (error why = draw_ordinals(*j.session, *j.planned->plan, runs->ordinals())) return why;
      driver_->add(std::move(runs), j.edges, nullptr);
    }
    driver_->start(options, false);
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t k = 0; k < parts[i].feeds.size(); ++k) parts_[i].runs->feed(k, parts[i].feeds[k].value);
    error why = driver_->drive();
    if (!why) why = never_sent();
    std::vector<std::vector<any_tensor>> result(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t k = 0; k < parts[i].fetches.size() && !why; ++k) {
        auto t = parts_[i].runs->take(k);
        if (t) result[i].push_back(*std::move(t));
        else why = t.error();
      }
    driver_->end(!why);
    if (why) return why;
    return result;
  }

private:
  struct joined {
    session_state* session = nullptr;
    std::optional<run_in_progress> counted;
    std::shared_ptr<detail::planned> planned;
    std::shared_ptr<plan_runner> runs;
    sequence<std::uint32_t> edges;
  };
  struct joint_edge {
    const call_site* sender = nullptr;
    const call_site* receiver = nullptr;
  };

  // Sessions that share a container also share the counters of nodes with the same name.
  static error draw_ordinals(session_state& s, const plan& p, std::span<random_ordinal> ordinals) {
    if (ordinals.empty()) return {};
    if (s.own_resources) {
      s.draw_ordinals(p, ordinals);
      return {};
    }
    auto counters = named_counters::of(*s.services.resources);
    if (!counters) return counters.error();
    for (std::size_t i = 0; i < ordinals.size(); ++i)
      ordinals[i] = counters->as<named_counters>()->of_node(p.random_nodes[i]->name).next_run();
    return {};
  }

  error number_edges(joined& j) {
    const plan& p = *j.planned->plan;
    j.edges.assign(p.records.size(), no_index);
    for (std::size_t i = 0; i < p.records.size(); ++i) {
      const plan_record& r = p.records[i];
      if (r.control != control_flow::send && r.control != control_flow::receive) continue;
      const std::uint32_t number = number_of(*r.site);
      const call_site*& end = r.control == control_flow::send ? edges_[number].sender : edges_[number].receiver;
      if (end)
        return failed_at(invalid_argument({"'", end->name, "' has the same tensor_name, send_device and recv_device"}), *r.site);
      end = r.site;
      j.edges[i] = number;
    }
    return {};
  }
  std::uint32_t number_of(const call_site& n) {
    std::string key;
    for (const char* name : {"tensor_name", "send_device", "recv_device"}) {
      const attribute_value value = attribute_of(n, name);
      const std::string* said = value.get<std::string>();
      key += (said ? *said : std::string()) + '\n';
    }
    const auto [at, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(edges_.size()));
    if (is_new) edges_.emplace_back();
    return at->second;
  }
  error check_senders() const {
    for (const joint_edge& e : edges_)
      if (!e.sender)
        return failed_at(invalid_argument("no part of the run sends the value that this node receives"), *e.receiver);
    return {};
  }
  error never_sent() const {
    const std::uint32_t edge = driver_->waiting_edge();
    if (edge == no_index) return {};
    return failed_at(error(error_code::failed_precondition,
                           message{"'", edges_[edge].sender->name, "' has not sent the value that this node waits for"}),
                     *edges_[edge].receiver);
  }

  std::deque<joined> parts_;
  sequence<joint_edge> edges_;
  std::map<std::string, std::uint32_t> numbers_;
  std::optional<parts_driver> driver_;
};

}  // namespace detail

FLOWGRAPH_INLINE result<std::vector<std::vector<any_tensor>>> try_run_together(std::span<const joint_graph> parts,
                                                                               const run_options& options) {
  const detail::traced_run traced(options);
  detail::joint_runner runner;
  for (const joint_graph& p : parts) {
    if (!p.in->state_) return detail::session_state::moved();
    if (error why = runner.add(*p.in->state_, p, options)) return why;
  }
  return runner.run(parts, traced.options());
}

}  // namespace flowgraph
