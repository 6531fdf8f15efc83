#include <flowgraph/ops/data_flow/tensor_list.hpp>

#include "../evaluate.hpp"

#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include <atomic>

// What TensorFlow answers to each op, with its errors, is in tests/conformance/data/lists.tar.xz.

using fg::error_code;
using float_list = fg::tensor_list<float>;

namespace {

const fg::tensor<float> six({3, 2}, {1, 2, 3, 4, 5, 6});

// How many bytes were asked for, at any time.
class summing_memory final : public std::pmr::memory_resource {
public:
  std::size_t asked() const { return asked_; }
  std::size_t in_use() const { return in_use_; }

private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    asked_ += bytes;
    in_use_ += bytes;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    in_use_ -= bytes;
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::atomic<std::size_t> asked_{0}, in_use_{0};
};

struct list_graph {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {3, 2});
  fg::out<float> row(int i) { return fg::reshape(fg::slice(x, {i, 0}, {1, 2}), fg::shape{2}); }
  fg::out<std::int32_t> number(std::int32_t n) { return g.constant(n); }
  float_list rows() { return float_list::of_rows(x); }
  float_list unset(std::int32_t n) { return float_list(g, n, {.element_shape = {2}}); }

  template <class T> error_code code(const fg::out<T>& y) {
    const auto made = fg::session{g}.try_run(fg::fetch(y), {{x, six}});
    return made ? error_code::ok : made.error().code();
  }
  // By a run, by a step twice, and with other threads.
  template <class T> std::vector<T> run(const fg::out<T>& y) {
    fg::session s{g};
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    const auto once = ops_test::values(s.run(fg::fetch(y), {{x, six}}));
    CHECK(ops_test::values(fg::tensor<T>(step(six))) == once);
    CHECK(ops_test::values(fg::tensor<T>(step(six))) == once);
    fg::thread_pool pool(3);
    CHECK(ops_test::values(fg::session{g, {.pool = &pool}}.run(fg::fetch(y), {{x, six}})) == once);
    return once;
  }
};
using floats = std::vector<float>;

// Sums of rows so far, each the last one halved and a row: one list is read, another one is made.
float_list running_sums(list_graph& t, const float_list& rows, std::int32_t n) {
  const auto last = fg::while_loop(
      std::tuple{t.number(0), t.g.constant(fg::tensor<float>({2}, {0, 0})), t.unset(n).handle},
      [&](auto i, auto, auto) { return i < n; },
      [&](auto i, auto sum, auto made) {
        const auto next = sum * 0.5f + rows.get(i);
        return std::tuple{i + 1, next, float_list(made).set(i, next).handle};
      });
  return float_list(std::get<2>(last), {.element_shape = {2}});
}

}  // namespace

TEST_CASE("list: what is set is read, one by one, stacked and gathered; what is not set is zeros") {
  list_graph t;
  const float_list made = t.unset(3).set(2, t.row(0)).set(0, t.row(1));
  CHECK(t.run(made.get(2)) == floats{1, 2});
  CHECK(t.run(made.get(1)) == floats{0, 0});
  CHECK(t.run(made.stack()) == floats{3, 4, 0, 0, 1, 2});
  CHECK(t.run(made.gather(t.g.constant(fg::tensor<std::int32_t>({2}, {2, 0})))) == floats{1, 2, 3, 4});
  CHECK(t.run(made.size()) == std::vector<std::int32_t>{3});
  CHECK(made.stack().shape() == fg::shape{fg::any, 2});
  CHECK(t.code(made.get(3)) == error_code::invalid_argument);
  CHECK(t.code(made.set(-1, t.row(0)).handle) == error_code::invalid_argument);
}

