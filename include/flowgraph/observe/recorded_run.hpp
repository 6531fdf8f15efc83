#pragma once
// All tensors of a run, in the order in which they were made, each with a hash: to look into them, and to compare runs, on one machine or
// on two.
//
//     const fg::recorded_run here = fg::record_run(s, {.feeds = feeds, .fetches = fetches}).value();
//     std::ofstream("here.hashes") << here.to_text();          // names, types, shapes and hashes: small, whatever the tensors

#include <flowgraph/observe/watched_run.hpp>
#include <flowgraph/runtime/session.hpp>

#include <map>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// An output of a node, in one iteration.
struct recorded_tensor {
  std::string name;       // "scope/op", "scope/op:1"
  std::string op;         // "MatMul<float>"; of a feed "feed"
  std::string iteration;  // as in watched_call
  dtype type = dtype::invalid;
  flowgraph::shape shape;
  std::uint64_t hash = 0;
  any_tensor value = {};     // empty where only hashes were kept
  const node* at = nullptr;  // null where it was read from text
};

// Of a run. A node that is called again in the same iteration, which only variables' readers are, keeps its latest tensor.
class recorded_run {
public:
  const std::vector<recorded_tensor>& tensors() const noexcept { return tensors_; }
  // Null if there is none.
  const recorded_tensor* find(std::string_view name, std::string_view iteration = {}) const;
  void add(recorded_tensor t);
  // The tensors that were fetched, in the order of the request; of a run that was read from text none.
  std::vector<any_tensor> fetched;

  // A line for each tensor, without its elements. Reading is as strict as writing.
  std::string to_text() const;
  static result<recorded_run> from_text(std::string_view text);

private:
  std::vector<recorded_tensor> tensors_;
  std::map<std::pair<std::string, std::string>, std::size_t, std::less<>> places_;  // by name and iteration
};

struct record_options {
  bool keep_values = true;  // false: only hashes, for graphs whose tensors fill the memory
  run_options run = {};     // its `measure` is not used
};

// Runs, and records. Nodes of which watched_run does not hear are not in it.
result<recorded_run> record_run(session& s, const run_request& request, const record_options& options = {});

// Of type, shape and bits: the same on all machines, and for -0 another than for 0.
std::uint64_t hash_of(const any_tensor& t);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/recorded_run.hpp>
#endif
