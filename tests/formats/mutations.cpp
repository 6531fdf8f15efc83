// Good files with some bytes changed, by seed: readers refuse them or read something, and do no harm. The targets of tests/fuzz, the same in each
// run.

#include "fuzz_targets.hpp"
#include "tensors.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

using namespace file_tests;

namespace {

int rounds() {
  const char* const said = std::getenv("FLOWGRAPH_TEST_MUTATIONS");
  return said ? std::atoi(said) : 1000;
}

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

template <class Target> void change(const std::string& good, Target&& target) {
  target(std::as_bytes(std::span(good)));
  std::mt19937 random(7);
  for (int i = 0; i < rounds(); ++i) {
    const std::string text = mutated(good, random);
    target(std::as_bytes(std::span(text)));
  }
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
