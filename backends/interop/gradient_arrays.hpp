#pragma once
// Gradients of gradients of TensorArrays. In flowgraph an array of gradients has itself an array of gradients; TensorFlow gives
// one to arrays of values alone.

#include "histories.hpp"

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/interop/graph_def.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace wire {

// In a file both are arrays beside the array of values, told apart by their sources. So where there is one of the second order,
// what is handed on, and kept in histories, is the handle of the array of values; who uses the array of gradients asks for it
// anew.
class gradient_array_writer {
public:
  // `nodes`: all that the file, and those before it, are to hold.
  gradient_array_writer(const graph& g, const history_map& histories, std::span<const node* const> nodes);

  // What cannot be said in a file of the nodes from number `first` on, if there is anything.
  error check(std::span<const node* const> nodes, std::size_t first) const;

  // Makes `made`, which stands for `n`, read handles so; what is to be written besides goes to `to`.
  void write(const node& n, node_def& made, std::vector<node_def>& to);

private:
  const node* maker_of(edge e) const;
  std::string source_of(const edge& e) const;
  std::string handed_on(const edge& handle, const node_def& reader, std::vector<node_def>& to);

  const graph& graph_;
  const history_map& histories_;
  const node* second_order_ = nullptr;         // the first that asks for gradients of gradients
  std::map<const node*, std::string> arrays_;  // beside which those of TensorArrayGradV3 nodes stand
};

}
}
}  // namespace flowgraph::wire
