#pragma once
// The checks that the harness applies to an op. Each check covers all element types and all calls of its sample.

#include "trial.hpp"

#include <map>
#include <set>

namespace harness {

// The checks that were made, and the failures. Only the first failures of an op are kept.
class report {
public:
  // If the check fails, calls `what`, which describes the result.
  template <class What> bool expect(bool holds, const trial& t, What&& what) {
    ++checks_;
    if (!holds) fail(t, what());
    return holds;
  }
  void fail(const trial& t, const std::string& what);
  void skip(std::string_view op, std::string_view why) { skipped_[std::string(op)] = why; }

  std::size_t checks() const { return checks_; }
  std::size_t failed() const { return failed_; }
  const std::vector<std::string>& failures() const { return failures_; }
  const std::map<std::string, std::string>& skipped() const { return skipped_; }

private:
  static constexpr int kept_of_an_op = 4;
  std::size_t checks_ = 0, failed_ = 0;
  std::vector<std::string> failures_;
  std::map<std::string, int> of_op_;
  std::map<std::string, std::string> skipped_;
};

// Returns ops without a sample, and samples without an op.
std::vector<std::string> unmatched(const fg::registry& ops, const std::vector<sample>& samples);

// Checks that the shapes of the node, known in the graph as far as those of its inputs, hold in the run, that feeds are
// unchanged, and that element types agree. The results must have the same bits for any knowledge of the graph and any owner of
// the inputs' buffers.
void check_shapes(workshop& w, const sample& s, report& r);

// Checks that an input whose value the shape rule reads is a host input of the op.
void check_host_arguments(workshop& w, const sample& s, report& r);

// Checks that plain, dynamic and prepared runs return the same bits for any number of threads.
void check_ways(workshop& w, const sample& s, report& r);

// Compares gradients with differences of the op itself, once and twice. They must exist for every type, and have the input's
// shape.
void check_gradients(workshop& w, const sample& s, report& r);

// Checks that wrong inputs and attributes cause an error, and wild ones an error or a result.
void check_refusals(workshop& w, const sample& s, report& r);

// Runs `count` calls, each of them a call of a sample with a few arguments and attributes changed according to `seed`. They may
// return an error, but not an internal error, and must not crash.
void check_mutations(workshop& w, const std::vector<sample>& samples, std::uint64_t seed, std::uint64_t count, report& r);

// Calls f for every trial of the sample's op, and notes a trial that is skipped.
template <class F> void for_each_trial(workshop& w, const sample& s, report& r, F&& f) {
  if (const exception* e = s.find(exception::skipped)) {
    r.skip(s.op, e->why);
    return;
  }
  for (const fg::op_table* table : w.ops.tables(s.op))
    for (const call& c : s.tried) f(trial{table, &s, &c});
}

// Returns whether all element types of the table are among the most used. They are enough if types hardly matter.
bool has_common_types(const fg::op_table& table);
// Returns whether the types are common, and at most one differs from those of the first such table of the op: float32 with int64
// indices, float64 with int32 indices, but not float64 with int64 indices, whose kernels consist of the same pieces.
bool has_sampled_types(const workshop& w, const fg::op_table& table);

// Returns the error that f returns, or the error of an exception that escapes.
template <class F> fg::error guarded(F&& f) {
#ifdef FLOWGRAPH_EXCEPTIONS
  try {
    return f();
  } catch (const fg::error& e) { return e; } catch (const std::exception& e) {
    return fg::error(fg::error_code::internal, std::string("an exception escapes: ") + e.what());
  }
#else
  return f();
#endif
}

}  // namespace harness
