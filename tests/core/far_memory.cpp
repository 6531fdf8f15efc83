#include <flowgraph/core/far_memory.hpp>

#include "../harness/accelerator/memory.hpp"

#include <flowgraph/core/tensor.hpp>

#include <doctest/doctest.h>

#include <numeric>

namespace fg = flowgraph;

namespace {

fg::any_tensor numbers_up_to(std::size_t n) {
  fg::any_tensor t = fg::any_tensor::allocate(fg::dtype::float32, fg::shape{n}, std::pmr::new_delete_resource()).value();
  const auto elements = t.as_writable<float>();
  std::iota(elements.begin(), elements.end(), 1.f);
  return t;
}

}  // namespace

TEST_CASE("far_memory: only it is told apart, and only while there is any") {
  CHECK(fg::far_memory::from(std::pmr::new_delete_resource()) == nullptr);
  CHECK(fg::far_memory::from(nullptr) == nullptr);
  accelerator::machine all(1);
  accelerator::memory far(all, 1 << 16);
  std::pmr::monotonic_buffer_resource near;
  CHECK(fg::far_memory::from(&far) == &far);
  CHECK(fg::far_memory::from(&near) == nullptr);
  CHECK(fg::far_memory::from(std::pmr::null_memory_resource()) == nullptr);
}

TEST_CASE("far_memory: a tensor goes there, from one to another, and comes back") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    accelerator::machine all(seed);
    accelerator::memory first(all, 1 << 16), second(all, 1 << 16);
    {
      const fg::any_tensor x = numbers_up_to(100);
      const auto there = x.copy(&first);
      REQUIRE(there.has_value());
      CHECK(there->is_far());
      CHECK(there->is_unique());
      const auto again = there->copy(&first), over = again->copy(&second), back = over->copy();
      REQUIRE(back.has_value());
      CHECK(!back->is_far());
      CHECK(back->as<float>()[99] == 100);
      CHECK(first.in_use() == 800);
      CHECK(second.in_use() == 400);
    }
    CHECK(first.in_use() == 0);
    CHECK(second.in_use() == 0);
  }
}

TEST_CASE("far_memory: a block that comes back while work on it is waiting is not seen by that work") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    accelerator::machine all(seed);
    accelerator::memory far(all, 4096);
    fg::any_tensor kept;
    for (int i = 0; i < 20; ++i) {
      auto there = numbers_up_to(400).copy(&far);  // room for two
      REQUIRE(there.has_value());
      auto copy = there->copy(&far);
      REQUIRE(copy.has_value());
      there->reset();
      kept = *std::move(copy);
      kept = kept.copy().value();
      CHECK(kept.as<float>()[399] == 400);
    }
  }
}

TEST_CASE("far_memory: without room the answer is no memory; strings never lie there") {
  accelerator::machine all(1);
  accelerator::memory far(all, 4096);
  const auto large = fg::any_tensor::allocate(fg::dtype::float32, fg::shape{2000}, &far);
  REQUIRE(!large.has_value());
  CHECK(large.error().code() == fg::error_code::resource_exhausted);
  CHECK(!fg::any_tensor::allocate(fg::dtype::string, fg::shape{1}, &far).has_value());
  CHECK(far.in_use() == 0);
}

TEST_CASE("far_memory: what fails later is told at the end, the first failure once") {
  accelerator::machine all(3);
  accelerator::memory far(all, 4096);
  far.launch([&] { far.fail(fg::error(fg::error_code::invalid_argument, "first")); });
  far.launch([&] { far.fail(fg::error(fg::error_code::invalid_argument, "second")); });
  CHECK(far.finish().message() == "first");
  CHECK(!far.finish());
}

namespace {

// Memory whose copies to the host fail, as those of a lost GPU do.
class lost_memory final : public fg::far_memory {
public:
  void copy_in(const void*, void*, std::size_t) override {}
  fg::error copy_out(const void*, void*, std::size_t) override { return fg::error(fg::error_code::unavailable, "lost"); }
  void copy_within(const void*, void*, std::size_t) override {}
  fg::error copy_from(fg::far_memory& other, const void* there, void*, std::size_t) override {
    return other.copy_out(there, nullptr, 0);
  }
  fg::error finish() override { return {}; }

private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
};

}  // namespace

TEST_CASE("far_memory: a copy whose elements do not reach the host is an error, not a tensor of other elements") {
  lost_memory first, second;
  const auto there = numbers_up_to(3).copy(&first);
  REQUIRE(there.has_value());
  CHECK(there->copy(&first).has_value());
  for (std::pmr::memory_resource* to : {std::pmr::new_delete_resource(), static_cast<std::pmr::memory_resource*>(&second)}) {
    const auto made = there->copy(to);
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().message() == "lost");
  }
}

namespace {

// What comes back of a tensor that goes from one memory to the other while blocks are taken and given back.
bool survives(accelerator::fault planted, std::uint64_t seed) {
  accelerator::machine all(seed);
  accelerator::memory first(all, 4096, planted), second(all, 4096, planted);
  bool good = true;
  for (int i = 0; i < 4; ++i) {
    auto there = numbers_up_to(400).copy(&first), copy = there->copy(&first), over = copy->copy(&second);
    copy->reset();
    there->reset();
    auto other = numbers_up_to(300).copy(&first);
    const auto back = over->copy(), rest = other->copy();
    good = good && back->as<float>()[399] == 400 && rest->as<float>()[299] == 300;
  }
  return good;
}

}  // namespace

// Under AddressSanitizer such a fault would end the program.
#if !SEES_ADDRESSES
TEST_CASE("far_memory: the emulated accelerator finds what a backend may get wrong") {
  using accelerator::fault;
  for (const fault planted :
       {fault::no_event_after_copy, fault::no_event_before_copy, fault::peer_not_told, fault::given_back_at_once}) {
    CAPTURE(static_cast<int>(planted));
    bool found = false;
    for (std::uint64_t seed = 0; seed < 20 && !found; ++seed) found = !survives(planted, seed);
    CHECK(found);
  }
}
#endif

TEST_CASE("far_memory: and none where nothing is wrong") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) CHECK(survives(accelerator::fault::none, seed));
}
