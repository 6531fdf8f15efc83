#pragma once

#include <flowgraph/ops/strings/join.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class I, class N>
void unsorted_segment_join_op::operator()(cpu ctx, view<const std::string> inputs, view<const I> segment_ids, view<const N>,
                                          view<std::string> output) const {
  const std::size_t segments = output.shape()[0] < 0 ? 0 : static_cast<std::size_t>(output.shape()[0]);
  const std::size_t width = segment_ids.size() == 0 ? 1 : inputs.size() / segment_ids.size();
  for (const I id : segment_ids)
    if (id < 0 || static_cast<std::size_t>(id) >= segments)
      return ctx.fail(message{"segment id ", id, " is not in [0, ", segments, ")"});
  for (std::string& text : output) text.clear();
  std::vector<bool> begun(segments);
  for (std::size_t i = 0; i < segment_ids.size(); ++i) {
    const auto segment = static_cast<std::size_t>(segment_ids[i]);
    for (std::size_t k = 0; k < width; ++k) {
      std::string& text = output[segment * width + k];
      if (begun[segment]) text += separator;
      text += inputs[i * width + k];
    }
    begun[segment] = true;
  }
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/strings/impl/join.hpp>
#endif
