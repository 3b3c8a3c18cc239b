"""Tiny random checkpoints of the local editors, laid out as the published ones are: real classes, no vocabulary files.

Every tokenizer knows the 256 byte symbols, so any text in any script can be told to the models.
"""

from __future__ import annotations

import json
from pathlib import Path

SEEN = 112 * 112
"""Pixels that the tiny vision tower is shown at most, as the checkpoint's own configuration says."""
PREPROCESSOR = {
    "image_mean": [0.48145466, 0.4578275, 0.40821073],
    "image_processor_type": "Qwen2VLImageProcessor",
    "image_std": [0.26862954, 0.26130258, 0.27577711],
    "max_pixels": SEEN,
    "merge_size": 2,
    "min_pixels": 56 * 56,
    "patch_size": 14,
    "processor_class": "Qwen2_5_VLProcessor",
    "temporal_patch_size": 2,
}
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>"]
SPECIAL += ["<|image_pad|>", "<|video_pad|>"]


def byte_symbols() -> list[str]:
    """The letters that stand for the 256 bytes in byte-level vocabularies: printable ones themselves."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return [chr(byte) for byte in printable] + [chr(256 + index) for index in range(len(others))]


def clip_tokenizer():
    from transformers import CLIPTokenizer

    symbols = byte_symbols()
    known = [*symbols, *(f"{symbol}</w>" for symbol in symbols), "<|startoftext|>", "<|endoftext|>"]
    return CLIPTokenizer(vocab={token: index for index, token in enumerate(known)}, merges=[], model_max_length=77)


def t5_tokenizer():
    from transformers import T5Tokenizer

    vocab = [
        ("<pad>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        ("\u2581", -2.0),
        *((chr(at), -3.0) for at in range(33, 127)),
    ]
    return T5Tokenizer(vocab=vocab, extra_ids=0, model_max_length=512)


def qwen_tokenizer():
    from transformers import Qwen2Tokenizer

    vocab = {token: index for index, token in enumerate([*byte_symbols(), *SPECIAL])}
    return Qwen2Tokenizer(
        vocab=vocab, merges=[], additional_special_tokens=SPECIAL[1:], model_max_length=32768, padding_side="right"
    )


def clip_encoder(tokenizer, hidden):
    from transformers import CLIPTextConfig, CLIPTextModel

    return CLIPTextModel(
        CLIPTextConfig(
            hidden_size=hidden,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            projection_dim=hidden,
            vocab_size=len(tokenizer),
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def qwen_vl(tokenizer, hidden=16):
    """Qwen2.5-VL of two layers, with three kinds of positions as the published one has."""
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

    end, image, video, start, stop = map(
        tokenizer.convert_tokens_to_ids,
        ["<|endoftext|>", "<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>"],
    )
    text = {
        "hidden_size": hidden,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "vocab_size": len(tokenizer),
        "max_position_embeddings": 32768,
        "rope_scaling": {"mrope_section": [1, 1, 2], "rope_type": "default", "type": "default"},
        "rope_theta": 1e6,
        "initializer_range": 0.5,  # else attention, and with it positions, hardly matters
        "bos_token_id": end,
        "eos_token_id": end,
        "pad_token_id": end,
    }
    vision = {
        "depth": 1,
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_heads": 2,
        "out_hidden_size": hidden,
        "fullatt_block_indexes": [0],
        "window_size": 112,
    }
    config = Qwen2_5_VLConfig(
        text_config=text,
        vision_config=vision,
        hidden_size=hidden,
        vocab_size=len(tokenizer),
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=stop,
    )
    return Qwen2_5_VLForConditionalGeneration(config).eval()


def kl_autoencoder(channels, **options):
    from diffusers import AutoencoderKL

    return AutoencoderKL(
        block_out_channels=(8, 8, 8, 8),
        layers_per_block=1,
        latent_channels=channels,
        down_block_types=["DownEncoderBlock2D"] * 4,
        up_block_types=["UpDecoderBlock2D"] * 4,
        norm_num_groups=4,
        **options,
    )


def pix2pix():
    """InstructPix2Pix with a scheduler that is not the authors', as some checkpoints have."""
    from diffusers import PNDMScheduler, StableDiffusionInstructPix2PixPipeline, UNet2DConditionModel

    unet = UNet2DConditionModel(
        block_out_channels=(8, 16),
        layers_per_block=1,
        sample_size=32,
        in_channels=8,
        out_channels=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=16,
        norm_num_groups=4,
        attention_head_dim=4,
    )
    tokenizer = clip_tokenizer()
    return StableDiffusionInstructPix2PixPipeline(
        unet=unet,
        vae=kl_autoencoder(4),
        text_encoder=clip_encoder(tokenizer, 16),
        tokenizer=tokenizer,
        scheduler=PNDMScheduler(),
        safety_checker=safety_checker(),
        feature_extractor=feature_extractor(),
    )


def safety_checker():
    """Looks as Stable Diffusion's does, and objects to nothing: no picture is more alike than 2."""
    import torch
    from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker
    from transformers import CLIPConfig

    tower = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    vision = {**tower, "image_size": 32, "patch_size": 16, "projection_dim": 8}
    checker = StableDiffusionSafetyChecker(
        CLIPConfig(text_config={**tower, "vocab_size": 8}, vision_config=vision, projection_dim=8)
    )
    for kind in ("concept", "special_care"):
        getattr(checker, f"{kind}_embeds").data.normal_()
        weights = getattr(checker, f"{kind}_embeds_weights")
        weights.data = torch.full_like(weights, 2.0)
    return checker


