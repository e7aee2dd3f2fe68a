/** Edit the text with a prediction: append a token, fill a mask, or mask a token. */

import { isFramed } from "../../page/framed.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("../../api/types.js").Candidate} Candidate */
/** @typedef {import("../../api/types.js").Prediction} Prediction */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {"text" | "pair" | "target"} Field */

/** Prefix of a WordPiece token that continues a word. */
const CONTINUES = /^##(?=.)/;

/**
 * The text in which a token stands, as the state calls it; null where it stands in none.
 * @param {Analysis} analysis
 * @param {Token} token  of the source
 * @returns {Field | null}
 */
function fieldOf(analysis, token) {
  if (analysis.image || token.start === null || token.end === null) return null;
  return token.segment === 1 ? "pair" : "text";
}

/**
 * A text with some of its characters replaced. Offsets count characters, as the server does, not UTF-16 units.
 * @param {string} text
 * @param {Pick<Token, "start" | "end">} token
 * @param {(before: string, piece: string) => [string, string]} change  what stands before and in its place
 */
function replaced(text, { start, end }, change) {
  const signs = [...text];
  const [before, piece, after] = [signs.slice(0, start ?? 0), signs.slice(start ?? 0, end ?? 0), signs.slice(end ?? 0)];
  return [...change(before.join(""), piece.join("")), after.join("")].join("");
}

/**
 * @param {string} text
 * @param {Token} token
 * @param {string} mask  as the model's vocabulary spells it
 * @returns {string}
 */
export function masked(text, token, mask) {
  return replaced(text, token, (before, piece) => [before, piece.replace(/\S.*$/su, "") + mask]);
}

/**
 * @param {string} text
 * @param {Token} token  the mask
 * @param {string} written
 * @returns {string}
 */
export function filled(text, token, written) {
  if (CONTINUES.test(written)) {
    return replaced(text, token, (before) => [before.trimEnd(), written.replace(CONTINUES, "")]);
  }
  return replaced(text, token, (before) => [before, /(^|\s)$/u.test(before) ? written.trimStart() : written]);
}

/**
 * @param {string} text
 * @param {string} written  with the space in front, where one belongs there
 * @returns {string}
 */
export function appended(text, written) {
  return text === "" ? written.trimStart() : text + written;
}

/**
 * @param {AnalysisRequest} request
 * @param {Field} field
 * @returns {string}
 */
function textOf({ text, text_pair: pair = "", target_text: target = "" }, field) {
  return { text, pair, target }[field];
}

/**
 * Where the next token is written: behind the last text that the predicting part reads.
 * @param {AnalysisRequest} request
 * @param {Analysis} analysis
 * @returns {Field}
 */
export function endOf(request, analysis) {
  if (analysis.target_tokens) return "target";
  return request.text_pair ? "pair" : "text";
}

/**
 * How many tokens there is still room for.
 * @param {Analysis} analysis
 * @param {Record<string, number>} limits  of the server
 * @returns {{left: number, limit: number}}
 */
export function room({ model, tokens, target_tokens: targets }, limits) {
  const own = typeof model === "string" ? null : targets ? model.max_target_tokens : model.max_tokens;
  const limit = Math.min(own ?? Infinity, limits.max_tokens ?? Infinity);
  return { left: limit - (targets ?? tokens).length, limit };
}

/**
 * @param {import("../state/draft.js").DraftStore} draftStore
 * @param {ReturnType<typeof import("../data/analyses.js").createAnalyst>} analyst
 * @param {Record<string, number>} limits  of the server
 */
export function createRewriting(draftStore, analyst, limits) {
  /**
   * Does nothing while another text is on its way: what is pressed belongs to the one that is shown.
   * @param {(request: AnalysisRequest, analysis: Analysis) => Partial<ViewState>} change
   */
  function rewrite(change) {
    const { phase, request, analysis } = analyst.session.progress.get();
    if (phase === "running" || phase === "waiting" || !request || !analysis) return;
    if (request.model !== draftStore.get().model) return; // another was asked for, and could not be had
    // What is shown is rewritten; what was typed since, Back brings again.
    const { text, text_pair: pair = "", target_text: target = "" } = request;
    draftStore.put({ text, pair, target, ...change(request, analysis) }, "pick");
    void analyst.run();
  }

  return {
    edits: {
      /** In a frame the way back belongs to the page around it. */
      hasBack: !isFramed(document),
      /** @param {Prediction} prediction @param {Candidate} candidate */
      onChoose({ kind, index }, { written }) {
        if (!written) return;
        rewrite((request, analysis) => {
          if (kind === "next_token") {
            if (request.chat) return {}; // it begins the answer, which is no part of the message
            const field = endOf(request, analysis);
            return { [field]: appended(textOf(request, field), written) };
          }
          const token = analysis.tokens[index];
          const field = fieldOf(analysis, token);
          return field ? { [field]: filled(textOf(request, field), token, written) } : {};
        });
      },
      /** @param {Token} token @param {string} mask */
      onMask(token, mask) {
        rewrite((request, analysis) => {
          const field = fieldOf(analysis, token);
          return field ? { [field]: masked(textOf(request, field), token, mask) } : {};
        });
      },
    },
    /** @param {import("../widgets/panel.js").Scene} scene */
    limits: (scene) => ({
      room: room(scene.analysis, limits),
      maskable: maskable(scene),
      isChat: scene.value.chat,
    }),
  };
}

/**
 * The chosen token, where it can be masked.
 * @param {import("../widgets/panel.js").Scene} scene
 * @returns {{token: Token, mask: string} | null}
 */
function maskable({ analysis, part, value, queries }) {
  const mask = typeof analysis.model === "string" ? null : analysis.model.mask_token;
  const token = value.query === null || part.query_side === "target" ? undefined : queries[value.query];
  return mask && token && !token.special && fieldOf(analysis, token) ? { token, mask } : null;
}
