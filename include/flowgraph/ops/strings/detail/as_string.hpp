#pragma once

#include <flowgraph/ops/strings/as_string.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> void as_string_op::operator()(cpu, view<const T> input, view<std::string> output) const {
  for (std::size_t i = 0; i < input.size(); ++i) {
    if constexpr (in_list<T, complex_numbers>)
      output[i] = '(' + detail::styled(*this, static_cast<double>(input[i].real())) + ',' +
                  detail::styled(*this, static_cast<double>(input[i].imag())) + ')';
    else if constexpr (std::is_same_v<T, bool>) output[i] = input[i] ? "true" : "false";
    else if constexpr (std::is_same_v<T, std::string>) output[i] = detail::styled(*this, input[i]);
    else if constexpr (std::is_unsigned_v<T>) output[i] = detail::styled(*this, std::uint64_t{input[i]});
    else if constexpr (std::is_integral_v<T>) output[i] = detail::styled(*this, std::int64_t{input[i]});
    else output[i] = detail::styled(*this, static_cast<double>(input[i]));
  }
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/strings/impl/as_string.hpp>
#endif
