# Faults in the decompositions of matrices: name, header, the statement as it stands and the faulty one. See ../faults.cmake.

fault(first_row_is_the_pivot ops/linear_algebra/detail/triangles.hpp
  "if (size > largest) largest = size, best = i;"
  "if (size > largest) largest = size;")
fault(reflection_to_the_near_side ops/linear_algebra/detail/reflectors.hpp
  "if (std::real(first) >= 0) length = -length;"
  "if (std::real(first) < 0) length = -length;")
