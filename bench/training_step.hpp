#pragma once
// The timing of training steps, prepared or dynamic.

#include "works.hpp"

namespace bench {

// The check is the loss of step 20.
template <class... T>
void time_training(const options& o, const subject& s, fg::session& session, const fg::out<float>& loss, const fg::target& update,
                   const std::tuple<fg::out<T>...>& x, const fg::tensor<T>&... values) {
  session.initialize();
  const auto finish = [&](auto&& step) {
    float last = 0;
    for (int i = 0; i < 20; ++i) last = step().scalar();
    measure(o, s, static_cast<double>(last), [&] { step(); });
  };
  std::apply(
      [&](const auto&... handle) {
        if (is_dynamic(s.variant)) {
          finish([&] { return session.run(fg::fetch(loss), update, {{handle, values}...}); });
        } else {
          auto step = session.prepare(fg::feed(handle...), fg::fetch(loss), update);
          finish([&] { return step(values...); });
        }
      },
      x);
}

}  // namespace bench
