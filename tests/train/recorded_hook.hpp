#pragma once
// A hook that writes down how it is called, and fails where a test wants it to.

#include <flowgraph/train/training_loop.hpp>

#include <string>
#include <vector>

namespace training_tests {

using calls = std::vector<std::string>;

class recorded_hook final : public flowgraph::training_hook {
public:
  recorded_hook(std::string name, calls& said) : name_(std::move(name)), said_(said) {}

  std::string fails_in, kept;

  flowgraph::result<void> resume(flowgraph::training_loop&) override { return say("resume"); }
  flowgraph::result<void> begin(flowgraph::training_loop&) override { return say("begin"); }
  flowgraph::result<void> before_step(flowgraph::training_loop& loop) override { return say("before", loop.progress().step); }
  flowgraph::result<void> after_step(flowgraph::training_loop& loop) override { return say("after", loop.progress().step); }
  flowgraph::result<void> after_epoch(flowgraph::training_loop& loop) override { return say("epoch", loop.progress().epoch); }
  flowgraph::result<void> between_steps(flowgraph::training_loop&) override { return say("between"); }
  flowgraph::result<void> end(flowgraph::training_loop&, const flowgraph::error& why) override {
    said_.push_back(name_ + " end" + (why ? ": " + std::string(why.message()) : std::string()));
    return fails("end");
  }
  std::string_view name() const override { return name_; }
  std::string state() const override { return kept; }
  flowgraph::result<void> set_state(std::string_view text) override {
    kept = text;
    return fails("set_state");
  }

private:
  flowgraph::result<void> fails(const std::string& where) const {
    if (fails_in != where) return {};
    return flowgraph::error(flowgraph::error_code::internal, name_ + " fails");
  }
  flowgraph::result<void> say(const std::string& what, std::int64_t number = -1) {
    said_.push_back(name_ + " " + what + (number < 0 ? std::string() : " " + std::to_string(number)));
    return fails(what);
  }

  std::string name_;
  calls& said_;
};

}  // namespace training_tests
