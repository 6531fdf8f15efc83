#pragma once

#include <flowgraph/core/detail/real_from_chars.hpp>
#include <flowgraph/formats/file.hpp>
#include <flowgraph/ops/random/detail/draw.hpp>
#include <flowgraph/ops/sampling/candidate_sampler.hpp>
#include <flowgraph/ops/sampling/detail/class_distribution.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// ---- shapes

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::array<shape, 3> candidates_shape(shape_context& c, const sampler_attributes& a,
                                                                             std::int64_t range, const shape& true_classes) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (a.num_true < 1 || a.num_true > most) c.fail(message{"num_true must be in [1, 2^31), found ", a.num_true});
  else if (a.num_sampled < 1 || a.num_sampled > most) c.fail(message{"num_sampled must be in [1, 2^31), found ", a.num_sampled});
  else if (range < 1) c.fail(message{"range_max must be positive, found ", range});
  else if (!fits(true_classes, {any, a.num_true}))
    c.fail(message{"true_classes must be a matrix with ", a.num_true, " columns, as num_true says"});
  else if (a.unique && a.num_sampled > range)
    c.fail(message{"expected at least as many classes as samples, found ", range, " and ", a.num_sampled});
  if (c.failed()) return {};
  return {shape{a.num_sampled}, merged(true_classes, {any, a.num_true}), shape{a.num_sampled}};
}

// Twice as many places as classes are sampled.
inline std::uint64_t class_set_size(const sampler_attributes& a) {
  return std::bit_ceil(static_cast<std::uint64_t>(a.num_sampled)) * 2;
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t candidates_scratch(const sampler_attributes& a) {
  if (!a.unique || a.num_sampled < 1) return 0;
  const std::uint64_t bytes = class_set_size(a) * sizeof(std::int64_t);
  return static_cast<std::size_t>(std::min<std::uint64_t>(bytes, std::numeric_limits<std::size_t>::max()));
}

// ---- sampling

struct sampler_call {
  view<const std::int64_t> true_classes;
  view<std::int64_t> sampled;
  view<float> true_expected, sampled_expected;
};

FLOWGRAPH_KERNEL_INLINE bool are_classes(cpu ctx, view<const std::int64_t> classes, std::int64_t range) {
  for (const std::int64_t k : classes) {
    if (k >= 0 && k < range) continue;
    return fail_check(ctx, message{"a true class must be in [0, ", range, "), found ", k});
  }
  return true;
}

// The expected number of times that a sample contains a class of this probability. If no class is sampled twice, it is the
// probability that one of as many draws as the sample took is this class.
inline float expected_count(float probability, std::int64_t sampled, std::int64_t draws) {
  if (draws == sampled) return probability * static_cast<float>(sampled);
  return -std::expm1(static_cast<float>(draws) * std::log1p(-probability));
}

template <class Classes> void sample_classes(cpu ctx, const sampler_attributes& a, const Classes& from, const sampler_call& c) {
  // As TensorFlow sets numbers aside: 2048 of 32 bits per class.
  number_stream numbers(source_with(ctx, a, static_cast<std::uint64_t>(a.num_sampled) * 512));
  const std::int64_t most_draws = (std::int64_t{1} << 22) + 1024 * a.num_sampled;
  std::int64_t draws = 0;
  if (a.unique) {
    class_set used(ctx.scratch<std::int64_t>(), static_cast<std::size_t>(class_set_size(a)));
    for (std::size_t found = 0; found < c.sampled.size();) {
      if (++draws > most_draws)
        return ctx.fail(
            message{"found only ", found, " different classes in ", most_draws, " draws, expected ", c.sampled.size()});
      if (const std::int64_t k = from.draw(numbers); used.insert(k)) c.sampled[found++] = k;
    }
  } else {
    draws = a.num_sampled;
    for (std::int64_t& k : c.sampled) k = from.draw(numbers);
  }
  for (std::size_t i = 0; i < c.sampled.size(); ++i)
    c.sampled_expected[i] = expected_count(from.probability(c.sampled[i]), a.num_sampled, draws);
  for (std::size_t i = 0; i < c.true_classes.size(); ++i)
    c.true_expected[i] = expected_count(from.probability(c.true_classes[i]), a.num_sampled, draws);
}

// ---- state of nodes

// The counts of a LearnedUnigramCandidateSampler.
struct learned_classes final : resource_base {
  explicit learned_classes(std::int64_t range) : resource_base(kind_of<learned_classes>()), classes(range) {}

  threading::mutex mutex;
  counted_classes classes;
};

// The weights of a FixedUnigramCandidateSampler, and the attributes that they come from.
struct given_classes final : resource_base {
  given_classes(const unigram_attributes& a, std::vector<float> weights)
      : resource_base(kind_of<given_classes>()), made_of(a), classes(std::move(weights)) {}

  bool is_made_of(const unigram_attributes& a) const {
    return a.vocab_file == made_of.vocab_file && a.unigrams == made_of.unigrams && a.distortion == made_of.distortion &&
           a.num_reserved_ids == made_of.num_reserved_ids && a.num_shards == made_of.num_shards && a.shard == made_of.shard;
  }
  unigram_attributes made_of;
  weighted_classes classes;
};

// Each takes memory.
inline constexpr std::int64_t most_reserved_ids = 1 << 20;

// Adds the classes of a shard one by one.
class shard_weights {
public:
  explicit shard_weights(const unigram_attributes& a) : a_(a) {
    for (std::int64_t i = 0; i < a.num_reserved_ids; ++i)
      if (i % a.num_shards == a.shard) weights_.push_back(0);
    next_ = static_cast<std::int64_t>(weights_.size());  // as TensorFlow counts the others
  }
  bool takes_next() { return next_++ % a_.num_shards == a_.shard; }
  void add(float weight) { weights_.push_back(std::pow(weight, a_.distortion)); }
  std::vector<float> take() { return std::move(weights_); }

private:
  const unigram_attributes& a_;
  std::vector<float> weights_;
  std::int64_t next_ = 0;
};

// The number in the last column of a line.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE bool read_weight(std::string_view line, float& weight) {
  std::string_view text = line.substr(line.rfind(',') + 1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '+')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  const auto [end, fault] = real_from_chars(text.data(), text.data() + text.size(), weight);
  return fault == std::errc() && end == text.data() + text.size();
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE error read_weights(const std::string& path, shard_weights& into) {
#ifdef FLOWGRAPH_NO_FILES
  return error(error_code::unimplemented, message{"'", path, "' cannot be read: this build has no files"});
#else
  const auto text = read_file(path);
  if (!text) return text.error();
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!into.takes_next()) continue;
    float weight = 0;
    if (!read_weight(line, weight))
      return invalid_argument({"'", path, "' has a line that does not end in a number: '", line, "'"});
    into.add(weight);
  }
  return {};
