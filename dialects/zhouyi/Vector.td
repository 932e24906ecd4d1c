//===- Vector.td - vectors beside the functions -------------*- tablegen -*-===//

include "dialects/zhouyi/ZhouyiBase.td"

def Zhouyi_ConstantOp : Zhouyi_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "vector"]>]> {
  let summary = "a vector or mask that does not change";
  let description = [{
    **Semantics**: `vector = value`.

    **Constraints**: (C1) `value` is `dense`.

    **Example**: `%c = zhouyi.constant dense<[true, false]> : vector<2xi1>`
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Zhouyi_VectorOrMask:$vector);
  let assemblyFormat = "$value attr-dict";
  let builders = [OpBuilder<(ins "::mlir::DenseElementsAttr":$value), [{
    build($_builder, $_state, value.getType(), value);
  }]>];
  let hasFolder = 1;
}

def Zhouyi_TailMaskOp : Zhouyi_Op<"tail_mask", [Pure]> {
  let summary = "a mask of the lowest lanes";
  let description = [{
    **Semantics**: with `n = clamp(limit - sum_k indices[k] * steps[k], 0, L)`, lanes 0 to n - 1 of L are true.

    **Constraints**: (C1) one step for every index.

    **Example**: `%m = zhouyi.tail_mask [%i] steps [8] limit 100 : vector<8xi1>`
  }];
  let arguments = (ins Variadic<Index>:$indices, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$steps, I64Attr:$limit);
  let results = (outs Zhouyi_Mask:$mask);
  let assemblyFormat = "(`[` $indices^ `]` `steps` $steps)? `limit` $limit attr-dict `:` type($mask)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Zhouyi_ReinterpretOp : Zhouyi_Op<"reinterpret", [Pure]> {
  let summary = "the same bits as another type";
  let description = [{
    **Semantics**: of a vector: the bytes, lane 0 first and little endian, as lanes of the new type. A new lane is undefined if one of the lanes that its bits are from is.
    Of a pointer: the same address.

    **Constraints**: (C1) both are pointers, or both vectors with as many bits.

    **Example**: `%b = zhouyi.reinterpret %a : vector<32xsi8> -> vector<8xsi32>`
  }];
  let arguments = (ins AnyTypeOf<[Zhouyi_Vector, Zhouyi_PtrType]>:$source);
  let results = (outs AnyTypeOf<[Zhouyi_Vector, Zhouyi_PtrType]>:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasFolder = 1;
}

def Zhouyi_CastOp : Zhouyi_Op<"cast", [Pure]> {
  let summary = "the same numbers in another type";
  let description = [{
    **Semantics**: lane by lane. Float or integer to float: the nearest, half to even. Float to integer: toward zero and clamped to the type; NaN gives 0. Integer to integer: the
    low bits. An undefined lane stays so.

    **Constraints**: (C1) as many lanes.

    **Example**: `%f = zhouyi.cast %i : vector<8xsi32> -> vector<8xf32>`
  }];
  let arguments = (ins Zhouyi_Vector:$source);
  let results = (outs Zhouyi_Vector:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}
