#pragma once
// One call of one op for given element types: its tensors, its node in a graph, and the ways to run it.

#include "op_value.hpp"
#include "sample.hpp"

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/op/registry.hpp>
#include <flowgraph/runtime/session.hpp>

#include <span>
#include <string>
#include <vector>

namespace harness {

// The state that all trials share.
struct workshop {
  const fg::registry& ops;
  fg::thread_pool pool_of_2{2}, pool_of_4{4};

  explicit workshop(const fg::registry& r) : ops(r) {}
};

struct trial {
  const fg::op_table* table = nullptr;
  const sample* from = nullptr;
  const call* how = nullptr;

  std::string name() const;  // "Gather<float, int32>(random[3,2], given[2])"
  bool is_large() const;     // only for threads: too large to be tested in every way
  std::size_t input_count() const { return how->inputs.size(); }
  const fg::argument& argument(std::size_t i) const;
  fg::dtype type(std::size_t i) const;
};

// Sets the attributes of a call. Returns the name of the first attribute that is refused.
std::string set_all(op_value& op, const trial& t);

using tensors = std::vector<fg::any_tensor>;

// Returns the inputs' tensors, which are the same for the same call.
tensors values_of(const trial& t);
// Returns a tensor of the given shape with elements between -1 and 1.
fg::any_tensor direction(fg::dtype type, const fg::shape& shape);
bool same_bits(const fg::any_tensor& a, const fg::any_tensor& b);

// The knowledge of the graph about the inputs: their shapes, some extents, nothing, or the shapes and the values of given inputs.
enum class knowledge : std::uint8_t { shapes, some_extents, nothing, values };
inline constexpr knowledge all_knowledge[] = {knowledge::shapes, knowledge::some_extents, knowledge::nothing, knowledge::values};
std::string_view name_of(knowledge k);

// A node for the trial in its own graph.
struct placed {
  fg::graph graph;
  fg::node* node = nullptr;
  std::vector<fg::any_out> inputs;     // the sources of the node's inputs: placeholders, constants, variables
  std::vector<fg::any_out> copies;     // the nodes between, if requested
  std::vector<fg::fed> feeds;          // for a run of the node
  std::vector<fg::fed> initial_feeds;  // for a run that gives the variables their values
  std::vector<fg::target> initializers;
  std::vector<fg::any_out> variables;  // edges from which their values can be fetched

  std::vector<fg::any_out> outputs() const;
};
// Places the trial in a graph. If `copied`, each input passes an op that copies it into a buffer that the node may reuse.
fg::result<placed> place(workshop& w, const trial& t, const tensors& values, knowledge k, bool copied = false);
// Adds a placeholder.
fg::result<fg::any_out> add_placeholder(workshop& w, const fg::graph& g, fg::dtype type, const fg::shape& shape);

enum class way : std::uint8_t {
  plain,
  pool_of_2,
  pool_of_4,
  dynamic,
  prepared,
  prepared_in_pool,
  accelerated,
  accelerated_step,
  accelerated_part
};
inline constexpr way other_ways[] = {way::pool_of_2,        way::pool_of_4,   way::dynamic,          way::prepared,
                                     way::prepared_in_pool, way::accelerated, way::accelerated_step, way::accelerated_part};
std::string_view name_of(way how);

struct outcome {
  tensors outputs;    // followed by those of `more`
  tensors variables;  // their values after the run
  bool feeds_intact = true;
};
// Runs the trial in its own session. Fetches `more` in addition to the node's outputs.
fg::result<outcome> run(workshop& w, const placed& p, way how, std::span<const fg::any_out> more = {});

}  // namespace harness
