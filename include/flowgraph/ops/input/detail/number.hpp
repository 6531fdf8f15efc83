#pragma once
// Conversion of text to numbers.

#include <flowgraph/config.hpp>

#include <cstdint>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Parses a number with optional blanks around it. Returns false if the text is no number, or T does not have it.
bool parse_number(std::string_view text, float& number);
bool parse_number(std::string_view text, double& number);
bool parse_number(std::string_view text, std::int32_t& number);
bool parse_number(std::string_view text, std::int64_t& number);
bool parse_number(std::string_view text, std::uint32_t& number);
bool parse_number(std::string_view text, std::uint64_t& number);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/decode.hpp>
#endif
