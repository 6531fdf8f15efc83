#pragma once
// Histories of loops (ops/control_flow/history.hpp) in ops that TensorFlow has: a list of its variants, each of which holds the
// values of an iteration.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/interop/graph_def.hpp>

#include <map>
#include <set>
#include <span>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace wire {

bool is_history_op(std::string_view op);

// Which edges carry histories, and what made the last entry of each. Of any graph, however its loops are formed.
class history_map {
public:
  explicit history_map(const graph& g);

  bool is_history(const edge& e) const { return pushes_.contains({e.from, e.port}); }
  // The PushHistory; null where there is none.
  const node* push_behind(const edge& e) const;
  // What a HistoryValue reads, as it was pushed; from no node where that is not known.
  edge pushed(const node& value) const;

private:
  bool put(const node& n, std::uint32_t port, const node* push);
  bool spread(const node& n);

  std::map<std::pair<const node*, std::uint32_t>, const node*> pushes_;
};

class history_writer {
public:
  // `nodes`: what is written.
  history_writer(const graph& g, const history_map& histories, std::span<const node* const> nodes);

  // What of the nodes cannot be said in TensorFlow, if there is anything.
  error check(std::span<const node* const> nodes) const;

  // Adds what `made`, which stands for `n`, is in a file.
  void write(const node& n, node_def made, std::vector<node_def>& to) const;

private:
  using key = std::pair<const node*, std::uint32_t>;
  // What reads the last entry of a history.
  struct use {
    const node* pop = nullptr;    // takes it from the list
    const node* first = nullptr;  // of the others
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
  std::string last_entry(const node& n, const node_def& made, std::vector<node_def>& to) const;
  std::string values_of_entry(const node& n, const node_def& made, std::vector<node_def>& to) const;

  const graph& graph_;
  const history_map& histories_;
  std::map<key, use> uses_;
  std::set<const node*> switches_lists_;
};

}
}
}  // namespace flowgraph::wire
