#pragma once
// Errors: each error has a code, a message, the node where it occurred, the line of the user's source that added the node, and a
// cause.

#include <flowgraph/core/message.hpp>

#include <exception>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The canonical codes of TensorFlow and gRPC.
enum class error_code : std::uint8_t {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

// Returns the name of a code, such as "invalid argument".
std::string_view name_of(error_code code);

// An error. Copies share the same immutable record. A default-constructed error has the code 'ok' and means success.
class error : public std::exception {
public:
  error() noexcept = default;
  FLOWGRAPH_COLD error(error_code code, std::string message);
  FLOWGRAPH_COLD error(error_code code, const char* message);
  FLOWGRAPH_COLD error(error_code code, const flowgraph::message& text);
  ~error() override {
    if (record_) drop(record_);
  }
  error(const error& other) noexcept : std::exception(other), record_(other.record_) {
    if (record_) keep(record_);
  }
  error(error&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  error& operator=(error other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }

  // Returns the kind of error.
  error_code code() const noexcept;
  // Returns only the description of the fault.
  std::string_view message() const noexcept;
  // Returns the name of the node where the error occurred; op() returns the op of this node. Both are empty if no node was
  // involved.
  std::string_view node() const noexcept;
  std::string_view op() const noexcept;
  // Returns the line of the program that added the node.
  std::source_location where() const noexcept;
  // Returns the error that caused this error, or null.
  const error* cause() const noexcept;

  // Returns one text with the code, message, node, op and file:line, followed by one line for each cause.
  FLOWGRAPH_INLINE const char* what() const noexcept override;

  explicit operator bool() const noexcept { return record_ != nullptr; }

  // Returns the same error with more information. Information that an inner layer has added is not replaced.
  error at(std::string_view node, std::string_view op, std::source_location where) const;
  error at(std::source_location where) const;
  error because(error cause) const;

private:
  // An error consists of one pointer. Nearly all errors are 'ok': their pointer is null, and is neither followed nor freed, so that
  // kernels can return errors at no cost.
  struct record;
  explicit error(const record* r) noexcept : record_(r) {}
  FLOWGRAPH_COLD static void keep(const record* r) noexcept;
  FLOWGRAPH_COLD static void drop(const record* r) noexcept;
  const record* record_ = nullptr;
};

namespace detail {

// Returns an error of the code invalid_argument.
FLOWGRAPH_COLD error invalid_argument(const char* message);
FLOWGRAPH_COLD error invalid_argument(const flowgraph::message& text);

// Ends a kernel or a shape rule with an error and returns false, for functions that check their arguments.
template <class Context, class Text> FLOWGRAPH_COLD bool fail_check(Context& c, const Text& text) {
  c.fail(text);
  return false;
}

// Throws the error, or prints it and aborts if exceptions are off. Only functions that are documented to raise errors call it.
[[noreturn]] void raise(const error& why);

}  // namespace detail

// A value, or the error that explains why there is no value.
template <class T> class [[nodiscard]] result {
public:
  result(T value) : value_(std::move(value)) {}
  result(flowgraph::error why) : error_(std::move(why)) {}

  // Returns whether there is a value.
  bool has_value() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  // Returns the error that explains why there is no value.
  const flowgraph::error& error() const noexcept { return error_; }

  // Returns the value. Raises the error if there is no value.
  T& value() & {
    check();
    return *value_;
  }
  const T& value() const& {
    check();
    return *value_;
  }
  T value() && {  // not a reference: `for (float v : f().value())` and `const auto& v = f().value()` must not dangle
    check();
    return *std::move(value_);
  }

  // Returns the value. Precondition: has_value().
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

private:
  void check() const {
    if (!has_value()) detail::raise(error_);
  }
  std::optional<T> value_;
  flowgraph::error error_;
};

template <> class [[nodiscard]] result<void> {
public:
  result() = default;
  result(flowgraph::error why) : error_(std::move(why)) {}

  bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return has_value(); }
  const flowgraph::error& error() const { return error_; }
  void value() const {
    if (error_) detail::raise(error_);
  }

private:
  flowgraph::error error_;
};

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/core/impl/error.hpp>
#endif
