/** The Explorer's beginning: what the page brings along, the state in its URL, then the views. */

import { need } from "./dom.js";
import { startExplorer } from "./explorer.js";
import { bindExplorerLecture } from "./explorer_lecture.js";
import { setMessages } from "./i18n.js";
import { createStore } from "./store.js";
import { chosenTheme } from "./theme.js";
import { readState } from "./url.js";
import { createWanted } from "./wanted.js";

/** @param {string} id */
const readJson = (id) => JSON.parse(need(document, `#${id}`).textContent ?? "null");

setMessages(readJson("messages"));
const state = createStore({ ...readState(location), theme: chosenTheme() });
const wanted = createWanted(state);
const { standing, open } = startExplorer(document, readJson("config"), state, wanted);
bindExplorerLecture(document, readJson("config"), { state, wanted, standing, open });
