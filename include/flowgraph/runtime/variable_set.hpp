#pragma once
// Sets of variables whose values are replaced together: each run and each prepared step sees, for all variables of a set, the
// values of the same swap.
//
//     fg::variable_set weights = s.make_set("weights", w1, b1, w2);   // when they have values, before steps are prepared
//     weights.swap(new_w1, new_b1, new_w2);                           // from any thread, while steps run on others
//     weights.swap([&](fg::staged_set& next) {                        // without new memory: reuses that of an old version
//       read_file(next.write<float>(0));                              // members that are not written keep their values
//     });
//
// A step acquires the set with one atomic addition at its start and releases it with another at its end: it never waits, locks,
// allocates or frees. An old version is freed by a thread that swaps, after the last run that reads it has ended. Nothing else
// may write to a member: an Assign is refused with an error that names the variable and the set. A `variable_set` is a handle;
// the set exists as long as its variables.

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/resource.hpp>
#include <flowgraph/core/tensor.hpp>

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

class variable_set_state;
namespace detail {
struct staging;
}

// The next version of a set, while its values are written. If an error occurs, nothing is swapped, and the swap fails with the
// first error.
class staged_set {
public:
  // Returns the elements of member `k` for writing, with unspecified contents. Returns an empty span after an error.
  template <class T> std::span<T> write(std::size_t k) {
    any_tensor* t = find(k, dtype_of<T>);
    return t ? std::span<T>(static_cast<T*>(t->data()), t->size()) : std::span<T>();
  }
  // Sets the value of member `k`. Elements that the tensor owns are shared; borrowed elements are copied.
  void put(std::size_t k, const any_tensor& value);
  template <class T> void put(std::size_t k, const tensor<T>& value) { put(k, value.erased()); }

private:
  friend class variable_set;
  explicit staged_set(detail::staging& s) : staging_(&s) {}
  any_tensor* find(std::size_t k, dtype type);

  detail::staging* staging_;
};

// A handle to a set of variables whose values are replaced together. `session::make_set` creates the set.
class variable_set {
public:
  variable_set() noexcept = default;
  explicit variable_set(resource counted) noexcept : counted_(std::move(counted)) {}

  // Replaces the values of all members, given in the order of make_set.
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

  // Returns the values of all members in one version of the set. For an empty handle, the list and the name are empty.
  std::vector<any_tensor> values() const;
  // Returns the number of variables.
  std::size_t size() const noexcept;
  // Returns the name of the set, which error messages contain.
  std::string_view name() const noexcept;

  // Returns the number of versions that occupy memory: the current version, versions that runs still read, and one that is kept
  // for the next swap.
  std::size_t versions() const;
  // Frees the memory of versions that no run reads.
  void collect();

private:
  static result<void> outcome(error why) { return why ? result<void>(why) : result<void>(); }
  error replace(std::span<const any_tensor> values);
  error replace(function_ref<void(staged_set&)> fill);
  variable_set_state* find() const noexcept;
  static error empty();

  resource counted_;
};

}  // namespace flowgraph
