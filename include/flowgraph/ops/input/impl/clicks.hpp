#pragma once

#include <flowgraph/formats/click_text.hpp>
#include <flowgraph/ops/input/clicks.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline error decode_clicks(const decode_clicks_attributes& op, click_format format, view<const std::string> lines,
                           click_batch& to, std::int64_t& skipped) {
  click_options how;
  how.format = format;
  how.hash_keys = op.hash_keys;
  how.hash_seed = static_cast<std::uint64_t>(op.hash_seed);
  how.buckets = static_cast<std::uint64_t>(op.buckets);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (is_blank_line(line)) continue;
    const click_fault fault = parse_clicks(line, how, to);
    if (!fault.what) continue;
    if (!op.skip_malformed)
      return invalid_argument({"element ", i, ", column ", fault.column, ": ", fault.what, found_in_clicks(line, fault)});
    ++skipped;
  }
  return {};
}

template <class T> void put_clicks(const unsized<T>& to, const std::vector<T>& from) {
  const view<T> all = to.resize(shape{from.size()});
  if (all.size() == from.size()) std::copy(from.begin(), from.end(), all.data());
}
// Writes the parts of a batch, without its fields.
inline void put_batch(const click_batch& from, const unsized<float>& labels, const unsized<std::int64_t>& splits,
                      const unsized<std::int64_t>& keys, const unsized<float>& values) {
  put_clicks(labels, from.labels);
  put_clicks(splits, from.splits);
  put_clicks(keys, from.keys);
  put_clicks(values, from.values);
}

}  // namespace detail

FLOWGRAPH_INLINE shape_list detail::decoded_shapes(shape_context& c, const shape& lines, const decode_clicks_attributes& how) {
  if (!fits(lines, {any})) c.fail("lines must be a vector");
  else if (how.buckets < 0) c.fail(message{"buckets must be at least 0, found ", how.buckets});
  return {{-1}, {-1}, {-1}, {-1}, {}};
}

FLOWGRAPH_INLINE void decode_libsvm_op::operator()(cpu ctx, view<const std::string> lines, unsized<float> labels,
                                                   unsized<std::int64_t> splits, unsized<std::int64_t> keys,
                                                   unsized<float> values, view<std::int64_t> skipped) const {
  click_batch result;
  skipped[0] = 0;
  if (error why = detail::decode_clicks(*this, click_format::libsvm, lines, result, skipped[0])) return ctx.fail(why);
  detail::put_batch(result, labels, splits, keys, values);
}

FLOWGRAPH_INLINE shape_list decode_libffm_op::shape(shape_context& c, const flowgraph::shape& lines) const {
  shape_list all = detail::decoded_shapes(c, lines, *this);
  all.push_back({-1});
  return all;
}
FLOWGRAPH_INLINE void decode_libffm_op::operator()(cpu ctx, view<const std::string> lines, unsized<float> labels,
                                                   unsized<std::int64_t> splits, unsized<std::int64_t> keys,
                                                   unsized<float> values, view<std::int64_t> skipped,
                                                   unsized<std::int32_t> fields) const {
  click_batch result;
  skipped[0] = 0;
  if (error why = detail::decode_clicks(*this, click_format::libffm, lines, result, skipped[0])) return ctx.fail(why);
  detail::put_batch(result, labels, splits, keys, values);
  detail::put_clicks(fields, result.fields);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
