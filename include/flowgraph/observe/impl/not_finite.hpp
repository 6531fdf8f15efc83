#pragma once

#include <flowgraph/observe/impl/difference.hpp>
#include <flowgraph/observe/not_finite.hpp>

#include <cmath>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline void count_finite(double value, finite_account& a, bool has_range) {
  if (value != value) {
    ++a.not_numbers;
  } else if (value - value != 0) {
    ++a.infinite;
  } else if (has_range) {
    a.least = a.least ? std::min(*a.least, value) : value;
    a.greatest = a.greatest ? std::max(*a.greatest, value) : value;
  }
}

}  // namespace detail

FLOWGRAPH_INLINE finite_account account_of_finite(std::string name, const any_tensor& value) {
  finite_account result;
  result.name = std::move(name);
  result.value = value;
  visit_type(
      value.type(),
      [&]<class T>() {
        if constexpr (in_list<T, real_numbers>) {
          for (const T& e : value.as<T>()) detail::count_finite(static_cast<double>(e), result, true);
        } else if constexpr (in_list<T, complex_numbers>) {
          // A complex number with a NaN in a part is a NaN; otherwise, with an infinity in a part, it is infinite.
          for (const T& e : value.as<T>()) {
            const auto real = static_cast<double>(e.real()), imaginary = static_cast<double>(e.imag());
            detail::count_finite(std::isinf(real) && !std::isnan(imaginary) ? real : real + imaginary, result, false);
          }
        }
      },
      [] {});
  return result;
}

FLOWGRAPH_INLINE std::string finite_account::text() const {
  if (!value.has_value()) return name + ": not looked at";
  std::string text = message{name, ": ", name_of(value.type()), to_string(value.shape())};
  if (least) text += " from " + detail::number_text(*least, 6) + " to " + detail::number_text(*greatest, 6);
  if (not_numbers) text += message{", ", not_numbers, " NaN"}.string();
  if (infinite) text += message{", ", infinite, " infinite"}.string();
  return text;
}

FLOWGRAPH_INLINE std::string not_finite::text() const {
  std::string text = message{node, " (", op, ") in run ", run};
  if (!iteration.empty()) text += ", iteration " + iteration;
  text += message{"\n  output ", output.text(), '\n'}.string();
  for (const finite_account& i : inputs) text += "  input " + i.text() + '\n';
  if (where.line() > 0) text += message{"  made at ", where.file_name(), ':', where.line(), '\n'}.string();
  return text;
}

FLOWGRAPH_INLINE void finite_check::look(const watched_call& call) {
  if (found_) return;
  const auto is_fault = [&](const finite_account& a) {
    return a.not_numbers > 0 || (a.infinite > 0 && options_.infinities && call.kind != watched_call::form::constant);
  };
  for (std::size_t k = 0; k < call.outputs.size(); ++k) {
    finite_account output =
        account_of_finite(name_of(*call.at, static_cast<std::uint32_t>(k) + call.first_port), call.outputs[k]);
    if (!is_fault(output)) continue;
    std::vector<finite_account> inputs;
    bool is_handed_on = false;
    for (std::size_t i = 0; i < call.inputs.size() && i < call.at->written_inputs.size(); ++i) {
      inputs.push_back(account_of_finite(name_of_input(*call.at, i), call.inputs[i]));
      is_handed_on = is_handed_on || inputs.back().not_numbers > 0 || (output.not_numbers == 0 && inputs.back().infinite > 0);
    }
    if (is_handed_on) continue;
    found_ = not_finite{std::string(call.at->name),
                        call.kind == watched_call::form::feed ? "feed" : to_string(*call.at->op),
                        call.iteration,
                        runs_,
                        std::move(output),
                        std::move(inputs),
                        call.at->where};
    return;
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
