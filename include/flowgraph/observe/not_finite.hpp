#pragma once
// Where the first NaN or infinity comes from: node, run and iteration, with the inputs that it was made from.
//
//     fg::finite_check check;
//     for (int step = 0; step < steps && !check.found(); ++step) s.run(train, feeds, {.measure = &check});
//     if (check.found()) std::puts(check.found()->text().c_str());
//
// A run that is checked goes as watched_run says. An infinity that a constant has, as masks do, is no fault; a NaN in one is.

#include <flowgraph/observe/watched_run.hpp>

#include <optional>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A tensor, and how many of its elements are not finite.
struct finite_account {
  std::string name;
  any_tensor value;  // empty: it was not there to be looked at
  std::size_t not_numbers = 0, infinite = 0;
  std::optional<double> least, greatest;  // of the finite elements; empty where there are none, and of complex numbers

  bool is_finite() const noexcept { return not_numbers + infinite == 0; }
  // "x: float[2,3] from -1 to 4, 2 NaN".
  std::string text() const;
};

struct not_finite {
  std::string node, op, iteration;  // iteration: of loops, as in watched_call
  std::size_t run = 0;              // how many runs had been checked before
  finite_account output;
  std::vector<finite_account> inputs;
  std::source_location where;

  std::string text() const;
};

struct finite_options {
  bool infinities = true;  // false: only NaN counts
};

// Given to runs as `measure`; keeps the first node that makes what is not finite from inputs that are. A feed or a variable that brings
// it is such a node, too. Runs of several threads may share it.
class finite_check final : public watched_run {
public:
  explicit finite_check(const finite_options& options = {})
      : watched_run([this](const watched_call& c) { look(c); }), options_(options) {}

  const std::optional<not_finite>& found() const noexcept { return found_; }

private:
  void look(const watched_call& call);
  void ended() override { ++runs_; }

  finite_options options_;
  std::size_t runs_ = 0;
  std::optional<not_finite> found_;
};

// What is not finite in a tensor.
finite_account account_of_finite(std::string name, const any_tensor& value);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/not_finite.hpp>
#endif
