/// What tests/ppl/bdc/VendorFormulas.h gives, for vendor_test.py:
///   ppl_bdc_vendor_values             the names of the functions, one a line
///   ppl_bdc_vendor_values NAME COUNT  COUNT arguments as raw fp32, then COUNT
///                                     values
#include "tests/ppl/bdc/Accuracy.h"

#include <cstdio>
#include <cstdlib>

#include <xmmintrin.h>

using namespace weft::test;

int main(int argc, char **argv) {
  if (argc != 3) {
    for (const Function &function : functions())
      std::printf("%s\n", function.name.c_str());
    return argc == 1 ? 0 : 2;
  }
  const size_t count = std::strtoul(argv[2], nullptr, 10);
  for (const Function &function : functions()) {
    if (function.name != argv[1])
      continue;
    std::vector<float> numbers(2 * count);
    for (size_t i = 0; i < count; ++i)
      numbers[i] = sampleOf(function, i);
    _mm_setcsr(_mm_getcsr() | 0x8040); // subnormals count as zeros
    for (size_t i = 0; i < count; ++i)
      numbers[count + i] = function.vendor(numbers[i]);
    return std::fwrite(numbers.data(), 4, 2 * count, stdout) != 2 * count;
  }
  std::fprintf(stderr, "no function '%s'\n", argv[1]);
  return 2;
}
