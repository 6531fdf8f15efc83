// A training of four processes, with random numbers at three of them. One process is killed, or stopped for a while: between two
// steps, within a step, and while the client connects. The training recovers as docs/failure.md describes.
// FLOWGRAPH_TEST_RECOVERIES: the number of times; FLOWGRAPH_TEST_SEED: the first seed.

#include <flowgraph/distributed/tcp.hpp>

#include "../../harness/free_addresses.hpp"
#include "../simulated_cluster.hpp"
#include "../task_process.hpp"

#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/train/state_bytes.hpp>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

using namespace flowgraph_test;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

constexpr std::uint32_t recovery_tasks = 3, recovery_master = 1;
constexpr int steps_kept = 5;

// The weights are at task 0, and each task drops its own part of the gradient. Without tasks, the graph requires no device.
struct noisy_training {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {4}), saved = g.placeholder<float>("saved", {4}), updated, restored;
  fg::variable<float> w;

  explicit noisy_training(bool is_far) {
    const auto on = [&](std::uint32_t t) { return g.on_device(is_far ? on_worker(t) : std::string()); };
    g.set_seed(7);
    {
      const auto first = on(0);
      w = g.variable("w", fg::tensor<float>({4}, {0, 0, 0, 0}));
      restored = fg::assign(w, saved);
    }
    fg::out<float> sum = w - x;
    for (std::uint32_t t = 0; t < recovery_tasks; ++t) {
      const auto there = on(t);
      sum = sum + fg::dropout(w - x, 0.5f, 3 + static_cast<int>(t));
    }
    const auto first = on(0);
    updated = fg::assign_sub(w, sum * 0.0625f);
  }
  static fg::tensor<float> sample(std::uint64_t step) {
    const float i = static_cast<float>(step % 13);
    return fg::tensor<float>({4}, {i, 1 - i, i / 3, 2});
  }
};

std::uint64_t bits_of(const fg::tensor<float>& t) {
  std::uint64_t made = 14695981039346656037u;
  for (const float v : t) {
    std::uint32_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    made = (made ^ bits) * 1099511628211u;
  }
  return made;
}

enum turn_outcome : std::uint64_t { stepped, went_back, told, told_by_name, failed };

// The loop of docs/failure.md, one turn at a time. The checkpoint is a file of the client, which its successor finds.
class recovering_trainer {
public:
  recovering_trainer(const std::string& address, std::filesystem::path file)
      : file_(std::move(file)), s_(t_.g, fg::tcp::connect(address)) {}

  turn_outcome turn() {
    const fg::error why = is_back_ ? step() : go_back();
    const bool was_back = std::exchange(is_back_, !why);
    if (!why) return was_back ? stepped : went_back;
    if (why.code() != fg::error_code::unavailable)
      std::fprintf(stderr, "recovery: step %d: %s\n", static_cast<int>(done_), why.what());
    if (why.code() != fg::error_code::unavailable) return failed;
    return std::string_view(why.what()).find("has lost state") == std::string_view::npos ? told : told_by_name;
  }
  std::uint64_t done() const { return done_; }
  std::uint64_t bits() const { return bits_of(last_); }

private:
  fg::error step() {
    auto made = s_.try_run(fg::fetch(t_.updated), {{t_.x, noisy_training::sample(done_)}});
    if (!made) return made.error();
    last_ = *std::move(made);
    return ++done_ % steps_kept == 0 ? save() : fg::error();
  }
  fg::error save() {
    const auto rest = s_.try_pause();
    if (!rest) return rest.error();
    const auto state = s_.try_save_state();
    if (!state) return state.error();
    std::string bytes(reinterpret_cast<const char*>(last_.data()), 4 * sizeof(float));
    bytes.append(reinterpret_cast<const char*>(&done_), sizeof done_);
    bytes += fg::to_bytes(*state);
    const auto fresh = file_.string() + ".new";
    std::ofstream(fresh, std::ios::binary) << bytes;
    std::filesystem::rename(fresh, file_);
    return {};
  }
  fg::error go_back() {
    std::ifstream from(file_, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(from), {});
    fg::tensor<float> weights({4}, {0, 0, 0, 0});
    fg::saved_state state;
    std::uint64_t done = 0;
    if (!bytes.empty()) {
      std::memcpy(weights.writable().data(), bytes.data(), 4 * sizeof(float));
      std::memcpy(&done, bytes.data() + 4 * sizeof(float), sizeof done);
      state = fg::parse_saved_state(std::string_view(bytes).substr(4 * sizeof(float) + sizeof done)).value();
    }
    if (const auto made = s_.try_load_state(state); !made) return made.error();
    if (const auto made = s_.try_run(fg::fetch(t_.restored), {{t_.saved, weights}}); !made) return made.error();
    done_ = done;
    last_ = weights;
    return {};
  }

