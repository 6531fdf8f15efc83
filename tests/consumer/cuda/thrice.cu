#include "thrice.hpp"

#include <flowgraph/cuda/kernel.hpp>

void add_thrice(flowgraph::device& gpu) { flowgraph::cuda::add_map<thrice, thrice_of, float, double>(gpu).value(); }
