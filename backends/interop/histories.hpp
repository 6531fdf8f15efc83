#pragma once
// Writes the histories of loops (ops/control_flow/history.hpp) with ops that TensorFlow has: a history becomes a list of variants,
// with one element per iteration that contains its values.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/interop/graph_def.hpp>

#include <map>
#include <set>
#include <span>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

bool is_history_op(std::string_view op);

// Finds the edges that carry histories, and for each the node that pushed the last entry. It works for any graph, no matter how its
// loops are built.
class history_map {
public:
  explicit history_map(const graph& g);

  bool is_history(const edge& e) const { return pushes_.contains({e.from, e.port}); }
  // Returns the PushHistory, or null if it is unknown.
  const node* push_behind(const edge& e) const;
  // Returns the edge whose value a HistoryValue reads; an edge without a node if this is unknown.
  edge pushed(const node& value) const;

private:
  bool put(const node& n, std::uint32_t port, const node* push);
  bool spread(const node& n);

  std::map<std::pair<const node*, std::uint32_t>, const node*> pushes_;
};

class history_writer {
public:
  // `nodes` are the nodes to write.
  history_writer(const graph& g, const history_map& histories, std::span<const node* const> nodes);

  // Returns an error if one of the nodes has no equivalent in TensorFlow.
  error check(std::span<const node* const> nodes) const;

  // Adds the nodes that represent `n` in a file. `definition` is the unchanged written form of `n`.
  void write(const node& n, node_def definition, std::vector<node_def>& to) const;

private:
  using key = std::pair<const node*, std::uint32_t>;
  // The readers of the last entry of a history.
  struct use {
    const node* pop = nullptr;    // removes the entry from the list
    const node* first = nullptr;  // the first of the other readers
    const node* value = nullptr;  // the first that reads one of its values
  };
  static key key_of(const node& n) { return {n.inputs[0].from, n.inputs[0].port}; }

  dtype type_in_file(const edge& e) const;
  std::vector<dtype> types_of_entry(const node& push) const;
  std::string add(const node_def& whole, std::string_view part, std::string_view op, std::vector<std::string> inputs,
                  std::vector<attribute_def> attributes, std::vector<node_def>& to) const;
  std::string add_integer(const node_def& whole, std::string_view part, std::int32_t value, const std::vector<std::string>& after,
                          std::vector<node_def>& to) const;
  std::vector<std::string> pop_inputs(const node_def& whole, std::vector<node_def>& to) const;
  bool switches_entries(const node& n) const;
  std::string last_entry(const node& n, const node_def& definition, std::vector<node_def>& to) const;
  std::string values_of_entry(const node& n, const node_def& definition, std::vector<node_def>& to) const;

  const graph& graph_;
  const history_map& histories_;
  std::map<key, use> uses_;
  std::set<const node*> switches_lists_;
};

}  // namespace flowgraph::protobuf
