from pathlib import Path

Path("outputs").mkdir()  # as the real one does for its logs
unc_prompt = template = ""
streaming = True
sampling_params = {"max_new_tokens": 1}
special_tokens = {"BOS": "<", "EOS": ">"}


def build_unc_and_template(task, with_image):
    assert (task, with_image) == ("x2i", True)
    return "<plain <|IMAGE|>", "<USER: <|IMAGE|>{question} ASSISTANT:"
