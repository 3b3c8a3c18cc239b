def add_special_tokens(tokenizer):
    return tokenizer, {"eos_token_id": 1}, 3
