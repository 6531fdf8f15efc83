#pragma once

#include <flowgraph/formats/tensor_slice.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline bool parse_count(std::string_view text, std::int64_t& value) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && value >= 0;
}

// Removes the text before the next `separator`, and the separator, and returns the text.
inline std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t at = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

// Copies a part row by row: the elements of the last axis are copied at once.
class part_copier {
public:
  part_copier(const any_tensor& from, const tensor_slice& from_part, any_tensor& to, const tensor_slice& to_part)
      : from_(from), to_(to), from_part_(from_part), to_part_(to_part), rank_(from_part.begin.rank) {}

  void copy() {
    for (int axis = 0; axis < rank_; ++axis) {
      const std::int64_t first = std::max(from_part_.begin[axis], to_part_.begin[axis]);
      const std::int64_t last =
          std::min(from_part_.begin[axis] + from_part_.extents[axis], to_part_.begin[axis] + to_part_.extents[axis]);
      if (last <= first) return;
      first_.push_back(first);
      extents_.push_back(last - first);
    }
    copy_axis(0, 0, 0);
  }

private:
  void copy_axis(int axis, std::int64_t from, std::int64_t to) {
    if (axis == rank_) return copy_run(from, to, 1);
    from = from * from_part_.extents[axis] + first_[axis] - from_part_.begin[axis];
    to = to * to_part_.extents[axis] + first_[axis] - to_part_.begin[axis];
    if (axis + 1 == rank_) return copy_run(from, to, extents_[axis]);
    for (std::int64_t i = 0; i < extents_[axis]; ++i) copy_axis(axis + 1, from + i, to + i);
  }
  void copy_run(std::int64_t from, std::int64_t to, std::int64_t count) {
    if (from_.type() == dtype::string) {
      const auto* strings = static_cast<const std::string*>(from_.data()) + from;
      std::copy_n(strings, count, static_cast<std::string*>(to_.data()) + to);
      return;
    }
    const auto size = static_cast<std::int64_t>(size_of(from_.type()));
    std::memcpy(static_cast<std::byte*>(to_.data()) + to * size, static_cast<const std::byte*>(from_.data()) + from * size,
                static_cast<std::size_t>(count * size));
  }

  const any_tensor& from_;
  any_tensor& to_;
  const tensor_slice &from_part_, &to_part_;
  const int rank_;
  shape first_, extents_;
};

FLOWGRAPH_INLINE std::int64_t common_part_size(const tensor_slice& a, const tensor_slice& b) {
  std::int64_t count = 1;
  for (int axis = 0; axis < a.begin.rank; ++axis) {
    const std::int64_t first = std::max(a.begin[axis], b.begin[axis]);
    const std::int64_t last = std::min(a.begin[axis] + a.extents[axis], b.begin[axis] + b.extents[axis]);
    if (last <= first) return 0;
    count *= last - first;
  }
  return count;
}

FLOWGRAPH_INLINE bool lies_in(const tensor_slice& part, const shape& whole) {
  if (part.begin.rank != whole.rank) return false;
  for (int axis = 0; axis < whole.rank; ++axis) {
    if (part.begin[axis] > whole[axis] || part.extents[axis] > whole[axis] - part.begin[axis]) return false;
    if (part.extents[axis] < 0 && part.begin[axis] != 0) return false;
  }
  return true;
}

FLOWGRAPH_INLINE std::string cover_fault(std::span<const tensor_slice> parts, const shape& whole, const tensor_slice& wanted) {
  if (parts.size() > most_parts) return message{"found more than ", most_parts, " parts"};
  std::vector<tensor_slice> full;
  std::int64_t count = 0;
  for (const tensor_slice& part : parts) {
    full.push_back(part.within(whole));
    count += common_part_size(full.back(), wanted);
    for (std::size_t i = 0; i + 1 < full.size(); ++i)
      if (common_part_size(full[i], full.back()) > 0) return message{"parts overlap at ", part.text()};
  }
  if (count == wanted.extents.size()) return {};
  return message{"the parts have ", count, " of the ", wanted.extents.size(), " elements of ", wanted.text()};
}

FLOWGRAPH_INLINE void copy_common_part(const any_tensor& from, const tensor_slice& from_part, any_tensor& to,
                                       const tensor_slice& to_part) {
  part_copier(from, from_part, to, to_part).copy();
}

}  // namespace detail

FLOWGRAPH_INLINE tensor_slice tensor_slice::all(int rank) {
  tensor_slice slice;
  for (int i = 0; i < rank; ++i) {
    slice.begin.push_back(0);
    slice.extents.push_back(-1);
  }
  return slice;
}

FLOWGRAPH_INLINE result<tensor_slice> tensor_slice::parse(std::string_view text, const flowgraph::shape& whole) {
  const std::string_view given = text;
  const auto refuse = [&](std::string_view why) {
    return detail::invalid_argument({"'", given, "' is not a part of a tensor of shape ", whole, ": ", why});
  };
  tensor_slice slice;
  if (std::count(text.begin(), text.end(), ':') != std::max(whole.rank - 1, 0) || (whole.rank == 0 && !text.empty()))
    return refuse("expected a part for each axis");
  for (int axis = 0; axis < whole.rank; ++axis) {
    std::string_view part = detail::take_part(text, ':');
    std::int64_t begin = 0, extent = -1;
    if (part != "-") {
      const std::string_view first = detail::take_part(part, ',');
      if (!detail::parse_count(first, begin) || !detail::parse_count(part, extent) || extent == 0)
        return refuse("expected '-' or 'begin,count' for each axis");
      if (begin > whole[axis] || extent > whole[axis] - begin) return refuse("expected an end within the tensor");
    }
    slice.begin.push_back(begin);
    slice.extents.push_back(extent);
  }
  return slice;
}

FLOWGRAPH_INLINE std::string tensor_slice::text() const {
  std::string all;
  for (int axis = 0; axis < begin.rank; ++axis) {
    if (axis > 0) all += ':';
    if (extents[axis] < 0) all += '-';
    else all += message{begin[axis], ",", extents[axis]}.string();
  }
  return all;
}

FLOWGRAPH_INLINE tensor_slice tensor_slice::within(const flowgraph::shape& whole) const {
  tensor_slice slice = *this;
  for (int axis = 0; axis < slice.extents.rank; ++axis)
    if (slice.extents[axis] < 0) slice.extents[axis] = whole[axis];
  return slice;
}

FLOWGRAPH_INLINE bool tensor_slice::is_all_of(const flowgraph::shape& whole) const {
  const tensor_slice full = within(whole);
  for (int axis = 0; axis < whole.rank; ++axis)
    if (full.begin[axis] != 0 || full.extents[axis] != whole[axis]) return false;
  return true;
}

FLOWGRAPH_INLINE result<shape_and_slice> shape_and_slice::parse(std::string_view text) {
  shape_and_slice result;
  if (text.empty()) return result;
  const std::string_view given = text;
  result.is_whole = false;
  const std::size_t last = text.rfind(' ');
  std::string_view extents = last == std::string_view::npos ? std::string_view() : text.substr(0, last);
  while (!extents.empty()) {
    std::int64_t extent = 0;
    if (result.whole.rank == flowgraph::shape::max_rank || !detail::parse_count(detail::take_part(extents, ' '), extent))
      return detail::invalid_argument({"'", given, "' is not a shape and a part: expected '10 4 0,5:-'"});
    result.whole.push_back(extent);
  }
  auto part = tensor_slice::parse(last == std::string_view::npos ? text : text.substr(last + 1), result.whole);
  if (!part) return part.error();
  result.part = *part;
  return result;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