TEST_CASE("list: it is a value, and what is made of it leaves it as it was") {
  list_graph t;
  const float_list before = t.rows(), after = before.set(1, t.row(0)).push_back(t.row(2));
  const auto [shorter, last] = after.pop_back();
  CHECK(t.run(before.stack()) == floats{1, 2, 3, 4, 5, 6});
  CHECK(t.run(fg::concat({before.stack(), after.stack()}, 0)) == floats{1, 2, 3, 4, 5, 6, 1, 2, 1, 2, 5, 6, 5, 6});
  CHECK(t.run(fg::concat({shorter.stack(), fg::expand_dims(last, 0)}, 0)) == floats{1, 2, 1, 2, 5, 6, 5, 6});
  CHECK(t.run(before.resize(t.number(1)).resize(t.number(2)).stack()) == floats{1, 2, 0, 0});
  CHECK(t.run(before.scatter(t.g.constant(fg::tensor<std::int32_t>({3}, {1, 0, 4})), t.x).concat()) ==
        floats{3, 4, 1, 2, 5, 6, 0, 0, 5, 6});
}

TEST_CASE("list: parts of a tensor are of several lengths") {
  list_graph t;
  const float_list parts = float_list::of_parts(t.x, t.g.constant(fg::tensor<std::int64_t>({3}, {2, 0, 1})));
  CHECK(t.run(parts.get(0)) == floats{1, 2, 3, 4});
  CHECK(t.run(parts.get(1)).empty());
  CHECK(t.run(parts.concat()) == floats{1, 2, 3, 4, 5, 6});
}

TEST_CASE("list: strings, handles and lists are elements like others") {
  list_graph t;
  const auto word = t.g.constant(std::string("word, long enough to be somewhere else"));
  const auto words =
      fg::session{t.g}.run(fg::fetch(fg::tensor_list<std::string>(t.g, 2, {.element_shape = fg::shape{}}).set(1, word).stack()));
  CHECK(words[0].empty());
  CHECK(words[1] == "word, long enough to be somewhere else");
  const fg::tensor_list<fg::variant> lists(t.g, 2);
  const auto held = lists.set(0, t.rows().handle).set(1, t.unset(2).handle);
  CHECK(t.run(float_list(held.get(0)).stack()) == floats{1, 2, 3, 4, 5, 6});
  CHECK(fg::session{t.g}.run(fg::fetch(held.stack()), {{t.x, six}}).size() == 2);
}

TEST_CASE("list: a loop that sets an element an iteration takes memory for that element") {
  constexpr std::int32_t n = 3000;
  for (const bool prepared : {false, true})
    for (const bool backward : {false, true}) {
      list_graph t;
      const auto last = fg::while_loop(
          std::tuple{t.number(0), t.unset(n).handle}, [&](auto i, auto) { return i < n; },
          [&](auto i, auto made) {
            const auto at = backward ? t.g.constant(n - 1) - i : fg::identity(i);
            return std::tuple{i + 1, float_list(made).set(at, t.row(0)).handle};
          });
      const auto sum = fg::sum(float_list(std::get<1>(last), {.element_shape = {2}}).stack());
      summing_memory memory;
      {
        fg::session s{t.g, {.memory = &memory}};
        const auto y =
            prepared ? fg::tensor<float>(s.prepare(fg::feed(t.x), fg::fetch(sum))(six)) : s.run(fg::fetch(sum), {{t.x, six}});
        CHECK(y.scalar() == 3.f * n);
      }
      CHECK(memory.asked() < n * 2000);  // a copy of the list would be 400,000 an iteration
      CHECK(memory.in_use() == 0);
    }
}

TEST_CASE("list: however many elements are asked for, memory is the session's") {
  list_graph t;
  constexpr std::int32_t many = std::numeric_limits<std::int32_t>::max();
  const auto code = [&](const auto& y) {
    const auto made = fg::session{t.g, {.memory_limit = 1 << 20}}.try_run(fg::fetch(y), {{t.x, six}});
    return made ? error_code::ok : made.error().code();
  };
  CHECK(code(t.unset(many).size()) == error_code::ok);
  CHECK(code(t.unset(many).set(many - 1, t.row(0)).get(many - 1)) == error_code::ok);
  CHECK(code(t.unset(many).set(many - 1, t.row(0)).set(0, t.row(0)).size()) == error_code::resource_exhausted);
  CHECK(code(t.unset(many).stack()) == error_code::resource_exhausted);
  CHECK(code(t.unset(many).resize(t.number(5)).stack()) == error_code::ok);
}

