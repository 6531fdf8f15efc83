#pragma once

#include <flowgraph/ops/debug/diagnostics.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// ---- elements as text

// In as few digits as tell the number from others, of two choices.
FLOWGRAPH_KERNEL_INLINE void append_number(std::string& text, double x, bool is_double) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.*g", is_double ? 15 : 6, x);
  const bool same = is_double ? std::strtod(digits, nullptr) == x : std::strtof(digits, nullptr) == static_cast<float>(x);
  if (!same && x == x) std::snprintf(digits, sizeof digits, "%.*g", is_double ? 17 : 9, x);
  text += digits;
}

template <class T> void append_element(std::string& text, const void* data, std::int64_t i) {
  const T& x = static_cast<const T*>(data)[i];
  if constexpr (std::is_same_v<T, std::string>) text += x;
  else if constexpr (std::is_integral_v<T>) text += std::to_string(x);
  else if constexpr (std::is_convertible_v<T, double>) append_number(text, static_cast<double>(x), std::is_same_v<T, double>);
  else text += '?';
}

// The elements in brackets that follow the axes, up to `limit`.
class summary {
public:
  summary(std::string& text, const any_tensor& t, std::int64_t limit)
      : text_(&text), tensor_(&t), size_(static_cast<std::int64_t>(t.size())),
        limit_(limit < 0 ? size_ : std::min(limit, size_)) {
    element_ = visit_type(
        t.type(), []<class T>() { return &append_element<T>; }, []() -> element_writer { return nullptr; });
    if (!element_) return;
    if (t.shape().rank > 0) axis(0);
    else if (limit_ > 0) element_(text, t.data(), at_++);
    if (size_ > limit_) text += "...";
  }

private:
  using element_writer = void (*)(std::string&, const void*, std::int64_t);

  void axis(int k) {
    const bool is_last = k + 1 == tensor_->shape().rank;
    for (std::int64_t i = 0; i < tensor_->shape()[k]; ++i) {
      if (at_ >= limit_) {
        if (is_last && k > 0) *text_ += "...";
        return;
      }
      if (is_last) {
        if (i > 0) *text_ += ' ';
        element_(*text_, tensor_->data(), at_++);
      } else {
        *text_ += '[';
        axis(k + 1);
        *text_ += ']';
      }
    }
  }

  std::string* text_;
  const any_tensor* tensor_;
  std::int64_t size_, limit_, at_ = 0;
  element_writer element_ = nullptr;
};

