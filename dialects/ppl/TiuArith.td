//===- TiuArith.td - TIU element arithmetic -----------------*- tablegen -*-===//

include "dialects/ppl/PplBase.td"

// Rules that all element ops share; quoted by their descriptions.
class Ppl_ElementOp<string mnemonic, list<Trait> traits = []> : Ppl_Op<"bdc." # mnemonic, traits> {
  string commonConstraints = [{
    (E1) an operand has the shape of `dst`, or 1 on n, h or w and is then repeated there. (E2) all tensors start in the same lane (checked by
    codegen/encode). (E3) `dst` has no stride 0 on an axis longer than 1 and not the `channel` layout. (E4) a scalar is f32 beside
    float tensors and i32 beside integer ones.
  }];
}

def Ppl_FloatKind : Ppl_Enum<"FloatKind", "float arithmetic of two operands", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">, I32EnumAttrCase<"Mul", 2, "mul">,
  I32EnumAttrCase<"Max", 3, "max">, I32EnumAttrCase<"Min", 4, "min">, I32EnumAttrCase<"Div", 5, "div">,
  I32EnumAttrCase<"Mac", 6, "mac">, I32EnumAttrCase<"AbsDiff", 7, "abs_diff">]>;

def Ppl_FloatOp : Ppl_ElementOp<"float"> {
  let summary = "float arithmetic of two operands (PPL fadd, fsub, fmul, fmax, fmin, fdiv, fmac, fsub_abs)";
  let description = [{
    **Semantics**: `dst = lhs <kind> rhs`, one rounding to even. `mac`: `dst = dst + round(lhs * rhs)`. `abs_diff`: `|lhs - rhs|`. `div`:
    `lhs * (r*r)` with r = rsqrt(rhs) of `iterations` Newton steps: 3 steps are within 4 units in the last place.
    The kinds are `add sub mul max min div mac abs_diff`.

    **Constraints**: (C1) all tensors have one float type. (C2) `div` and `mac` take f32. (C3) iterations is 1..4. (C4) not both operands are
    scalars. }] # commonConstraints # [{
    **Example**: `ppl.bdc.float add %y, %a, %b : !t, !t, f32`
  }];
  let arguments = (ins Ppl_FloatKind:$kind, Ppl_Local:$dst, Ppl_LocalOrScalar:$lhs, Ppl_LocalOrScalar:$rhs,
                       DefaultValuedAttr<I32Attr, "3">:$iterations);
  let assemblyFormat = "$kind $dst `,` $lhs `,` $rhs attr-dict `:` type(operands)";
  let builders = [
    OpBuilder<(ins "FloatKind":$kind, "::mlir::Value":$dst, "::mlir::Value":$lhs, "::mlir::Value":$rhs), [{
      build($_builder, $_state, kind, dst, lhs, rhs, 3);
    }]>
  ];
}

def Ppl_IntKind : Ppl_Enum<"IntKind", "integer arithmetic of two operands", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">, I32EnumAttrCase<"Mul", 2, "mul">,
  I32EnumAttrCase<"Max", 3, "max">, I32EnumAttrCase<"Min", 4, "min">, I32EnumAttrCase<"And", 5, "and">,
  I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">,
  I32EnumAttrCase<"ShiftArith", 8, "shift_arith">, I32EnumAttrCase<"ShiftLogical", 9, "shift_logical">,
  I32EnumAttrCase<"Rotate", 10, "rotate">]>;

