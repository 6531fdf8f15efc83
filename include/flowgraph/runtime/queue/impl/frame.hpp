#pragma once

#include <flowgraph/runtime/queue/frame.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE std::uint64_t key_of_frame(const plan_frame& f, const iteration& parent) {
  const std::uint64_t mix = parent.key * 0x9e3779b97f4a7c15u + f.name_key;
  return (mix ^ (mix >> 29)) * 0xbf58476d1ce4e5b9u;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error name_failure(const plan& p, const error& why, const call_site& n, const iteration& at) {
  std::string name(n.name);
  const char* in = ", iteration ";
  for (const iteration* i = &at; i->frame; i = i->frame->parent)
    name += message{std::exchange(in, " in iteration "), i->index, " of ", p.frames[i->frame->frame].name};
  return why.at(name, n.op->name(), n.where);
}

FLOWGRAPH_INLINE frame_pool::frame_pool(const plan& p)
    : plan_(p), initial_(p.frames.size()), all_(p.frames.size()), free_(p.frames.size()) {
  for (std::size_t f = 0; f < p.frames.size(); ++f)
    for (const std::uint32_t r : p.frames[f].records) initial_[f].push_back({p.records[r].pending, 0, progress::none});
}

FLOWGRAPH_INLINE iteration* frame_pool::open(std::uint32_t frame) {
  iteration* i;
  if (free_[frame].empty()) {
    all_[frame].push_back(std::make_unique<iteration>());
    i = all_[frame].back().get();
    i->slots.resize(plan_.frames[frame].slots);
    i->children.assign(plan_.frames[frame].children.size(), nullptr);
    i->records = initial_[frame];
    reset(frame, *i);
  } else {
    i = free_[frame].back();
    free_[frame].pop_back();
  }
  i->outstanding = 0;
  return i;
}

FLOWGRAPH_INLINE void frame_pool::reset(std::uint32_t frame, iteration& i) const {
  std::copy(initial_[frame].begin(), initial_[frame].end(), i.records.begin());
  const std::uint32_t* uses = plan_.uses[frame].data();
  for (slot& s : i.slots) {
    s.set(*uses++);
    if (s.state() == slot::live) s.release();
    s.become(slot::empty);
  }
  std::fill(i.children.begin(), i.children.end(), nullptr);
}

FLOWGRAPH_INLINE void frame_pool::close(std::uint32_t frame, iteration* gone) {
  reset(frame, *gone);
  free_[frame].push_back(gone);
}

FLOWGRAPH_INLINE frame_instance* frame_pool::open_frame(std::uint32_t frame, iteration* parent) {
  if (free_frames_.empty()) {
    all_frames_.push_back(std::make_unique<frame_instance>());
    free_frames_.push_back(all_frames_.back().get());
  }
  frame_instance* f = free_frames_.back();
  free_frames_.pop_back();
  f->frame = frame;
  f->key = key_of_frame(plan_.frames[frame], *parent);
  f->parent = parent;
  f->opened = 0;
  f->enters_left = plan_.frames[frame].enters;
  f->lived.assign(plan_.frames[frame].records.size(), false);
  return f;
}

FLOWGRAPH_INLINE void frame_pool::close_frame(frame_instance* gone) {
  gone->invariants.clear();
  gone->waiting.clear();
  gone->live.clear();
  free_frames_.push_back(gone);
}

FLOWGRAPH_INLINE void frame_pool::reset() {
  for (std::uint32_t f = 0; f < all_.size(); ++f) {
    free_[f].clear();
    for (const auto& i : all_[f]) close(f, i.get());
  }
  free_frames_.clear();
  for (const auto& f : all_frames_) close_frame(f.get());
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
