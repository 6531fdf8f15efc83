#pragma once
// A file that holds a text.

#include <flowgraph/formats/file.hpp>

#include <string>
#include <string_view>

namespace file_tests {

inline void put(const std::string& path, std::string_view text) {
  auto to = flowgraph::file_writer::open(path).value();
  to.write(text).value();
  to.close().value();
}

}  // namespace file_tests
