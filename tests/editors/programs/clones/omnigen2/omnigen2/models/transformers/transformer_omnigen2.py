class OmniGen2Transformer2DModel:
    @classmethod
    def from_pretrained(cls, model, subfolder, revision, torch_dtype):
        print(f"loaded by {revision}")
        assert (model, subfolder) == ("OmniGen2/OmniGen2", "transformer")
        return cls()
