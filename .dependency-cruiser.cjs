/** Which rooms of static/js may import which. A room sees those below it, never one above or beside it. */

/** From the top down; `[^/]+` stands for any concept or any panel of the Explorer. */
const ROOMS = [
  "explorer/[^/]+\\.js",
  "explorer/shell/",
  "explorer/saving/",
  "explorer/(composer|compare|flow|guide|heads|lines|matrix|output|patching|pins|prompts|reach|rollout|tokens|vectors|what_if)/",
  "explorer/widgets/",
  "explorer/data/",
  "explorer/state/",
  "lessons/",
  "concepts/(?!frame/)([^/]+)/",
  "concepts/frame/",
  "page/",
  "charts/",
  "wording/",
  "api/",
  "requests/",
  "base/",
];
const JS = "^static/js/";

module.exports = {
  forbidden: [
    { name: "no-circles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-orphans",
      comment: "A module that no page leads to is dead.",
      severity: "error",
      from: {
        orphan: true,
        pathNot: [
          `${JS}api/types\\.js$`,
          `${JS}base/first_paint\\.js$`,
          `${JS}page/(menu|footer|api_docs|plain_page)\\.js$`,
        ],
      },
      to: {},
    },
    ...ROOMS.slice(1).map((room, below) => ({
      name: `from-${room.replace(/\\|[^\w/]/g, "")}-upward`,
      severity: "error",
      from: { path: JS + room },
      to: { path: ROOMS.slice(0, below + 1).map((upper) => JS + upper) },
    })),
    {
      name: "between-concepts",
      comment: "What two concepts need goes down into concepts/frame or below.",
      severity: "error",
      from: { path: `${JS}concepts/(?!frame/)([^/]+)/` },
      to: { path: `${JS}concepts/`, pathNot: `${JS}concepts/($1|frame)/` },
    },
    {
      name: "between-panels",
      comment: "What two panels need goes down into widgets, data or state.",
      severity: "error",
      from: {
        path: `${JS}explorer/(composer|compare|flow|heads|lines|matrix|output|patching|pins|prompts|reach|rollout|tokens|vectors|what_if)/`,
      },
      to: {
        path: `${JS}explorer/(composer|compare|flow|heads|lines|matrix|output|patching|pins|prompts|reach|rollout|tokens|vectors|what_if)/`,
        pathNot: `${JS}explorer/$1/`,
      },
    },
    {
      name: "from-the-prompt-editor-upward",
      severity: "error",
      from: { path: `${JS}explorer/prompts/editor/` },
      to: { path: `${JS}explorer/prompts/[^/]+\\.js$` },
    },
    {
      name: "explorer-and-concepts-apart",
      severity: "error",
      from: { path: `${JS}explorer/` },
      to: { path: `${JS}(concepts|lessons)/` },
    },
    {
      name: "charts-and-wording-without-requests",
      severity: "error",
      from: { path: `${JS}(charts|wording)/` },
      to: { path: `${JS}(api|requests)/` },
    },
  ],
  options: { doNotFollow: { path: "node_modules" }, moduleSystems: ["es6"], combinedDependencies: false },
};
