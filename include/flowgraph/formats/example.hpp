#pragma once
// tf.train.Example and SequenceExample: named lists of floats, integers or byte strings, the format in which TensorFlow programs
// store samples.
//
//     fg::example_writer sample;
//     sample.add("image", pixels);                    // any contiguous floats
//     sample.add("label", std::int64_t{7});
//     std::string bytes = sample.bytes();             // for a record_writer; ParseExample reads them
//
//     fg::for_each_feature(bytes, [](std::string_view key, const fg::feature_view& f) { ... });
//
// Reading allocates and copies nothing: the results are views of the bytes.

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/type.hpp>
#include <flowgraph/formats/fields.hpp>

#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A view of a feature in the bytes of an example.
struct feature_view {
  dtype type = dtype::invalid;  // float32, int64 or string; invalid: the feature has no list
  std::string_view list;        // the message of the list
  bool is_broken = false;       // true: the message is not a feature, or its list has an unknown kind

  // Parses a Feature message.
  static feature_view of(std::string_view message);
};

namespace detail {

// Calls f(value) for each value of one field of a list. Returns false if the field cannot contain values of this type, or is
// damaged.
template <class T, class F> bool each_value_of_field(const field_reader& field, F& f) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    if (field.form() != field_form::bytes) return false;
    f(field.bytes());
    return true;
  } else if constexpr (std::is_same_v<T, float>) {
    if (field.form() == field_form::fixed32) return f(std::bit_cast<float>(static_cast<std::uint32_t>(field.value()))), true;
    if (field.form() != field_form::bytes || field.bytes().size() % sizeof(float) != 0) return false;
    for (std::size_t i = 0; i < field.bytes().size(); i += sizeof(float)) {
      float value;
      std::memcpy(&value, field.bytes().data() + i, sizeof value);
      f(value);
    }
    return true;
  } else {
    static_assert(std::is_same_v<T, std::int64_t>);
    if (field.form() == field_form::varint) return f(static_cast<std::int64_t>(field.value())), true;
    if (field.form() != field_form::bytes) return false;
    std::uint64_t value = 0;
    std::string_view left = field.bytes();
    while (!left.empty()) {
      if (!take_varint(left, value)) return false;
      f(static_cast<std::int64_t>(value));
    }
    return true;
  }
}

}  // namespace detail

// Calls f(T) for each value in the list of a feature, whether the list is packed or not. T is float, std::int64_t or
// std::string_view, and must match the feature's type. If the list is damaged, calls f for the values before the damage, and
// returns false.
template <class T, class F> bool for_each_value(const feature_view& feature, F&& f) {
  detail::field_reader fields(feature.list);
  while (fields.next())
    if (fields.number() != 1 || !detail::each_value_of_field<T>(fields, f)) return false;
  return !fields.is_broken();
}

// Returns the number of values in the list of a feature, or -1 if the list is damaged.
std::int64_t count_values(const feature_view& feature);

// Calls f(key, feature) for each feature of an Example, or of the context of a SequenceExample. If a key occurs twice, f is
// called for both features; the last feature is valid. Returns false if the bytes are truncated or are not an example.
bool for_each_feature(std::string_view example, function_ref<void(std::string_view key, const feature_view& feature)> f);
// Calls f(key, list) for each feature list of a SequenceExample. To read the features of a list, call `for_each_step`.
bool for_each_feature_list(std::string_view example, function_ref<void(std::string_view key, std::string_view list)> f);
// Calls f(feature) for each feature of a feature list, which contains one feature per time step.
template <class F> bool for_each_step(std::string_view list, F&& f) {
  detail::field_reader fields(list);
  while (fields.next()) {
    if (!fields.is_bytes(1)) return false;
    f(feature_view::of(fields.bytes()));
  }
  return !fields.is_broken();
}

// Builds an Example from features.
class example_writer {
public:
  // Adds a feature: a list of floats, integers or strings.
  void add(std::string_view key, std::span<const float> values);
  void add(std::string_view key, std::span<const std::int64_t> values);
  void add(std::string_view key, std::span<const std::string> values);
  void add(std::string_view key, float value) { add(key, std::span<const float>(&value, 1)); }
  void add(std::string_view key, std::int64_t value) { add(key, std::span<const std::int64_t>(&value, 1)); }
  void add(std::string_view key, const std::string& value) { add(key, std::span<const std::string>(&value, 1)); }
  void add(std::string_view key, const char* value) { add(key, std::string(value)); }

  // Returns the bytes of the Example.
  std::string bytes() const;
  // Removes all features.
  void clear() { features_.clear(); }

private:
  void add_list(std::string_view key, std::uint32_t kind, std::string_view list);
  std::string features_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/example.hpp>
#endif
