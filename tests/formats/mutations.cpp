// Good files with some bytes changed, by seed: readers refuse them or read something, and do no harm. The targets of tests/fuzz, the same in each
// run.

#include "../harness/sanitized.hpp"
#include "changed.hpp"
#include "fuzz_targets.hpp"
#include "tensors.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <random>

// The sanitizers bring operators of their own.
#define MEASURES_MEMORY !(SEES_ADDRESSES || SEES_THREADS)

namespace {

// Of all requests since it was set to 0.
std::atomic<std::size_t> largest_request{0};

#if MEASURES_MEMORY
void* measured_memory(std::size_t bytes, std::size_t alignment) {
  std::size_t known = largest_request.load(std::memory_order_relaxed);
  while (bytes > known && !largest_request.compare_exchange_weak(known, bytes, std::memory_order_relaxed)) {}
  bytes = std::max(alignment, (bytes + alignment - 1) / alignment * alignment);
  return alignment <= alignof(std::max_align_t) ? std::malloc(bytes) : std::aligned_alloc(alignment, bytes);
}
void* measured_memory_or_end(std::size_t bytes, std::size_t alignment) {
  if (void* const memory = measured_memory(bytes, alignment)) return memory;
#ifdef FLOWGRAPH_EXCEPTIONS
  throw std::bad_alloc();
#else
  std::abort();
#endif
}
#endif

}  // namespace

