#pragma once

#include <flowgraph/core/error.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the path of a header of flowgraph from "flowgraph/" on: the folder on the machine that built the library helps no
// reader.
inline std::string_view shown_path(std::string_view file) {
  constexpr std::string_view folder = "include/";
  const std::size_t at = file.rfind("include/flowgraph/");
  return at == std::string_view::npos ? file : file.substr(at + folder.size());
}

}  // namespace detail

struct error::record {
  // The number of errors that share the record. A copy of the record belongs to one error.
  struct count {
    std::atomic<std::uint32_t> errors{1};
    count() = default;
    count(const count&) noexcept {}
  };
  mutable count users;
  error_code code = error_code::unknown;
  std::string reason, node, op, text;
  std::source_location where;
  bool located = false;
  error cause;

  void place(std::source_location here) {
    if (located) return;
    where = here;
    located = here.line() != 0;
  }
  // Composes the text of what() once, when the record is complete.
  FLOWGRAPH_COLD void compose() {
    text = flowgraph::message{name_of(code), ": ", reason};
    if (!node.empty()) text += flowgraph::message{"\n  at node '", node, "' (", op, ")"};
    if (located) text += flowgraph::message{"\n  from ", detail::shown_path(where.file_name()), ":", where.line()};
    if (cause) text += flowgraph::message{"\n  because ", cause.what()};
  }
};

FLOWGRAPH_INLINE std::string_view name_of(error_code code) {
  switch (code) {
    case error_code::ok: return "ok";
    case error_code::cancelled: return "cancelled";
    case error_code::unknown: return "unknown";
    case error_code::invalid_argument: return "invalid argument";
    case error_code::deadline_exceeded: return "deadline exceeded";
    case error_code::not_found: return "not found";
    case error_code::already_exists: return "already exists";
    case error_code::permission_denied: return "permission denied";
    case error_code::resource_exhausted: return "resource exhausted";
    case error_code::failed_precondition: return "failed precondition";
    case error_code::aborted: return "aborted";
    case error_code::out_of_range: return "out of range";
    case error_code::unimplemented: return "unimplemented";
    case error_code::internal: return "internal";
    case error_code::unavailable: return "unavailable";
    case error_code::data_loss: return "data loss";
    case error_code::unauthenticated: return "unauthenticated";
  }
  return "unknown";
}

FLOWGRAPH_INLINE error::error(error_code code, const char* text) : error(code, std::string(text)) {}
FLOWGRAPH_INLINE error::error(error_code code, const flowgraph::message& text) : error(code, std::string(text)) {}

FLOWGRAPH_INLINE error::error(error_code code, std::string message) {
  auto* const r = new record;
  record_ = r;
  r->code = code;
  r->reason = std::move(message);
  r->compose();
}

FLOWGRAPH_INLINE void error::keep(const record* r) noexcept { r->users.errors.fetch_add(1, std::memory_order_relaxed); }
FLOWGRAPH_INLINE void error::drop(const record* r) noexcept {
  if (r->users.errors.fetch_sub(1, std::memory_order_acq_rel) == 1) delete r;
}
FLOWGRAPH_INLINE error_code error::code() const noexcept { return record_ ? record_->code : error_code::ok; }
FLOWGRAPH_INLINE std::string_view error::message() const noexcept { return record_ ? std::string_view(record_->reason) : ""; }
FLOWGRAPH_INLINE std::string_view error::node() const noexcept { return record_ ? std::string_view(record_->node) : ""; }
FLOWGRAPH_INLINE std::string_view error::op() const noexcept { return record_ ? std::string_view(record_->op) : ""; }
FLOWGRAPH_INLINE std::source_location error::where() const noexcept { return record_ ? record_->where : std::source_location{}; }
FLOWGRAPH_INLINE const error* error::cause() const noexcept { return record_ && record_->cause ? &record_->cause : nullptr; }
FLOWGRAPH_INLINE const char* error::what() const noexcept { return record_ ? record_->text.c_str() : "ok"; }

FLOWGRAPH_INLINE error error::at(std::string_view node, std::string_view op, std::source_location where) const {
  if (!record_ || !record_->node.empty()) return *this;
  auto* const r = new record(*record_);
  error failure(r);
  r->node = node;
  r->op = op;
  r->place(where);
  r->compose();
  return failure;
}

FLOWGRAPH_INLINE error error::at(std::source_location where) const {
  if (!record_ || record_->located) return *this;
  auto* const r = new record(*record_);
  error failure(r);
  r->place(where);
  r->compose();
  return failure;
}

FLOWGRAPH_INLINE error error::because(error cause) const {
  if (!record_) return *this;
  auto* const r = new record(*record_);
  error failure(r);
  r->cause = r->cause ? r->cause.because(std::move(cause)) : std::move(cause);
  r->compose();
  return failure;
}

FLOWGRAPH_INLINE error detail::invalid_argument(const char* message) { return {error_code::invalid_argument, message}; }
FLOWGRAPH_INLINE error detail::invalid_argument(const flowgraph::message& text) { return {error_code::invalid_argument, text}; }

FLOWGRAPH_INLINE void detail::raise(const error& why) {
#ifdef FLOWGRAPH_EXCEPTIONS
  throw why;
#else
  std::fprintf(stderr, "flowgraph: %s\n", why.what());
  std::abort();
#endif
}

}  // namespace flowgraph
