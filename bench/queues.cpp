// Queues: what a pair of one enqueue and one dequeue costs, and how fast batches leave.

#include "values.hpp"
#include "works.hpp"

#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>

#include <algorithm>
#include <cstring>

namespace bench {

namespace {

// One scalar in and out again: as two prepared steps, and as two runs.
void run_pairs(const options& o, std::string_view name) {
  for (const std::string_view variant : variants) {
    if (!o.wants(variant)) continue;
    fg::graph g;
    const fg::fifo_queue<float> q(g, {.capacity = 10, .shapes = {{}}});
    const auto x = g.placeholder<float>("x", {});
    const auto put = q.enqueue(x);
    const auto got = q.dequeue();
    const auto pool = make_pool(o);
    fg::session session{g, {.pool = pool.get(), .dynamic = is_dynamic(variant)}};
    const fg::tensor<float> one(1.f);
    const subject s{.variant = variant, .work = name, .unit = "ns/pair"};
    if (is_dynamic(variant)) {
      const auto pair = [&] {
        session.run(put, {{x, one}});
        return session.run(fg::fetch(got)).scalar();
      };
      measure(o, s, static_cast<double>(pair()), [&] { pair(); });
    } else {
      auto in = session.prepare(fg::feed(x), put);
      auto out = session.prepare(fg::feed(), fg::fetch(got));
      const auto pair = [&] {
        in(one);
        return out().scalar();
      };
      measure(o, s, static_cast<double>(pair()), [&] { pair(); });
    }
  }
}

// The body of a loop of a thousand iterations: a scalar is put in, then taken out and added up.
void run_loop(const options& o, std::string_view name) {
  for (const std::string_view variant : variants) {
    if (!o.wants(variant)) continue;
    fg::graph g;
    const fg::fifo_queue<float> q(g, {.capacity = 10, .shapes = {{}}});
    const auto x = g.placeholder<float>("x", {});
    const auto zero = g.constant(std::int32_t{0});
    const auto [count, y] = fg::while_loop(
        std::tuple{zero, x * 0.f}, [](auto i, auto) { return i < 1000; },
        [&](auto i, auto sum) {
          const auto after = g.after(q.enqueue(x + sum * 0.f));
          return std::tuple{i + 1, sum + q.dequeue()};
        },
        {.parallel_iterations = 1});
    const auto pool = make_pool(o);
    fg::session session{g, {.pool = pool.get(), .dynamic = is_dynamic(variant)}};
    const fg::tensor<float> one(1.f);
    const subject s{.variant = variant, .work = name, .unit = "ns/pair", .per = 1000};
    if (is_dynamic(variant)) {
      const auto loop = [&] { return session.run(fg::fetch(y), {{x, one}}).scalar(); };
      measure(o, s, static_cast<double>(loop()), [&] { loop(); });
    } else {
      auto step = session.prepare(fg::feed(x), fg::fetch(y));
      const auto loop = [&] { return step(one).scalar(); };
      measure(o, s, static_cast<double>(loop()), [&] { loop(); });
    }
  }
}

constexpr std::int64_t batch_rows = 128, columns = 784, kept_rows = 1024;

// Batches of 128 rows of 784 floats leave a queue, beside memcpy of as many bytes from an area as large as what waits there. `brought`: rows
// of the batches that come. What is put in is not measured.
struct batch_case {
  std::int64_t brought = batch_rows, before = 0;  // `before`: rows that were taken before
  bool shuffles = false;
};

void run_batches(const options& o, std::string_view name, const batch_case& c) {
  const fg::tensor<float> rows = fill(1, {kept_rows, columns});
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(batch_rows * columns);
  fg::graph g;
  const std::vector<fg::shape> shapes{{columns}};
  const std::int64_t capacity = 2 * kept_rows + batch_rows;
  const auto q = c.shuffles
                     ? fg::queue<float>(fg::random_shuffle_queue<float>(g, {.capacity = capacity, .seed = 1, .shapes = shapes}))
                     : fg::queue<float>(fg::fifo_queue<float>(g, {.capacity = capacity, .shapes = shapes}));
  const auto x = g.placeholder<float>("x", {fg::any, columns});
  const auto n = g.placeholder<std::int32_t>("n", {});
  fg::session session{g};
  auto put = session.prepare(fg::feed(x), q.enqueue_many(x));
  auto drop = session.prepare(fg::feed(n), fg::fetch(q.dequeue_many(n)));
  auto take = session.prepare(fg::feed(), fg::fetch(q.dequeue_many(batch_rows)));
  std::vector<fg::tensor<float>> brought;
  for (std::int64_t first = 0; first < kept_rows; first += c.brought) {
    fg::tensor<float> part({c.brought, columns});
    std::copy_n(rows.data() + first * columns, c.brought * columns, part.writable().begin());
    brought.push_back(std::move(part));
  }
  const auto refill = [&] {
    for (const auto& part : brought) put(part);
  };
  refill();
  if (c.before > 0) drop(fg::tensor<std::int32_t>(static_cast<std::int32_t>(c.before)));

  std::vector<float> target(static_cast<std::size_t>(batch_rows * columns));
  std::vector<double> ours, plain;
  double sum = 0;
  const double until = now() + o.seconds * o.samples;
  while (now() < until) {
    refill();
    for (std::int64_t taken = 0; taken < kept_rows; taken += batch_rows) {
      double began = now();
      const fg::tensor<float> batch = take();
      ours.push_back(now() - began);
      sum += std::fabs(static_cast<double>(batch[0]));
      began = now();
      std::memcpy(target.data(), rows.data() + taken * columns, bytes);
      plain.push_back(now() - began);
      sum += std::fabs(static_cast<double>(target[1]));
    }
  }
  const double check = sum > 0 ? 1 : 0;  // the compiler has left nothing out
  print_times(o, {.variant = "prepared", .work = name, .unit = "us/batch"}, ours, check);
  print_times(o, {.variant = "memcpy", .work = name, .unit = "us/batch", .peer = ""}, plain, check);
}

constexpr work works[] = {
    {"queue", run_pairs},
    {"queue_loop", run_loop},
    {"queue_batch_whole", [](const options& o, std::string_view w) { run_batches(o, w, {}); }},
    {"queue_batch_halves", [](const options& o, std::string_view w) { run_batches(o, w, {.before = batch_rows / 2}); }},
    {"queue_batch_rows", [](const options& o, std::string_view w) { run_batches(o, w, {.brought = 1}); }},
    {"queue_batch_shuffled", [](const options& o, std::string_view w) { run_batches(o, w, {.shuffles = true}); }},
};

}  // namespace

std::span<const work> queue_works() { return works; }

}  // namespace bench