def feature_extractor():
    from transformers import CLIPImageProcessor

    return CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})


def flux_parts(in_channels, out_channels=None):
    from diffusers import FlowMatchEulerDiscreteScheduler, FluxTransformer2DModel
    from transformers import T5Config, T5EncoderModel

    transformer = FluxTransformer2DModel(
        patch_size=1,
        in_channels=in_channels,
        out_channels=out_channels,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=32,
        pooled_projection_dim=32,
        axes_dims_rope=[4, 4, 8],
        guidance_embeds=True,
    )
    clip, t5 = clip_tokenizer(), t5_tokenizer()
    config = T5Config(
        d_model=32,
        d_kv=8,
        d_ff=37,
        num_layers=2,
        num_heads=4,
        vocab_size=len(t5),
        relative_attention_num_buckets=8,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
    )
    return {
        "scheduler": FlowMatchEulerDiscreteScheduler(),
        "vae": kl_autoencoder(
            4, use_quant_conv=False, use_post_quant_conv=False, shift_factor=0.0609, scaling_factor=1.5035
        ),
        "text_encoder": clip_encoder(clip, 32),
        "tokenizer": clip,
        "text_encoder_2": T5EncoderModel(config),
        "tokenizer_2": t5,
        "transformer": transformer,
    }


def kontext():
    from diffusers import FluxKontextPipeline

    return FluxKontextPipeline(**flux_parts(16))


def fill():
    from diffusers import FluxFillPipeline

    return FluxFillPipeline(**flux_parts(16 + 16 + 256, 16))


class NoProcessor:
    """Holds the place of a processor that only its configuration file describes."""

    image_processor = None


def qwen(plus=False):
    from diffusers import (
        AutoencoderKLQwenImage,
        FlowMatchEulerDiscreteScheduler,
        QwenImageEditPipeline,
        QwenImageEditPlusPipeline,
        QwenImageTransformer2DModel,
    )

    tokenizer = qwen_tokenizer()
    transformer = QwenImageTransformer2DModel(
        patch_size=2,
        in_channels=16,
        out_channels=4,
        num_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=16,
        guidance_embeds=False,
        axes_dims_rope=(8, 4, 4),
    )
    vae = AutoencoderKLQwenImage(
        base_dim=2,
        z_dim=4,
        dim_mult=[1, 1, 1, 1],
        num_res_blocks=1,
        temperal_downsample=[False, False, True],
        latents_mean=[0.0] * 4,
        latents_std=[1.0] * 4,
    )
    return (QwenImageEditPlusPipeline if plus else QwenImageEditPipeline)(
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=vae,
        text_encoder=qwen_vl(tokenizer),
        tokenizer=tokenizer,
        processor=NoProcessor(),
        transformer=transformer,
    )


def qwen_plus():
    return qwen(plus=True)


def longcat():
    from diffusers import (
        FlowMatchEulerDiscreteScheduler,
        LongCatImageEditPipeline,
        LongCatImageTransformer2DModel,
    )

    tokenizer = qwen_tokenizer()
    transformer = LongCatImageTransformer2DModel(
        patch_size=1,
        in_channels=64,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=16,
        pooled_projection_dim=16,
        axes_dims_rope=[4, 4, 8],
    )
    vae = kl_autoencoder(
        16,
        use_quant_conv=False,
        use_post_quant_conv=False,
        shift_factor=0.1159,
        scaling_factor=0.3611,
        mid_block_add_attention=False,
    )
    return LongCatImageEditPipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=vae,
        text_encoder=qwen_vl(tokenizer),
        tokenizer=tokenizer,
        text_processor=NoProcessor(),
        transformer=transformer,
    )


def save(build, folder: Path, seed: int = 0) -> Path:
    """Build with random weights and write as published checkpoints are, the processor's configuration with it."""
    import torch

    from vdebench.editors.local.loading import import_or_hide_torchvision, quiet

    import_or_hide_torchvision()

    with quiet():
        torch.manual_seed(seed)
        pipe = build()
        slots = [slot for slot in ("processor", "text_processor") if hasattr(pipe, slot)]
        for slot in slots:
            setattr(pipe, slot, None)
            pipe.register_to_config(**{slot: (None, None)})
        pipe.save_pretrained(folder)
    for slot in slots:
        (folder / slot).mkdir()
        (folder / slot / "preprocessor_config.json").write_text(json.dumps(PREPROCESSOR))
        index = json.loads((folder / "model_index.json").read_text())
        (folder / "model_index.json").write_text(json.dumps({**index, slot: ["transformers", "Qwen2VLProcessor"]}))
    return folder


def save_lora(folder: Path, seed: int = 0, scale: float = 1.0) -> Path:
    """A LoRA for the attention of `fill`, both of its matrices random, written by peft and diffusers."""
    import torch

    from vdebench.editors.local.loading import import_or_hide_torchvision, quiet

    import_or_hide_torchvision()
    from diffusers import FluxFillPipeline
    from peft import LoraConfig
    from peft.utils import get_peft_model_state_dict

    torch.manual_seed(seed)
    with quiet():
        transformer = flux_parts(16 + 16 + 256, 16)["transformer"]
        transformer.add_adapter(
            LoraConfig(r=2, lora_alpha=2, init_lora_weights=False, target_modules=["to_q", "to_k", "to_v", "to_out.0"])
        )
        state = {name: scale * value for name, value in get_peft_model_state_dict(transformer).items()}
        FluxFillPipeline.save_lora_weights(folder, transformer_lora_layers=state)
    return folder
