#pragma once

#include <flowgraph/runtime/parts/rendezvous.hpp>

#include <algorithm>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE std::size_t rendezvous::place_of(std::uint32_t edge, const iteration_name& in) const {
  const std::uint64_t mix = (in.frame + in.index + (std::uint64_t{edge} << 32)) * 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(mix >> 32) & (inside_.size() - 1);
}

FLOWGRAPH_INLINE rendezvous::meeting& rendezvous::at(std::uint32_t edge, const iteration_name& in) {
  if (in == iteration_name{}) return outside_[edge];
  if (2 * (open_ + 1) > inside_.size()) grow();
  std::size_t place = place_of(edge, in);
  for (;; place = (place + 1) & (inside_.size() - 1)) {
    meeting& m = inside_[place];
    if (m.is_open() && (m.edge != edge || m.in != in)) continue;
    if (!m.is_open()) {
      m.edge = edge;
      m.in = in;
      ++open_;
    }
    return m;
  }
}

// Removes a meeting. Later entries that were displaced from their positions move up, as in any hash table with open addressing.
FLOWGRAPH_INLINE void rendezvous::close(meeting& m) {
  m.waits = {};
  m.is_sent = false;
  m.sent = {};
  if (m.in == iteration_name{}) return;  // a meeting outside of loops
  --open_;
  const std::size_t last = inside_.size() - 1;
  auto gap = static_cast<std::size_t>(&m - inside_.data());
  for (std::size_t i = (gap + 1) & last; inside_[i].is_open(); i = (i + 1) & last) {
    if (((i - place_of(inside_[i].edge, inside_[i].in)) & last) < ((i - gap) & last)) continue;
    std::swap(inside_[gap], inside_[i]);
    gap = i;
  }
}

FLOWGRAPH_SELDOM void rendezvous::grow() {
  sequence<meeting> old(std::max<std::size_t>(16, 2 * inside_.size()));
  old.swap(inside_);
  open_ = 0;
  for (meeting& m : old)
    if (m.is_open()) at(m.edge, m.in) = std::move(m);
}

FLOWGRAPH_INLINE waiting_record rendezvous::send(std::uint32_t edge, const iteration_name& in, rendezvous_parcel& given) {
  threading::lock_guard lock(mutex_);
  meeting& m = at(edge, in);
  if (m.waits.by) {
    const waiting_record found = m.waits;
    close(m);
    --waiting_;
    return found;
  }
  if (!std::exchange(m.is_sent, true)) ++kept_;
  m.sent = std::move(given);
  return {};
}

FLOWGRAPH_INLINE bool rendezvous::receive(std::uint32_t edge, const iteration_name& in, const waiting_record& where,
                                          rendezvous_parcel& taken) {
  threading::lock_guard lock(mutex_);
  meeting& m = at(edge, in);
  if (!m.is_sent) {
    if (!m.waits.by) ++waiting_;
    m.waits = where;
    return false;
  }
  taken = std::move(m.sent);
  close(m);
  --kept_;
  return true;
}

FLOWGRAPH_INLINE bool rendezvous::anyone_waits() const {
  threading::lock_guard lock(mutex_);
  return waiting_ > 0;
}

FLOWGRAPH_INLINE std::uint32_t rendezvous::waiting_edge() const {
  threading::lock_guard lock(mutex_);
  if (waiting_ == 0) return no_index;
  for (std::uint32_t i = 0; i < outside_.size(); ++i)
    if (outside_[i].waits.by) return i;
  for (const meeting& m : inside_)
    if (m.waits.by) return m.edge;
  return no_index;
}

FLOWGRAPH_INLINE void rendezvous::clear() {
  threading::lock_guard lock(mutex_);
  if (inside_.size() > most_places) inside_ = sequence<meeting>();
  if (waiting_ + kept_ == 0) return;
  waiting_ = kept_ = open_ = 0;
  for (sequence<meeting>* all : {&outside_, &inside_})
    for (meeting& m : *all) m = {};
}

}  // namespace flowgraph::detail
