from types import SimpleNamespace


class _Coder:
    def to(self, device):
        assert device == "cpu"
        return self

    def eval(self):
        return self


def load_ae(local_path):
    assert local_path.endswith("ae.safetensors")
    return _Coder(), SimpleNamespace()
