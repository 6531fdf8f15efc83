#pragma once
// Gradients of gradients of TensorArrays. In flowgraph an array of gradients can itself have an array of gradients. In TensorFlow
// only arrays of values can have one.

#include "histories.hpp"

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/interop/graph_def.hpp>

#include <map>
#include <span>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

// In a file, arrays of gradients of first and second order are both gradient arrays of the array of values; their sources differ.
// So if a graph has such arrays of second order, its edges and histories carry the handle of the array of values in the file. Each
// op that uses an array of gradients gets it from a TensorArrayGradV3 node of its own.
class gradient_array_writer {
public:
  // `nodes` are all nodes of this file and the earlier ones.
  gradient_array_writer(const graph& g, const history_map& histories, std::span<const node* const> nodes);

  // Returns an error if one of the nodes from number `first` on cannot be written to a file.
  error check(std::span<const node* const> nodes, std::size_t first) const;

  // Changes the inputs of `definition`, the written form of `n`, to these handles. Additional nodes are added to `to`.
  void write(const node& n, node_def& definition, std::vector<node_def>& to);

private:
  const node* maker_of(edge e) const;
  std::string source_of(const edge& e) const;
  std::string handed_on(const edge& handle, const node_def& reader, std::vector<node_def>& to);

  const graph& graph_;
  const history_map& histories_;
  const node* second_order_ = nullptr;         // the first node with gradients of gradients
  std::map<const node*, std::string> arrays_;  // by TensorArrayGradV3 node: a node with the handle of its array of values
};

}  // namespace flowgraph::protobuf
