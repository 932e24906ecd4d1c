/* weft-compiler.h and what it includes are C. */
#include "weft-compiler.h"

size_t optionsBytesInC(void) { return sizeof(weft_ppl_options); }
