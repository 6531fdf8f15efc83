#pragma once

#include <flowgraph/op/shape_rule.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE shape shape_context::fail(std::string expected) {
  if (!failed_) message_ = std::move(expected);
  failed_ = true;
  return shape::unknown();
}
FLOWGRAPH_INLINE shape shape_context::fail(const char* expected) { return fail(std::string(expected)); }
FLOWGRAPH_INLINE shape shape_context::fail(const flowgraph::message& expected) { return fail(std::string(expected)); }

FLOWGRAPH_INLINE shape shape_context::read(const any_tensor& t) {
  shape values;
  if (t.size() > shape::max_rank) return shape::unknown();
  for (std::size_t k = 0; k < t.size(); ++k) {
    if (t.type() == dtype::int32) values.push_back(t.as<std::int32_t>()[k]);
    else if (t.type() == dtype::int64) values.push_back(t.as<std::int64_t>()[k]);
    else if (t.type() == dtype::int16) values.push_back(t.as<std::int16_t>()[k]);
    else return shape::unknown();
  }
  return values;
}

}  // namespace flowgraph
