/** Start the Explorer: read the page's data and the state in its URL, then mount the views. */

import { need } from "../base/dom.js";
import { startExplorer } from "./shell/explorer.js";
import { connectServer } from "./shell/server_source.js";
import { returnToKept } from "../page/frame_state.js";
import { setMessages } from "../base/i18n.js";
import { answerFirst } from "../requests/recorded_answers.js";
import { createStore } from "../base/store.js";
import { chosenTheme } from "../base/theme/theme.js";
import { readState } from "./state/view_state.js";
import { createDraftStore } from "./state/draft.js";
import { takeEarlyChanges } from "../base/early_changes.js";

/** @param {string} id */
const readJson = (id) => JSON.parse(need(document, `#${id}`).textContent ?? "null");

returnToKept();
const changeAgain = takeEarlyChanges(document);
setMessages(readJson("messages"));
answerFirst(readJson("answers"));
const state = createStore({ ...readState(location), theme: chosenTheme() });
startExplorer(document, readJson("config"), state, connectServer(createDraftStore(state)));
changeAgain();
