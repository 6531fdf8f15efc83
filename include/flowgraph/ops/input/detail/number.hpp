#pragma once
// Numbers from their text.

#include <flowgraph/config.hpp>

#include <cstdint>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace detail {

// The number that a text is, with blanks around it; false where it is none, or none that T has.
bool parse_number(std::string_view text, float& number);
bool parse_number(std::string_view text, double& number);
bool parse_number(std::string_view text, std::int32_t& number);
bool parse_number(std::string_view text, std::int64_t& number);
bool parse_number(std::string_view text, std::uint32_t& number);
bool parse_number(std::string_view text, std::uint64_t& number);

}
}
}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/decode.hpp>
#endif
