#include "eval/making/suite_of_models.h"

#include "catalog/model.h"
#include "io/model_lookup.h"

namespace gass::eval {

Json suite_of_models() {
    return {
        {"title", "Small"},
        {"settings",
         {{"images", 2}, {"steps", 2}, {"width", 64}, {"height", 64}, {"device", "cpu"}, {"dtype", "fp32"}}},
        {"models",
         {{"flow", {{"settings", {{"model", "mini-flow"}}}}},
          {"unet", {{"settings", {{"model", "mini-unet"}}}}}}},
        {"methods",
         {{"none", {{"method", "none"}}},
          {"gass", {{"method", "gass"}}},
          {"both", {{"method", "cads+gass"}}}}},
        {"baseline", "none"},
        {"prompts", {{"list", Json::array({"a red car"})}}},
        {"metrics", {{"vendi", {{"metric", "vendi"}, {"encoder", "pixels"}}}}}};
}

Settings settings_over(const Json& object, std::string_view origin) {
    Settings settings;
    settings.set_object(SettingLayer::preset, object, origin);
    const ModelFolder folder(find_model(settings.text("model")).path);
    settings.set_object(SettingLayer::model, read_model_defaults(folder).settings, folder.shown("gass.json"));
    return settings;
}

}  // namespace gass::eval
