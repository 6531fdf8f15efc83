#pragma once
// The beam of a CTC beam search over one sequence.

#include <flowgraph/ops/sequence/detail/log_sum.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Logarithms of the probability of labels after a frame: of the paths that end in a blank, of those that end in the last label,
// and of both.
template <class T> struct ctc_probability {
  T total = log_zero<T>, blank = log_zero<T>, label = log_zero<T>;
};

// The labels of a candidate are those of its parent and one more. Candidates form a tree, in which siblings are a list.
template <class T> struct ctc_candidate {
  std::int64_t parent, first_child, sibling;
  std::int64_t uses;  // the number of children, plus the number of lists that contain the candidate
  std::int64_t rank;  // the number of candidates that entered the beam earlier
  std::int64_t label;
  ctc_probability<T> before, now;
};

template <class T> class ctc_beam {
public:
  // The candidates of a beam and of the beam before it, with all their parents.
  static std::int64_t most_candidates(std::int64_t time, std::int64_t width) { return width * (time + 2) + 2; }
  static std::size_t bytes(std::int64_t time, std::int64_t classes, std::int64_t width) {
    return static_cast<std::size_t>(most_candidates(time, width)) * sizeof(ctc_candidate<T>) +
           static_cast<std::size_t>(2 * width + classes) * sizeof(std::int64_t);
  }

  ctc_beam(std::byte* memory, std::int64_t time, std::int64_t classes, std::int64_t width)
      : all_(reinterpret_cast<ctc_candidate<T>*>(memory)), most_(most_candidates(time, width)),
        beam_(reinterpret_cast<std::int64_t*>(all_ + most_)), grown_(beam_ + width), child_(grown_ + width), classes_(classes),
        width_(width) {}

  // Begins a sequence: the beam contains the candidate without labels.
  void begin();
  // Reads a frame.
  void step(const T* logits);
  // Orders the beam, the best candidate first. Returns its size.
  std::int64_t sort() {
    std::sort(beam_, beam_ + size_, better{all_});
    return size_;
  }
  T log_probability(std::int64_t i) const { return all_[beam_[i]].now.total; }
  // Writes the labels of candidate i of the beam, and returns their number.
  std::int64_t read(std::int64_t i, bool merge_repeated, std::int32_t* to) const;

private:
  static constexpr std::int64_t none = -1, root = 0;

  // A strict order, even with NaN. The heap of the beam has its worst candidate at the front.
  struct better {
    const ctc_candidate<T>* all;
    bool operator()(std::int64_t a, std::int64_t b) const {
      const T x = ordered(all[a].now.total), y = ordered(all[b].now.total);
      return x != y ? x > y : all[a].rank < all[b].rank;
    }
  };
  static T ordered(T x) { return x == x ? x : log_zero<T>; }

  bool is_active(std::int64_t i) const { return all_[i].now.total != log_zero<T>; }
  bool may_enter(T total) const { return total > log_zero<T> && (size_ < width_ || total > all_[beam_[0]].now.total); }
  void continue_candidate(ctc_candidate<T>& c, const T* logits, T scale);
  void grow(std::int64_t i, const T* logits, T scale);
  std::int64_t make(std::int64_t parent, std::int64_t label);
  void release(std::int64_t i);
  void enter(std::int64_t i);

  ctc_candidate<T>* all_;
  std::int64_t most_, *beam_, *grown_, *child_;
  std::int64_t classes_, width_, size_ = 0, used_ = 0, free_ = none, entered_ = 0;
};

// Makes a candidate, from a free one if there is one. Free candidates are a list by `sibling`.
template <class T> std::int64_t ctc_beam<T>::make(std::int64_t parent, std::int64_t label) {
  const std::int64_t i = free_ != none ? free_ : used_++;
  if (free_ != none) free_ = all_[i].sibling;
  all_[i] = {parent, none, none, 0, 0, label, {}, {}};
  if (parent == none) return i;
  all_[i].sibling = all_[parent].first_child;
  all_[parent].first_child = i;
  ++all_[parent].uses;
  return i;
}

