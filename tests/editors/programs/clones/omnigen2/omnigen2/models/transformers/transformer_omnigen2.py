class OmniGen2Transformer2DModel:
    @classmethod
    def from_pretrained(cls, model, subfolder, torch_dtype):
        assert (model, subfolder) == ("OmniGen2/OmniGen2", "transformer")
        return cls()
