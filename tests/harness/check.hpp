#pragma once
// What the harness holds against an op. Each check goes through all element types and all calls of its sample.

#include "trial.hpp"

#include <map>
#include <set>

namespace harness {

// What was checked and what failed. Few failures of one op are kept: the first ones say enough.
class report {
public:
  // `what` is called when the check fails, and says what was found.
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

// Ops without a sample, and samples without an op.
std::vector<std::string> unmatched(const fg::registry& ops, const std::vector<sample>& samples);

// The node's shapes, known in the graph as far as its inputs', hold in the run; feeds are intact; element types agree; whatever the graph
// was told and whoever owns the inputs' buffers, the results are the same to the bit.
void check_shapes(workshop& w, const sample& s, report& r);

// An input whose value the shape rule looks for is a host input of the op.
void check_host_arguments(workshop& w, const sample& s, report& r);

// The same bits for any number of threads, for a plain, a dynamic and a prepared run.
void check_ways(workshop& w, const sample& s, report& r);

// Gradients are derivatives: against differences of the op itself, once and twice. They exist for every type, and take the input's shape.
void check_gradients(workshop& w, const sample& s, report& r);

// Wrong inputs and attributes end in an error, wild ones in an error or a result.
void check_refusals(workshop& w, const sample& s, report& r);

// `count` calls, each a sample's with a few arguments and attributes changed as `seed` says: they may end in an error, but not in an internal
// one, and not in a crash.
void check_mutations(workshop& w, const std::vector<sample>& samples, std::uint64_t seed, std::uint64_t count, report& r);

// Calls f for every trial of the sample's op; one that is skipped is noted.
template <class F> void for_each_trial(workshop& w, const sample& s, report& r, F&& f) {
  if (const exception* e = s.find(exception::skipped)) {
    r.skip(s.op, e->why);
    return;
  }
  for (const fg::op_table* table : w.ops.tables(s.op))
    for (const call& c : s.tried) f(trial{table, &s, &c});
}

// All its element types are among the most used: enough where types hardly matter.
bool has_common_types(const fg::op_table& table);
// Of these, and at most one of them is another than the first table of its op has that is so: float32 with int64 indices, float64 with
// int32 ones, and not float64 with int64 ones, whose kernels are made of the same pieces.
bool has_sampled_types(const workshop& w, const fg::op_table& table);

// What f returns, an error; an exception that escapes is one too.
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
