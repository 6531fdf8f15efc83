#pragma once
// std::from_chars for floating-point numbers, also for standard libraries that have it only for integers (libc++ before 20).

#include <flowgraph/config.hpp>

#include <charconv>
#include <version>
#ifndef __cpp_lib_to_chars
#include <cerrno>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <string>
#include <type_traits>
#endif

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Like std::from_chars.
template <class T>
std::from_chars_result real_from_chars(const char* first, const char* last, T& value,
                                       std::chars_format format = std::chars_format::general) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(first, last, value, format);
#else
  // Leading blanks and a leading plus are refused, and "0x" is no prefix: from_chars reads only the 0.
  const bool is_hexadecimal = format == std::chars_format::hex, is_negative = first != last && *first == '-';
  const char* const digits = first + is_negative;
  const bool begins_well =
      digits != last && *digits != '-' && *digits != '+' && *digits != ' ' && (*digits < '\t' || *digits > '\r');
  if (!begins_well) return {first, std::errc::invalid_argument};
  std::string text(is_hexadecimal ? "0x" : "");
  const std::size_t added = text.size();
  for (const char* c = digits; c != last && *c != 'x' && *c != 'X'; ++c)
    if (*c == '.') text += std::localeconv()->decimal_point;
    else text += *c;
  errno = 0;
  char* end = nullptr;
  T read{};
  if constexpr (std::is_same_v<T, float>) read = std::strtof(text.c_str(), &end);
  else read = std::strtod(text.c_str(), &end);
  const auto used = static_cast<std::size_t>(end - text.c_str());
  if (used <= added) return {first, std::errc::invalid_argument};
  const char* const stop = digits + (used - added);
  // A number below the smallest normal number is no error.
  if (errno == ERANGE && (read == 0 || std::isinf(read))) return {stop, std::errc::result_out_of_range};
  value = is_negative ? -read : read;
  return {stop, std::errc()};
#endif
}

}  // namespace flowgraph::detail
