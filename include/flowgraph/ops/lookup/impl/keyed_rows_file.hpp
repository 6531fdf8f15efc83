#pragma once
// Files of rows by key, in the format of safetensors: "keys", "state.0", "state.1", ..., "ages", "state.initial" and "rows".

#include <flowgraph/core/message.hpp>
#include <flowgraph/formats/detail/json_text.hpp>
#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/ops/lookup/impl/keyed_rows.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline std::string_view stored_rows_type(dtype storage) {
  return storage == dtype::float32 ? "F32" : storage == dtype::float16 ? "F16" : "BF16";
}
inline std::string state_tensor(std::size_t i) { return message{"state.", i}.string(); }

// The header of a file, tensor by tensor.
class row_file_header {
public:
  row_file_header(std::string_view rule, std::uint32_t step) {
    text_ = "{\"__metadata__\":{\"format\":\"flowgraph.keyed_rows\",\"rule\":";
    append_json(text_, rule);
    text_ += message{",\"step\":\"", step, "\"}"}.string();
  }
  void add(std::string_view name, std::string_view type, std::size_t bytes, std::size_t rows, std::size_t columns = 0) {
    const std::uint64_t end = offset_ + std::uint64_t{bytes} * rows * (columns == 0 ? 1 : columns);
    text_ += message{",\"", name, "\":{\"dtype\":\"", type, "\",\"shape\":[", rows}.string();
    if (columns > 0) text_ += message{",", columns}.string();
    text_ += message{"],\"data_offsets\":[", offset_, ",", end, "]}"}.string();
    offset_ = end;
  }
  std::string finish() {
    text_ += '}';
    text_.resize((text_.size() + 7) / 8 * 8, ' ');
    const std::uint64_t size = text_.size();
    std::string text(sizeof size, '\0');
    std::memcpy(text.data(), &size, sizeof size);
    return text + text_;
  }

private:
  std::string text_;
  std::uint64_t offset_ = 0;
};

// Collects small pieces, and passes them on in large ones.
class row_stream {
public:
  using sink = function_ref<result<void>(std::span<const std::byte>)>;
  explicit row_stream(sink to) : to_(to) { buffer_.reserve(room); }

  result<void> put(const void* from, std::size_t bytes) {
    if (buffer_.size() + bytes > room)
      if (auto done = flush(); !done) return done;
    const std::span all(static_cast<const std::byte*>(from), bytes);
    if (bytes > room) return to_(all);
    buffer_.insert(buffer_.end(), all.begin(), all.end());
    return {};
  }
  result<void> flush() {
    if (buffer_.empty()) return {};
    auto done = to_(buffer_);
    buffer_.clear();
    return done;
  }

private:
  static constexpr std::size_t room = std::size_t{1} << 16;
  sink to_;
  std::vector<std::byte> buffer_;
};

}  // namespace detail

// ---- saving

// Precondition: the caller holds layout_.
FLOWGRAPH_SELDOM result<void> keyed_rows::write_part(row_sink sink, row_part part) const {
  using detail::row_entry, detail::row_shard;
  struct kept_row {
    std::int64_t key;
    const std::byte* row;
  };
  std::vector<kept_row> all;
  for (const row_shard& s : shards_)
    for (const row_entry& e : std::span(s.entries, s.capacity)) {
      if (e.row == row_entry::none) continue;
      const std::byte* const row = s.row(e.row, row_bytes_);
      const std::int64_t key = detail::header_of(row).key;
      if (detail::hash_of_key(key) % part.count == part.index) all.push_back({key, row});
    }
  std::sort(all.begin(), all.end(), [](const kept_row& a, const kept_row& b) { return a.key < b.key; });

  const auto columns = static_cast<std::size_t>(options_.columns);
  detail::row_file_header header(rule_name_, steps());
  header.add("keys", "I64", sizeof(std::int64_t), all.size());
  for (std::size_t i = 0; i < rule_.states; ++i) header.add(detail::state_tensor(i), "F32", sizeof(float), all.size(), columns);
  header.add("ages", "U32", sizeof(std::uint32_t), all.size());
  header.add("state.initial", "F32", sizeof(float), rule_.states);
  header.add("rows", detail::stored_rows_type(options_.storage), size_of(options_.storage), all.size(), columns);
  const std::string head = header.finish();

  detail::row_stream to(sink);
  const auto put_rows = [&](std::size_t offset, std::size_t bytes) -> result<void> {
    for (const kept_row& r : all)
      if (auto done = to.put(r.row + offset, bytes); !done) return done;
    return {};
  };
  if (auto done = to.put(head.data(), head.size()); !done) return done;
  for (const kept_row& r : all)
    if (auto done = to.put(&r.key, sizeof r.key); !done) return done;
  for (std::size_t i = 0; i < rule_.states; ++i)
    if (auto done = put_rows(state_offset() + i * columns * sizeof(float), columns * sizeof(float)); !done) return done;
  for (const kept_row& r : all)
    if (auto done = to.put(&detail::header_of(r.row).age, sizeof(std::uint32_t)); !done) return done;
  if (auto done = to.put(rule_.initial.data(), rule_.states * sizeof(float)); !done) return done;
  if (auto done = put_rows(detail::offset_of_weights, columns * size_of(options_.storage)); !done) return done;
  return to.flush();
}

