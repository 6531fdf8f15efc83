#pragma once
// Attributes: members of an op struct, named once by `attrs`. That one list serves files, printing, hashing, equality and docs.
//
//     float beta = 1;
//     std::vector<std::int64_t> strides;
//     static constexpr auto attrs = fg::attrs(fg::attr("beta", &op::beta), fg::required("strides", &op::strides));

#include <flowgraph/core/shape.hpp>
#include <flowgraph/core/tensor.hpp>

#include <concepts>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// An attribute of kind function names one in the graph's library.
struct function_name {
  std::string name;
  bool operator==(const function_name&) const = default;
};

// The value of an attribute whose kind is known at run time only. The order of the alternatives is `attribute_kind`.
using attribute_value =
    std::variant<std::int64_t, float, bool, std::string, dtype, shape, any_tensor, function_name, std::vector<std::int64_t>,
                 std::vector<float>, std::vector<bool>, std::vector<std::string>, std::vector<dtype>, std::vector<shape>,
                 std::vector<any_tensor>, std::vector<function_name>>;

enum class attribute_kind : std::uint8_t {
  integer, real, boolean, string, type, shape, tensor, function,
  integer_list, real_list, boolean_list, string_list, type_list, shape_list, tensor_list, function_list,
};

std::string_view name_of(attribute_kind kind);
std::string to_string(const attribute_value& value);

template <class Owner, class Member>
struct attribute {
  std::string_view name;
  Member Owner::*member;
  bool required;  // a file that lacks it is refused; the others keep the member's initial value
};

template <class Owner, class Member>
constexpr attribute<Owner, Member> attr(std::string_view name, Member Owner::*member) {
  return {name, member, false};
}
template <class Owner, class Member>
constexpr attribute<Owner, Member> required(std::string_view name, Member Owner::*member) {
  return {name, member, true};
}
template <class... A>
constexpr std::tuple<A...> attrs(A... a) {
  return {a...};
}

namespace detail {

// An enum can be an attribute of kind string when `attribute_names(E)` returns its spellings in order.
template <class E>
concept named_enum = std::is_enum_v<E> && requires(E e) { attribute_names(e)[0]; };

// How a member is stored as attribute_value: `kind`, `to`, `from` (false: the value does not fit).
template <class M>
struct attribute_traits;

template <class M, class Stored, attribute_kind Kind>
struct stored_as {
  static constexpr attribute_kind kind = Kind;
  static attribute_value to(const M& member) { return static_cast<Stored>(member); }
  static bool from(const attribute_value& value, M& member) {
    const Stored* stored = std::get_if<Stored>(&value);
    if (stored) member = static_cast<M>(*stored);
    return stored != nullptr;
  }
};
template <std::integral M>
struct attribute_traits<M> : stored_as<M, std::int64_t, attribute_kind::integer> {
  static bool from(const attribute_value& value, M& member) {
    const std::int64_t* stored = std::get_if<std::int64_t>(&value);
    const bool fits = stored && std::in_range<M>(*stored);
    if (fits) member = static_cast<M>(*stored);
    return fits;
  }
};
template <>
struct attribute_traits<bool> : stored_as<bool, bool, attribute_kind::boolean> {};
template <std::floating_point M>
struct attribute_traits<M> : stored_as<M, float, attribute_kind::real> {};
template <>
struct attribute_traits<std::string> : stored_as<std::string, std::string, attribute_kind::string> {};
template <>
struct attribute_traits<dtype> : stored_as<dtype, dtype, attribute_kind::type> {};
template <>
struct attribute_traits<shape> : stored_as<shape, shape, attribute_kind::shape> {};
template <>
struct attribute_traits<any_tensor> : stored_as<any_tensor, any_tensor, attribute_kind::tensor> {};
template <>
struct attribute_traits<function_name> : stored_as<function_name, function_name, attribute_kind::function> {};

template <named_enum M>
struct attribute_traits<M> {
  static constexpr attribute_kind kind = attribute_kind::string;
  static attribute_value to(const M& member) {
    return std::string(attribute_names(member)[static_cast<std::size_t>(member)]);
  }
  static bool from(const attribute_value& value, M& member) {
    const std::string* stored = std::get_if<std::string>(&value);
    if (!stored) return false;
    std::size_t i = 0;
    for (const std::string_view spelling : attribute_names(M{})) {
      if (spelling == *stored) {
        member = static_cast<M>(i);
        return true;
      }
      ++i;
    }
    return false;
  }
};

template <class Item>
struct attribute_traits<std::vector<Item>> {
  static constexpr attribute_kind kind =
      static_cast<attribute_kind>(static_cast<int>(attribute_traits<Item>::kind) + static_cast<int>(attribute_kind::integer_list));
  using stored_list = std::variant_alternative_t<static_cast<std::size_t>(kind), attribute_value>;

  static attribute_value to(const std::vector<Item>& member) {
    stored_list list;
    for (const auto& item : member)
      list.push_back(*std::get_if<typename stored_list::value_type>(&static_cast<const attribute_value&>(attribute_traits<Item>::to(item))));
    return list;
  }
  static bool from(const attribute_value& value, std::vector<Item>& member) {
    const stored_list* list = std::get_if<stored_list>(&value);
    if (!list) return false;
    std::vector<Item> made(list->size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      Item item{};
      if (!attribute_traits<Item>::from(attribute_value(typename stored_list::value_type((*list)[i])), item)) return false;
      made[i] = item;
    }
    member = std::move(made);
    return true;
  }
};

}  // namespace detail

// One attribute of an op, erased.
struct attribute_info {
  std::string_view name;
  attribute_kind kind;
  bool required;
  attribute_value (*get)(const void* op);
  bool (*set)(void* op, const attribute_value& value);  // false: wrong kind or not an allowed value
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/op/impl/attribute.hpp>
#endif
