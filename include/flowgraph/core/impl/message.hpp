#pragma once

#include <flowgraph/core/message.hpp>
#include <flowgraph/core/shape.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE void detail::text_piece::append_to(std::string& text) const {
  switch (what_) {
    case kind::characters: text.append(static_cast<const char*>(at_), static_cast<std::size_t>(value_)); break;
    case kind::character: text += static_cast<char>(value_); break;
    case kind::integer: text += std::to_string(value_); break;
    case kind::natural: text += std::to_string(static_cast<std::uint64_t>(value_)); break;
    case kind::shape: text += to_string(*static_cast<const flowgraph::shape*>(at_)); break;
  }
}

FLOWGRAPH_INLINE std::string message::string() const {
  std::string text;
  for (const detail::text_piece& p : pieces_) p.append_to(text);
  return text;
}

}  // namespace flowgraph