def Ppl_IntOp : Ppl_ElementOp<"int"> {
  let summary = "integer arithmetic of two operands (PPL add, sub, mul, max, min, bitwise_*, shift, logical_shift, circular_shift)";
  let description = [{
    **Semantics**: `dst = (lhs <kind> rhs) shifted by shift`: the exact result, shifted left (positive) or right (negative, rounded by
    `rounding`), then wrapped, or with `saturate` saturated to the type of `dst`. The result counts as signed if an operand is signed.
    Shift kinds shift `lhs` by `rhs` (int8; positive left, negative right with `rounding`); `rotate` rotates.
    The kinds are `add sub mul max min and or xor shift_arith shift_logical rotate`.

    **Constraints**: (C1) integer element types; `shift` (add, sub, mul only) is a scalar in -32..31 or one si8 per channel: 1xCx1x1 compact. (C2)
    `saturate` goes with add, sub, mul. (C3) and, or, xor, max, min: operands and dst have one type. (C4) the amount of a shift kind is a
    scalar in -32..31 or an si8 tensor. (C5) not both operands are scalars. }] # commonConstraints # [{
    **Example**: `ppl.bdc.int add %y, %a, %b shift(%s) rounding half_up saturate : !t8, !t32, !t32, i32`
  }];
  let arguments = (ins Ppl_IntKind:$kind, Ppl_Local:$dst, Ppl_LocalOrScalar:$lhs, Ppl_LocalOrScalar:$rhs,
                       Optional<Ppl_LocalOrScalar>:$shift, DefaultValuedAttr<Ppl_Rounding, "Rounding::HalfUp">:$rounding,
                       UnitAttr:$saturate);
  let assemblyFormat = [{
    $kind $dst `,` $lhs `,` $rhs (`shift` `(` $shift^ `)`)? (`rounding` $rounding^)? (`saturate` $saturate^)? attr-dict `:` type(operands)
  }];
  let builders = [
    OpBuilder<(ins "IntKind":$kind, "::mlir::Value":$dst, "::mlir::Value":$lhs, "::mlir::Value":$rhs, CArg<"bool", "false">:$saturate), [{
      build($_builder, $_state, kind, dst, lhs, rhs, ::mlir::Value(), Rounding::HalfUp, saturate);
    }]>
  ];
}

def Ppl_UnaryKind : Ppl_Enum<"UnaryKind", "element functions of one operand", [
  I32EnumAttrCase<"Copy", 0, "copy">, I32EnumAttrCase<"Abs", 1, "abs">, I32EnumAttrCase<"Not", 2, "not">,
  I32EnumAttrCase<"LeadingZeros", 3, "leading_zeros">, I32EnumAttrCase<"LeadingOnes", 4, "leading_ones">]>;

def Ppl_UnaryOp : Ppl_ElementOp<"unary"> {
  let summary = "element functions of one operand (PPL copy, fill, abs, bitwise_not, clz, clo)";
  let description = [{
    **Semantics**: `dst = <kind>(src)`. `copy` with a scalar fills. `leading_zeros` of 0 is the width.
    The kinds are `copy abs not leading_zeros leading_ones`.

    **Constraints**: (C1) dst and src have one type (copy: one element size). (C2) only copy takes a scalar. (C3) not, leading_*: integers. }] #
    commonConstraints # [{
    **Example**: `ppl.bdc.unary copy %y, %x : !t, !t`
  }];
  let arguments = (ins Ppl_UnaryKind:$kind, Ppl_Local:$dst, Ppl_LocalOrScalar:$src);
  let assemblyFormat = "$kind $dst `,` $src attr-dict `:` type(operands)";
}

def Ppl_CastOp : Ppl_ElementOp<"cast"> {
  let summary = "conversion of the element type, and rounding to integral values (PPL cast, round, floor, ceiling)";
  let description = [{
    **Semantics**: `dst = convert(src)`. Float to integer rounds by `rounding` and saturates, NaN gives 0. f32 to f16/bf16 rounds to even, overflow gives
    infinity, NaN 0x7fff. f32 to f32 rounds to an integral value. Integer to integer saturates.

    **Constraints**: (C1) rounding is half_to_even, half_away_from_zero, toward_zero, floor or ceil. (C2) f16 to
    bf16 and bf16 to f16 do not exist. }] # commonConstraints # [{
    **Example**: `ppl.bdc.cast %y, %x rounding floor : !si8, !f32`
  }];
  let arguments = (ins Ppl_Local:$dst, Ppl_Local:$src, DefaultValuedAttr<Ppl_Rounding, "Rounding::HalfToEven">:$rounding);
  let assemblyFormat = "$dst `,` $src (`rounding` $rounding^)? attr-dict `:` type(operands)";
}

