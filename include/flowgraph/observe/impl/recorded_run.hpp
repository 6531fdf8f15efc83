#pragma once

#include <flowgraph/observe/recorded_run.hpp>

#include <bit>
#include <charconv>
#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Hashes words of 64 bits, in their order.
class word_hash {
public:
  void add(std::uint64_t word) {
    state_ ^= word * 0x9e3779b97f4a7c15u;
    state_ = std::rotl(state_, 29) * 0xbf58476d1ce4e5b9u;
  }
  void add(const void* bytes, std::size_t size) {
    const char* at = static_cast<const char*>(bytes);
    add(size);
    for (; size > 0; size -= std::min<std::size_t>(size, 8), at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, std::min<std::size_t>(size, 8));
      add(word);
    }
  }
  std::uint64_t value() const {
    std::uint64_t result = state_;
    result = (result ^ (result >> 30)) * 0x94d049bb133111ebu;
    return result ^ (result >> 31);
  }

private:
  std::uint64_t state_ = 0x51ed270b27b4f3cfu;
};

// Reads the lines that recorded_run::to_text writes.
class recorded_reader {
public:
  explicit recorded_reader(std::string_view text) : left_(text) {}
  bool is_at_end() const { return left_.empty(); }
  bool take(std::string_view expected) {
    if (!left_.starts_with(expected)) return false;
    left_.remove_prefix(expected.size());
    return true;
  }
  template <class T> bool read(T& n, int base = 10) {
    const auto [end, fault] = std::from_chars(left_.data(), left_.data() + left_.size(), n, base);
    if (fault != std::errc()) return false;
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return true;
  }
  bool read(std::string& text) {
    std::size_t size = 0;
    if (!read(size) || !take(":") || size > left_.size()) return false;
    text = left_.substr(0, size);
    left_.remove_prefix(size);
    return true;
  }
  bool read(recorded_tensor& t) {
    int type = 0, rank = 0;
    if (!read(t.hash, 16) || !take(" ") || !read(type) || !take(" ") || !read(rank) || rank < 0 ||
        rank > flowgraph::shape::max_rank)
      return false;
    t.type = static_cast<dtype>(type);
    if (type < 0 || type > 255 || size_of(t.type) == 0) return false;
    for (int i = 0; i < rank; ++i) {
      std::int64_t extent = 0;
      if (!take(" ") || !read(extent) || extent < 0) return false;
      t.shape.push_back(extent);
    }
    return take(" ") && read(t.name) && take(" ") && read(t.op) && take(" ") && read(t.iteration) && take("\n");
  }

private:
  std::string_view left_;
};

}  // namespace detail

FLOWGRAPH_INLINE std::uint64_t hash_of(const any_tensor& t) {
  detail::word_hash hash;
  hash.add(static_cast<std::uint64_t>(t.type()));
  hash.add(static_cast<std::uint64_t>(t.shape().rank));
  for (int i = 0; i < t.shape().rank; ++i) hash.add(static_cast<std::uint64_t>(t.shape()[i]));
  if (t.type() == dtype::string) {
    for (const std::string& text : t.as<std::string>()) hash.add(text.data(), text.size());
  } else if (is_plain(t.type())) {
    hash.add(t.data(), t.bytes());
  }
  return hash.value();
}

FLOWGRAPH_INLINE const recorded_tensor* recorded_run::find(std::string_view name, std::string_view iteration) const {
  const auto found = places_.find(std::pair(std::string(name), std::string(iteration)));
  return found == places_.end() ? nullptr : &tensors_[found->second];
}

FLOWGRAPH_INLINE void recorded_run::add(recorded_tensor t) {
  const auto [place, is_new] = places_.emplace(std::pair(t.name, t.iteration), tensors_.size());
  if (is_new) tensors_.push_back(std::move(t));
  else tensors_[place->second] = std::move(t);
}

FLOWGRAPH_INLINE std::string recorded_run::to_text() const {
  std::string text = "flowgraph hashes 1\n";
  for (const recorded_tensor& t : tensors_) {
    char hash[17] = {};
    std::to_chars(hash, hash + 16, t.hash, 16);
    text += message{hash, ' ', static_cast<int>(t.type), ' ', t.shape.rank}.string();
    for (int i = 0; i < t.shape.rank; ++i) text += message{' ', t.shape[i]}.string();
    for (const std::string* part : {&t.name, &t.op, &t.iteration}) text += message{' ', part->size(), ':', *part}.string();
    text += '\n';
  }
  return text;
}

FLOWGRAPH_INLINE result<recorded_run> recorded_run::from_text(std::string_view text) {
  recorded_run result;
  detail::recorded_reader in(text);
  bool is_good = in.take("flowgraph hashes 1\n");
  std::size_t line = 1;
  while (is_good && !in.is_at_end()) {
    recorded_tensor t;
    ++line;
    is_good = in.read(t);
    if (is_good) result.add(std::move(t));
  }
  if (!is_good) return detail::invalid_argument({"line ", line, " is not a line that recorded_run::to_text() writes"});
  return result;
}

FLOWGRAPH_INLINE result<recorded_run> record_run(session& s, const run_request& request, const record_options& options) {
  recorded_run result;
  watched_run watch([&](const watched_call& call) {
    const node* const of_graph = s.graph().at(call.at->id);  // a node that the runtime has added has another name
    for (std::size_t k = 0; k < call.outputs.size(); ++k) {
      const any_tensor& value = call.outputs[k];
      if (!value.has_value()) continue;
      const auto port = static_cast<std::uint32_t>(k) + call.first_port;
      result.add({name_of(*call.at, port), call.kind == watched_call::form::feed ? "feed" : to_string(*call.at->op),
                  call.iteration, value.type(), value.shape(), hash_of(value), options.keep_values ? value : any_tensor(),
                  of_graph && of_graph->name == call.at->name ? of_graph : nullptr});
    }
  });
  run_options run = options.run;
  run.measure = &watch;
  auto done = s.try_run(request, run);
  if (!done) return done.error();
  result.fetched = *std::move(done);
  return result;
}

}  // namespace flowgraph
