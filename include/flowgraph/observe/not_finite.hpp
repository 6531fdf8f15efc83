#pragma once
// Finds the origin of the first NaN or infinity: node, run and iteration, with the inputs of the node.
//
//     fg::finite_check check;
//     for (int step = 0; step < steps && !check.found(); ++step) s.run(train, feeds, {.measure = &check});
//     if (check.found()) std::puts(check.found()->text().c_str());
//
// A checked run is executed as a watched_run. Infinities in constants, for example in masks, are not reported, but NaNs in
// constants are reported.

#include <flowgraph/observe/watched_run.hpp>

#include <optional>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A tensor, and the number of its elements that are not finite.
struct finite_account {
  std::string name;                           // name of the edge
  any_tensor value;                           // empty: the value was not available
  std::size_t not_numbers = 0, infinite = 0;  // number of NaNs, and number of infinite elements
  std::optional<double> least, greatest;  // range of the finite elements; empty without finite elements, and for complex numbers

  // Returns whether all elements are finite.
  bool is_finite() const noexcept { return not_numbers + infinite == 0; }
  // Returns a text such as "x: float[2,3] from -1 to 4, 2 NaN".
  std::string text() const;
};

// A node whose outputs are not all finite although its inputs are.
struct not_finite {
  std::string node, op, iteration;     // `iteration`: iteration of the enclosing loops, as in watched_call
  std::size_t run = 0;                 // number of runs that were checked before
  finite_account output;               // the first output that is not finite
  std::vector<finite_account> inputs;  // the inputs of the node
  std::source_location where;          // line of the program that added the node

  // Returns a readable text.
  std::string text() const;
};

// Options of a finite_check.
struct finite_options {
  bool infinities = true;  // false: only NaN is reported
};

// An observer that keeps the first node whose outputs are not all finite although its inputs are. The node can also be a feed or
// a variable. Pass the observer to runs as `measure`; runs on several threads may share it.
class finite_check final : public watched_run {
public:
  explicit finite_check(const finite_options& options = {})
      : watched_run([this](const watched_call& c) { look(c); }), options_(options) {}

  // Returns the first such node, or an empty optional if none was found.
  const std::optional<not_finite>& found() const noexcept { return found_; }

private:
  void look(const watched_call& call);
  void ended() override { ++runs_; }

  finite_options options_;
  std::size_t runs_ = 0;
  std::optional<not_finite> found_;
};

// Returns how many elements of a tensor are not finite, and the range of the other elements.
finite_account account_of_finite(std::string name, const any_tensor& value);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/not_finite.hpp>
#endif
