#include <flowgraph/ops/data_flow/fifo_queue.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>

namespace fg = flowgraph;
using fg::error_code;

namespace {

template <class T> std::vector<T> list(const fg::tensor<T>& t) { return {t.begin(), t.end()}; }

void check_refused(const fg::result<void>& made, error_code code, std::initializer_list<std::string_view> parts) {
  REQUIRE_FALSE(made);
  CHECK(made.error().code() == code);
  for (const std::string_view part : parts) {
    const bool found = std::string_view(made.error().what()).find(part) != std::string_view::npos;
    CHECK_MESSAGE(found, std::string(part), " is missing in: ", std::string(made.error().what()));
  }
}

}  // namespace

TEST_CASE("a FIFO queue: elements leave in the order in which they came, alone and in batches") {
  fg::graph g;
  fg::fifo_queue<float, std::int64_t> q(g, {.capacity = 10, .shapes = {{2}, {}}});
  auto x = g.placeholder<float>("x", {fg::any});
  auto xs = g.placeholder<float>("xs", {fg::any, fg::any});
  auto i = g.placeholder<std::int64_t>("i", {});
  auto numbers = g.placeholder<std::int64_t>("is", {fg::any});
  auto put = q.enqueue(x, i);
  auto put_many = q.enqueue_many(xs, numbers);
  auto [a, b] = q.dequeue();
  auto [as, bs] = q.dequeue_many(2);
  CHECK(a.shape() == fg::shape{2});
  CHECK(as.shape() == fg::shape{2, 2});
  CHECK(bs.shape() == fg::shape{2});
  fg::session s{g};
  s.run(put, {{x, fg::tensor<float>({2}, {1, 2})}, {i, std::int64_t{10}}});
  s.run(put_many, {{xs, fg::tensor<float>({3, 2}, {3, 4, 5, 6, 7, 8})}, {numbers, fg::tensor<std::int64_t>({3}, {20, 30, 40})}});
  CHECK(s.run(fg::fetch(q.size())).scalar() == 4);
  {
    auto [u, v] = s.run(fg::fetch(a, b));
    CHECK(u.shape() == fg::shape{2});
    CHECK(list(u) == std::vector<float>{1, 2});
    CHECK(v.scalar() == 10);
  }
  {
    auto [u, v] = s.run(fg::fetch(as, bs));
    CHECK(u.shape() == fg::shape{2, 2});
    CHECK(list(u) == std::vector<float>{3, 4, 5, 6});
    CHECK(list(v) == std::vector<std::int64_t>{20, 30});
  }
  auto [u, v] = s.run(fg::fetch(a, b));
  CHECK(list(u) == std::vector<float>{7, 8});
  CHECK(v.scalar() == 40);
  CHECK(s.run(fg::fetch(q.size())).scalar() == 0);
}

TEST_CASE("a FIFO queue: strings, elements of any shape, and elements that hold nothing") {
  fg::graph g;
  fg::fifo_queue<std::string> words(g);
  fg::fifo_queue<float> batches(g, {.shapes = {{0, 3}}});
  auto w = g.placeholder<std::string>("w", {fg::any});
  auto e = g.placeholder<float>("e", {0, 3});
  auto put = words.enqueue(w), put_each = words.enqueue_many(w), put_empty = batches.enqueue(e);
  auto word = words.dequeue();
  auto none = batches.dequeue_many(0), empty = batches.dequeue_many(2);
  fg::session s{g};
  s.run(put, {{w, fg::tensor<std::string>({2}, {"a long text that is not kept inside of a string", "b"})}});
  s.run(put_each, {{w, fg::tensor<std::string>({2}, {"c", "d"})}});
  CHECK(list(s.run(fg::fetch(word))) == std::vector<std::string>{"a long text that is not kept inside of a string", "b"});
  CHECK(s.run(fg::fetch(word)).scalar() == "c");
  CHECK(s.run(fg::fetch(word)).shape() == fg::shape{});
  CHECK(s.run(fg::fetch(none)).shape() == fg::shape{0, 0, 3});
  for (int k = 0; k < 2; ++k) s.run(put_empty, {{e, fg::tensor<float>({0, 3})}});
  CHECK(s.run(fg::fetch(empty)).shape() == fg::shape{2, 0, 3});
}

