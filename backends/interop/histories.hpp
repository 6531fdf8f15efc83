#pragma once
// Histories of loops (ops/control_flow/history.hpp) in ops that TensorFlow has: a list of its variants, each of which holds the values
// of an iteration.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/interop/graph_def.hpp>

#include <map>
#include <span>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::wire {

bool is_history_op(std::string_view op);

class history_writer {
public:
  // `nodes`: what is written.
  history_writer(const graph& g, std::span<const node* const> nodes);

  // What of the nodes cannot be said in TensorFlow, if there is anything.
  error check(std::span<const node* const> nodes) const;

  // Adds what `made`, which stands for `n`, is in a file.
  void write(const node& n, node_def made, std::vector<node_def>& to) const;

private:
  using key = std::pair<const node*, std::uint32_t>;
  struct use {
    const node* pop = nullptr;    // takes the last entry from the list
    const node* value = nullptr;  // the first that reads a value of it
  };
  static key key_of(const node& n) { return {n.inputs[0].from, n.inputs[0].port}; }

  std::string add(const node_def& whole, std::string_view part, std::string_view op, std::vector<std::string> inputs,
                  std::vector<attribute_def> attributes, std::vector<node_def>& to) const;
  std::string add_integer(const node_def& whole, std::string_view part, std::int32_t value, const std::vector<std::string>& after,
                          std::vector<node_def>& to) const;
  std::vector<std::string> pop_inputs(const node_def& whole, std::vector<node_def>& to) const;
  std::string entry(const node& n, const node_def& made, std::vector<node_def>& to) const;

  const graph& graph_;
  std::map<key, use> uses_;
};

}  // namespace flowgraph
