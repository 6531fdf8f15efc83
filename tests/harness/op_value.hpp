#pragma once

#include <flowgraph/op/table.hpp>

#include <algorithm>
#include <new>
#include <string_view>

namespace harness {

namespace fg = flowgraph;

// A value of an op struct whose type is known only at run time.
class op_value {
public:
  explicit op_value(const fg::op_table& table)
      : table_(table),
        memory_(::operator new(std::max(table.description->size, 1u), std::align_val_t(table.description->alignment))) {
    table.construct(memory_);
  }
  ~op_value() {
    table_.destroy(memory_);
    ::operator delete(memory_, std::align_val_t(table_.description->alignment));
  }
  op_value(const op_value&) = delete;
  op_value& operator=(const op_value&) = delete;

  // Returns false if there is no such attribute, or if it does not accept the value.
  bool set(std::string_view name, const fg::attribute_value& value) {
    for (const fg::attribute_info& a : table_.attributes())
      if (a.name == name) return a.set(memory_, value);
    return false;
  }
  void* get() const noexcept { return memory_; }

private:
  const fg::op_table& table_;
  void* memory_;
};

}  // namespace harness
