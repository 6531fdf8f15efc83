# Checks the PTX of the kernels in hot_kernels.cu, and the registers that ptxas spills. Variables: NVCC, COMPILER, SOURCE, WORK,
# ARCHITECTURE.

set(ptx "${WORK}/hot_kernels.ptx")
execute_process(COMMAND "${NVCC}" -std=c++20 -O3 -ccbin "${COMPILER}" -arch=sm_${ARCHITECTURE} --expt-relaxed-constexpr --fmad=false
    -DFLOWGRAPH_COMPILED "-I${SOURCE}/include" "-I${SOURCE}/backends" -ptx "${SOURCE}/tests/cuda/hot_kernels.cu" -o "${ptx}"
  COMMAND_ERROR_IS_FATAL ANY)
cmake_path(GET NVCC PARENT_PATH tools)
execute_process(COMMAND "${tools}/ptxas" -v -arch=sm_${ARCHITECTURE} "${ptx}" -o "${ptx}.o" ERROR_VARIABLE facts COMMAND_ERROR_IS_FATAL ANY)

string(REGEX MATCHALL "Compiling entry function" compiled "${facts}")
list(LENGTH compiled count)
string(REGEX MATCHALL "0 bytes spill stores, 0 bytes spill loads" clean "${facts}")
list(LENGTH clean clean_count)
if(count LESS 29 OR NOT count EQUAL clean_count)
  message(FATAL_ERROR "${clean_count} of ${count} kernels spill no registers:\n${facts}")
endif()

# Checks the text of each kernel that must read and write 16 bytes at once. A sum only reads, at least four times in a row.
file(READ "${ptx}" text)
string(REPLACE ";" "," text "${text}")
string(REPLACE ".visible .entry" ";" kernels "${text}")
set(vectors 0)
set(sums 0)
foreach(kernel IN LISTS kernels)
  if(kernel MATCHES "^ _Z[^(]*(reduce_parts|reduce_by_block|reduce_columns)")
    string(REGEX MATCHALL "ld.global(.nc)?.v4.[a-z]32" reads "${kernel}")
    list(LENGTH reads reads)
    if(reads LESS 4)
      string(SUBSTRING "${kernel}" 0 200 name)
      message(FATAL_ERROR "a sum reads 16 bytes at once at ${reads} places: ${name}")
    endif()
    math(EXPR sums "${sums} + 1")
  endif()
  if(NOT kernel MATCHES "^ _Z[^(]*(unary_map|binary_map|cast_map|update_map|gather_packs)")
    continue()
  endif()
  # A cast to a larger type reads 8 bytes and writes 16.
  if(NOT kernel MATCHES "ld.global(.nc)?.v[24]" OR NOT kernel MATCHES "st.global.v[24]" OR NOT kernel MATCHES "(ld|st).global(.nc)?.v4.[a-z]32")
    string(SUBSTRING "${kernel}" 0 200 name)
    message(FATAL_ERROR "a map does not read and write 16 bytes at once: ${name}")
  endif()
  math(EXPR vectors "${vectors} + 1")
endforeach()
if(vectors LESS 16 OR sums LESS 4)
  message(FATAL_ERROR "only ${vectors} maps and ${sums} sums were found")
endif()
message("${count} kernels spill no registers; ${vectors} maps, updates and gathers, and ${sums} sums use 16 bytes")