  std::filesystem::path file_;
  noisy_training t_{true};
  fg::session s_;
  fg::tensor<float> last_ = fg::tensor<float>({4}, {0, 0, 0, 0});
  std::uint64_t done_ = 0;
  bool is_back_ = false;
};

// The bits of the weights after each step, without faults.
class undisturbed_training {
public:
  std::uint64_t bits(std::uint64_t step) {
    while (bits_.size() <= step)
      bits_.push_back(bits_of(s_.run(fg::fetch(t_.updated), {{t_.x, noisy_training::sample(bits_.size() - 1)}})));
    return bits_[step];
  }

private:
  noisy_training t_{false};
  fg::session s_ = begun(t_.g);
  static fg::session begun(const fg::graph& g) {
    fg::session s{g};
    s.initialize();
    return s;
  }
  std::vector<std::uint64_t> bits_{bits_of(fg::tensor<float>({4}, {0, 0, 0, 0}))};
};

class disturbed_training {
public:
  enum moment { between, within, connecting };
  enum victim { the_client, the_master, a_worker };
  struct fault {
    moment when;
    victim who;
    bool is_stop;
  };

  disturbed_training() {
    for (std::uint32_t i = 0; i < recovery_tasks; ++i) tasks_.push_back(start_task("recovery: a task", i, addresses_));
    std::filesystem::remove(file_);
    client_.emplace(start_client());
  }
  ~disturbed_training() { std::filesystem::remove(file_); }

  void happen(const fault& f, std::uint64_t seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    const std::uint32_t task = f.who == the_master ? recovery_master : random() % 2 * 2;
    const auto pause = std::chrono::microseconds(random() % (f.when == connecting ? 8000 : 3000));
    if (f.when == connecting) f.who == the_client ? start_again(the_client, 0) : start_again(the_master, recovery_master);
    if (f.when == between) return disturb(f, task);
    std::atomic<bool> is_over{false};
    std::thread other([&] {
      std::this_thread::sleep_for(pause);
      if (f.who == the_client) is_over = true;  // this thread communicates with the client
      else disturb(f, task);
      is_over = true;
    });
    while (!is_over) turn();
    other.join();
    if (f.who != the_client) return;
    // The turn of the client continues while the client is stopped or killed.
    client_->begin_to_ask();
    std::this_thread::sleep_for(f.when == connecting ? pause : pause / 10);
    if (f.is_stop) {
      disturb(f, task);
      hear();
    } else {
      start_again(the_client, 0);
    }
  }
  // Runs until the training has continued for some steps, each with the bits of the undisturbed training.
  void go_on() {
    int gone = 0;
    for (const auto end = steady::now() + 40s; gone < 2 * steps_kept + 2;) {
      const turn_outcome made = turn();
      if (made == stepped) ++gone;
      else if (made >= told) std::this_thread::sleep_for(20ms);
      REQUIRE(steady::now() < end);
    }
  }
  turn_outcome turn() {
    client_->begin_to_ask();
    return hear();
  }

