"""What differs between two images of a page: geometry, text, ink and style."""
