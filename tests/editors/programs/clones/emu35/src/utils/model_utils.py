from types import SimpleNamespace


class _Ids(list):
    def to(self, device):
        return self

    def __getitem__(self, place):
        return ord(self.text[0]) if place == (0, 0) else super().__getitem__(place)


class _Tokenizer:
    def encode(self, text, return_tensors=None, add_special_tokens=True):
        if return_tensors is None:
            return [ord(text[0])]
        ids = _Ids()
        ids.text = text
        return ids

    def decode(self, result, skip_special_tokens):
        return result


def build_emu3p5(model, tokenizer, vision, vq_type, model_device, vq_device):
    assert tokenizer.endswith("emu35/src/tokenizer_emu3_ibq")
    for weights in (model, vision):
        print(f"loaded by {weights.rpartition(' by ')[2]}")
    assert (vq_type, model_device, vq_device) == ("ibq", "cpu", "cpu")
    return SimpleNamespace(device="cpu"), _Tokenizer(), "sight"
