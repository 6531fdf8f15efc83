#pragma once
// The nodes that replace calls, with names that no other node has.

#include "function_body.hpp"

#include <flowgraph/core/message.hpp>

#include <map>
#include <source_location>
#include <unordered_set>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

class node_list {
public:
  explicit node_list(std::size_t limit) : limit_(limit) {}

  // Registers the name of a node that exists already.
  void reserve(const node_def& n) {
    names_.insert(n.name);
    remember_text(n, n.name);
  }

  // Returns the name if it is free, otherwise the name with a number, and reserves the result.
  std::string fresh(const std::string& wanted) {
    if (names_.insert(wanted).second) return wanted;
    for (std::size_t& number = numbers_[wanted];;)
      if (std::string text = message{wanted, '_', ++number}; names_.insert(text).second) return text;
  }

  // Adds a node. If there are too many nodes, throws an error that names the call.
  void put(node_def n, const node_def& caller, std::source_location where) {
    if (nodes_.size() == limit_)
      throw error(error_code::resource_exhausted, message{"calls of functions become more than ", limit_, " nodes"})
          .at(caller.name, caller.op, where);
    nodes_.push_back(std::move(n));
  }

  // Stores the text of a constant of type string, so that text_at() can return it. `name` is the name that the constant will have.
  void remember_text(const node_def& n, const std::string& name) {
    const attribute_def* a = n.op == "Const" ? n.find("value") : nullptr;
    const any_tensor* value = a ? a->value.get<any_tensor>() : nullptr;
    if (!value || value->type() != dtype::string || value->size() != 1) return;
    texts_[name] = *tensor<std::string>::from(*value).value().begin();
  }
  // Returns the text of the constant on an edge; null if the edge is not such a constant.
  const std::string* text_at(std::string_view edge) const {
    const auto at = texts_.find(node_in(edge));
    return at == texts_.end() ? nullptr : &at->second;
  }

  auto begin() { return nodes_.begin(); }
  auto end() { return nodes_.end(); }

private:
  std::size_t limit_;
  std::vector<node_def> nodes_;
  std::unordered_set<std::string> names_;
  std::map<std::string, std::size_t> numbers_;
  std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace flowgraph::protobuf
