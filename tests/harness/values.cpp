// The elements of the tensors of trials.

#include "trial.hpp"

#include <cmath>
#include <cstring>

namespace harness {

namespace {

// Numbers in (0, 1). A few numbers are the middles of equal parts, in mixed order: all differ, and successive numbers are far
// apart.
class number_source {
public:
  explicit number_source(std::size_t total) : total_(total) {
    if (total_ <= 512)
      while (total_ > 1 && gcd(step_, total_) != 1) ++step_;
  }
  double next() {
    const std::size_t k = count_++;
    if (total_ <= 512) return (static_cast<double>((k * step_ + total_ / 2) % total_) + 0.5) / static_cast<double>(total_);
    std::uint64_t z = k + 0x9e3779b97f4a7c15u * (k + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
  }
  std::size_t count() const { return count_; }

private:
  static std::size_t gcd(std::size_t a, std::size_t b) { return b == 0 ? a : gcd(b, a % b); }
  std::size_t total_, step_ = 7, count_ = 0;
};

double real_in(const domain& d, double u) {
  const double v = d.low + (d.high - d.low) * u;
  constexpr double margin = 0.1;
  if (!(std::abs(v - d.hole) < margin)) return v;
  return v < d.hole ? d.hole - margin * (2 - u) : d.hole + margin * (1 + u);
}

double whole_in(const domain& d, double u) {
  const double low = std::ceil(d.low), high = std::floor(d.high);
  if (high < low) return low;
  const double v = low + std::floor(u * (high - low + 1));
  return v == d.hole ? v + 1 : v;
}

// Rounds a number that the type does not have to the nearest that it has.
template <class T> T whole_as(double v) {
  using limits = std::numeric_limits<T>;
  if (std::isnan(v)) return 0;
  if (v <= static_cast<double>(limits::min())) return limits::min();
  if (v >= static_cast<double>(limits::max())) return limits::max();
  return static_cast<T>(v);
}

template <class T> T given_as(double v) {
  if constexpr (std::is_same_v<T, std::string>) return std::to_string(v);
  else if constexpr (fg::is_counted(fg::dtype_of<T>)) return T();
  else if constexpr (std::is_same_v<T, bool>) return v != 0;
  else if constexpr (std::is_integral_v<T>) return whole_as<T>(v);
  else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(v);
  else if constexpr (fg::in_list<T, fg::complex_numbers>) return T(static_cast<typename T::value_type>(v));
  else return T(static_cast<float>(v));
}

template <class T> T random_as(const domain& d, number_source& from) {
  const double u = from.next();
  const double other = std::fmod(u + 0.37, 1.0);
  if constexpr (std::is_same_v<T, std::string>)
    return "s" + std::to_string(from.count() % 5) + (from.count() % 3 ? "" : std::string(40, 'x'));
  else if constexpr (std::is_same_v<T, bool>) return other > 0.5;
  else if constexpr (std::is_unsigned_v<T>) return static_cast<T>(std::abs(whole_in(d, u)));
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(whole_in(d, u));
  else if constexpr (fg::in_list<T, fg::complex_numbers>)
    return T(static_cast<typename T::value_type>(real_in(d, u)), static_cast<typename T::value_type>(real_in(d, other)));
  else return given_as<T>(real_in(d, u));
}

fg::any_tensor make(fg::dtype type, const input& in, const domain& d, number_source& from) {
  return fg::visit_type(
      type,
      [&]<class T>() {
        fg::any_tensor t = fg::any_tensor::allocate(type, in.shape).value();
        std::size_t i = 0;
        for (T& e : t.as_writable<T>()) {
          e = in.is_given ? given_as<T>(in.elements.empty() ? 0 : in.elements[i % in.elements.size()]) : random_as<T>(d, from);
          ++i;
        }
        return t;
      },
      [] { return fg::any_tensor(); });
}

std::size_t random_elements(const call& c) {
  std::size_t n = 0;
  for (const input& in : c.inputs) n += in.is_given ? 0 : static_cast<std::size_t>(in.shape.size());
  return n;
}

}  // namespace

tensors values_of(const trial& t) {
  number_source from(random_elements(*t.how));
  tensors all;
  for (std::size_t i = 0; i < t.input_count(); ++i) all.push_back(make(t.type(i), t.how->inputs[i], t.from->domain_of(i), from));
  return all;
}

fg::any_tensor direction(fg::dtype type, const fg::shape& shape) {
  number_source from(static_cast<std::size_t>(shape.size()));
  return make(type, random(shape), between(-1, 1), from);
}

std::string set_all(op_value& op, const trial& t) {
  for (const auto& [name, value] : t.how->attributes) {
    bool accepted = false;
    if (const auto* plain = std::get_if<fg::attribute_value>(&value)) {
      accepted = op.set(name, *plain);
    } else {
      const input& in = std::get<input>(value);
      number_source from(static_cast<std::size_t>(in.shape.size()));
      accepted = op.set(name, make(t.table->types()[0].type, in, t.from->domain_of(0), from));
    }
    if (!accepted) return std::string(name);
  }
  return {};
}

bool same_bits(const fg::any_tensor& a, const fg::any_tensor& b) {
  if (a.type() != b.type() || a.shape() != b.shape()) return false;
  if (a.size() == 0) return true;
  if (fg::is_plain(a.type())) return std::memcmp(a.data(), b.data(), a.bytes()) == 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.type() == fg::dtype::string && a.as<std::string>()[i] != b.as<std::string>()[i]) return false;
    if (fg::is_counted(a.type()) && a.as<fg::resource>()[i].base != b.as<fg::resource>()[i].base) return false;
  }
  return true;
}

}  // namespace harness
