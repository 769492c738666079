#pragma once

#include "guidance/vision.h"
#include "pipelines/image_encoder.h"
#include "pipelines/latent_decoder.h"

namespace gass {

/// A pipeline's decoder and a guide's encoder as what methods see. Both must outlive it.
class PipelineVision final : public Vision {
  public:
    PipelineVision(const LatentDecoder& decoder, const ImageEncoder& encoder)
        : decoder_(decoder), encoder_(encoder) {}

    at::Tensor decode(const at::Tensor& latents) const override { return decoder_.decode(latents); }
    at::Tensor encode(const at::Tensor& images) const override { return decoder_.encode(images); }
    at::Tensor embed(const at::Tensor& images) const override { return encoder_.embed(images); }
    at::Tensor embed_text(const std::string& text) const override { return encoder_.embed_text(text); }

  private:
    const LatentDecoder& decoder_;
    const ImageEncoder& encoder_;
};

}  // namespace gass
