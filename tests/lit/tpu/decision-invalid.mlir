// RUN: weft-opt --split-input-file --verify-diagnostics %s

// expected-error@+2 {{failed to parse Tpu_CauseAttr parameter 'cause'}}
// expected-error@+1 {{unknown cause 'weather'; known are cost, memory, slices, halo, sliced_ops, ops, lanes, addresses, reshape, turn, parts, product, indices, host, plugin, whole, channels}}
#cause = #tpu.cause<weather, "conv", loc(unknown), 1, 2>

// -----

// expected-error@+2 {{failed to parse Tpu_DramValueAttr parameter 'reason'}}
// expected-error@+1 {{unknown reason 'fun'; known are border, later, reader, maker, output}}
#value = #tpu.dram_value<"", tensor<1x1x1x1xf32>, 4, 0, loc(unknown), [], fun>

// -----

// expected-error@+2 {{failed to parse Tpu_ChoiceAttr parameter 'question'}}
// expected-error@+1 {{unknown question 'why'; known are recipe, unfold, fill_lanes, keep_rows}}
#choice = #tpu.choice<why, "conv", loc(unknown), 0 of ["a"] at [1]>

// -----

// expected-error@+1 {{numbers of a cause must not be negative, got -1 and 2}}
#cause = #tpu.cause<memory, "conv", loc(unknown), -1, 2>

// -----

// expected-error@+1 {{a choice takes number 2 of 2 ways with 2 prices; each way must have one, and the number be that of a way}}
#choice = #tpu.choice<recipe, "conv", loc(unknown), 2 of ["a", "b"] at [1, 2]>

// -----

// expected-error@+1 {{a choice takes number 0 of 2 ways with 1 prices; each way must have one, and the number be that of a way}}
#choice = #tpu.choice<recipe, "conv", loc(unknown), 0 of ["a", "b"] at [1]>

// -----

// expected-error@+1 {{prices must be at least 0, or -1 for none}}
#choice = #tpu.choice<recipe, "conv", loc(unknown), 0 of ["a"] at [-2]>

// -----

// expected-error@+1 {{a step must have four counts of slices, from 1, and no negative number of ops, cycles or bytes}}
#step = #tpu.step<"group", 2, loc(unknown), loc(unknown), [1, 1, 0, 1]>

// -----

// expected-error@+1 {{a step must have four counts of slices, from 1, and no negative number of ops, cycles or bytes}}
#step = #tpu.step<"group", 2, loc(unknown), loc(unknown), [1, 1, 1, 1] cycles -3>

// -----

// expected-error@+1 {{tpu.cycles must be an i64 from 0 on}}
func.func @cycles() attributes {tpu.cycles = -1 : i64} {
  return
}

// -----

// expected-error@+1 {{a value in DRAM must have four static sizes, got 'tensor<8xf32>' of 32 bytes}}
#value = #tpu.dram_value<"v", tensor<8xf32>, 32, 0, loc(unknown), [], output>

// -----

// expected-error@+1 {{value "v" is made or read by a step that is none of the 1}}
#decisions = #tpu.decisions<steps [<"permute", 0, loc(unknown), loc(unknown), [1, 1, 1, 1]>] values [<"v", tensor<1x1x1x8xf32>, 32, 0, loc(unknown), [1], output>] choices []>

// -----

// expected-error@+1 {{tpu.decisions must be a #tpu.decisions}}
func.func @decisions() attributes {tpu.decisions = "none"} {
  return
}

// -----

// expected-error@+1 {{tpu.choices must be an array of #tpu.choice}}
func.func @choices() attributes {tpu.choices = [1 : i64]} {
  return
}

// -----

func.func @border(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  // expected-error@+1 {{tpu.border must be a #tpu.cause}}
  %0 = tpu.unary abs %x {tpu.border = 1 : i64} : tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}
