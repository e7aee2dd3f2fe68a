/** The API's documentation, rendered by Swagger UI from the server's OpenAPI document. */

const main = document.getElementById("api");
if (!main) throw new Error("no element #api");

const { SwaggerUIBundle } = /** @type {{SwaggerUIBundle: (settings: object) => void}} */ (
  /** @type {object} */ (globalThis)
);
SwaggerUIBundle({ url: main.dataset.openapiUrl, domNode: main, deepLinking: true, validatorUrl: null });