TEST_CASE("a FIFO queue: one that is shared by name is one; who describes it otherwise is refused") {
  fg::graph g;
  const fg::queue_options same{.capacity = 4, .shapes = {{}}, .container = "c", .shared_name = "q"};
  fg::fifo_queue<float> one(g, same), other(g, same), without_name(g, {.capacity = 4, .shapes = {{}}});
  auto put = one.enqueue(g.constant(5.f));
  auto taken = other.dequeue();
  const auto described = [&](fg::queue_options o) { return fg::fifo_queue<float>(g, o).size(); };
  auto smaller = described({.capacity = 3, .shapes = {{}}, .container = "c", .shared_name = "q"});
  auto wider = described({.capacity = 4, .shapes = {{2}}, .container = "c", .shared_name = "q"});
  auto whole = fg::fifo_queue<std::int32_t>(g, same).size();
  auto partly = described({.shapes = {{fg::any}}});
  auto too_many = described({.shapes = {{}, {}}});
  fg::container shared;
  fg::session s{g, {.resources = &shared}}, t{g, {.resources = &shared}};
  s.run(put);
  CHECK(t.run(fg::fetch(without_name.size())).scalar() == 0);
  CHECK(t.run(fg::fetch(taken)).scalar() == 5.f);
  const auto refused = [&](fg::out<std::int32_t> size, std::initializer_list<std::string_view> parts) {
    check_refused(s.try_run(fg::target(size)), error_code::invalid_argument, parts);
  };
  refused(smaller, {"'q'", "capacity", "4", "3"});
  refused(wider, {"'q'", "shapes"});
  refused(whole, {"'q'", "component_types"});
  refused(partly, {"shapes", "known"});
  refused(too_many, {"shape for each"});
  s.run(put);
  shared.clear();
  CHECK(s.run(fg::fetch(one.size())).scalar() == 0);
}

TEST_CASE("a FIFO queue: what does not fit is refused by name, and nothing of it is in the queue") {
  fg::graph g;
  fg::fifo_queue<float, float> q(g, {.capacity = 9, .shapes = {{2}, {}}});
  fg::fifo_queue<float, float> loose(g);
  auto x = g.placeholder<float>("x", fg::shape::unknown());
  auto y = g.placeholder<float>("y", fg::shape::unknown());
  auto n = g.placeholder<std::int32_t>("n", fg::shape::unknown());
  auto put = q.enqueue(x, y), put_many = q.enqueue_many(x, y), put_loose = loose.enqueue_many(x, y);
  const fg::queue<std::int32_t, float> mistaken(q.handle());
  const fg::queue<float> short_one(q.handle());
  auto wrong = mistaken.enqueue(g.constant<std::int32_t>(1), y);
  auto too_few = short_one.enqueue(x);
  auto taken = std::get<0>(mistaken.dequeue());
  auto several = std::get<0>(q.dequeue_many(n));
  auto batch = std::get<0>(loose.dequeue_many(2));
  fg::session s{g};
  const fg::tensor<float> two({2}), three({3}), pair({2, 2}), one(0.f);
  const auto bad = error_code::invalid_argument;
  check_refused(s.try_run(put, {{x, three}, {y, one}}), bad, {"component 0", "[2]", "[3]"});
  check_refused(s.try_run(put, {{x, two}, {y, two}}), bad, {"component 1", "[]", "[2]"});
  check_refused(s.try_run(put_many, {{x, pair}, {y, three}}), bad, {"component 1", "[2]", "[3]"});
  check_refused(s.try_run(put_many, {{x, one}, {y, one}}), bad, {"batch"});
  check_refused(s.try_run(put_loose, {{x, pair}, {y, three}}), bad, {"component 1", "2 elements", "[3]"});
  check_refused(s.try_run(wrong, {{y, one}}), bad, {"[float, float]", "[int32, float]"});
  check_refused(s.try_run(too_few, {{x, one}}), bad, {"[float, float]", "[float]"});
  check_refused(s.try_run(fg::target(taken)), bad, {"[int32, float]"});
  check_refused(s.try_run(fg::target(several), {{n, -1}}), bad, {"negative"});
  check_refused(s.try_run(fg::target(several), {{n, fg::tensor<std::int32_t>({1}, {1})}}), bad, {"scalar"});
  check_refused(s.try_run(fg::target(batch)), bad, {"shapes"});
  CHECK(s.run(fg::fetch(q.size())).scalar() == 0);
  s.run(put_many, {{x, fg::tensor<float>({0, 2})}, {y, fg::tensor<float>(fg::shape{0})}});
  CHECK(s.run(fg::fetch(q.size())).scalar() == 0);
}

