#pragma once
// Variables that are swapped as one: every run and every prepared step sees all of them as one swap left them.
//
//     fg::variable_set weights = s.make_set("weights", w1, b1, w2);   // once they have values; before steps are prepared
//     weights.swap(new_w1, new_b1, new_w2);                           // from any thread, while steps run on others
//     weights.swap([&](fg::staged_set& next) {                        // without new memory: into what an old version had
//       read_file(next.write<float>(0));                              // members that are not written stay what they are
//     });
//
// A step takes the set by one atomic addition at its start and leaves it by another at its end: it never waits, locks, allocates
// or frees. Old versions go when the last run that reads them has ended, on a thread that swaps. Nothing else may write to a member:
// an Assign is refused and names the variable and the set. A handle on the set, which lives as long as its variables do.

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/resource.hpp>
#include <flowgraph/core/tensor.hpp>

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

class variable_set_state;
namespace detail {
struct staging;
}

// The version to come. The first error is what the swap ends with; nothing is swapped then.
class staged_set {
public:
  // All elements of member `k`, to be written: they begin as they happen to be. Empty after an error.
  template <class T> std::span<T> write(std::size_t k) {
    any_tensor* t = find(k, dtype_of<T>);
    return t ? std::span<T>(static_cast<T*>(t->data()), t->size()) : std::span<T>();
  }
  // Its new value: shared when the tensor owns its elements, copied when they are borrowed.
  void put(std::size_t k, const any_tensor& value);
  template <class T> void put(std::size_t k, const tensor<T>& value) { put(k, value.erased()); }

private:
  friend class variable_set;
  explicit staged_set(detail::staging& s) : staging_(&s) {}
  any_tensor* find(std::size_t k, dtype type);

  detail::staging* staging_;
};

// Variables that change together: a handle on a set that `session::make_set` made.
class variable_set {
public:
  variable_set() noexcept = default;
  explicit variable_set(resource counted) noexcept : counted_(std::move(counted)) {}

  // A new value for each member, in the order of make_set.
  template <class... T> void swap(const tensor<T>&... values) {
    const std::array<any_tensor, sizeof...(T)> all{values.erased()...};
    if (error why = replace(all)) detail::raise(why);
  }
  void swap(std::span<const any_tensor> values) {
    if (error why = replace(values)) detail::raise(why);
  }
  void swap(function_ref<void(staged_set&)> fill) {
    if (error why = replace(fill)) detail::raise(why);
  }
  result<void> try_swap(std::span<const any_tensor> values) { return outcome(replace(values)); }
  result<void> try_swap(function_ref<void(staged_set&)> fill) { return outcome(replace(fill)); }

  // All values of one version. An empty handle has none, and no name.
  std::vector<any_tensor> values() const;
  // How many variables are in it.
  std::size_t size() const noexcept;
  // The name that it was made with; errors say it.
  std::string_view name() const noexcept;

  // How many versions hold memory: the current one, those that are read, and one that waits for the next swap.
  std::size_t versions() const;
  // Gives back the memory of versions that nobody reads.
  void collect();

private:
  static result<void> outcome(error why) { return why ? result<void>(why) : result<void>(); }
  error replace(std::span<const any_tensor> values);
  error replace(function_ref<void(staged_set&)> fill);
  variable_set_state* find() const noexcept;
  static error empty();

  resource counted_;
};

}
}  // namespace flowgraph
