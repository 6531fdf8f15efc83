#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/detail/named_counters.hpp>

#include <charconv>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE result<resource> named_counters::of(container& all) {
  return all.find_or_make({}, "/random_numbers", kind_of<named_counters>(),
                          []() -> resource_base* { return new named_counters; });
}

FLOWGRAPH_INLINE random_counter& named_counters::of_node(std::string_view name) {
  threading::lock_guard lock(mutex_);
  const auto known = by_name_.find(name);
  return known != by_name_.end() ? known->second : by_name_[std::string(name)];
}

// Returns a line per node: runs, numbers, name.
FLOWGRAPH_INLINE result<std::string> named_counters::save() const {
  threading::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [name, counter] : by_name_)
    text += std::to_string(counter.runs) + ' ' + std::to_string(counter.drawn) + ' ' + name + '\n';
  return text;
}

FLOWGRAPH_INLINE error named_counters::load(std::string_view bytes, std::pmr::memory_resource*) {
  struct line {
    std::uint64_t runs, drawn;
    std::string_view name;
  };
  sequence<line> lines;
  while (!bytes.empty()) {
    line& l = lines.emplace_back();
    const char *at = bytes.data(), *const end = at + bytes.size();
    const char* const stop = std::find(at, end, '\n');
    for (std::uint64_t* number : {&l.runs, &l.drawn}) {
      const auto [rest, failed] = std::from_chars(at, stop, *number);
      if (failed != std::errc() || rest == stop || *rest != ' ')
        return error(error_code::data_loss, "the numbers that random nodes have drawn cannot be read");
      at = rest + 1;
    }
    l.name = {at, static_cast<std::size_t>(stop - at)};
    bytes.remove_prefix(static_cast<std::size_t>(stop - bytes.data()) + (stop == end ? 0 : 1));
  }
  threading::lock_guard lock(mutex_);
  for (auto& [name, counter] : by_name_) counter.runs = counter.drawn = 0;
  for (const line& l : lines) {
    random_counter& c = by_name_[std::string(l.name)];
    c.runs = l.runs;
    c.drawn = l.drawn;
  }
  return {};
}

}  // namespace flowgraph::detail
