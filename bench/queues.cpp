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
    const auto pool = make_pool(o.threads);
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
    const auto pool = make_pool(o.threads);
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
  std::string_view variant;
  std::int64_t brought, offset;  // `offset`: rows that were taken before
  bool shuffles;
};

void run_batches(const options& o, std::string_view name) {
  const fg::tensor<float> rows = fill(1, {kept_rows, columns});
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(batch_rows * columns);
  for (const batch_case& c : {batch_case{"as it came", batch_rows, 0, false}, batch_case{"half and half", batch_rows, 64, false},
                              batch_case{"row by row", 1, 0, false}, batch_case{"shuffled", batch_rows, 0, true}}) {
    if (!o.wants(c.variant)) continue;
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
    if (c.offset > 0) drop(fg::tensor<std::int32_t>(static_cast<std::int32_t>(c.offset)));

    std::vector<float> target(static_cast<std::size_t>(batch_rows * columns));
    std::vector<double> ours, plain;
    double check = 0;
    const double until = now() + o.seconds * o.samples;
    while (now() < until) {
      refill();
      for (std::int64_t taken = 0; taken < kept_rows; taken += batch_rows) {
        double began = now();
        const fg::tensor<float> batch = take();
        ours.push_back(now() - began);
        check += static_cast<double>(batch[0]);
        began = now();
        std::memcpy(target.data(), rows.data() + taken * columns, bytes);
        plain.push_back(now() - began);
        check += static_cast<double>(target[1]);
      }
    }
    print_times(o, {.variant = c.variant, .work = name, .unit = "us/batch"}, ours, check);
    const std::string beside = std::string(c.variant) + ", memcpy";
    print_times(o, {.variant = beside, .work = name, .unit = "us/batch"}, plain, check);
  }
}

constexpr work works[] = {
    {"queue", run_pairs},
    {"queue_loop", run_loop},
    {"queue_batch", run_batches},
};

}  // namespace

std::span<const work> queue_works() { return works; }

}  // namespace bench
