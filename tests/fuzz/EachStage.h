//===- EachStage.h - the stages of any bytes --------------------*- C++ -*-===//

#ifndef WEFT_TESTS_FUZZ_EACHSTAGE_H
#define WEFT_TESTS_FUZZ_EACHSTAGE_H

#include "runtime/bmodel/Bmodel.h"

namespace weft {

/// Calls body(model, net, index) for each stage if the bytes are a bmodel.
template <class Body>
void eachStage(const uint8_t *bytes, size_t size, Body body) {
  rt::Result<rt::Bmodel> model =
      rt::Bmodel::load(std::vector<uint8_t>(bytes, bytes + size), "fuzz");
  if (!model)
    return;
  for (const rt::NetSpec &net : model->nets())
    for (size_t index = 0; index < net.stages.size(); ++index)
      body(*model, net, index);
}

} // namespace weft

#endif // WEFT_TESTS_FUZZ_EACHSTAGE_H
