"""Training recipes of the shipped models; nothing here is imported by the application."""
