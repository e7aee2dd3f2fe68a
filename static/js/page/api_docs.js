/** The API's documentation, rendered by Swagger UI from the server's OpenAPI document, in the page's theme. */

import { need } from "../base/dom.js";
import { setMessages, t } from "../base/i18n.js";
import { chosenTheme, onSystemTheme } from "../base/theme/theme.js";
import { failureView } from "./failure.js";
import { bindPlainTools } from "./header_tools.js";

setMessages(JSON.parse(need(document, "#messages").textContent ?? "null"));
bindPlainTools(document, shade);
onSystemTheme(shade);
shade();

const place = need(document, "#api");
const { SwaggerUIBundle } = /** @type {{SwaggerUIBundle?: (settings: object) => void}} */ (
  /** @type {object} */ (globalThis)
);
const openapi = place.dataset.openapiUrl ?? "";
if (SwaggerUIBundle) {
  SwaggerUIBundle({
    url: openapi,
    domNode: place,
    deepLinking: true,
    validatorUrl: null,
    // Folded and with a field to filter: with over 150 rows Swagger UI draws only those in view, and Ctrl-F misses the others.
    docExpansion: "none",
    filter: true,
    responseInterceptor: (/** @type {{ok: boolean, url: string}} */ answer) => {
      if (!answer.ok && new URL(answer.url, location.href).pathname === new URL(openapi, location.href).pathname)
        fail();
      return answer;
    },
  });
} else fail();

/** In place of what could not be loaded. */
function fail() {
  const error = t("This part of the page could not be loaded: the server cannot be reached.");
  const told = document.createElement("div");
  place.replaceWith(told);
  const once = { isTrying: false, retryAt: null, canRetry: true };
  failureView(told, { ...once, kind: "failed", error, retry: () => location.reload() }, {});
}

/** Swagger UI is dark below this class. */
function shade() {
  const theme = chosenTheme() || (matchMedia("(prefers-color-scheme: dark)").matches ? "night" : "paper");
  document.documentElement.classList.toggle("dark-mode", theme === "night");
}
