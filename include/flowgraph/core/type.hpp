#pragma once
// Element types: their ids (the same as TensorFlow's), names and sizes, and the lists of types that ops exist for.

#include <flowgraph/core/half.hpp>
#include <flowgraph/fwd.hpp>

#include <complex>
#include <string>
#include <string_view>
#include <type_traits>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The id of an element type. The ids are those of TensorFlow's DataType, so that files are compatible.
enum class dtype : std::uint8_t {
  invalid = 0,
  float32 = 1,
  float64 = 2,
  int32 = 3,
  uint8 = 4,
  int16 = 5,
  int8 = 6,
  string = 7,
  complex64 = 8,
  int64 = 9,
  boolean = 10,
  bfloat16 = 14,
  uint16 = 17,
  complex128 = 18,
  float16 = 19,
  resource = 20,
  variant = 21,
  uint32 = 22,
  uint64 = 23,
};

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

// A list of types.
template <class... T> struct type_list {
  static constexpr std::size_t size = sizeof...(T);
};

namespace detail {

template <class T> struct type_number : std::integral_constant<dtype, dtype::invalid> {};
template <dtype D> struct number_type {};

#define FLOWGRAPH_ELEMENT(type, number)                                                   \
  template <> struct type_number<type> : std::integral_constant<dtype, dtype::number> {}; \
  template <> struct number_type<dtype::number> {                                         \
    using of = type;                                                                      \
  };
FLOWGRAPH_ELEMENT(float, float32)
FLOWGRAPH_ELEMENT(double, float64)
FLOWGRAPH_ELEMENT(std::int32_t, int32)
FLOWGRAPH_ELEMENT(std::uint8_t, uint8)
FLOWGRAPH_ELEMENT(std::int16_t, int16)
FLOWGRAPH_ELEMENT(std::int8_t, int8)
FLOWGRAPH_ELEMENT(std::string, string)
FLOWGRAPH_ELEMENT(complex64, complex64)
FLOWGRAPH_ELEMENT(std::int64_t, int64)
FLOWGRAPH_ELEMENT(bool, boolean)
FLOWGRAPH_ELEMENT(bfloat16, bfloat16)
FLOWGRAPH_ELEMENT(std::uint16_t, uint16)
FLOWGRAPH_ELEMENT(complex128, complex128)
FLOWGRAPH_ELEMENT(half, float16)
FLOWGRAPH_ELEMENT(resource, resource)
FLOWGRAPH_ELEMENT(variant, variant)
FLOWGRAPH_ELEMENT(std::uint32_t, uint32)
FLOWGRAPH_ELEMENT(std::uint64_t, uint64)
#undef FLOWGRAPH_ELEMENT

template <class T, class List> struct contains;
template <class T, class... U> struct contains<T, type_list<U...>> : std::bool_constant<(std::is_same_v<T, U> || ...)> {};

template <class... List> struct join;
template <class... T> struct join<type_list<T...>> {
  using list = type_list<T...>;
};
template <class... T, class... U, class... Rest>
struct join<type_list<T...>, type_list<U...>, Rest...> : join<type_list<T..., U...>, Rest...> {};

}  // namespace detail

template <class T> inline constexpr dtype dtype_of = detail::type_number<std::remove_const_t<T>>::value;

template <class T> concept element = dtype_of<T> != dtype::invalid;
static_assert(element<float> && element<std::string> && !element<long double>);

template <class T, class List> inline constexpr bool in_list = detail::contains<T, List>::value;

template <class... List> using joined = typename detail::join<List...>::list;

// The lists of types that ops use in `types`. They determine the types for which kernels exist.
using floating = type_list<half, bfloat16, float, double>;
using complex_numbers = type_list<complex64, complex128>;
using signed_integers = type_list<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using unsigned_integers = type_list<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using integers = joined<signed_integers, unsigned_integers>;
using index_types = type_list<std::int32_t, std::int64_t>;
using real_numbers = joined<floating, integers>;
using numbers = joined<real_numbers, complex_numbers>;
using differentiable_numbers = joined<floating, complex_numbers>;
using plain_types = joined<numbers, type_list<bool>>;
using all_types = joined<plain_types, type_list<std::string>>;
using edge_types = joined<all_types, type_list<resource, variant>>;

