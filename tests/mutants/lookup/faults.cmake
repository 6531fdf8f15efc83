# Faults in tables of rows by key: name, header, the statement as it stands and the faulty one. See ../faults.cmake.

fault(row_updated_twice_for_a_key_named_twice ops/lookup/impl/keyed_rows.hpp
  "b.s.next[b.s.last[first]] = k;
      b.s.last[first] = k;"
  "b.s.at[k] = b.s.at[first];")
fault(state_lost_at_eviction ops/lookup/impl/keyed_rows_layout.hpp
  "std::memcpy(s.row(row, row_bytes_), &s.first_free, sizeof s.first_free);"
  "std::memset(s.row(row ^ 1, row_bytes_), 0, sizeof(float));
      std::memcpy(s.row(row, row_bytes_), &s.first_free, sizeof s.first_free);")
fault(row_shared_by_two_keys ops/lookup/impl/keyed_rows_layout.hpp
  "std::memcpy(&s.first_free, s.row(row, row_bytes_), sizeof s.first_free);"
  "")
fault(state_of_an_evicted_row_kept ops/lookup/impl/keyed_rows_layout.hpp
  "std::uninitialized_fill_n(state, columns, rule_.initial[i]);"
  "")
fault(search_ends_at_an_erased_entry ops/lookup/detail/row_shard.hpp
  "entries[i] = entries[next];"
  "")
