def build_image(image, settings, tokenizer, sight):
    return f"[{image.width}x{image.height} of {settings.image_area}]"
