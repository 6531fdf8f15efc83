#pragma once

#include <flowgraph/ops/input/detail/reader_state.hpp>
#include <flowgraph/ops/input/record_reader.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the reader that a node describes. If there is none, the kernel fails and the result is empty.
resource reader_of(cpu ctx, const whole_file_attributes& a);
resource reader_of(cpu ctx, const identity_attributes& a);
resource reader_of(cpu ctx, const text_line_attributes& a);
resource reader_of(cpu ctx, const tf_record_attributes& a);
resource reader_of(cpu ctx, const fixed_length_attributes& a, const std::string& encoding = {});
inline resource reader_of(cpu ctx, const encoded_fixed_length_attributes& a) { return reader_of(ctx, a, a.encoding); }

template <class Attributes> void reader_by_handle<Attributes>::operator()(cpu ctx, unsized<resource> handle) const {
  const resource found = reader_of(ctx, static_cast<const Attributes&>(*this));
  if (ctx.failed()) return;
  const view<resource> y = handle.resize(flowgraph::shape{});
  if (!ctx.failed()) y.scalar() = found;
}
template <class Attributes> void reader_by_reference<Attributes>::operator()(cpu ctx, reference_out<std::string> handle) const {
  reader_of(ctx, static_cast<const Attributes&>(*this));
  if (ctx.failed()) return;
  const resource object = reference_to_reader(ctx, this->container, this->shared_name);
  if (!ctx.failed()) handle.set(object.as<variable_state>());
}

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/input/impl/record_reader.hpp>
#endif