TEST_CASE("a FIFO queue: a timeout is refused, and so is what is no queue") {
  fg::graph g;
  fg::fifo_queue<float> q(g);
  fg::queue_enqueue_v2_op late;
  late.timeout_ms = 5;
#ifdef FLOWGRAPH_EXCEPTIONS
  const fg::any_out_list element{g.constant(1.f)};
  CHECK_THROWS_WITH_AS(fg::apply(late, q.handle(), element), doctest::Contains("timeout_ms"), fg::error);
#endif
  auto handle = g.placeholder<fg::resource>("handle", {});
  auto size = fg::apply(fg::queue_size_v2_op{}, handle);
  fg::session s{g};
  check_refused(s.try_run(fg::target(size), {{handle, fg::tensor<fg::resource>(fg::shape{})}}), error_code::invalid_argument,
                {"handle of a queue"});
}

TEST_CASE("a FIFO queue: what was put in stays what it was, whatever becomes of the memory that it came in") {
  fg::graph g;
  fg::fifo_queue<float> q(g);
  auto x = g.placeholder<float>("x", {2});
  auto put = q.enqueue(x);
  auto taken = q.dequeue();
  fg::session s{g};
  float memory[]{1, 2};
  s.run(put, {{x, fg::tensor<float>::borrow({2}, memory, {})}});
  memory[0] = 7;
  fg::tensor<float> own({2}, {3, 4});
  s.run(put, {{x, own}});
  own.writable()[0] = 8;
  CHECK(list(s.run(fg::fetch(taken))) == std::vector<float>{1, 2});
  CHECK(list(s.run(fg::fetch(taken))) == std::vector<float>{3, 4});
}

TEST_CASE("a FIFO queue behind a reference does the same") {
  fg::graph g;
  fg::fifo_queue_op op;
  op.component_types = {fg::dtype_of<float>};
  op.shapes = {{}};
  auto handle = fg::apply_in<>(g, op);
  auto xs = g.placeholder<float>("xs", {fg::any});
  auto put = fg::apply(fg::queue_enqueue_op{}, handle, fg::any_out_list{g.constant(1.f)});
  auto put_many = fg::apply(fg::queue_enqueue_many_op{}, handle, fg::any_out_list{xs});
  fg::queue_dequeue_op one;
  one.component_types = op.component_types;
  fg::queue_dequeue_many_op many;
  many.component_types = op.component_types;
  fg::queue_dequeue_up_to_op up_to;
  up_to.component_types = op.component_types;
  const auto typed = [](const fg::any_out_list& made) { return fg::out<float>{made[0].source, made[0].port}; };
  auto first = typed(fg::apply(one, handle));
  auto two = typed(fg::apply(many, handle, g.constant<std::int32_t>(2)));
  auto rest = typed(fg::apply(up_to, handle, g.constant<std::int32_t>(5)));
  auto size = fg::apply(fg::queue_size_op{}, handle);
  auto closed = fg::apply(fg::queue_is_closed_op{}, handle);
  auto close = fg::apply(fg::queue_close_op{}, handle);
  fg::session s{g};
  s.run(put);
  s.run(put_many, {{xs, fg::tensor<float>({3}, {2, 3, 4})}});
  CHECK(s.run(fg::fetch(size)).scalar() == 4);
  CHECK(s.run(fg::fetch(first)).scalar() == 1.f);
  CHECK(list(s.run(fg::fetch(two))) == std::vector<float>{2, 3});
  CHECK_FALSE(s.run(fg::fetch(closed)).scalar());
  s.run(close);
  CHECK(s.run(fg::fetch(closed)).scalar());
  CHECK(list(s.run(fg::fetch(rest))) == std::vector<float>{4});
  CHECK(s.try_run(put).error().code() == error_code::cancelled);
}

