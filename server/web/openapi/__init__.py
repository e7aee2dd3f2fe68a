"""The OpenAPI document: rules, examples and descriptions of what requests and answers hold."""
