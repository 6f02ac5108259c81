/* Opens a runtime with a configuration, and prints how it went: open CONFIG_JSON */
#include <stdio.h>

#include "toolkeep.h"

int main(int count, char **arguments) {
  toolkeep_runtime *runtime = NULL;
  toolkeep_error *error;
  if (count != 2)
    return 2;
  error = toolkeep_runtime_open(toolkeep_cstr(arguments[1]), &runtime);
  if (error)
    printf("%u %s: %s\n", (unsigned)toolkeep_error_code(error), toolkeep_error_name(error),
           toolkeep_error_message(error));
  else
    printf("open\n");
  toolkeep_error_free(error);
  toolkeep_runtime_free(runtime);
  return 0;
}
