#pragma once

#include "catalog/model.h"
#include "loading/lazy.h"
#include "models/clip.h"
#include "pipelines/image_preprocessing.h"
#include "text/tokenizer.h"

#include <memory>
#include <string>

namespace gass {

/// A CLIP model as an encoder of images and texts into one sphere. Opening it checks its files; weights are
/// read when they are first used.
class ImageEncoder {
  public:
    ImageEncoder(const Model& model, nn::Placement placement);

    /// [B, 3, H, W] in −1…1 → unit vectors [B, d], fp32. Differentiable when autograd is on.
    at::Tensor embed(const at::Tensor& images) const;
    /// → a unit vector [d], fp32.
    at::Tensor embed_text(const std::string& text) const;

    void load() const { clip_.get(); }
    void release() const { clip_.release(); }

  private:
    nn::Placement placement_;
    ClipConfig config_;
    ImagePreprocessing preprocessing_;
    std::unique_ptr<Tokenizer> tokenizer_;
    Lazy<Clip> clip_;
};

}  // namespace gass
