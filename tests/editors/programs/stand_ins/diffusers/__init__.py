"""As much of the fork of diffusers as the programs touch: a page comes back with its seed in the first pixel."""

from types import SimpleNamespace


class _Pipeline:
    @classmethod
    def from_pretrained(cls, model, **options):
        assert options["torch_dtype"] == "bfloat16"
        print(f"loaded by {options['revision']}")
        return cls()

    def to(self, device):
        assert device == "cpu"


def _painted(image, generator, guidance):
    made = image.copy()
    made.putpixel((0, 0), (generator.seed, int(guidance * 10), 0))
    return made


class Step1XEditPipeline(_Pipeline):
    def __call__(self, image, prompt, num_inference_steps, generator, guidance_scale):
        assert num_inference_steps == 28
        return SimpleNamespace(images=[_painted(image, generator, guidance_scale)])


class Step1XEditPipelineV1P2(_Pipeline):
    def __call__(
        self,
        image,
        prompt,
        num_inference_steps,
        generator,
        true_cfg_scale,
        enable_thinking_mode,
        enable_reflection_mode,
    ):
        first = image.copy()
        last = _painted(image, generator, true_cfg_scale)
        return SimpleNamespace(
            images=[first, last],
            final_images=[last],
            reformat_prompt=f"thought: {prompt}",
            think_info=["not yet", "done"],
        )
