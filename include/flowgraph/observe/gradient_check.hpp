#pragma once
// Compares gradients with finite differences of the objective.
//
//     auto [dw, db] = fg::gradients(loss, w, b);
//     const auto report = fg::check_gradients(s, loss, {{w, dw}, {b, db}}, {{x, images}, {t, labels}}).value();
//     if (!report.are_right()) std::puts(report.text().c_str());

#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/runtime/session.hpp>

#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI {

// An edge of floats or doubles, or a variable, and the edge that is its gradient.
struct checked_gradient {
  any_out of, gradient;  // the edge or variable, and its gradient

  checked_gradient(any_out edge, any_out its_gradient) : of(edge), gradient(its_gradient) {}
#ifndef FLOWGRAPH_INFERENCE
  template <class T>
  checked_gradient(const out<T>& edge, const grad<T>& its_gradient) : of(edge), gradient(out<T>(its_gradient)) {}
#endif
};

// Options of check_gradients.
struct gradient_check_options {
  std::size_t elements = 30;  // number of elements to check per edge, spread evenly; all elements if the edge has fewer
  // The amount by which an element is changed. If the magnitude of the element is larger than 1, the amount is multiplied by the
  // magnitude. 0 means 1e-2 for floats, 1e-3 for doubles.
  double step = 0;
  // Allowed relative error, in addition to the rounding error of the objective. 0 means 2e-2 for floats, 1e-5 for doubles.
  double relative = 0;
};

// The result for one edge.
struct gradient_account {
  std::string name;                    // name of the edge
  std::size_t checked = 0, wrong = 0;  // number of elements checked, and number of wrong ones
  // The element with the largest error: its index, its gradient, and the finite difference of the objective.
  std::size_t at = 0;
  double gradient = 0, difference = 0, off = 0;  // the gradient, the finite difference, and the error
};

// The result of check_gradients.
struct gradient_report {
  std::vector<gradient_account> edges;  // results, in the order of the edges

  // Returns whether all checked elements are right.
  bool are_right() const noexcept;
  // Returns a readable text.
  std::string text() const;
};

// Checks gradients of an objective, which must be one float or double. Afterwards, all variables have their old values. During
// the check, no other run may change them. If the objective is not constant for equal inputs (observe/constant_objective.hpp),
// returns an error. If the function has kinks, elements near the kinks are reported as wrong.
result<gradient_report> check_gradients(session& s, const any_out& objective, std::span<const checked_gradient> gradients,
                                        std::span<const fed> feeds, const gradient_check_options& options = {});
inline result<gradient_report> check_gradients(session& s, const any_out& objective,
                                               std::initializer_list<checked_gradient> gradients,
                                               std::initializer_list<fed> feeds = {},
                                               const gradient_check_options& options = {}) {
  return check_gradients(s, objective, std::span(gradients.begin(), gradients.size()), std::span(feeds.begin(), feeds.size()),
                         options);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/gradient_check.hpp>
#endif
