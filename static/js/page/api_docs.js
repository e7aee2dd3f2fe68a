/** The API's documentation, rendered by Swagger UI from the server's OpenAPI document, in the page's theme. */

import { need } from "../base/dom.js";
import { setMessages } from "../base/i18n.js";
import { chosenTheme, onSystemTheme } from "../base/theme.js";
import { bindPlainTools } from "./header_tools.js";

setMessages(JSON.parse(need(document, "#messages").textContent ?? "null"));
bindPlainTools(document, shade);
onSystemTheme(shade);
shade();

const place = need(document, "#api");
const { SwaggerUIBundle } = /** @type {{SwaggerUIBundle: (settings: object) => void}} */ (
  /** @type {object} */ (globalThis)
);
SwaggerUIBundle({ url: place.dataset.openapiUrl, domNode: place, deepLinking: true, validatorUrl: null });

/** Swagger UI is dark below this class. */
function shade() {
  const theme = chosenTheme() || (matchMedia("(prefers-color-scheme: dark)").matches ? "night" : "paper");
  document.documentElement.classList.toggle("dark-mode", theme === "night");
}
