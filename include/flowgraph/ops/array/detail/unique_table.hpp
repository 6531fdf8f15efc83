#pragma once
// A set of elements, or of slices of a tensor, by their places: a table in scratch memory.

#include <flowgraph/ops/array/detail/element_hash.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The slices of a tensor along one axis: slice i consists of `outer` runs of `inner` elements.
template <class T> struct sliced {
  const T* data;
  std::int64_t outer, count, inner;

  const T* run(std::int64_t slice, std::int64_t o) const { return data + (o * count + slice) * inner; }
};

template <class T> std::size_t hash_slice(const sliced<T>& x, std::int64_t slice) {
  std::size_t h = 0;
  for (std::int64_t o = 0; o < x.outer; ++o)
    for (std::int64_t k = 0; k < x.inner; ++k)
      h = h * static_cast<std::size_t>(0x9e3779b97f4a7c15u) + hash_element(x.run(slice, o)[k]);
  return h ^ (h >> 29);
}
template <class T> bool same_slice(const sliced<T>& a, std::int64_t i, const sliced<T>& b, std::int64_t k) {
  for (std::int64_t o = 0; o < a.outer; ++o)
    for (std::int64_t n = 0; n < a.inner; ++n)
      if (!same_element(a.run(i, o)[n], b.run(k, o)[n])) return false;
  return true;
}

// The different slices so far, by their numbers. Needs memory for `places` numbers, a power of two, and for one per slice.
class slice_table {
public:
  slice_table(std::int64_t* memory, std::size_t places) : table_(memory), places_(places) { std::fill_n(table_, places, nobody); }
  static std::size_t memory(std::int64_t slices) {
    constexpr std::int64_t most = std::int64_t{1} << 56;  // is refused later, and does not overflow
    const auto n = static_cast<std::size_t>(std::min(slices, most));
    return (unique_places(n) + n) * sizeof(std::int64_t);
  }

  // Returns the number of the slice of x that equals slice `i` of `of`; -1 if there is none.
  template <class T> std::int64_t find(const sliced<T>& x, const sliced<T>& of, std::int64_t i) const {
    return table_[place(x, of, i)];
  }
  // Returns the number of the slice that equals slice i of x. If there is none, slice i gets the next number.
  template <class T> std::int64_t insert(const sliced<T>& x, std::int64_t i) {
    std::int64_t& number = table_[place(x, x, i)];
    if (number == nobody) {
      first()[found_] = i;
      number = found_++;
    }
    return number;
  }
  std::int64_t size() const { return found_; }
  // Returns the first place of slice `number`.
  std::int64_t first_of(std::int64_t number) const { return first()[number]; }

private:
  static constexpr std::int64_t nobody = -1;

  std::int64_t* first() const { return table_ + places_; }
  template <class T> std::size_t place(const sliced<T>& x, const sliced<T>& of, std::int64_t i) const {
    std::size_t at = hash_slice(of, i) & (places_ - 1);
    while (table_[at] != nobody && !same_slice(x, first()[table_[at]], of, i)) at = (at + 1) & (places_ - 1);
    return at;
  }

  std::int64_t* table_;
  std::size_t places_;
  std::int64_t found_ = 0;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
