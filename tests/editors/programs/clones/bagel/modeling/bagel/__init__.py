from types import SimpleNamespace


class _Config:
    num_hidden_layers = 27

    @classmethod
    def from_json_file(cls, file):
        return cls()


class Qwen2Config(_Config):
    pass


class SiglipVisionConfig(_Config):
    pass


class BagelConfig(SimpleNamespace):
    pass


class Qwen2ForCausalLM:
    def __init__(self, config):
        assert (config.qk_norm, config.tie_word_embeddings, config.layer_module) == (
            True,
            False,
            "Qwen2MoTDecoderLayer",
        )


class SiglipVisionModel:
    def __init__(self, config):
        assert (config.rope, config.num_hidden_layers) == (False, 26)
        self.vision_model = SimpleNamespace(
            embeddings=SimpleNamespace(convert_conv2d_to_linear=lambda config, meta: None)
        )


class Bagel:
    def __init__(self, language_model, vit_model, config):
        self.vit_model = vit_model

    def eval(self):
        return self
