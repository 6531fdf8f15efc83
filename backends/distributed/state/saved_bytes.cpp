#include "saved_bytes.hpp"

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

void write_resources(byte_writer& to, recycled_tensors& tensors, std::span<const saved_resource> all) {
  to.number(static_cast<std::uint64_t>(all.size()));
  if (all.empty()) return;
  any_tensor contents;
  contents.emplace(dtype::string, shape{static_cast<std::int64_t>(all.size())}, std::pmr::new_delete_resource());
  std::string* next = contents.as_writable<std::string>().data();
  for (const saved_resource& r : all) {
    to.text(r.section);
    to.text(r.name);
    *next++ = r.bytes;
  }
  tensors.push_back(std::move(contents));
}

std::vector<saved_resource> read_resources(byte_reader& from, std::span<const any_tensor> tensors) {
  std::vector<saved_resource> result;
  const std::size_t count = from.count(16);
  if (count == 0) return result;
  if (tensors.empty() || tensors.back().type() != dtype::string || tensors.back().size() != count) return from.fail(), result;
  for (const std::string& bytes : tensors.back().as<std::string>()) {
    const std::string_view section = from.text(), name = from.text();
    result.push_back({std::string(section), std::string(name), bytes});
  }
  return result;
}

void write_draws(byte_writer& to, std::span<const saved_state::draws> all) {
  to.number(static_cast<std::uint64_t>(all.size()));
  for (const saved_state::draws& d : all) {
    to.text(d.node);
    to.number(d.runs);
    to.number(d.numbers);
  }
}

std::vector<saved_state::draws> read_draws(byte_reader& from) {
  std::vector<saved_state::draws> result;
  for (auto left = from.count(24); left > 0 && from.ok(); --left) {
    saved_state::draws& d = result.emplace_back();
    d.node = from.text();
    d.runs = from.number<std::uint64_t>();
    d.numbers = from.number<std::uint64_t>();
  }
  return result;
}

}  // namespace flowgraph::distributed
