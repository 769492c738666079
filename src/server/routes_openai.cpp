#include "server/app.h"

namespace gass::server {

void add_openai_routes(Router& router, const App& app) {
    (void)router;
    (void)app;
}

}  // namespace gass::server
