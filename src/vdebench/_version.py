"""The version, where every module can import it without importing the package."""

__version__ = "0.1.0"
