/** The Explorer's beginning: what the page brings along, the state in its URL, then the views. */

import { need } from "./dom.js";
import { startExplorer } from "./explorer.js";
import { bindExplorerLecture } from "./explorer_lecture.js";
import { setMessages } from "./i18n.js";
import { createStore } from "./store.js";
import { chosenTheme } from "./theme.js";
import { readState } from "./url.js";

/** @param {string} id */
const readJson = (id) => JSON.parse(need(document, `#${id}`).textContent ?? "null");

setMessages(readJson("messages"));
const state = createStore({ ...readState(location), theme: chosenTheme() });
startExplorer(document, readJson("config"), state);
bindExplorerLecture(document, readJson("config"), state);