// "[1 2 3...]", one behind the other.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::string summary_of(any_list data, std::int64_t limit, std::string_view between) {
  std::string text;
  for (std::size_t i = 0; i < data.size(); ++i) {
    text += i > 0 ? between : "";
    text += '[';
    summary(text, data[i], limit);
    text += ']';
  }
  return text;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE void print_summary(cpu ctx, const print_op& op, any_list data) {
  if (op.first_n >= 0 && ctx.set_aside(1) >= static_cast<std::uint64_t>(op.first_n)) return;
  const std::string text = op.message + summary_of(data, op.summarize, "") + '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

// ---- infinities and NaN, by the bits of the exponent

enum numeric_flaws : unsigned { has_nan = 1, has_infinity = 2 };

template <class Bits> unsigned find_flaws(cpu ctx, const void* data, std::size_t size, Bits exponent, Bits mantissa) {
  std::atomic<unsigned> found = 0;
  ctx.parallel_ranges(static_cast<std::int64_t>(size), 1 << 15, [&](std::int64_t first, std::int64_t last) {
    const auto* at = static_cast<const char*>(data) + first * static_cast<std::int64_t>(sizeof(Bits));
    unsigned flaws = 0;
    for (std::int64_t i = first; i < last; ++i, at += sizeof(Bits)) {
      Bits x;
      std::memcpy(&x, at, sizeof x);
      if ((x & exponent) == exponent) flaws |= (x & mantissa) != 0 ? has_nan : has_infinity;
    }
    if (flaws) found.fetch_or(flaws, std::memory_order_relaxed);
  });
  return found;
}
FLOWGRAPH_KERNEL_INLINE unsigned find_flaws(cpu ctx, dtype type, const void* data, std::size_t size) {
  switch (type) {
    case dtype::float16: return find_flaws<std::uint16_t>(ctx, data, size, 0x7c00u, 0x3ffu);
    case dtype::bfloat16: return find_flaws<std::uint16_t>(ctx, data, size, 0x7f80u, 0x7fu);
    case dtype::float32: return find_flaws<std::uint32_t>(ctx, data, size, 0x7f800000u, 0x7fffffu);
    default: return find_flaws<std::uint64_t>(ctx, data, size, 0x7ff0000000000000u, 0xfffffffffffffu);
  }
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE void refuse_flaws(cpu ctx, std::string_view title, unsigned flaws) {
  const char* what = flaws == has_nan ? "NaN" : flaws == has_infinity ? "Inf" : "Inf and NaN";
  ctx.fail(message{title, " : the tensor has ", what, " values"});
}

// ---- where text goes

struct text_stream {
  std::string_view name;
  bool is_error;
};
inline constexpr text_stream text_streams[] = {
    {"stdout", false}, {"stderr", true}, {"log(info)", true}, {"log(warning)", true}, {"log(error)", true}};
inline constexpr std::string_view file_prefix = "file://";

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list assert_op::shape(shape_context& c, const flowgraph::shape& condition,
                                                                   std::span<const flowgraph::shape>) const {
  if (condition.rank > 0) c.fail("the condition must be a scalar");
  return {};
}
FLOWGRAPH_KERNEL_INLINE void assert_op::operator()(cpu ctx, view<const bool> condition, any_list data) const {
  if (condition.rank() != 0) return ctx.fail(message{"the condition must be a scalar, found ", condition.shape()});
  if (condition.scalar()) return;
  ctx.fail(message{"assertion failed: ", detail::summary_of(data, summarize, " ")});
}

template <class T> void check_numerics_op::operator()(cpu ctx, view<const T> x, unsized<T> y) const {
  if (const unsigned flaws = detail::find_flaws(ctx, dtype_of<T>, x.data(), x.size())) detail::refuse_flaws(ctx, message, flaws);
  else y.share(ctx.input(0));
}

template <class T> void print_op::operator()(cpu ctx, view<const T>, any_list data, unsized<T> y) const {
  detail::print_summary(ctx, *this, data);
  y.share(ctx.input(0));
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list print_v2_op::shape(shape_context& c, const flowgraph::shape& text) const {
  const bool known = output_stream.starts_with(detail::file_prefix) ||
                     std::any_of(std::begin(detail::text_streams), std::end(detail::text_streams),
                                 [&](const detail::text_stream& s) { return s.name == output_stream; });
  if (!known)
    c.fail(message{"expected an output_stream stdout, stderr, log(info), log(warning), log(error) or file://..., found '",
                   output_stream, "'"});
  else if (text.rank > 0) c.fail("the text must be a scalar");
  return {};
}
FLOWGRAPH_KERNEL_INLINE void print_v2_op::operator()(cpu ctx, view<const std::string> text) const {
  if (text.rank() != 0) return ctx.fail(message{"the text must be a scalar, found ", text.shape()});
  const std::string line = text.scalar() + end;
  if (output_stream.starts_with(detail::file_prefix)) {
    const std::string path = output_stream.substr(detail::file_prefix.size());
    std::FILE* const file = std::fopen(path.c_str(), "ab");
    const bool written = file && std::fwrite(line.data(), 1, line.size(), file) == line.size();
    if ((file && std::fclose(file) != 0) || !written)
      ctx.fail(error_code::failed_precondition, message{"cannot write to '", path, "'"});
    return;
  }
  for (const detail::text_stream& s : detail::text_streams)
    if (s.name == output_stream) {
      std::FILE* const stream = s.is_error ? stderr : stdout;
      std::fwrite(line.data(), 1, line.size(), stream);
      std::fflush(stream);
    }
}

FLOWGRAPH_KERNEL_INLINE void timestamp_op::operator()(cpu, view<double> seconds) const {
  seconds.scalar() = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
