"""Agreement of raters: Krippendorff's alpha, Fleiss' kappa, percent agreement."""
