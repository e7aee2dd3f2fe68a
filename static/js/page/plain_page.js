/** A page of text, such as the glossary or an error: only its header needs a script. */

import { need } from "../base/dom.js";
import { setMessages } from "../base/i18n.js";
import { bindPlainTools } from "./header_tools.js";

setMessages(JSON.parse(need(document, "#messages").textContent ?? "null"));
bindPlainTools(document);