FLOWGRAPH_SELDOM result<void> keyed_rows::write(row_sink sink, row_part part) const {
  if (part.count == 0 || part.index >= part.count)
    return detail::invalid_argument(
        {"expected a part from 0 to the count of parts, found part ", part.index, " of ", part.count});
  const lock_all lock(layout_);
  return write_part(sink, part);
}

FLOWGRAPH_SELDOM result<void> keyed_rows::save(std::span<const std::string> paths) const {
  std::vector<atomic_file> files;
  for (const std::string& path : paths) {
    auto to = atomic_file::create(path);
    if (!to) return to.error();
    files.push_back(*std::move(to));
  }
  {
    const lock_all lock(layout_);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto put = [&](std::span<const std::byte> bytes) { return files[i].write(bytes); };
      if (auto done = write_part(put, {i, files.size()}); !done) return done;
    }
  }
  for (atomic_file& to : files)
    if (auto done = to.commit(); !done) return done;
  return {};
}
FLOWGRAPH_SELDOM result<void> keyed_rows::save(const std::string& path) const { return save({&path, 1}); }

// ---- restoring

// A file whose contents fit the table.
struct keyed_rows::file {
  safetensors from;
  std::size_t rows = 0, states = 0;
  std::uint32_t step = 0;
  std::string rule = {};
  const std::byte *keys = nullptr, *ages = nullptr, *weights = nullptr, *initial = nullptr;
  std::array<const std::byte*, row_rule::most_states> state = {};
  std::vector<any_tensor> held = {};

  std::int64_t key(std::size_t i) const {
    std::int64_t k;
    std::memcpy(&k, keys + i * sizeof k, sizeof k);
    return k;
  }
  error wrong(const message& why) const {
    return error(error_code::data_loss, message{"'", path, "': ", std::string_view(why.string())});
  }
  // The bytes of a tensor that must have this type and shape.
  error take(std::string_view name, dtype type, const flowgraph::shape& shape, const std::byte*& to) {
    const safetensors::entry* const e = from.find(name);
    if (!e) return wrong({"has no tensor '", name, "'"});
    if (e->type != type || !(e->shape == shape))
      return wrong({"expected tensor '", name, "' with ", name_of(type), shape, ", found ", e->stored_type, e->shape});
    auto read = from.read(name);
    if (!read) return read.error();
    held.push_back(*std::move(read));
    to = static_cast<const std::byte*>(held.back().data());
    return {};
  }
  error open(const keyed_rows_options& o) {
    const safetensors::entry* const e = from.find("keys");
    if (!e || e->shape.rank != 1) return wrong({"expected a vector of keys"});
    const auto n = e->shape[0];
    rows = static_cast<std::size_t>(n);
    if (error why = take("keys", dtype::int64, {n}, keys)) return why;
    if (error why = take("ages", dtype::uint32, {n}, ages)) return why;
    if (error why = take("rows", o.storage, {n, o.columns}, weights)) return why;
    while (states < row_rule::most_states && from.find(detail::state_tensor(states))) {
      if (error why = take(detail::state_tensor(states), dtype::float32, {n, o.columns}, state[states])) return why;
      ++states;
    }
    if (error why = take("state.initial", dtype::float32, {static_cast<std::int64_t>(states)}, initial)) return why;
    return check_texts();
  }
  error check_texts() {
    const auto found = from.metadata().find("step"), named = from.metadata().find("rule");
    if (found == from.metadata().end() || named == from.metadata().end()) return wrong({"expected the texts 'step' and 'rule'"});
    const std::string& text = found->second;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), step);
    if (bad != std::errc() || end != text.data() + text.size()) return wrong({"expected a number of steps, found '", text, "'"});
    rule = named->second;
    if (rule.empty() != (states == 0))
      return wrong({"expected state and the name of its rule, found ", states, " states of '", rule, "'"});
    for (std::size_t i = 1; i < rows; ++i)
      if (key(i - 1) >= key(i)) return wrong({"expected ascending keys, found ", key(i - 1), " before ", key(i)});
    return {};
  }
  std::string path = {};
};

