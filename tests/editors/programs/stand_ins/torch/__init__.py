"""As much of torch as the programs touch."""

bfloat16 = "bfloat16"


class Generator:
    def __init__(self, device="cpu"):
        self.seed = None

    def manual_seed(self, seed):
        self.seed = seed
        return self


class cuda:  # noqa: N801
    @staticmethod
    def is_available():
        return False


def manual_seed(seed):
    pass