TEST_CASE("list: lists in lists, a hundred thousand deep, come and go") {
  list_graph t;
  const auto last = fg::while_loop(
      std::tuple{t.number(0), t.rows().handle}, [&](auto i, auto) { return i < 100000; },
      [&](auto i, auto inner) {
        return std::tuple{i + 1, fg::tensor_list<fg::variant>(t.g, 1).set(0, inner).handle};
      });
  const auto nested = std::get<1>(last);
  CHECK(t.run(fg::tensor_list<fg::variant>(nested).size()) == std::vector<std::int32_t>{1});
  CHECK(t.code(fg::zeros_like(nested)) == error_code::invalid_argument);
}

TEST_CASE("list: zeros and sums, element by element; what is not set is zero") {
  list_graph t;
  CHECK(t.run(float_list(fg::zeros_like(t.rows().handle)).stack()) == floats{0, 0, 0, 0, 0, 0});
  const auto sum = fg::add_n(fg::out_list<fg::variant>{t.unset(3).set(1, t.row(0)).handle, t.rows().handle, t.rows().handle});
  CHECK(t.run(float_list(sum).stack()) == floats{2, 4, 7, 10, 10, 12});
  CHECK(t.run(fg::concat({float_list(sum).stack(), t.rows().stack()}, 0)) == floats{2, 4, 7, 10, 10, 12, 1, 2, 3, 4, 5, 6});
  CHECK(t.code(fg::add_n(fg::out_list<fg::variant>{t.rows().handle, t.unset(2).handle})) == error_code::invalid_argument);
}

TEST_CASE("list: gradients of what is set and read are each other") {
  list_graph t;
  const float_list rows = t.rows();
  const auto gradient = [&](const fg::out<float>& y) {
    const auto dx = fg::gradients(fg::sum(y * y), t.x);
    return t.run(fg::out<float>(dx));
  };
  CHECK(gradient(rows.stack()) == floats{2, 4, 6, 8, 10, 12});
  CHECK(gradient(rows.get(1)) == floats{0, 0, 6, 8, 0, 0});
  CHECK(gradient(rows.get(1) + rows.get(1) + rows.get(0)) == floats{14, 20, 28, 40, 0, 0});
  CHECK(gradient(rows.set(1, t.row(0) * 3.f).stack()) == floats{20, 40, 0, 0, 10, 12});
  CHECK(gradient(rows.push_back(t.row(1)).pop_back().second) == floats{0, 0, 6, 8, 0, 0});
  CHECK(gradient(rows.push_back(t.row(1)).pop_back().first.stack()) == floats{2, 4, 6, 8, 10, 12});
  CHECK(gradient(rows.gather(t.g.constant(fg::tensor<std::int32_t>({2}, {2, 0})))) == floats{2, 4, 0, 0, 10, 12});
  CHECK(gradient(rows.resize(t.number(2)).stack()) == floats{2, 4, 6, 8, 0, 0});
  CHECK(gradient(rows.scatter(t.g.constant(fg::tensor<std::int32_t>({3}, {1, 0, 2})), t.x * 2.f).stack()) ==
        floats{8, 16, 24, 32, 40, 48});
  CHECK(gradient(float_list::of_parts(t.x, t.g.constant(fg::tensor<std::int64_t>({2}, {1, 2}))).get(1)) ==
        floats{0, 0, 6, 8, 10, 12});
  CHECK(gradient(float_list::of_parts(t.x, t.g.constant(fg::tensor<std::int64_t>({2}, {1, 2}))).concat()) ==
        floats{2, 4, 6, 8, 10, 12});
}

