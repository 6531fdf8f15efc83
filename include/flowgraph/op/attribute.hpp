#pragma once
// Attributes: the members of an op struct that are listed in its `attrs`. Files, printing, hashing and comparison of ops all use
// this list.
//
//     float beta = 1;
//     std::vector<std::int64_t> strides;
//     static constexpr auto attrs = fg::attrs(fg::attr("beta", &op::beta), fg::required("strides", &op::strides));

#include <flowgraph/core/shape.hpp>
#include <flowgraph/core/tensor.hpp>

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The value of an attribute of kind function: the name of a function in the graph's library.
struct function_name {
  std::string name;
  bool operator==(const function_name&) const = default;
};

// The kind of an attribute's value.
enum class attribute_kind : std::uint8_t {
  integer,
  real,
  boolean,
  string,
  type,
  shape,
  tensor,
  function,
  list_of_integers,
  list_of_reals,
  list_of_booleans,
  list_of_strings,
  list_of_types,
  list_of_shapes,
  list_of_tensors,
  list_of_functions,
};

// Returns the name of a kind, for error messages.
std::string_view name_of(attribute_kind kind);

// The value of an attribute whose kind is known only at run time. It is immutable, and copies share its content.
class attribute_value {
public:
  attribute_value() : attribute_value(std::int64_t{0}) {}
  template <std::integral T> attribute_value(T v) : attribute_value(static_cast<std::int64_t>(v)) {}
  template <std::floating_point T> attribute_value(T v) : attribute_value(static_cast<float>(v)) {}
  attribute_value(std::int64_t v);
  attribute_value(float v);
  attribute_value(bool v);
  attribute_value(std::string v);
  attribute_value(const char* v);
  attribute_value(dtype v);
  attribute_value(flowgraph::shape v);
  attribute_value(any_tensor v);
  attribute_value(function_name v);
  attribute_value(std::vector<std::int64_t> v);
  attribute_value(std::vector<float> v);
  attribute_value(std::vector<bool> v);
  attribute_value(std::vector<std::string> v);
  attribute_value(std::vector<dtype> v);
  attribute_value(std::vector<flowgraph::shape> v);
  attribute_value(std::vector<any_tensor> v);
  attribute_value(std::vector<function_name> v);

  // Returns the kind of the value.
  attribute_kind kind() const noexcept { return kind_; }
  // Returns the value, or null if the value is of a different kind. T is one of the types above.
  template <class T> const T* get() const noexcept;

private:
  attribute_kind kind_;
  std::shared_ptr<const void> held_;
};

// Returns the value as text.
std::string to_string(const attribute_value& value);

// An attribute of an op: its name, the member, and whether a file must contain it.
template <class Owner, class Member> struct attribute {
  std::string_view name;
  Member Owner::*member;
  bool required;  // true: a file must contain it; false: if a file does not, the member keeps its initial value
};

template <class Owner, class Member> constexpr attribute<Owner, Member> attr(std::string_view name, Member Owner::*member) {
  return {name, member, false};
}
template <class Owner, class Member> constexpr attribute<Owner, Member> required(std::string_view name, Member Owner::*member) {
  return {name, member, true};
}

namespace detail {

template <std::size_t I, class A> struct attribute_slot {
  A value;
};
template <class Indices, class... A> struct attribute_slots;
template <std::size_t... I, class... A> struct attribute_slots<std::index_sequence<I...>, A...> : attribute_slot<I, A>... {
  static constexpr std::size_t size = sizeof...(A);
};

}  // namespace detail

// The result of `attrs`: attributes of any types. (Compilation with std::tuple would take many times as long.)
template <class... A> struct attribute_list : detail::attribute_slots<std::index_sequence_for<A...>, A...> {};

template <std::size_t I, class A> constexpr const A& attribute_at(const detail::attribute_slot<I, A>& slot) { return slot.value; }
template <class... A> constexpr attribute_list<A...> attrs(A... a) { return {{{a}...}}; }

