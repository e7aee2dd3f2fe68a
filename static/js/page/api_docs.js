/** The API's documentation, drawn by Swagger UI from the description that the server gives of itself. */

const main = document.getElementById("api");
if (!main) throw new Error("no element #api");

const { SwaggerUIBundle } = /** @type {{SwaggerUIBundle: (settings: object) => void}} */ (
  /** @type {object} */ (globalThis)
);
SwaggerUIBundle({ url: main.dataset.openapiUrl, domNode: main, deepLinking: true, validatorUrl: null });
