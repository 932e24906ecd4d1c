//===- Memory.td - pointers, loads and stores ---------------*- tablegen -*-===//

include "dialects/zhouyi/ZhouyiBase.td"

def Zhouyi_OffsetOp : Zhouyi_Op<"offset", [Pure, AllTypesMatch<["source", "pointer"]>]> {
  let summary = "a pointer some elements away";
  let description = [{
    **Semantics**: `pointer = source + add + sum_k indices[k] * steps[k]`, in elements.

    **Constraints**: (C1) one step for every index. That an address lies inside the memory for every index is checked when the program is loaded.

    **Example**: `%q = zhouyi.offset %p[%i, %j] steps [32, 4] add 7 : !zhouyi.ptr<si8>`
  }];
  let arguments = (ins Zhouyi_PtrType:$source, Variadic<Index>:$indices, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$steps,
                       DefaultValuedAttr<I64Attr, "0">:$add);
  let results = (outs Zhouyi_PtrType:$pointer);
  let assemblyFormat = "$source (`[` $indices^ `]` `steps` $steps)? (`add` $add^)? attr-dict `:` qualified(type($pointer))";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Zhouyi_LoadOp : Zhouyi_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "a vector from memory";
  let description = [{
    **Semantics**: `value[i] = pointer[i * stride]` for the active lanes; the others are 0 and their bytes are not read. Stride 0 puts one element into all lanes.

    **Constraints**: (C1) the elements of pointer and vector are of one type. (C2) the mask has as many lanes as the vector. (C3) stride is -2^31 to 2^31 - 1. (C4) where an access lies is checked when the program is loaded and, under a mask, as it runs.

    **Example**: `%v = zhouyi.load %p mask(%m) stride 4 : !zhouyi.ptr<si8>, vector<32xi1> -> vector<32xsi8>`
  }];
  let arguments = (ins Zhouyi_PtrType:$pointer, Optional<Zhouyi_Mask>:$mask, DefaultValuedAttr<I64Attr, "1">:$stride);
  let results = (outs Zhouyi_Vector:$value);
  let assemblyFormat = "$pointer (`mask` `(` $mask^ `)`)? (`stride` $stride^)? attr-dict `:` qualified(type($pointer)) (`,` type($mask)^)? `->` type($value)";
  let hasCanonicalizer = 1;
}

def Zhouyi_StoreOp : Zhouyi_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "a vector to memory";
  let description = [{
    **Semantics**: `pointer[i * stride] = value[i]` for the active lanes, from lane 0 up; the bytes of others keep their values.

    **Constraints**: (C1) to (C4) as `zhouyi.load`. (C5) a stride of 0 is for one lane. (C6) every active lane has a value: checked as the program runs.

    **Example**: `zhouyi.store %v, %p mask(%m) : vector<32xsi8>, !zhouyi.ptr<si8>, vector<32xi1>`
  }];
  let arguments = (ins Zhouyi_Vector:$value, Zhouyi_PtrType:$pointer, Optional<Zhouyi_Mask>:$mask, DefaultValuedAttr<I64Attr, "1">:$stride);
  let assemblyFormat = "$value `,` $pointer (`mask` `(` $mask^ `)`)? (`stride` $stride^)? attr-dict `:` type($value) `,` qualified(type($pointer)) (`,` type($mask)^)?";
  let hasCanonicalizer = 1;
}