TEST_CASE("a FIFO queue: handles are packed and gathered, so that a number chooses the queue") {
  fg::graph g;
  fg::fifo_queue<float> left(g), right(g);
  auto which = g.placeholder<std::int32_t>("which", {});
  auto all = fg::apply(fg::pack_op{}, fg::out_list<fg::resource>{left.handle(), right.handle()});
  const fg::queue<float> chosen(fg::apply(fg::gather_v2_op{}, all, which, g.constant<std::int32_t>(0)));
  auto put_left = left.enqueue(g.constant(1.f)), put_right = right.enqueue(g.constant(2.f));
  auto taken = chosen.dequeue();
  fg::session s{g};
  s.run(put_left);
  s.run(put_right);
  CHECK(s.run(fg::fetch(taken), {{which, 1}}).scalar() == 2.f);
  CHECK(s.run(fg::fetch(taken), {{which, 0}}).scalar() == 1.f);
}

TEST_CASE("a FIFO queue is used from the body of a loop, iteration after iteration") {
  fg::graph g;
  fg::fifo_queue<std::int32_t, float> q(g, {.shapes = {{}, {}}}), results(g, {.shapes = {{}, {}}});
  auto count = g.placeholder<std::int32_t>("count", {});
  auto sum = fg::while_loop(
      std::tuple{g.constant<std::int32_t>(0), g.constant(0.f)}, [&](auto i, auto) { return i < count; },
      [&](auto i, auto total) {
        auto [k, v] = q.dequeue();
        auto next = total + v;
        auto stored = g.after(results.enqueue(k, next));
        return std::tuple{fg::identity(i) + 1, fg::identity(next)};
      },
      {.parallel_iterations = 1});
  auto ks = g.placeholder<std::int32_t>("ks", {fg::any});
  auto vs = g.placeholder<float>("vs", {fg::any});
  auto put = q.enqueue_many(ks, vs);
  auto total = std::get<1>(sum);
  auto kept = std::get<1>(results.dequeue_many(3));
  fg::thread_pool pool(2);
  for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
    fg::session s{g, {.pool = p}};
    for (int round = 0; round < 3; ++round) {
      s.run(put, {{ks, fg::tensor<std::int32_t>({3}, {1, 2, 3})}, {vs, fg::tensor<float>({3}, {1, 10, 100})}});
      CHECK(s.run(fg::fetch(total), {{count, 3}}).scalar() == 111.f);
      CHECK(list(s.run(fg::fetch(kept))) == std::vector<float>{1, 11, 111});
    }
    // A loop that waits for an element that does not come is ended.
    const auto stuck = s.try_run(fg::target(total), {{count, 1}}, fg::run_options::within(std::chrono::milliseconds(20)));
    REQUIRE_FALSE(stuck);
    CHECK(stuck.error().code() == error_code::deadline_exceeded);
  }
}