  std::uint64_t steps = 0, losses = 0, named = 0,
                tries = 0;  // losses: the number of errors that followed a successful run

private:
  own_process start_client() const {
    return own_process("recovery: a client", "FLOWGRAPH_TEST_MASTER=" + addresses_[recovery_master] + "=" + file_.string());
  }
  turn_outcome hear() {
    std::uint64_t said[3] = {};
    REQUIRE(client_->hear(said));
    const auto made = static_cast<turn_outcome>(said[0]);
    REQUIRE(made != failed);
    if (made == stepped || made == went_back) CHECK(said[2] == undisturbed_.bits(said[1]));
    steps += made == stepped;
    if (made >= told) ++(was_well_ ? losses : tries);
    named += made == told_by_name;
    was_well_ = made < told;
    return made;
  }
  void start_again(victim who, std::uint32_t task) {
    if (who == the_client) {
      client_->kill();
      client_.emplace(start_client());
      was_well_ = false;
    } else {
      tasks_[task].kill();
      tasks_[task] = start_task("recovery: a task", task, addresses_);
    }
  }
  void disturb(const fault& f, std::uint32_t task) {
    if (!f.is_stop) return start_again(f.who, task);
    const own_process& stopped = f.who == the_client ? *client_ : tasks_[task];
    stopped.stop();
    std::this_thread::sleep_for(3500ms);
    stopped.go_on();
    std::this_thread::sleep_for(100ms);
  }

  std::vector<std::string> addresses_ = free_addresses(recovery_tasks);
  std::filesystem::path file_ = std::filesystem::temp_directory_path() / fg::message{"flowgraph_recovery_", ::getpid()}.string();
  std::vector<own_process> tasks_;
  std::optional<own_process> client_;
  undisturbed_training undisturbed_;
  bool was_well_ = false;
};

}  // namespace

TEST_CASE("recovery: a task" * doctest::skip()) {
  const auto here = started_task(cluster_ops());
  while (here && own_process::is_asked()) {}
}

TEST_CASE("recovery: a client" * doctest::skip()) {
  const char* const said = std::getenv("FLOWGRAPH_TEST_MASTER");
  if (!said) return;
  const std::string_view text(said);
  const auto at = text.find('=');
  recovering_trainer t(std::string(text.substr(0, at)), text.substr(at + 1));
  own_process::say_ready();
  while (own_process::is_asked()) {
    const turn_outcome made = t.turn();
    own_process::answer<3>({made, t.done(), t.bits()});
  }
}

TEST_CASE(
    "recovery: whatever is killed or stopped, and when, each loss is an error and the training ends with the bits of an "
    "undisturbed one") {
  const int count = wanted("FLOWGRAPH_TEST_RECOVERIES", 5), first = wanted("FLOWGRAPH_TEST_SEED", 1);
  disturbed_training t;
  t.go_on();
  int of_moment[3] = {};
  for (int i = 0; i < count; ++i) {
    const int kind = (first - 1 + i) * 7 % 18;
    const disturbed_training::fault f{static_cast<disturbed_training::moment>(kind % 3),
                                      static_cast<disturbed_training::victim>(kind / 3 % 3), kind / 9 % 2 != 0};
    const std::string what = fg::message{"seed ",
                                         first + i,
                                         ": ",
                                         f.is_stop ? "stop of the " : "kill of the ",
                                         f.who == disturbed_training::the_client   ? "client "
                                         : f.who == disturbed_training::the_master ? "master "
                                                                                   : "worker ",
                                         f.when == disturbed_training::between  ? "between two steps"
                                         : f.when == disturbed_training::within ? "within a step"
                                                                                : "while connecting"};
    CAPTURE(what);
    ++of_moment[f.when];
    const auto losses = t.losses, named = t.named;
    t.happen(f, static_cast<std::uint64_t>(first + i));
    t.go_on();
    MESSAGE(what, ": told ", t.losses - losses, " times, of which by name ", t.named - named);
    CHECK(t.losses - losses <= (f.when == disturbed_training::connecting ? 2u : 1u));
  }
  MESSAGE(count, " faults, ", of_moment[0], " between two steps, ", of_moment[1], " within one, ", of_moment[2],
          " while connecting: ", t.steps, " steps with the bits of an undisturbed training, ", t.losses, " losses told, ",
          t.tries, " more tries to go back");
}
