#pragma once
// The timing of a single op as a prepared step with known shapes.

#include "works.hpp"

namespace bench {

// `y` is the result that is fetched, or a tuple of results. The check is the mean magnitude of the first.
template <class Y, class... T>
void time_op(const options& o, std::string_view name, fg::graph g, const Y& y, const std::tuple<fg::out<T>...>& x,
             const fg::tensor<T>&... values) {
  if (!o.wants(variants[0])) return;
  const auto pool = make_pool(o);
  fg::session session{g, {.pool = pool.get()}};
  const auto fetched = [&] {
    if constexpr (requires { std::tuple_size<Y>::value; })
      return std::apply([](const auto&... each) { return fg::fetch(each...); }, y);
    else return fg::fetch(y);
  }();
  auto step = std::apply([&](const auto&... handle) { return session.prepare(fg::feed(handle...), fetched); }, x);
  measure(o, {.variant = variants[0], .work = name, .unit = "us/run"}, mean_magnitude(step(values...)), [&] { step(values...); });
}

}  // namespace bench
