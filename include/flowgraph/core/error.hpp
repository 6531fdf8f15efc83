#pragma once
// Errors: a code, a message, where in the graph and where in the user's source, and what caused it.

#include <flowgraph/core/message.hpp>

#include <exception>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The canonical codes that TensorFlow and gRPC use.
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

// "invalid argument" and so on.
std::string_view name_of(error_code code);

// A value; copies share the same immutable record. A default one is 'ok' and stands for no error.
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

  // What kind of error it is.
  error_code code() const noexcept;
  // What is wrong, without the rest.
  std::string_view message() const noexcept;
  // The node and the op where the error occurred; empty if no node was involved.
  std::string_view node() const noexcept;
  std::string_view op() const noexcept;
  // The line of the program that made the node.
  std::source_location where() const noexcept;
  // Why, where another error is the reason; else null.
  const error* cause() const noexcept;

  // Everything in one text: code, message, node, op, file:line, then the causes, a line each.
  FLOWGRAPH_INLINE const char* what() const noexcept override;

  explicit operator bool() const noexcept { return record_ != nullptr; }

  // The same error with more known about it. What an inner layer has said already stays.
  error at(std::string_view node, std::string_view op, std::source_location where) const;
  error at(std::source_location where) const;
  error because(error cause) const;

private:
  // One pointer, which errors that are 'ok', nearly all, neither follow nor free: it costs kernels nothing to answer with them.
  struct record;
  explicit error(const record* r) noexcept : record_(r) {}
  FLOWGRAPH_COLD static void keep(const record* r) noexcept;
  FLOWGRAPH_COLD static void drop(const record* r) noexcept;
  const record* record_ = nullptr;
};

namespace detail {

// Throws, or aborts with the text when exceptions are off: only calls that promise to throw end here.
[[noreturn]] void raise(const error& why);

}  // namespace detail

// A value, or the error that stood in its way.
template <class T> class [[nodiscard]] result {
public:
  result(T value) : value_(std::move(value)) {}
  result(flowgraph::error why) : error_(std::move(why)) {}

  // Whether there is a value.
  bool has_value() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  // Why the result has no value.
  const flowgraph::error& error() const noexcept { return error_; }

  // Raises the error when there is no value.
  T& value() & {
    check();
    return *value_;
  }
  const T& value() const& {
    check();
    return *value_;
  }
  T&& value() && {
    check();
    return *std::move(value_);
  }

  // Precondition: has_value().
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
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

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/core/impl/error.hpp>
#endif
