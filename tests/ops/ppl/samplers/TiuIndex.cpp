//===- TiuIndex.cpp - random calls -----------------------------------===//

#include "tests/ops/ppl/Samplers.h"

using namespace weft;
using namespace weft::cases;

std::vector<SampleRow> cases::tiuIndexSamplers() { return {}; }