TEST_CASE("list: integers beside numbers hold no gradient back") {
  list_graph t;
  const fg::tensor_list<std::int32_t> at = fg::tensor_list<std::int32_t>(t.g, 1).set(0, t.number(2));
  const auto y = t.rows().get(at.get(0));
  CHECK(t.run(fg::out<float>(fg::gradients(fg::sum(y * y), t.x))) == floats{0, 0, 0, 0, 10, 12});
}

TEST_CASE("list: a loop that reads one list and makes another has gradients, of the second order too") {
  list_graph t;
  // 1 2, 3.5 5, 6.75 8.5
  const auto y = running_sums(t, t.rows(), 3).stack();
  CHECK(t.run(y) == floats{1, 2, 3.5, 5, 6.75, 8.5});
  const auto dx = fg::out<float>(fg::gradients(fg::sum(y * y), t.x));
  // each row's: 2 y of its own, half that of the next, a quarter of the one after
  CHECK(t.run(dx) == floats{2 + 3.5f + 3.375f, 4 + 5 + 4.25f, 7 + 6.75f, 10 + 8.5f, 13.5, 17});
  const auto again = fg::out<float>(fg::gradients(fg::sum(dx), t.x));
  CHECK(t.run(again) == floats{2 * 1 + 0.5f * 2 * 1.5f + 0.25f * 2 * 1.75f, 2 + 1.5f + 0.875f, 2 * 1.5f + 0.5f * 2 * 1.75f,
                               3 + 1.75f, 3.5f, 3.5f});
}

TEST_CASE("list: in a branch, and in a branch of a loop, gradients go through") {
  list_graph t;
  for (const bool side : {false, true}) {
    const auto chosen = fg::sum(t.x) > (side ? 0.f : 100.f);
    const auto list = fg::cond(
        chosen, [&] { return t.rows().set(0, t.row(1) * 2.f).handle; }, [&] { return t.rows().handle; });
    const auto y = float_list(list, {.element_shape = {2}}).stack();
    const auto dx = fg::out<float>(fg::gradients(fg::sum(y * y), t.x));
    CHECK(t.run(dx) == (side ? floats{0, 0, 30, 40, 10, 12} : floats{2, 4, 6, 8, 10, 12}));
  }
  const auto last = fg::while_loop(
      std::tuple{t.number(0), t.unset(3).handle}, [&](auto i, auto) { return i < 3; },
      [&](auto i, auto made) {
        const auto next = fg::cond(
            i < 1, [&] { return float_list(made).set(i, t.rows().get(i) * 2.f).handle; },
            [&] { return float_list(made).set(i, t.rows().get(i)).handle; });
        return std::tuple{i + 1, next};
      });
  const auto y = float_list(std::get<1>(last), {.element_shape = {2}}).stack();
  CHECK(t.run(y) == floats{2, 4, 3, 4, 5, 6});
  CHECK(t.run(fg::out<float>(fg::gradients(fg::sum(y * y), t.x))) == floats{8, 16, 6, 8, 10, 12});
}

TEST_CASE("list: the number of elements is a scalar, not a vector of one") {
  fg::graph g;
  const auto extents = g.constant(fg::tensor<std::int32_t>({1}, {2})), one = g.constant(fg::tensor<std::int32_t>({1}, {3}));
  const auto reserve = [&] { fg::apply(fg::tensor_list_reserve_op{{fg::dtype::float32}}, extents, one); };
  const auto make = [&] { fg::apply(fg::empty_tensor_list_op{{fg::dtype::float32}}, extents, one); };
  CHECK(ops_test::says(refusal(g, reserve), "the number of elements must be a scalar"));
  CHECK(ops_test::says(refusal(g, make), "the number of elements must be a scalar"));
}
