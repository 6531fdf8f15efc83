#pragma once
// Lists of nodes: the nodes that a node waits for; and for a whole draft, the readers of each node, and the nodes that wait for it.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/draft.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Adds a node to the list of nodes to wait for, unless it is in the list.
inline void add_once(sequence<draft_node*>& all, draft_node& n) {
  if (std::ranges::find(all, &n) == all.end()) all.push_back(&n);
}

// A list of nodes for each place. All lists share one block of memory, since most contain one or two nodes. The latest node is first.
class node_lists {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct link {
    draft_node* at;
    std::uint32_t next;
  };

public:
  explicit node_lists(std::size_t places) : first_(places, none) {}

  class iterator {
  public:
    using value_type = draft_node*;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    iterator(const node_lists& of, std::uint32_t at) : of_(&of), at_(at) {}
    draft_node* operator*() const { return of_->links_[at_].at; }
    iterator& operator++() {
      at_ = of_->links_[at_].next;
      return *this;
    }
    iterator operator++(int) {
      const iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const iterator& other) const { return at_ == other.at_; }

  private:
    const node_lists* of_ = nullptr;
    std::uint32_t at_ = none;
  };
  struct list {
    iterator first, last;
    iterator begin() const { return first; }
    iterator end() const { return last; }
    bool empty() const { return first == last; }
    std::size_t size() const { return static_cast<std::size_t>(std::ranges::distance(first, last)); }
  };

  list operator[](std::uint32_t place) const { return {iterator(*this, first_[place]), iterator(*this, none)}; }
  void add(std::uint32_t place, draft_node& n) {
    links_.push_back({&n, first_[place]});
    first_[place] = static_cast<std::uint32_t>(links_.size() - 1);
  }
  void erase(std::uint32_t place, const draft_node& n) {
    for (std::uint32_t* at = &first_[place]; *at != none;) {
      link& l = links_[*at];
      if (l.at == &n) *at = l.next;
      else at = &l.next;
    }
  }
  sequence<draft_node*> take(std::uint32_t place) {
    sequence<draft_node*> taken;
    for (draft_node* n : (*this)[place]) taken.push_back(n);
    first_[place] = none;
    return taken;
  }

private:
  sequence<std::uint32_t> first_;
  sequence<link> links_;
};

}  // namespace flowgraph::detail