constexpr std::string_view name_of(dtype type) {
  switch (type) {
    case dtype::float32: return "float";
    case dtype::float64: return "double";
    case dtype::int32: return "int32";
    case dtype::uint8: return "uint8";
    case dtype::int16: return "int16";
    case dtype::int8: return "int8";
    case dtype::string: return "string";
    case dtype::complex64: return "complex64";
    case dtype::int64: return "int64";
    case dtype::boolean: return "bool";
    case dtype::bfloat16: return "bfloat16";
    case dtype::uint16: return "uint16";
    case dtype::complex128: return "complex128";
    case dtype::float16: return "half";
    case dtype::resource: return "resource";
    case dtype::variant: return "variant";
    case dtype::uint32: return "uint32";
    case dtype::uint64: return "uint64";
    case dtype::invalid: break;
  }
  return "invalid";
}

// Returns the size of one element in bytes. Strings, resources and variants are objects with a destructor; other elements are
// plain memory.
constexpr std::size_t size_of(dtype type) {
  switch (type) {
    case dtype::boolean:
    case dtype::int8:
    case dtype::uint8: return 1;
    case dtype::int16:
    case dtype::uint16:
    case dtype::float16:
    case dtype::bfloat16: return 2;
    case dtype::int32:
    case dtype::uint32:
    case dtype::float32: return 4;
    case dtype::int64:
    case dtype::uint64:
    case dtype::float64:
    case dtype::complex64: return 8;
    case dtype::complex128: return 16;
    case dtype::string: return sizeof(std::string);
    case dtype::resource:
    case dtype::variant: return sizeof(void*);
    case dtype::invalid: break;
  }
  return 0;
}

// Returns whether elements are reference-counted: resource handles, or variants.
constexpr bool is_counted(dtype type) { return type == dtype::resource || type == dtype::variant; }
// Returns whether elements are plain bytes: neither strings nor reference-counted elements.
constexpr bool is_plain(dtype type) { return type != dtype::string && !is_counted(type); }

// Returns whether tensors of this type have gradients, as floating-point and complex numbers do.
constexpr bool is_differentiable(dtype type) {
  switch (type) {
    case dtype::float16:
    case dtype::bfloat16:
    case dtype::float32:
    case dtype::float64:
    case dtype::complex64:
    case dtype::complex128: return true;
    default: return false;
  }
}

// Returns whether gradients are passed along edges of this type. The gradient of a variant is a variant: the gradient of a list
// is a list of gradients.
constexpr bool carries_gradient(dtype type) { return is_differentiable(type) || type == dtype::variant; }

// Calls `f.template operator()<T>()` with the element type that has this number. For `dtype::invalid`, calls `otherwise()`.
template <class F, class Otherwise> decltype(auto) visit_type(dtype type, F&& f, Otherwise&& otherwise) {
  switch (type) {
    case dtype::float32: return f.template operator()<float>();
    case dtype::float64: return f.template operator()<double>();
    case dtype::int32: return f.template operator()<std::int32_t>();
    case dtype::uint8: return f.template operator()<std::uint8_t>();
    case dtype::int16: return f.template operator()<std::int16_t>();
    case dtype::int8: return f.template operator()<std::int8_t>();
    case dtype::string: return f.template operator()<std::string>();
    case dtype::complex64: return f.template operator()<complex64>();
    case dtype::int64: return f.template operator()<std::int64_t>();
    case dtype::boolean: return f.template operator()<bool>();
    case dtype::bfloat16: return f.template operator()<bfloat16>();
    case dtype::uint16: return f.template operator()<std::uint16_t>();
    case dtype::complex128: return f.template operator()<complex128>();
    case dtype::float16: return f.template operator()<half>();
    case dtype::resource: return f.template operator()<resource>();
    case dtype::variant: return f.template operator()<variant>();
    case dtype::uint32: return f.template operator()<std::uint32_t>();
    case dtype::uint64: return f.template operator()<std::uint64_t>();
    case dtype::invalid: break;
  }
  return otherwise();
}

}  // namespace flowgraph
