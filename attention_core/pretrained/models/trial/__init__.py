"""What is tried with a model when it is loaded: a run, its limits, agreement with the library, and reach."""
