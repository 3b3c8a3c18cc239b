"""Human study: people rank outputs blind; their ranks are compared with the metrics."""
