//===- test.h -----------------------------------------------------*- C++
//-*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TEST_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TEST_H

#include "ppl/tensor.h"

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TEST_H
