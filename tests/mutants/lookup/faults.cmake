# Faults in tables of rows by key: name, header, the statement as it stands and the faulty one. See ../faults.cmake.

fault(row_updated_twice_for_a_key_named_twice ops/lookup/impl/keyed_rows_update.hpp
  "sum_of_rows(all, numbers.data(), static_cast<std::int64_t>(numbers.size()), width, to);"
  "sum_of_rows(all, numbers.data(), static_cast<std::int64_t>(numbers.size()), width, to);
    for (std::int64_t c = 0; c < width; ++c) to[c] *= 2;")
fault(gradients_of_a_row_in_another_order ops/lookup/impl/keyed_rows_places.hpp
  "groups[first + end[number[first + j]]++] = order[first + j];"
  "groups[first + end[number[first + n - 1 - j]]++] = order[first + n - 1 - j];")
fault(places_of_rows_that_moved_kept ops/lookup/impl/keyed_rows_places.hpp
  "k.is_valid = false;"
  "")
fault(key_of_a_tag_not_compared ops/lookup/detail/row_shard.hpp
  "if (header_of(r).key == key) return r;"
  "return r;")
fault(age_of_an_update_lost ops/lookup/impl/keyed_rows_update.hpp
  "detail::set_age(detail::header_of(rows[u]), now);
    change(rows[u], gradient.sum(row, {groups + begin, end - begin}, sum), rule, step);"
  "change(rows[u], gradient.sum(row, {groups + begin, end - begin}, sum), rule, step);")
fault(state_lost_at_eviction ops/lookup/impl/keyed_rows_layout.hpp
  "std::memcpy(row, &s.first_free, sizeof s.first_free);"
  "std::memset(s.row(number ^ 1, row_bytes_) + state_offset(), 0, sizeof(float));
      std::memcpy(row, &s.first_free, sizeof s.first_free);")
fault(row_shared_by_two_keys ops/lookup/impl/keyed_rows_layout.hpp
  "std::memcpy(&s.first_free, s.row(number, row_bytes_), sizeof s.first_free);"
  "")
fault(state_of_an_evicted_row_kept ops/lookup/impl/keyed_rows_layout.hpp
  "std::uninitialized_fill_n(state, columns, rule_.initial[i]);"
  "")
fault(search_ends_at_an_erased_entry ops/lookup/detail/row_shard.hpp
  "entries[i] = entries[next];"
  "")
fault(age_of_a_visit_lost ops/lookup/impl/keyed_rows_places.hpp
  "if (found) name_again(*found);"
  "")
fault(slabs_of_the_same_memory ops/lookup/impl/keyed_rows_layout.hpp
  "from.used += bytes;"
  "")
