/* A user's program in C: loads a model, runs it on zeros. */
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>

static int failed(weft_status *status) {
  if (!status)
    return 0;
  fprintf(stderr, "%s: %s\n", weft_code_text(weft_status_code(status)), weft_status_message(status));
  weft_status_free(status);
  return 1;
}

int main(int count, char **arguments) {
  weft_model *model = NULL;
  weft_session *session = NULL;
  weft_tensor_desc in = {0}, out = {0};
  in.struct_bytes = out.struct_bytes = sizeof in;
  if (count != 2 || failed(weft_model_load(arguments[1], &model)))
    return 1;
  if (failed(weft_model_input(model, 0, 0, 0, &in)) || failed(weft_model_output(model, 0, 0, 0, &out)))
    return 1;
  void *x = calloc(1, in.bytes), *y = malloc(out.bytes);
  const void *inputs[1];
  void *outputs[1];
  inputs[0] = x;
  outputs[0] = y;
  if (failed(weft_session_open(model, NULL, 0, NULL, &session)) || failed(weft_session_run(session, inputs, outputs)))
    return 1;
  printf("%s: %s gives %s\n", weft_model_net_name(model, 0), in.name, out.name);
  weft_session_free(session);
  weft_model_free(model);
  free(x);
  free(y);
  return 0;
}
