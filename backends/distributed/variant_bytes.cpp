#include "variant_bytes.hpp"

#include <flowgraph/ops/shared/detail/variant_value.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

using detail::list_value;
using detail::optional_value;

enum class element_kind : std::uint8_t { nothing, list, optional };
enum class value_kind : std::uint8_t { absent, plain, variants };
constexpr int deepest = 64;
constexpr std::int64_t most_elements = std::int64_t{1} << 28;

void write_shape(byte_writer& to, const shape& s) {
  to.number(static_cast<std::int8_t>(s.rank));
  for (int i = 0; i < s.rank; ++i) to.number(static_cast<std::int64_t>(s.dims[i]));
}
shape read_shape(byte_reader& from) {
  shape result = shape::unknown();
  const auto rank = from.number<std::int8_t>();
  if (rank < -1 || rank > shape::max_rank) return from.fail(), result;
  result.rank = rank;
  for (int i = 0; i < rank; ++i) {
    result.dims[i] = from.number<std::int64_t>();
    if (result.dims[i] < -1 || result.dims[i] > most_elements) return from.fail(), shape::unknown();
  }
  return result;
}

class variant_writer {
public:
  variant_writer(byte_writer& to, recycled_tensors& tensors) : to_(to), tensors_(tensors) {}

  error write(const any_tensor& value, int depth) {
    if (!value.has_value()) return to_.number(value_kind::absent), error();
    if (value.type() == dtype::resource) return error(error_code::unimplemented, "a handle cannot be sent to another task");
    if (value.type() != dtype::variant) {
      to_.number(value_kind::plain);
      to_.number(static_cast<std::uint32_t>(tensors_.size()));
      tensors_.push_back(value);
      return {};
    }
    if (depth == deepest)
      return error(error_code::unimplemented, "lists inside of lists are too deep to be sent to another task");
    to_.number(value_kind::variants);
    write_shape(to_, value.shape());
    for (const variant& v : value.as<variant>())
      if (error why = write(v, depth)) return why;
    return {};
  }

private:
  error write(const variant& v, int depth) {
    if (!v.base) return to_.number(element_kind::nothing), error();
    if (const auto* list = v.as<list_value>()) {
      to_.number(element_kind::list);
      to_.number(list->type);
      write_shape(to_, list->element_shape);
      to_.number(list->most);
      to_.number(list->size());
      to_.number(list->first());
      return write_all(list->kept(), depth);
    }
    if (const auto* optional = v.as<optional_value>()) {
      to_.number(element_kind::optional);
      to_.number(optional->has_value);
      return write_all(optional->values, depth);
    }
    return error(error_code::unimplemented, "a variant that is neither a list nor an optional cannot be sent to another task");
  }
  error write_all(std::span<const any_tensor> values, int depth) {
    to_.number(static_cast<std::uint64_t>(values.size()));
    for (const any_tensor& t : values)
      if (error why = write(t, depth + 1)) return why;
    return {};
  }

  byte_writer& to_;
  recycled_tensors& tensors_;
};

class variant_reader {
public:
  variant_reader(byte_reader& from, std::span<const any_tensor> tensors, std::pmr::memory_resource* memory)
      : from_(from), tensors_(tensors), memory_(memory) {}

  any_tensor read(int depth) {
    const auto kind = from_.number<value_kind>();
    if (kind == value_kind::absent) return {};
    if (kind == value_kind::plain) {
      const auto number = from_.number<std::uint32_t>();
      if (number < tensors_.size()) return tensors_[number];
    }
    if (kind != value_kind::variants || depth == deepest) return from_.fail(), any_tensor();
    const shape s = read_shape(from_);
    // Each element takes at least one byte.
    std::int64_t size = 1;
    for (int i = 0; i < s.rank && size >= 0; ++i)
      size = s.dims[i] < 0 || size * s.dims[i] > most_elements ? -1 : size * s.dims[i];
    if (s.rank < 0 || size < 0 || static_cast<std::size_t>(size) > from_.left()) return from_.fail(), any_tensor();
    auto result = any_tensor::allocate(dtype::variant, s, memory_);
    if (!result) return from_.fail(), any_tensor();
    for (variant& v : result->as_writable<variant>())
      if (from_.ok()) v = read_element(depth);
    return *std::move(result);
  }

private:
  variant read_element(int depth) {
    const auto kind = from_.number<element_kind>();
    if (kind == element_kind::nothing) return {};
    if (kind == element_kind::optional) {
      const bool has_value = from_.number<std::uint8_t>() != 0;
      const std::size_t count = from_.count(1);
      auto* const result = new optional_value(has_value, count);
      variant kept(result);
      for (any_tensor& t : result->values)
        if (from_.ok()) t = read(depth + 1);
      return kept;
    }
    if (kind != element_kind::list) return from_.fail(), variant();
    const auto type = from_.number<dtype>();
    auto* const result = new list_value(type, read_shape(from_), memory_);
    variant kept(result);
    result->most = from_.number<std::int64_t>();
    const auto size = from_.number<std::int64_t>(), first = from_.number<std::int64_t>();
    const auto count = static_cast<std::int64_t>(from_.count(1));
    if (size < 0 || size > most_elements || first < 0 || first > size || count > size - first) return from_.fail(), variant();
    result->resize(size);
    for (std::int64_t i = first; i < first + count && from_.ok(); ++i)
      if (any_tensor value = read(depth + 1); value.has_value() && (value.type() != type || !result->set(i, std::move(value))))
        from_.fail();
    return kept;
  }

  byte_reader& from_;
  std::span<const any_tensor> tensors_;
  std::pmr::memory_resource* memory_;
};

}  // namespace

error write_variants(byte_writer& to, recycled_tensors& tensors, const any_tensor& value) {
  return variant_writer(to, tensors).write(value, 0);
}

any_tensor read_variants(byte_reader& from, std::span<const any_tensor> tensors, std::pmr::memory_resource* memory) {
  return variant_reader(from, tensors, memory).read(0);
}

}  // namespace flowgraph::distributed
