import random


class InterleaveInferencer:
    """Gives the page back with a random number of the seed in its first pixel."""

    def __init__(self, model, vae_model, tokenizer, vae_transform, vit_transform, new_token_ids):
        assert (vae_transform.largest, vit_transform.largest) == (1024, 980)
        assert model.places == {"": "cpu"}

    def __call__(self, image, text, think, cfg_text_scale, cfg_img_scale, cfg_interval, **options):
        made = image.copy()
        made.putpixel((0, 0), (random.randrange(256), round(10 * cfg_text_scale), round(10 * cfg_img_scale)))
        return {"image": made, "text": f"I plan: {text}" if think else None}