#endif
}

// The weights of a node: those of its last run, or new ones.
FLOWGRAPH_KERNEL_INLINE resource weights_of(cpu ctx, const unigram_attributes& a) {
  const std::string name(ctx.at() ? ctx.at()->name : std::string_view());
  constexpr std::string_view section = "fixed_unigram_candidate_sampler";
  error why;
  const auto make = [&]() -> given_classes* {
    shard_weights weights(a);
    if (!a.vocab_file.empty()) why = read_weights(a.vocab_file, weights);
    for (const float w : a.unigrams)
      if (weights.takes_next()) weights.add(w);
    return new given_classes(a, why ? std::vector<float>() : weights.take());
  };
  auto found = ctx.resources().find_or_make(section, name, kind_of<given_classes>(), make);
  if (!found) why = found.error();
  // Another node of this name, of another graph, or a file that could not be read.
  else if (!why && (!found->as<given_classes>()->is_made_of(a) || found->as<given_classes>()->classes.range == 0))
    found = resource(make());
  if (!why) return *std::move(found);
  ctx.fail(why);
  return {};
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::array<shape, 3> fixed_unigram_candidate_sampler_op::shape(
    shape_context& c, const flowgraph::shape& true_classes) const {
  if (vocab_file.empty() == unigrams.empty()) c.fail("expected either vocab_file or unigrams");
  else if (num_shards < 1 || shard < 0) c.fail(message{"expected a shard, found shard ", shard, " of ", num_shards});
  else if (num_reserved_ids < 0 || num_reserved_ids > detail::most_reserved_ids)
    c.fail(message{"num_reserved_ids must be in [0, ", detail::most_reserved_ids, "], found ", num_reserved_ids});
  if (c.failed()) return {};
  return detail::candidates_shape(c, *this, range_max, true_classes);
}

FLOWGRAPH_KERNEL_INLINE void uniform_candidate_sampler_op::operator()(cpu ctx, view<const std::int64_t> true_classes,
                                                                      view<std::int64_t> sampled, view<float> true_expected,
                                                                      view<float> sampled_expected) const {
  if (!detail::are_classes(ctx, true_classes, range_max)) return;
  detail::sample_classes(ctx, *this, detail::uniform_classes{range_max},
                         {true_classes, sampled, true_expected, sampled_expected});
}

FLOWGRAPH_KERNEL_INLINE void log_uniform_candidate_sampler_op::operator()(cpu ctx, view<const std::int64_t> true_classes,
                                                                          view<std::int64_t> sampled, view<float> true_expected,
                                                                          view<float> sampled_expected) const {
  if (!detail::are_classes(ctx, true_classes, range_max)) return;
  detail::sample_classes(ctx, *this, detail::log_uniform_classes(range_max),
                         {true_classes, sampled, true_expected, sampled_expected});
}

FLOWGRAPH_KERNEL_INLINE void learned_unigram_candidate_sampler_op::operator()(cpu ctx, view<const std::int64_t> true_classes,
                                                                              view<std::int64_t> sampled,
                                                                              view<float> true_expected,
                                                                              view<float> sampled_expected) const {
  if (range_max >= detail::counted_classes::most)
    return ctx.fail(message{"range_max must be less than 2^31 - 1, found ", range_max});
  if (!detail::are_classes(ctx, true_classes, range_max)) return;
  const std::string node(ctx.at() ? ctx.at()->name : std::string_view());
  const auto found = ctx.resources().find_or_make("learned_unigram_candidate_sampler", node, kind_of<detail::learned_classes>(),
                                                  [&] { return new detail::learned_classes(range_max); });
  if (!found) return ctx.fail(found.error());
  auto& state = *found->as<detail::learned_classes>();
  threading::lock_guard lock(state.mutex);
  if (state.classes.range != range_max)
    return ctx.fail(message{"expected ", state.classes.range, " classes, as in earlier runs, found ", range_max});
  detail::sample_classes(ctx, *this, state.classes, {true_classes, sampled, true_expected, sampled_expected});
  if (!ctx.failed()) state.classes.count({true_classes.data(), true_classes.size()});
}

FLOWGRAPH_KERNEL_INLINE void fixed_unigram_candidate_sampler_op::operator()(cpu ctx, view<const std::int64_t> true_classes,
                                                                            view<std::int64_t> sampled, view<float> true_expected,
                                                                            view<float> sampled_expected) const {
  const resource found = detail::weights_of(ctx, *this);
  if (ctx.failed()) return;
  const detail::weighted_classes& classes = found.as<detail::given_classes>()->classes;
  if (classes.range != range_max)
    return ctx.fail(message{"range_max must be the number of weights, ", classes.range, ", found ", range_max});
  if (!classes.is_finite())
    return ctx.fail("the weights must be finite and must not be negative, and their sum must be positive");
  if (unique && num_sampled > classes.possible())
    return ctx.fail(message{"expected at least ", num_sampled, " classes that can be drawn, found ", classes.possible()});
  if (!detail::are_classes(ctx, true_classes, range_max)) return;
  detail::sample_classes(ctx, *this, classes, {true_classes, sampled, true_expected, sampled_expected});
}

FLOWGRAPH_KERNEL_INLINE void all_candidate_sampler_op::operator()(cpu ctx, view<const std::int64_t> true_classes,
                                                                  view<std::int64_t> sampled, view<float> true_expected,
                                                                  view<float> sampled_expected) const {
  if (!detail::are_classes(ctx, true_classes, num_sampled)) return;
  for (std::size_t i = 0; i < sampled.size(); ++i) sampled[i] = static_cast<std::int64_t>(i);
  std::fill(true_expected.begin(), true_expected.end(), 1.f);
  std::fill(sampled_expected.begin(), sampled_expected.end(), 1.f);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