#if MEASURES_MEMORY
[[gnu::noinline]] void* operator new(std::size_t n) { return measured_memory_or_end(n, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a) {
  return measured_memory_or_end(n, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return measured_memory(n, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return measured_memory(n, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
#endif

using namespace file_tests;

namespace {

// Beside twice the file: names of files, tables of a few entries; and the buffer that compressed records go through.
constexpr std::size_t small_request = std::size_t{4} << 10, record_buffer = std::size_t{128} << 10;

std::string mutated(std::string text, std::mt19937& random) {
  static constexpr unsigned char special[] = {0, 1, 2, 0x0a, 0x7f, 0x80, 0xff};
  for (auto changes = random() % 6; changes > 0 && !text.empty(); --changes) {
    const std::size_t at = random() % text.size();
    switch (random() % 5) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text[at] = static_cast<char>(special[random() % std::size(special)]); break;
      case 2: text.erase(at, random() % 9); break;
      case 3: text.insert(at, text.substr(random() % text.size(), random() % 17)); break;
      default: text.resize(at); break;
    }
  }
  return text;
}

template <class Target> void change(const std::string& good, Target&& target, std::size_t beside = small_request) {
  std::mt19937 random(7);
  std::size_t most = 0, of_bytes = 0;
  for (int i = 0, files = changed_files(1000); i <= files; ++i) {
    const std::string text = i == 0 ? good : mutated(good, random);
    largest_request = 0;
    target(std::as_bytes(std::span(text)));
    const std::size_t found = largest_request;
    if (found > 2 * text.size() + beside && found > most) most = found, of_bytes = text.size();
  }
  INFO("a file of " << of_bytes << " bytes");
  CHECK(most == 0);  // else the largest request of all
}

std::string bytes_of(const std::string& path) { return fg::read_file(path).value(); }

// Keys and values as fuzz_targets::table_of takes them.
std::string taken_apart(const std::string& path) {
  const std::string bytes = bytes_of(path);
  std::string all(1, '\1');
  const auto entries = fg::detail::table_reader(path, bytes).read().value();
  for (const auto& [key, value] : entries)
    for (const std::string& part : {key, value}) (all += static_cast<char>(part.size())) += part;
  return all;
}

}  // namespace

TEST_CASE("changed arrays and archives") {
  const test_folder folder;
  fg::save_npy(folder / "a.npy", numbered(fg::dtype::float32, {2, 3})).value();
  fg::save_npz(folder / "a.npz", {{"x", numbered(fg::dtype::int16, {3})}, {"y", numbered(fg::dtype::boolean, {2})}}).value();
  change(bytes_of(folder / "a.npy"), fuzz_targets::npy);
  change(bytes_of(folder / "a.npz"), fuzz_targets::npz);
}

TEST_CASE("changed safetensors") {
  const test_folder folder;
  fg::save_safetensors(folder / "a", {{"x", numbered(fg::dtype::float32, {2, 3})}, {"y", numbered(fg::dtype::boolean, {2})}},
                       {.metadata = {{"a", "\n"}}})
      .value();
  change(bytes_of(folder / "a"), fuzz_targets::safetensors);
}

TEST_CASE("changed checkpoints, with and without right checksums") {
  const test_folder folder;
  auto to = fg::tensor_bundle_writer::create(folder / "b", false).value();
  to.add("w", numbered(fg::dtype::float32, {3})).value();
  to.add("text", texts({2})).value();
  to.add_slice("parts", {4}, {{0}, {3}}, numbered(fg::dtype::int16, {3})).value();
  to.add_slice("parts", {4}, {{3}, {1}}, numbered(fg::dtype::int16, {1})).value();
  to.finish().value();
  auto slices = fg::saved_slices_writer::create(folder / "s", false).value();
  slices.add("w", numbered(fg::dtype::float16, {3})).value();
  slices.add("text", texts({2})).value();
  slices.add_slice("parts", {4}, {{0}, {4}}, numbered(fg::dtype::complex64, {4})).value();
  slices.finish().value();
  const std::string index = bytes_of(folder / "b.index"), table = bytes_of(folder / "s");
  const auto block_of = [](const std::string& file) { return '\2' + file.substr(0, file.size() / 2); };
  for (const std::string& text : {'\0' + index, taken_apart(folder / "b.index"), block_of(index)})
    change(text, fuzz_targets::tensor_bundle);
  for (const std::string& text : {'\0' + table, taken_apart(folder / "s"), block_of(table)})
    change(text, fuzz_targets::saved_slices);
}

TEST_CASE("changed records") {
  const test_folder folder;
  {
    auto to = fg::record_writer::create(folder / "r").value();
    for (const char* record : {"", "one", "a longer one, of more bytes than a header has"}) to.write(record).value();
    to.close().value();
  }
  change(
      bytes_of(folder / "r"), [&](auto file) { fuzz_targets::record_file(folder / "changed", fuzz_targets::text_of(file)); },
      record_buffer);
}

TEST_CASE("changed files of clicks, and changed caches of them with and without right checksums") {
  const test_folder folder;
  for (const bool has_fields : {false, true}) {
    const std::string text = has_fields ? "1 0:17:0.5 3:204:1\n-1 1:2:-1e-3\n\n0 \t5:9:+.25\r\n1\n2 0:1:18446744073709551615"
                                        : "1 17:0.5 204:1\n-1 2:-1e-3\n\n0 \t9:+.25\r\n1\n2 18446744073709551615:1";
    for (char way = 0; way < 8; ++way)
      if (((way & 1) != 0) == has_fields)
        change(way + text, [](auto file) { fuzz_targets::click_lines(fuzz_targets::text_of(file)); });
    for (const bool is_plain : {false, true}) {
      const fg::click_options how{.format = has_fields ? fg::click_format::libffm : fg::click_format::libsvm};
      fg::click_batch batch;
      for (const char* line : has_fields ? std::array{"1 0:7:1 3:4:1", "0 1:2:1", "0"} : std::array{"1 7:1 4:1", "0 2:1", "0"})
        REQUIRE_FALSE(fg::parse_clicks(line, how, batch).what);
      if (!is_plain) batch.keys[0] = std::int64_t{1} << 40, batch.values[1] = 0.5f;
      auto to = fg::click_cache_writer::create(folder / "cache", has_fields).value();
      to.write(batch).value();
      to.commit().value();
      change(
          bytes_of(folder / "cache"),
          [&](auto file) { fuzz_targets::click_cache(folder / "changed", fuzz_targets::text_of(file)); }, record_buffer);
    }
  }
}
