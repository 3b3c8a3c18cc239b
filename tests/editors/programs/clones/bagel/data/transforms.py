class ImageTransform:
    def __init__(self, largest, smallest, stride):
        self.largest = largest