TEST_CASE("a padding queue: a batch holds its largest element, and zeros follow the others") {
  fg::graph g;
  fg::padding_fifo_queue<float, std::string> q(g, {.shapes = {{fg::any, 2, fg::any}, {fg::any}}});
  auto x = g.placeholder<float>("x", fg::shape::unknown());
  auto t = g.placeholder<std::string>("t", fg::shape::unknown());
  auto put = q.enqueue(x, t), put_many = q.enqueue_many(x, t);
  auto [one, text] = q.dequeue();
  auto [xs, ts] = q.dequeue_many(3);
  auto [rest, none] = q.dequeue_up_to(5);
  CHECK(xs.shape() == fg::shape{3, fg::any, 2, fg::any});
  fg::session s{g};
  const auto texts = [](std::initializer_list<const char*> words) {
    fg::tensor<std::string> made(fg::shape{words.size()});
    std::copy(words.begin(), words.end(), made.writable().begin());
    return made;
  };
  s.run(put, {{x, fg::tensor<float>({1, 2, 1}, {1, 2})}, {t, texts({"a"})}});
  s.run(put, {{x, fg::tensor<float>({2, 2, 2}, {3, 4, 5, 6, 7, 8, 9, 10})}, {t, texts({"b", "c"})}});
  s.run(put_many, {{x, fg::tensor<float>({2, 1, 2, 3}, {11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22})},
                   {t, fg::tensor<std::string>(fg::shape{2, 0})}});
  {
    auto [u, v] = s.run(fg::fetch(xs, ts));
    CHECK(u.shape() == fg::shape{3, 2, 2, 3});
    CHECK(list(u) == std::vector<float>{1,  0,  0,  2,  0,  0,  0, 0, 0, 0, 0,  0,  //
                                        3,  4,  0,  5,  6,  0,  7, 8, 0, 9, 10, 0,  //
                                        11, 12, 13, 14, 15, 16, 0, 0, 0, 0, 0,  0});
    CHECK(v.shape() == fg::shape{3, 2});
    CHECK(list(v) == std::vector<std::string>{"a", "", "b", "c", "", ""});
  }
  {
    auto [u, v] = s.run(fg::fetch(one, text));  // alone, an element is as it came
    CHECK(u.shape() == fg::shape{1, 2, 3});
    CHECK(list(u) == std::vector<float>{17, 18, 19, 20, 21, 22});
    CHECK(v.shape() == fg::shape{0});
  }
  check_refused(s.try_run(put, {{x, fg::tensor<float>({1, 3, 1}, {1, 2, 3})}, {t, texts({"a"})}}), error_code::invalid_argument,
                {"component 0", "[1,3,1]"});
  check_refused(s.try_run(put, {{x, fg::tensor<float>({2}, {1, 2})}, {t, texts({"a"})}}), error_code::invalid_argument,
                {"component 0", "[2]"});
  s.run(put, {{x, fg::tensor<float>({0, 2, 4})}, {t, texts({"d"})}});
  s.run(q.close());
  auto [u, v] = s.run(fg::fetch(rest, none));
  CHECK(u.shape() == fg::shape{1, 0, 2, 4});
  CHECK(list(v) == std::vector<std::string>{"d"});
}

TEST_CASE("a padding queue must be told a shape, of known rank, for each component") {
  fg::graph g;
  const auto refused = [&](const fg::queue_options& o, std::string_view why) {
    fg::padding_fifo_queue<float, float> q(g, o);
    fg::session s{g};
    const auto made = s.try_run(fg::fetch(q.size()));
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().code() == error_code::invalid_argument);
    CHECK_MESSAGE(std::string_view(made.error().what()).find(why) != std::string_view::npos, made.error().what());
  };
  refused({}, "a shape for each of the 2 component_types");
  refused({.shapes = {{fg::any}, fg::shape::unknown()}}, "ranks of components must be known");
}
