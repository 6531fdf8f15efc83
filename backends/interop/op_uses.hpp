#pragma once
// Counts missing ops, with the first node of each, so that one error can name all of them.

#include <flowgraph/core/message.hpp>

#include <map>
#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

template <class Node> class op_uses {
public:
  void add(std::string_view op, const Node& n) {
    use& u = by_op_[op];
    if (u.count++ == 0) u.first = &n;
  }
  // Calls `there` once per op, not once per node.
  template <class HasOp> void drop_those(const HasOp& there) {
    std::erase_if(by_op_, [&](const auto& each) { return there(each.first); });
  }
  bool empty() const noexcept { return by_op_.empty(); }
  // Returns the first node of the first op in order of names. Precondition: not empty.
  const Node& first() const { return *by_op_.begin()->second.first; }
  std::string text() const {
    std::string text;
    for (const auto& [op, u] : by_op_)
      text += message{text.empty() ? "" : ", ", op, " (", u.count, ", first at '", u.first->name, "')"};
    return text;
  }

private:
  struct use {
    std::size_t count = 0;
    const Node* first = nullptr;
  };
  std::map<std::string_view, use> by_op_;
};

}  // namespace flowgraph::protobuf
