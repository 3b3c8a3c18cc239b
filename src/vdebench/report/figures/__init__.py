"""Figures as SVG by our own hand: heat maps, bars, histograms, sunbursts; the same as PNG by the typesetter."""
