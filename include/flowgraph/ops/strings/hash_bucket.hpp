#pragma once
// Hashing of strings to bucket numbers, for features whose vocabulary is unknown.
//
//     auto bucket = fg::string_to_hash_bucket(words, 1000);

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

void check_buckets(shape_context& c, std::int64_t num_buckets);

// The hash functions: FarmHash's Fingerprint64, SipHash-2-4 with a key of two words, and MurmurHash64A with TensorFlow's seed.
std::uint64_t farm_fingerprint(std::string_view bytes);
std::uint64_t sip_hash(std::string_view bytes, std::uint64_t key0, std::uint64_t key1);
std::uint64_t murmur_hash(std::string_view bytes);

}  // namespace detail

// Hashes strings to bucket numbers, with a hash function that never changes.
struct string_to_hash_bucket_fast_op {
  static constexpr std::string_view name = "StringToHashBucketFast";
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t num_buckets = 0;
  static constexpr auto attrs = flowgraph::attrs(required("num_buckets", &string_to_hash_bucket_fast_op::num_buckets));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input) const;
  void operator()(cpu ctx, view<const std::string> input, view<std::int64_t> bucket) const;
};

// Hashes strings to bucket numbers, with a keyed hash function. Without the key, an attacker cannot choose strings that collide.
struct string_to_hash_bucket_strong_op {
  static constexpr std::string_view name = "StringToHashBucketStrong";
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t num_buckets = 0;
  std::vector<std::int64_t> key = {};
  static constexpr auto attrs = flowgraph::attrs(required("num_buckets", &string_to_hash_bucket_strong_op::num_buckets),
                                                 required("key", &string_to_hash_bucket_strong_op::key));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input) const;
  void operator()(cpu ctx, view<const std::string> input, view<std::int64_t> bucket) const;
};

// Hashes strings to bucket numbers, with the hash function of old graphs.
struct string_to_hash_bucket_op {
  static constexpr std::string_view name = "StringToHashBucket";
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t num_buckets = 0;
  static constexpr auto attrs = flowgraph::attrs(required("num_buckets", &string_to_hash_bucket_op::num_buckets));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input) const;
  void operator()(cpu ctx, view<const std::string> input, view<std::int64_t> bucket) const;
};

using hash_bucket_ops = type_list<string_to_hash_bucket_fast_op, string_to_hash_bucket_strong_op, string_to_hash_bucket_op>;

// The numbers are in [0, buckets) and are the same in every program.
inline out<std::int64_t> string_to_hash_bucket(const out<std::string>& x, std::int64_t buckets, site s = {}) {
  string_to_hash_bucket_fast_op op;
  op.num_buckets = buckets;
  return apply(op, x, s);
}
// The key consists of two numbers. The bucket numbers are in [0, buckets).
inline out<std::int64_t> string_to_hash_bucket_strong(const out<std::string>& x, std::int64_t buckets,
                                                      const std::vector<std::int64_t>& key, site s = {}) {
  string_to_hash_bucket_strong_op op;
  op.num_buckets = buckets;
  op.key = key;
  return apply(op, x, s);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/strings/detail/hash_bucket.hpp>
#endif
