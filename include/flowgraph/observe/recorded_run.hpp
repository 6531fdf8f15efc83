#pragma once
// Records all tensors of a run in the order of their creation, each with a hash. Use the record to examine the tensors, or to
// compare runs on one or two machines.
//
//     const fg::recorded_run here = fg::record_run(s, {.feeds = feeds, .fetches = fetches}).value();
//     std::ofstream("here.hashes") << here.to_text();          // names, types, shapes and hashes: small for any tensors

#include <flowgraph/observe/watched_run.hpp>
#include <flowgraph/runtime/session.hpp>

#include <map>

namespace flowgraph::inline FLOWGRAPH_ABI {

// An output of a node, in one iteration.
struct recorded_tensor {
  // Name of the output: "scope/op" or "scope/op:1".
  std::string name;
  // Op with element types: "MatMul<float>"; for a feed, "feed".
  std::string op;
  std::string iteration;        // iteration of the enclosing loops, as in watched_call
  dtype type = dtype::invalid;  // element type
  flowgraph::shape shape;       // shape
  std::uint64_t hash = 0;       // result of hash_of
  any_tensor value = {};        // empty if only hashes were kept
  const node* at = nullptr;     // null if the record was read from text
};

// The tensors of a run. If a node is called again in the same iteration, which only happens for readers of variables, its latest
// tensor is kept.
class recorded_run {
public:
  // Returns all tensors, in the order of their creation.
  const std::vector<recorded_tensor>& tensors() const noexcept { return tensors_; }
  // Returns the tensor with this name and iteration, or null if it does not exist.
  const recorded_tensor* find(std::string_view name, std::string_view iteration = {}) const;
  // Adds a tensor, or replaces the tensor with the same name and iteration.
  void add(recorded_tensor t);
  // The fetched tensors, in the order of the request; empty for a record that was read from text.
  std::vector<any_tensor> fetched;

  // Returns a text with one line per tensor, without the elements. from_text accepts only this format.
  std::string to_text() const;
  // Parses a text that to_text returned.
  static result<recorded_run> from_text(std::string_view text);

private:
  std::vector<recorded_tensor> tensors_;
  std::map<std::pair<std::string, std::string>, std::size_t, std::less<>> places_;  // index by name and iteration
};

// Options of record_run.
struct record_options {
  bool keep_values = true;  // false: only hashes are kept, for graphs whose tensors would not fit into memory
  run_options run = {};     // options of the run; `measure` is ignored
};

// Runs the request and records its tensors. Nodes that watched_run does not observe are not recorded.
result<recorded_run> record_run(session& s, const run_request& request, const record_options& options = {});

// Returns a hash of type, shape and bits. The hash is the same on all machines. -0 and 0 have different hashes.
std::uint64_t hash_of(const any_tensor& t);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/recorded_run.hpp>
#endif
