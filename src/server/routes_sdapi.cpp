#include "server/app.h"

namespace gass::server {

void add_sdapi_routes(Router& router, const App& app) {
    (void)router;
    (void)app;
}

}  // namespace gass::server
