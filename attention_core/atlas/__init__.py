"""The head atlas: what every head of a model does over a whole corpus."""
