//===- VendorFormulas.h - what the vendor's library computes --*- C++ -*-===//

#ifndef WEFT_TESTS_PPL_BDC_VENDORFORMULAS_H
#define WEFT_TESTS_PPL_BDC_VENDORFORMULAS_H

/// The arithmetic of the vendor's functions, as measured from outside: what
/// ours is compared with. Call with subnormals flushed (MXCSR 0x8040).
namespace weft::test::vendor {

float reciprocal(float x, int steps);
float rsqrt(float x, int steps);
float sqrt(float x, int steps);
float exp(float x);
float expm1(float x);
float log(float x);
float log1p(float x);
float logx(float x, float base);
float sin(float x);
float cos(float x);
float tan(float x);
float cot(float x);
float arcsin(float x);
float arccos(float x);

} // namespace weft::test::vendor

#endif // WEFT_TESTS_PPL_BDC_VENDORFORMULAS_H
