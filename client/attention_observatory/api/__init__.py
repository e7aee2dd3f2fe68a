"""Every operation of the API, made from the OpenAPI document."""
