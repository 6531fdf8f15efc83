#pragma once
// Builds a message from several parts. The code that builds it is not inlined, so that error paths add little code to a program.
//
//     return error(error_code::not_found, message{"the graph has no node named '", name, "'"});

#include <flowgraph/fwd.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// One part of a text: characters, an integer or a shape. It refers to the characters or the shape and does not copy them.
class text_piece {
public:
  constexpr text_piece(std::string_view characters)
      : what_(kind::characters), at_(characters.data()), value_(static_cast<std::int64_t>(characters.size())) {}
  constexpr text_piece(const char* characters) : text_piece(std::string_view(characters)) {}
  text_piece(const std::string& characters) : text_piece(std::string_view(characters)) {}
  text_piece(const shape& s) : what_(kind::shape), at_(&s) {}
  constexpr text_piece(char c) : what_(kind::character), value_(c) {}
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>) constexpr text_piece(T number)
      : what_(std::is_signed_v<T> ? kind::integer : kind::natural), value_(static_cast<std::int64_t>(number)) {}

  void append_to(std::string& text) const;

private:
  enum class kind : std::uint8_t { characters, character, integer, natural, shape };

  kind what_;
  const void* at_ = nullptr;
  std::int64_t value_ = 0;
};

}  // namespace detail

// A text that consists of several parts, in order. The object only refers to the parts, so convert it to a string or an error in
// the same expression.
class message {
public:
  message(std::initializer_list<detail::text_piece> pieces) : pieces_(pieces) {}
  message(const message&) = delete;
  message& operator=(const message&) = delete;

  std::string string() const;
  operator std::string() const { return string(); }

private:
  std::initializer_list<detail::text_piece> pieces_;
};

using words = message;  // former name, used before version 0.1

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/core/impl/message.hpp>
#endif