FLOWGRAPH_INLINE error keyed_rows::insert(const file& f) {
  using detail::row_shard;
  const std::size_t columns = static_cast<std::size_t>(options_.columns), weights = columns * size_of(options_.storage);
  for (std::size_t i = 0; i < f.rows; ++i) {
    const std::uint64_t hash = detail::hash_of_key(f.key(i));
    const std::uint32_t tag = row_shard::tag_of_hash(hash);
    row_shard& s = shards_[row_shard::of_hash(hash)];
    std::byte* row = nullptr;
    if (error why = find_or_make(s, f.key(i), tag, row)) return why;
    std::memcpy(&detail::header_of(row).age, f.ages + i * sizeof(std::uint32_t), sizeof(std::uint32_t));
    for (std::size_t k = 0; k < f.states; ++k)
      std::memcpy(states_of(row) + k * columns, f.state[k] + i * columns * sizeof(float), columns * sizeof(float));
    std::memcpy(row + detail::offset_of_weights, f.weights + i * weights, weights);
  }
  return {};
}

// The keys of each file ascend, so a merge of the files finds equal keys.
FLOWGRAPH_SELDOM error keyed_rows::check_keys(const std::vector<file>& files) {
  std::vector<std::size_t> at(files.size());
  const auto is_later = [&](std::size_t a, std::size_t b) { return files[a].key(at[a]) > files[b].key(at[b]); };
  std::vector<std::size_t> next;  // a heap of the files that have a next key
  for (std::size_t i = 0; i < files.size(); ++i)
    if (files[i].rows > 0) next.push_back(i);
  std::make_heap(next.begin(), next.end(), is_later);
  for (std::optional<std::int64_t> before; !next.empty();) {
    std::pop_heap(next.begin(), next.end(), is_later);
    const std::size_t i = next.back();
    const std::int64_t key = files[i].key(at[i]);
    if (before == key) return files[i].wrong({"key ", key, " is in another file too"});
    before = key;
    if (++at[i] < files[i].rows) std::push_heap(next.begin(), next.end(), is_later);
    else next.pop_back();
  }
  return {};
}

// Opens files that belong together and fit the table.
FLOWGRAPH_SELDOM error keyed_rows::open(std::span<const std::string> paths, std::vector<file>& files) const {
  std::int64_t rows = 0;
  for (const std::string& path : paths) {
    auto opened = safetensors::open(path);
    if (!opened) return opened.error();
    files.push_back({.from = *std::move(opened), .path = path});
    file& f = files.back();
    if (error why = f.open(options_)) return why;
    rows += static_cast<std::int64_t>(f.rows);
    const file& first = files.front();
    if (f.rule != first.rule || f.states != first.states || f.step != first.step ||
        !std::equal(f.initial, f.initial + f.states * sizeof(float), first.initial))
      return f.wrong({"expected the rule and the step of '", first.path, "', ", first.rule, " at ", first.step, ", found ",
                      f.rule, " at ", f.step});
  }
  if (files.empty()) return detail::invalid_argument("expected one file or more to restore, found none");
  const std::int64_t most = std::max(rows, options_.expected_rows);
  const double needed = estimated_bytes(options_, files.front().states, most);
  if (needed > static_cast<double>(options_.memory_limit))
    return error(error_code::resource_exhausted,
                 message{most, " rows with the state of the files need about ", static_cast<std::uint64_t>(needed),
                         " bytes; memory_limit is ", options_.memory_limit});
  return files.size() > 1 ? check_keys(files) : error();
}

FLOWGRAPH_SELDOM error keyed_rows::check(std::span<const std::string> paths) const {
  std::vector<file> files;
  return open(paths, files);
}

FLOWGRAPH_SELDOM result<void> keyed_rows::restore(std::span<const std::string> paths) {
  std::vector<file> files;
  if (error why = open(paths, files)) return why;
  const lock_all lock(layout_);
  clear_rows();
  row_rule rule{files.front().rule, files.front().states, {}};
  if (rule.states > 0) std::memcpy(rule.initial.data(), files.front().initial, rule.states * sizeof(float));
  error why;
  if (rule.states > 0) why = relocate(rule);
  step_.store(files.front().step, std::memory_order_relaxed);
  for (std::size_t i = 0; i < files.size() && !why; ++i) why = insert(files[i]);
  if (!why) return {};
  clear_rows();
  return why;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