def Ppl_Relation : Ppl_Enum<"Relation", "comparison", [
  I32EnumAttrCase<"Greater", 0, "gt">, I32EnumAttrCase<"Equal", 1, "eq">, I32EnumAttrCase<"Less", 2, "lt">]>;

def Ppl_CompareOp : Ppl_ElementOp<"compare"> {
  let summary = "compares two operands, gives a value or zero (PPL gt, eq, lt)";
  let description = [{
    **Semantics**: `dst = lhs <relation> rhs ? value : 0`.

    **Constraints**: (C1) lhs and rhs have one type, dst is not wider than it. (C2) `value` is a scalar. (C3) not both lhs and rhs are scalars. }] #
    commonConstraints # [{
    **Example**: `ppl.bdc.compare gt %y, %a, %b, %one : !t, !t, !t, f32`
  }];
  let arguments = (ins Ppl_Relation:$relation, Ppl_Local:$dst, Ppl_LocalOrScalar:$lhs, Ppl_LocalOrScalar:$rhs, Ppl_Scalar:$value);
  let assemblyFormat = "$relation $dst `,` $lhs `,` $rhs `,` $value attr-dict `:` type(operands)";
}

def Ppl_SelectOp : Ppl_ElementOp<"select"> {
  let summary = "chooses between two operands by a comparison (PPL gt_select, eq_select, lt_select)";
  let description = [{
    **Semantics**: `dst = lhs <relation> rhs ? on_true : on_false`.

    **Constraints**: (C1) lhs and rhs have one type; on_true, on_false and dst have one type. (C2) tensors have the shape of dst and the aligned layout. (C3) lhs
    or rhs is a tensor. (C4) the type of lhs and rhs is not wider than that of dst. }] # commonConstraints # [{
    **Example**: `ppl.bdc.select gt %y, %a, %zero, %a, %b : !t, !t, f32, !t, !t`
  }];
  let arguments = (ins Ppl_Relation:$relation, Ppl_Local:$dst, Ppl_LocalOrScalar:$lhs, Ppl_LocalOrScalar:$rhs,
                       Ppl_LocalOrScalar:$on_true, Ppl_LocalOrScalar:$on_false);
  let assemblyFormat = "$relation $dst `,` $lhs `,` $rhs `,` $on_true `,` $on_false attr-dict `:` type(operands)";
}

def Ppl_LinearKind : Ppl_Enum<"LinearKind", "fused per-channel arithmetic", [
  I32EnumAttrCase<"Mac", 0, "mac">, I32EnumAttrCase<"SquareSum", 1, "square_sum">, I32EnumAttrCase<"SquareDiff", 2, "square_diff">]>;

def Ppl_LinearOp : Ppl_ElementOp<"linear"> {
  let summary = "per-channel scale and bias, or square of a sum (PPL fscale, fbias, fadd_sqr, fsub_sqr)";
  let description = [{
    **Semantics**: `mac`: `dst = src * scale + bias`, product rounded before the sum; `square_sum`: `(src + scale)^2`; `square_diff`: `(src - scale)^2`. scale and bias are one
    value per channel or scalars.

    **Constraints**: (C1) all tensors have one float type. (C2) dst and src are aligned and of one shape. (C3) scale and bias tensors are 1xCx1x1 compact. (C4) bias
    goes with mac, which needs it. }] # commonConstraints # [{
    **Example**: `ppl.bdc.linear mac %y, %x, %k, %b : !t, !t, !c, !c`
  }];
  let arguments = (ins Ppl_LinearKind:$kind, Ppl_Local:$dst, Ppl_Local:$src, Ppl_LocalOrScalar:$scale, Optional<Ppl_LocalOrScalar>:$bias);
  let assemblyFormat = "$kind $dst `,` $src `,` $scale (`,` $bias^)? attr-dict `:` type(operands)";
}
