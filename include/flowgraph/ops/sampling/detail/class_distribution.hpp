#pragma once
// The distributions of classes that candidate samplers draw from, number for number as TensorFlow draws them.

#include <flowgraph/core/resource.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/ops/random/detail/philox.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The numbers of a stream one by one, in the order of its blocks.
class number_stream {
public:
  explicit number_stream(const philox& source) : source_(source) {}

  std::uint32_t bits32() {
    if (used_ == block_.size()) {
      block_ = source_();
      used_ = 0;
    }
    return block_[used_++];
  }
  std::uint64_t bits64() {
    const std::uint32_t low = bits32(), high = bits32();
    return low | std::uint64_t{high} << 32;
  }
  float unit32() { return unit_float(bits32()); }
  double unit64() {
    const std::uint32_t high = bits32(), low = bits32();
    return unit_double(high, low);
  }
  // A number below n. Numbers that would make some results more likely than others are drawn again.
  std::uint32_t below(std::uint32_t n) {
    return below_of(n, [this] { return bits32(); });
  }
  std::uint64_t below64(std::uint64_t n) {
    return below_of(n, [this] { return bits64(); });
  }

private:
  template <class N, class Draw> static N below_of(N n, const Draw& draw) {
    if (n == 0) return draw(), N{0};
    if (std::has_single_bit(n)) return draw() & (n - 1);
    const N rest = std::numeric_limits<N>::max() % n + 1;
    N drawn;
    do drawn = draw();
    while (drawn < rest);
    return drawn % n;
  }

  philox source_;
  philox::block block_{};
  std::size_t used_ = 4;
};

struct uniform_classes {
  std::int64_t range;

  std::int64_t draw(number_stream& from) const {
    return static_cast<std::int64_t>(from.below64(static_cast<std::uint64_t>(range)));
  }
  float probability(std::int64_t) const { return static_cast<float>(1.0 / static_cast<double>(range)); }
};

struct log_uniform_classes {
  std::int64_t range;
  double log_range;

  explicit log_uniform_classes(std::int64_t n) : range(n), log_range(std::log1p(static_cast<double>(n))) {}
  std::int64_t draw(number_stream& from) const {
    // Rounding can make the exponential larger than range + 1.
    return (static_cast<std::int64_t>(std::min(std::exp(from.unit64() * log_range), 9e18)) - 1) % range;
  }
  float probability(std::int64_t k) const {
    const auto place = static_cast<double>(k);
    return static_cast<float>(std::log((place + 2) / (place + 1)) / log_range);
  }
};

// Counts of classes, each one at first. Their sums are kept as a binary indexed tree of additional counts, in pages that are made
// when a class in them is counted.
class counted_classes {
public:
  static constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

  explicit counted_classes(std::int64_t classes)
      : range(classes), counts_(static_cast<std::size_t>(classes / page + 1)),
        sums_(static_cast<std::size_t>(classes / page + 1)), total_(classes) {}
  const std::int64_t range;

  std::int64_t draw(number_stream& from) const { return class_at(from.below(static_cast<std::uint32_t>(total_))); }
  float probability(std::int64_t k) const { return static_cast<float>(1 + at(counts_, k)) / static_cast<float>(total_); }
  void count(std::span<const std::int64_t> classes) {
    for (const std::int64_t k : classes) {
      if (total_ == most) return;
      ++total_;
      ++count_at(counts_, k);
      for (std::int64_t i = k + 1; i <= range; i += i & -i) ++count_at(sums_, i);
    }
  }

private:
  static constexpr std::int64_t page = 4096;
  using pages = std::vector<std::unique_ptr<std::int32_t[]>>;

  static std::int32_t at(const pages& of, std::int64_t i) {
    const auto& held = of[static_cast<std::size_t>(i / page)];
    return held ? held[static_cast<std::size_t>(i % page)] : 0;
  }
  static std::int32_t& count_at(pages& of, std::int64_t i) {
    auto& held = of[static_cast<std::size_t>(i / page)];
    if (!held) held = std::make_unique<std::int32_t[]>(page);
    return held[static_cast<std::size_t>(i % page)];
  }
  // The class whose counts contain this place, if all counts follow each other.
  std::int64_t class_at(std::int64_t place) const {
    std::int64_t k = 0;
    for (auto step = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(range))); step > 0; step /= 2) {
      if (k + step > range) continue;
      const std::int64_t sum = step + at(sums_, k + step);
      if (sum > place) continue;
      place -= sum;
      k += step;
    }
    return std::min(k, range - 1);
  }

  pages counts_, sums_;  // sums_[i]: of the classes in [i - lowest bit of i, i)
  std::int64_t total_;
};

// Classes with given weights. A draw takes a column of Walker's alias table, and one of the two classes of this column.
class weighted_classes {
public:
  explicit weighted_classes(std::vector<float> weights)
      : range(static_cast<std::int64_t>(weights.size())), weights_(std::move(weights)), columns_(weights_.size()) {
    double sum = 0;
    for (const float w : weights_) {
      total_ += w;
      sum += static_cast<double>(w);
      is_negative_ = is_negative_ || w < 0;
    }
    std::vector<std::size_t> high, low;
    std::vector<double> shares;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      shares.push_back(static_cast<double>(weights_[i] * static_cast<float>(weights_.size())) / sum);
      (shares[i] < 1 ? low : high).push_back(i);
      columns_[i].other = i;
    }
    while (!high.empty() && !low.empty()) {
      const std::size_t l = low.back(), h = high.back();
      low.pop_back();
      high.pop_back();
      columns_[l].other = h;
      shares[h] -= 1 - shares[l];
      (shares[h] < 1 ? low : high).push_back(h);
    }
    std::vector<bool> is_possible(weights_.size());
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      columns_[i].share = static_cast<float>(shares[i]);
      if (columns_[i].share > 0) is_possible[i] = true;
      if (columns_[i].share < 1) is_possible[columns_[i].other] = true;
    }
    possible_ = std::count(is_possible.begin(), is_possible.end(), true);
  }
  const std::int64_t range;

  bool is_finite() const { return !is_negative_ && total_ > 0 && total_ <= std::numeric_limits<float>::max(); }
  // The number of classes that can be drawn.
  std::int64_t possible() const { return possible_; }
  std::int64_t draw(number_stream& from) const {
    const float r = from.unit32();
    const std::size_t i = from.below(static_cast<std::uint32_t>(columns_.size()));
    return static_cast<std::int64_t>(r < columns_[i].share ? i : columns_[i].other);
  }
  float probability(std::int64_t k) const { return weights_[static_cast<std::size_t>(k)] / total_; }

private:
  struct column {
    float share = 0;
    std::size_t other = 0;
  };
  std::vector<float> weights_;
  std::vector<column> columns_;
  float total_ = 0;
  std::int64_t possible_ = 0;
  bool is_negative_ = false;
};

// A set of classes, in memory that it is given: `size` places, a power of two, of which at most half are used.
class class_set {
public:
  class_set(std::int64_t* places, std::size_t size) : places_(places), mask_(size - 1) { std::fill_n(places, size, none); }
  // Returns whether the class was not in the set before.
  bool insert(std::int64_t k) {
    std::size_t i = static_cast<std::size_t>(static_cast<std::uint64_t>(k) * 0x9E3779B97F4A7C15u >> 20) & mask_;
    for (; places_[i] != none; i = (i + 1) & mask_)
      if (places_[i] == k) return false;
    places_[i] = k;
    return true;
  }

private:
  static constexpr std::int64_t none = -1;
  std::int64_t* places_;
  std::size_t mask_;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
