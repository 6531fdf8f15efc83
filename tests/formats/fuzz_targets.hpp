#pragma once
// What must hold for any bytes of these formats: for the fuzzers in tests/fuzz, and for the inputs with a fixed seed that every test run
// makes.

#include <flowgraph/formats/example.hpp>
#include <flowgraph/formats/record_file.hpp>
#include <flowgraph/formats/serialized_tensor.hpp>

#include <cstdlib>

namespace fuzz_targets {

namespace fg = flowgraph;

inline void must_hold(bool holds) {
  if (!holds) std::abort();
}

// Lists have as many values as are counted.
inline void feature(const fg::feature_view& f) {
  std::int64_t found = 0;
  const auto next = [&](const auto&) { ++found; };
  const std::int64_t counted = fg::count_values(f);
  if (counted < 0 || f.is_broken) return;
  if (f.type == fg::dtype::float32) must_hold(fg::for_each_value<float>(f, next));
  if (f.type == fg::dtype::int64) must_hold(fg::for_each_value<std::int64_t>(f, next));
  if (f.type == fg::dtype::string)
    must_hold(fg::for_each_value<std::string_view>(f, [&](std::string_view text) {
      must_hold(f.list.data() <= text.data() && text.data() + text.size() <= f.list.data() + f.list.size());
      ++found;
    }));
  must_hold(found == counted);
}

inline void example(std::string_view bytes) {
  fg::for_each_feature(bytes, [](std::string_view, const fg::feature_view& f) { feature(f); });
  fg::for_each_feature_list(bytes, [](std::string_view, std::string_view list) {
    fg::for_each_step(list, [](const fg::feature_view& f) { feature(f); });
  });
}

// What can be read can be written, and says the same when it is read again.
inline void serialized_tensor(std::string_view bytes) {
  const auto read = fg::parse_tensor(bytes, std::pmr::new_delete_resource(), 1 << 20);
  if (!read) return;
  const std::string written = fg::serialize_tensor(*read);
  const auto again = fg::parse_tensor(written);
  must_hold(again && again->type() == read->type() && again->shape() == read->shape());
  must_hold(fg::serialize_tensor(*again) == written);
}

// A file of any bytes ends cleanly, or in an error.
inline void record_file(const std::string& path, std::string_view bytes) {
  for (const fg::compression how : {fg::compression::plain, fg::compression::gzip}) {
    if (how != fg::compression::plain && !fg::has_compression()) continue;
    {
      auto to = fg::file_writer::open(path).value();
      to.write(bytes).value();
      to.close().value();
    }
    auto from = fg::record_reader::open(path, how).value();
    std::string record;
    for (;;) {
      const auto more = from.next(record);
      if (!more || !*more) break;
    }
  }
}

}  // namespace fuzz_targets
