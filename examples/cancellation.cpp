// A run ends early: by a stop token from another thread, or by a deadline. The node here waits for an answer that never comes.
//
//     x ──> Answer ──> Add ──> y        Answer is asynchronous: it blocks no thread while it waits
//                       ^
//                       1

#include <flowgraph/flowgraph.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <stop_token>
#include <thread>

namespace fg = flowgraph;
using namespace std::chrono_literals;

// Gives its input back when it is positive, and otherwise waits until the run is cancelled.
struct answer {
  static constexpr std::string_view name = "Answer";
  static constexpr fg::op_facts facts{.not_differentiable = true};

  constexpr fg::shape shape(fg::shape x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y, fg::done done) const {
    if (x[0] > 0) {
      y[0] = x[0];
      return done();
    }
    auto later = std::make_shared<fg::done>(std::move(done));
    later->on_cancel([later] { (*later)(fg::error(fg::error_code::cancelled, "nobody answered")); });
  }
};

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {1});
  auto y = fg::apply(answer{}, x) + 1.f;

  fg::session s{g};
  const fg::tensor<float> never({1}, {0}), soon({1}, {41});

  std::stop_source stop;
  std::jthread user([&] {
    std::this_thread::sleep_for(10ms);
    stop.request_stop();
  });
  auto stopped = s.try_run(fg::fetch(y), {{x, never}}, {.stop = stop.get_token()});
  std::printf("%s\n", stopped.error().what());

  auto late = s.try_run(fg::fetch(y), {{x, never}}, fg::run_options::within(10ms));
  std::printf("%s\n", late.error().what());

  // Nothing is left waiting, and the session goes on.
  const float result = s.run(fg::fetch(y), {{x, soon}})[0];
  const bool told = stopped.error().code() == fg::error_code::cancelled;
  const bool expired = late.error().code() == fg::error_code::deadline_exceeded;
  return told && expired && result == 42 ? 0 : 1;
}
