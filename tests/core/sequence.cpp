#include <flowgraph/core/sequence.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using flowgraph::detail::sequence;

namespace {

template <class T> std::vector<T> as_vector(const sequence<T>& of) { return {of.begin(), of.end()}; }

struct aligned_value {
  alignas(64) int value = 0;
};

struct living {
  static inline int alive = 0;
  int value = 0;
  explicit living(int v = 0) : value(v) { ++alive; }
  living(const living& other) : value(other.value) { ++alive; }
  living(living&& other) noexcept : value(std::exchange(other.value, -1)) { ++alive; }
  living& operator=(const living&) = default;
  living& operator=(living&& other) noexcept {
    value = std::exchange(other.value, -1);
    return *this;
  }
  ~living() { --alive; }
};

}  // namespace

TEST_CASE_TEMPLATE("sequence: holds what a vector would", T, int, std::string) {
  const auto item = [](int i) {
    if constexpr (std::is_same_v<T, int>) return i;
    else return std::string(static_cast<std::size_t>(i % 40), 'a') + std::to_string(i);
  };
  sequence<T> made;
  std::vector<T> wanted;
  CHECK(made.empty());
  for (int i = 0; i < 100; ++i) {
    made.push_back(item(i));
    wanted.push_back(item(i));
  }
  CHECK(as_vector(made) == wanted);
  CHECK(made.front() == wanted.front());
  CHECK(made.back() == wanted.back());
  CHECK(std::vector<T>(made.rbegin(), made.rend()) == std::vector<T>(wanted.rbegin(), wanted.rend()));

  made.erase(made.begin() + 3);
  wanted.erase(wanted.begin() + 3);
  made.erase(made.begin() + 10, made.begin() + 20);
  wanted.erase(wanted.begin() + 10, wanted.begin() + 20);
  made.erase(made.end(), made.end());
  CHECK(made.erase(made.begin(), made.begin()) == made.begin());
  CHECK(*made.insert(made.begin() + 5, item(7)) == item(7));
  wanted.insert(wanted.begin() + 5, item(7));
  made.insert(made.begin(), 3, item(8));
  wanted.insert(wanted.begin(), 3, item(8));
  const std::vector<T> more{item(50), item(51)};
  made.insert(made.begin() + 2, more.begin(), more.end());
  wanted.insert(wanted.begin() + 2, more.begin(), more.end());
  made.insert(made.end(), more.begin(), more.end());
  wanted.insert(wanted.end(), more.begin(), more.end());
  CHECK(as_vector(made) == wanted);
  CHECK(erase_if(made, [&](const T& t) { return t == item(8); }) == 4);
  std::erase(wanted, item(8));
  CHECK(as_vector(made) == wanted);

  made.resize(made.size() + 2);
  wanted.resize(wanted.size() + 2);
  made.resize(made.size() + 2, item(9));
  wanted.resize(wanted.size() + 2, item(9));
  made.pop_back();
  wanted.pop_back();
  CHECK(as_vector(made) == wanted);
  made.resize(4);
  CHECK(as_vector(made) == std::vector<T>(wanted.begin(), wanted.begin() + 4));
  made.assign(3, made[1]);  // the value lies in what goes
  CHECK(as_vector(made) == std::vector<T>(3, wanted[1]));
  made.assign(more.begin(), more.end());
  CHECK(made == sequence<T>(more));
  CHECK_FALSE(made == sequence<T>{item(50)});
  made.clear();
  CHECK(made.empty());
}

TEST_CASE("sequence: an element may be added anew while the elements move") {
  sequence<std::string> made{std::string(40, 'x')};
  while (made.size() < 100) made.push_back(made.back());
  for (const std::string& s : made) CHECK(s == std::string(40, 'x'));
  made.insert(made.begin(), 100, made.front());
  CHECK(made.size() == 200);
  CHECK(made.front() == std::string(40, 'x'));
}

TEST_CASE("sequence: what owns memory and moves as bytes goes in front of others, whether there is room or not") {
  sequence<std::unique_ptr<int>> made;
  std::vector<int> wanted;
  for (int i = 0; i < 100; ++i) {
    const std::ptrdiff_t at = i % 3 == 0 ? 0 : i % 3 == 1 ? std::ssize(wanted) : std::ssize(wanted) / 2;
    CHECK(**made.insert(made.begin() + at, std::make_unique<int>(i)) == i);
    wanted.insert(wanted.begin() + at, i);
  }
  REQUIRE(made.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(*made[i] == wanted[i]);
}

TEST_CASE("sequence: copies and moves keep every element once") {
  {
    sequence<living> made;
    for (int i = 0; i < 10; ++i) made.emplace_back(i);
    CHECK(living::alive == 10);
    sequence<living> copy = made;
    CHECK(living::alive == 20);
    sequence<living> taken = std::move(made);
    CHECK(living::alive == 20);
    CHECK(made.empty());  // NOLINT(bugprone-use-after-move)
    made = taken;
    CHECK(living::alive == 30);
    made = std::move(taken);
    CHECK(living::alive == 20);
    sequence<living>& same = made;
    made = same;
    made = std::move(same);
    CHECK(living::alive == 20);
    CHECK(made[9].value == 9);
    copy.swap(made);
    copy.erase(copy.begin(), copy.begin() + 4);
    CHECK(living::alive == 16);
    CHECK(copy[0].value == 4);
    copy.resize(2);
    CHECK(living::alive == 12);
    copy.reserve(100);
    CHECK(copy.capacity() >= 100);
    CHECK(copy[1].value == 5);
  }
  CHECK(living::alive == 0);
}

TEST_CASE("sequence: of what only moves, of sequences, of elements with a wide alignment") {
  sequence<std::unique_ptr<int>> owners;
  for (int i = 0; i < 20; ++i) owners.push_back(std::make_unique<int>(i));
  owners.erase(owners.begin());
  CHECK(*owners.front() == 1);

  sequence<sequence<int>> nested(3);
  for (int i = 0; i < 40; ++i) nested.push_back({i, i});
  CHECK(nested[2].empty());
  CHECK(as_vector(nested.back()) == std::vector<int>{39, 39});

  sequence<aligned_value> all(5);
  all.push_back({7});
  CHECK(reinterpret_cast<std::uintptr_t>(all.data()) % 64 == 0);
  CHECK(all.back().value == 7);
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("sequence: elements end where making the next one throws") {
  struct third_throws {
    living counted;
    third_throws() {
      if (living::alive > 3) throw 3;
    }
  };
  CHECK_THROWS(sequence<third_throws>(5));
  CHECK(living::alive == 0);
}
#endif