// Ends a use of a candidate. Candidates without uses become free.
template <class T> void ctc_beam<T>::release(std::int64_t i) {
  while (i != root && --all_[i].uses == 0) {
    const std::int64_t parent = all_[i].parent;
    std::int64_t* link = &all_[parent].first_child;
    while (*link != i) link = &all_[*link].sibling;
    *link = all_[i].sibling;
    all_[i].sibling = free_;
    free_ = i;
    i = parent;
  }
}

// Puts a candidate into the beam. If the beam is full, its worst candidate leaves.
template <class T> void ctc_beam<T>::enter(std::int64_t i) {
  all_[i].rank = entered_++;
  ++all_[i].uses;
  if (size_ == width_) {
    std::pop_heap(beam_, beam_ + size_, better{all_});
    const std::int64_t worst = beam_[--size_];
    all_[worst].now = {};
    release(worst);
  }
  beam_[size_++] = i;
  std::push_heap(beam_, beam_ + size_, better{all_});
}

template <class T> void ctc_beam<T>::begin() {
  used_ = size_ = entered_ = 0;
  free_ = none;
  make(none, none);
  all_[root].now = {0, 0, log_zero<T>};
  all_[root].uses = 1;
  enter(root);
}

// Computes the probability that the candidate has the same labels after the frame.
template <class T> void ctc_beam<T>::continue_candidate(ctc_candidate<T>& c, const T* logits, T scale) {
  if (c.parent != none) {
    if (is_active(c.parent)) {
      const ctc_candidate<T>& parent = all_[c.parent];
      c.now.label = log_sum(c.now.label, c.label == parent.label ? parent.before.blank : parent.before.total);
    }
    c.now.label += logits[c.label] - scale;
  }
  c.now.blank = c.before.total + (logits[classes_ - 1] - scale);
  c.now.total = log_sum(c.now.blank, c.now.label);
}

// Adds the candidates with one more label that are better than the worst candidate of the beam.
template <class T> void ctc_beam<T>::grow(std::int64_t i, const T* logits, T scale) {
  std::fill_n(child_, classes_, none);
  for (std::int64_t k = all_[i].first_child; k != none; k = all_[k].sibling) child_[all_[k].label] = k;
  for (std::int64_t label = 0; label < classes_ - 1; ++label) {
    // A child that has left the beam meanwhile may be free, or another candidate.
    const std::int64_t old = child_[label];
    const bool is_child = old != none && all_[old].parent == i && all_[old].label == label;
    if (is_child && is_active(old)) continue;
    const ctc_probability<T>& before = all_[i].before;
    const T total = (label == all_[i].label ? before.blank : before.total) + (logits[label] - scale);
    if (!may_enter(total)) {
      if (is_child) all_[old].before = {};  // a candidate that this frame has replaced does not grow either
      continue;
    }
    std::int64_t k = all_[i].first_child;
    while (k != none && all_[k].label != label) k = all_[k].sibling;
    if (k == none) k = make(i, label);
    all_[k].now = {total, log_zero<T>, total};
    enter(k);
  }
}

template <class T> void ctc_beam<T>::step(const T* logits) {
  const T largest = *std::max_element(logits, logits + classes_);
  T total = 0;
  for (std::int64_t c = 0; c < classes_; ++c) total += std::exp(logits[c] - largest);
  const T scale = largest + std::log(total);
  const std::int64_t count = sort();
  std::copy_n(beam_, count, grown_);
  for (std::int64_t k = 0; k < count; ++k) all_[grown_[k]].before = all_[grown_[k]].now;
  size_ = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    continue_candidate(all_[grown_[k]], logits, scale);
    enter(grown_[k]);
  }
  for (std::int64_t k = 0; k < count; ++k)
    if (may_enter(all_[grown_[k]].before.total)) grow(grown_[k], logits, scale);
  for (std::int64_t k = 0; k < count; ++k) release(grown_[k]);
}

template <class T> std::int64_t ctc_beam<T>::read(std::int64_t i, bool merge_repeated, std::int32_t* to) const {
  std::int64_t count = 0, later = none;
  for (std::int64_t k = beam_[i]; all_[k].parent != none; k = all_[k].parent) {
    if (!merge_repeated || all_[k].label != later) to[count++] = static_cast<std::int32_t>(all_[k].label);
    later = all_[k].label;
  }
  std::reverse(to, to + count);
  return count;
}

}  // namespace flowgraph::detail
