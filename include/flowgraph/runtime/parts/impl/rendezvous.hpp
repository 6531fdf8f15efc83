#pragma once

#include <flowgraph/runtime/parts/rendezvous.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE rendezvous::meeting& rendezvous::at(edge_meetings& e, const iteration_name& in) {
  if (in == iteration_name{}) return e.root;
  if (spare_.empty()) return e.inside[in];
  if (const auto known = e.inside.find(in); known != e.inside.end()) return known->second;
  meetings::node_type node = std::move(spare_.back());
  spare_.pop_back();
  node.key() = in;
  return e.inside.insert(std::move(node)).position->second;
}

FLOWGRAPH_INLINE void rendezvous::close(edge_meetings& e, const iteration_name& in) {
  if (in == iteration_name{}) {
    e.root = {};
    return;
  }
  meetings::node_type node = e.inside.extract(in);
  if (spare_.size() == most_spare) return;
  node.mapped() = {};
  spare_.push_back(std::move(node));
}

FLOWGRAPH_INLINE waiting_record rendezvous::send(std::uint32_t edge, const iteration_name& in, rendezvous_parcel& given) {
  std::lock_guard lock(mutex_);
  edge_meetings& e = edges_[edge];
  meeting& m = at(e, in);
  const waiting_record found = m.waits;
  if (found.by) {
    close(e, in);
    --waiting_;
  } else {
    if (!std::exchange(m.is_sent, true)) ++kept_;
    m.sent = std::move(given);
  }
  return found;
}

FLOWGRAPH_INLINE bool rendezvous::receive(std::uint32_t edge, const iteration_name& in, const waiting_record& where,
                                          rendezvous_parcel& taken) {
  std::lock_guard lock(mutex_);
  edge_meetings& e = edges_[edge];
  meeting& m = at(e, in);
  if (!m.is_sent) {
    if (!m.waits.by) ++waiting_;
    m.waits = where;
    return false;
  }
  taken = std::move(m.sent);
  close(e, in);
  --kept_;
  return true;
}

FLOWGRAPH_INLINE bool rendezvous::anyone_waits() const {
  std::lock_guard lock(mutex_);
  return waiting_ > 0;
}

FLOWGRAPH_INLINE std::uint32_t rendezvous::waiting_edge() const {
  std::lock_guard lock(mutex_);
  if (waiting_ == 0) return no_index;
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    if (edges_[i].root.waits.by) return i;
    for (const auto& [in, m] : edges_[i].inside)
      if (m.waits.by) return i;
  }
  return no_index;
}

FLOWGRAPH_INLINE void rendezvous::clear() {
  std::lock_guard lock(mutex_);
  if (waiting_ + kept_ == 0) return;
  waiting_ = kept_ = 0;
  for (edge_meetings& e : edges_) {
    e.root = {};
    e.inside.clear();
  }
}

}  // namespace detail

}
}  // namespace flowgraph
