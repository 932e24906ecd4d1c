//===- VectorClones.h - functions for the vectors at hand -------*- C++ -*-===//

#ifndef WEFT_RUNTIME_NUMERIC_VECTORCLONES_H
#define WEFT_RUNTIME_NUMERIC_VECTORCLONES_H

/// Builds a function for AVX2 (and FMA) too and picks at start: baseline code
/// has the vectors of 2003, and loops gain little from wider ones, so that
/// WEFT_SIMD=avx2 tells what AVX2 alone gives. Products are rounded before they
/// are added all the same (-ffp-contract=off). Sanitizers cannot instrument the
/// resolver that does the picking.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(__SANITIZE_ADDRESS__)
#define WEFT_VECTOR_CLONES                                                     \
  __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WEFT_VECTOR_CLONES
#endif

#endif // WEFT_RUNTIME_NUMERIC_VECTORCLONES_H
