/** Model select of a concept page, filled from the model list. */

import { getModels } from "../api/models.js";
import { placed } from "../base/place.js";
import { SHORT } from "../requests/cached_resource.js";
import { el } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { pageScheduler } from "../requests/page_requests.js";

/**
 * Adds the listed models to the select's options, and a model in the address even if unlisted.
 * @param {HTMLSelectElement} select  bound to the field `model`
 * @param {() => string} now  the model of the page's state
 * @param {() => void} onChange  the models are known
 */
export function bindModelChoice(select, now, onChange) {
  const has = (/** @type {string} */ id) => [...select.options].some((option) => option.value === id);
  const add = (/** @type {string} */ id, /** @type {string} */ title, isOff = false) => {
    if (!has(id)) select.append(el("option", { value: id, disabled: isOff }, title));
  };
  add(now(), now());
  select.value = now();
  // If the list cannot be loaded, the call that needs the model reports it; the list follows when the server is back.
  pageScheduler().submit({
    lane: "models",
    limit: SHORT,
    send: getModels,
    onChange: () => undefined,
    onValue(list) {
      const models = list.models.filter((model) => model.reads === "text");
      const chosen = now();
      const own = [...select.options].filter((option) => option.dataset.own !== undefined);
      select.replaceChildren(...own);
      for (const { id, title, available } of models) {
        add(id, available ? title : t("{title} (not available)", { title }), !available && id !== chosen);
      }
      add(chosen, chosen);
      select.value = chosen;
      onChange();
    },
  });
}

/**
 * A link that opens the Explorer with the same model and text.
 * @param {ParentNode} root
 * @param {Record<string, string | number>} parameters
 */
export function linkToExplorer(root, parameters) {
  const link = root.querySelector("#to-explorer");
  if (!(link instanceof HTMLAnchorElement)) return;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) query.set(name, String(value));
  const lang = new URLSearchParams(location.search).get("lang");
  if (lang) query.set("lang", lang);
  link.href = placed(`/?${query}`);
}

/**
 * @param {HTMLSelectElement} select
 * @param {readonly [string, string][]} options  value and text
 */
export function fillSelect(select, options) {
  const now = [...select.options].map((option) => `${option.value}\n${option.text}`).join("\n");
  if (now === options.map(([value, text]) => `${value}\n${text}`).join("\n")) return;
  const chosen = select.value;
  select.replaceChildren(...options.map(([value, text]) => el("option", { value }, text)));
  select.value = chosen;
}
