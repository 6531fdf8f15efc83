#pragma once
// The means to end a run early: a std::stop_token, and a deadline on the steady clock. Neither <stop_token> nor <chrono> is
// included, so only programs that use these headers compile them.

#include <flowgraph/core/resource.hpp>

#include <cstdint>
#include <limits>
#include <memory>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Contains a std::stop_token, or nothing.
class stop_signal {
public:
  stop_signal() = default;
  template <class Token>
    requires requires(const Token& t) {
      t.stop_requested();
      t.stop_possible();
    } stop_signal(Token token)
      : kind_(kind_of<Token>()), token_(token.stop_possible() ? std::make_shared<Token>(std::move(token)) : nullptr) {}

  const void* token() const noexcept { return token_.get(); }  // null: there is no token
  const void* kind() const noexcept { return kind_; }

private:
  const void* kind_ = nullptr;
  std::shared_ptr<const void> token_;
};

// A time on std::chrono::steady_clock. A default-constructed value means never.
class steady_time {
public:
  steady_time() = default;
  template <class Time>
    requires(Time::clock::is_steady) steady_time(const Time& t) : nanoseconds_(in_nanoseconds(t.time_since_epoch())) {}

  // Returns the time that is `time`, a std::chrono::duration, from now.
  template <class Duration> static steady_time after(const Duration& time) { return steady_time(now(), in_nanoseconds(time)); }
  static std::int64_t now() noexcept;

  bool is_set() const noexcept { return nanoseconds_ != never; }
  bool has_passed() const noexcept { return is_set() && now() >= nanoseconds_; }
  std::int64_t nanoseconds() const noexcept { return nanoseconds_; }  // since the clock's epoch
  std::int64_t length() const noexcept { return length_; }  // duration passed to after(), in nanoseconds; otherwise `never`

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

private:
  steady_time(std::int64_t from, std::int64_t by) noexcept
      : nanoseconds_(by > 0 && from > never - by ? never : from + by), length_(by) {}

  template <class Duration> static std::int64_t in_nanoseconds(const Duration& d) {
    using period = typename Duration::period;
    if constexpr (period::num == 1 && period::den == 1'000'000'000) return static_cast<std::int64_t>(d.count());
    constexpr long double factor = 1e9L * period::num / period::den;
    const long double exact = static_cast<long double>(d.count()) * factor;
    return exact >= 9.2e18L ? never : exact <= -9.2e18L ? -never : static_cast<std::int64_t>(exact);
  }

  std::int64_t nanoseconds_ = never, length_ = never;
};

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