namespace detail {

// An enum can be an attribute of kind string if `attribute_names(E)` returns the names of its values in order.
template <class E> concept named_enum = std::is_enum_v<E> && requires(E e) { attribute_names(e)[0]; };

// Converts a member to and from attribute_value: `kind`, `to`, `from` (which returns false if the value is not valid).
template <class M> struct attribute_traits;

template <class M, class Stored, attribute_kind Kind> struct stored_as {
  using stored = Stored;
  static constexpr attribute_kind kind = Kind;
  static attribute_value to(const M& member) { return static_cast<Stored>(member); }
  static bool from(const attribute_value& value, M& member) {
    const Stored* given = value.template get<Stored>();
    if (given) member = static_cast<M>(*given);
    return given != nullptr;
  }
};
template <std::integral M> struct attribute_traits<M> : stored_as<M, std::int64_t, attribute_kind::integer> {
  static bool from(const attribute_value& value, M& member) {
    const std::int64_t* given = value.get<std::int64_t>();
    const bool fits = given && std::in_range<M>(*given);
    if (fits) member = static_cast<M>(*given);
    return fits;
  }
};
template <> struct attribute_traits<bool> : stored_as<bool, bool, attribute_kind::boolean> {};
template <std::floating_point M> struct attribute_traits<M> : stored_as<M, float, attribute_kind::real> {};
template <> struct attribute_traits<std::string> : stored_as<std::string, std::string, attribute_kind::string> {};
template <> struct attribute_traits<dtype> : stored_as<dtype, dtype, attribute_kind::type> {};
template <> struct attribute_traits<shape> : stored_as<shape, shape, attribute_kind::shape> {};
template <> struct attribute_traits<any_tensor> : stored_as<any_tensor, any_tensor, attribute_kind::tensor> {};
template <> struct attribute_traits<function_name> : stored_as<function_name, function_name, attribute_kind::function> {};

template <named_enum M> struct attribute_traits<M> {
  using stored = std::string;
  static constexpr attribute_kind kind = attribute_kind::string;
  FLOWGRAPH_COLD static attribute_value to(const M& member) {
    return std::string(attribute_names(member)[static_cast<std::size_t>(member)]);
  }
  FLOWGRAPH_COLD static bool from(const attribute_value& value, M& member) {
    const std::string* given = value.get<std::string>();
    if (!given) return false;
    std::size_t i = 0;
    for (const std::string_view spelling : attribute_names(M{})) {
      if (spelling == *given) {
        member = static_cast<M>(i);
        return true;
      }
      ++i;
    }
    return false;
  }
};

template <class Item> struct attribute_traits<std::vector<Item>> {
  static constexpr attribute_kind kind = static_cast<attribute_kind>(static_cast<int>(attribute_traits<Item>::kind) +
                                                                     static_cast<int>(attribute_kind::list_of_integers));
  using stored_item = typename attribute_traits<Item>::stored;
  using stored_list = std::vector<stored_item>;

  FLOWGRAPH_COLD static attribute_value to(const std::vector<Item>& member) {
    if constexpr (std::is_same_v<Item, stored_item>) {
      return member;
    } else {
      stored_list list;
      for (const auto& item : member) list.push_back(*attribute_traits<Item>::to(item).template get<stored_item>());
      return list;
    }
  }
  FLOWGRAPH_COLD static bool from(const attribute_value& value, std::vector<Item>& member) {
    const stored_list* list = value.get<stored_list>();
    if (!list) return false;
    if constexpr (std::is_same_v<Item, stored_item>) {
      member = *list;
    } else {
      std::vector<Item> result(list->size());
      for (std::size_t i = 0; i < result.size(); ++i) {
        Item item{};
        if (!attribute_traits<Item>::from(attribute_value(stored_item((*list)[i])), item)) return false;
        result[i] = item;
      }
      member = std::move(result);
    }
    return true;
  }
};

}  // namespace detail

template <class T> const T* attribute_value::get() const noexcept {
  return kind_ == detail::attribute_traits<T>::kind ? static_cast<const T*>(held_.get()) : nullptr;
}

namespace detail {

// Functions that read and set members of one C++ type, for any op.
struct member_access {
  attribute_value (*get)(const void* member);
  bool (*set)(void* member, const attribute_value& value);
};
template <class M> struct access_to {
  FLOWGRAPH_COLD static attribute_value get(const void* member) {
    return attribute_traits<M>::to(*static_cast<const M*>(member));
  }
  FLOWGRAPH_COLD static bool set(void* member, const attribute_value& value) {
    return attribute_traits<M>::from(value, *static_cast<M*>(member));
  }
  static constexpr member_access all{&get, &set};
};

}  // namespace detail

// An attribute of an op, without its static type.
struct attribute_info {
  std::string_view name;
  attribute_kind kind;
  bool required;
  std::uint8_t number;  // its index in `attrs`
  const void* (*member)(const void* op, std::size_t number);
  const detail::member_access* access;

  attribute_value get(const void* op) const { return access->get(member(op, number)); }
  // Returns false if the value is of the wrong kind or not allowed.
  bool set(void* op, const attribute_value& value) const { return access->set(const_cast<void*>(member(op, number)), value); }
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/attribute.hpp>
#endif
