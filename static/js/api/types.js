/**
 * The shapes that travel: JSON of the server as it comes, and what the page makes of it.
 *
 * What the API takes and answers is made from its OpenAPI document (`schema.d.ts`, by `make api-types`). Names are the
 * API's. Layers, heads, queries and keys count from 0 here and in URLs, whatever the screen shows.
 *
 * @typedef {import("./schema.d.ts").paths} Paths
 *
 * @typedef {Finite<import("./schema.d.ts").components["schemas"]>} Schemas  what is answered, by its name in the document
 */

/**
 * The document allows "-Infinity" wherever a matrix stands; it comes only for what a mask hides.
 * @typedef {"masked_score" | "masked_scores" | "mask" | "additive" | "fill"} MayBeInfinite
 */

/**
 * An answer, which holds every field, and whose numbers are numbers, but for those that may be −∞.
 * @template T
 * @typedef {T extends "-Infinity" | "Infinity" ? never : T extends object ? {[K in keyof T]-?: K extends MayBeInfinite ? T[K] : Finite<T[K]>} : T} Finite
 */

/**
 * What a route answers.
 * @template {keyof Paths} P
 * @template {"get" | "post" | "delete"} M
 * @typedef {Paths[P] extends Record<M, {responses: infer R}> ? R[keyof R] extends {content: {"application/json": infer A}} ? Finite<A> : never : never} Answer
 */

/**
 * As in `/api/<stem>`: whatever is asked for without an id.
 * @typedef {{[P in keyof Paths]: P extends `/api/${infer S}` ? S extends `${string}{${string}` ? never : S : never}[keyof Paths]} Stem
 */

/**
 * An answer whose arrays are lists, as they are unless asked for otherwise.
 * @template T
 * @typedef {T extends {bdata: string} ? never : T extends object ? {[K in keyof T]: Listed<T[K]>} : T} Listed
 */

/**
 * What `/api/<stem>` answers.
 * @template {Stem} S
 * @typedef {S extends Stem ? Listed<Paths[`/api/${S}`] extends {post: object} ? Answer<`/api/${S}`, "post"> : Answer<`/api/${S}`, "get">> : never} AnswerTo
 */

/**
 * What `POST /api/<stem>` takes; undefined where it is asked with GET.
 * @template {Stem} S
 * @typedef {Paths[`/api/${S}`] extends {post: {requestBody?: {content: {"application/json": infer B}}}} ? B : undefined} Body
 */

/**
 * A call of `/api/<stem>`: of this stem, or of any.
 * @template {Stem} [S=Stem]
 * @typedef {S extends Stem ? undefined extends Body<S> ? {stem: S, body?: undefined} : {stem: S, body: Body<S>} : never} Call
 */

/**
 * What a list of calls is answered with.
 * @template {readonly Call[]} C
 * @typedef {{[K in keyof C]: AnswerTo<C[K]["stem"]>}} AnswersTo
 */

/**
 * @typedef {"raw_scores" | "scaled_scores" | "masked_scores" | "weights" | "value_weighted" | "norm_weighted"} Stage
 *
 * @typedef {Schemas["EncodedArray"]} EncodedArray
 *
 * @typedef {object} TokenLabel  what the page adds
 * @property {string} [label]  what is shown in place of the text, all of it seen
 *
 * @typedef {Omit<Schemas["Token"], "token" | "box"> & Partial<Pick<Schemas["Token"], "token" | "box">> & TokenLabel} Token
 *
 * @typedef {Schemas["ListedModel"]} Model
 *
 * @typedef {Schemas["SelfCheck"]} SelfCheck
 *
 * @typedef {Schemas["ModelMemory"]} ModelMemory
 *
 * @typedef {Schemas["Loading"]} Loading
 *
 * @typedef {Record<string, number[][]>} Metrics  value by metric, layer and head
 *
 * @typedef {Schemas["MetricInfo"] & {remark?: string}} MetricInfo  `remark`: how it was measured, in the reader's language
 *
 * @typedef {{[K in keyof Schemas["PartAnswer"]]: NonNullable<Schemas["PartAnswer"][K]>}} Part
 *
 * @typedef {Schemas["Candidate"]} Candidate
 *
 * @typedef {Schemas["Prediction"]} Prediction
 *
 * @typedef {Schemas["Parity"]} Parity
 *
 * @typedef {Schemas["PictureAnswer"]} Picture
 *
 * @typedef {Schemas["AnalysisAnswer"]} AnalysisJson
 *
 * @typedef {Omit<AnalysisJson, "parts"> & {parts: Part[]}} Analysis  with every part complete
 *
 * @typedef {object} AnalysisRequest
 * @property {string} model
 * @property {string} text
 * @property {string} [text_pair]
 * @property {string} [target_text]
 * @property {string} [picture]  in place of a text: its name, as in the URL
 * @property {boolean} [parity]
 * @property {string} [changes]  as in the URL
 * @property {object[]} [interventions]  the same as the API takes them
 *
 * @typedef {object} WindowRequest
 * @property {string} part
 * @property {number} layer
 * @property {number} head
 * @property {Stage} stage
 * @property {Range} [rows]
 * @property {Range} [cols]
 * @property {number} [maxSize]
 *
 * @typedef {[number, number]} Range  first, and one past the last
 *
 * @typedef {object} Matrix  a window of one stage of one head; −∞ stays −Infinity
 * @property {Float32Array} values  row-major
 * @property {number} height  cells down
 * @property {number} width  cells across
 * @property {Range} rows  queries it covers
 * @property {Range} cols  keys it covers
 * @property {number} cellRows  queries in one cell; 1 unless pooled
 * @property {number} cellCols
 *
 * @typedef {object} Pictures  every head as a small picture
 * @property {Uint8Array} bytes
 * @property {number} layers
 * @property {number} heads
 * @property {number} height
 * @property {number} width
 *
 * @typedef {Schemas["server__answers__DistributionAnswer"]} Distribution
 *
 * @typedef {Schemas["TopTokensAnswer"]} TopTokens
 *
 * @typedef {Schemas["TokenReadsAnswer"]} TokenReads
 *
 * @typedef {Schemas["HeadScoresAnswer"]} HeadScores
 *
 * @typedef {import("../explorer/state/view_state.js").ViewState} ViewState
 *
 * @typedef {(typeof import("../explorer/state/view_state.js").VIEWS)[number]} ViewName
 *
 * @typedef {object} Pointed  what the pointer is on, in whichever view
 * @property {number | null} query
 * @property {number | null} key
 *
 * @typedef {object} Config
 * @property {string} lang
 * @property {Record<string, number>} limits
 * @property {boolean} embeddable  whether other sites may frame the pages
 * @property {string} [live]  in a file: where the server was from which it comes
 */

/**
 * A view draws data into an element and can be brought up to date or taken away.
 * @template T
 * @typedef {{update: (data: T) => void, destroy: () => void}} View
 */

/**
 * @typedef {object} Bench  what the panels are given once
 * @property {Document} root
 * @property {Config} config
 * @property {import("../base/store.js").Store<ViewState>} state
 * @property {import("../base/store.js").Store<Pointed>} pointed
 * @property {import("../explorer/data/session.js").Session} session
 * @property {ReturnType<typeof import("../explorer/data/head_loader.js").createHeadLoader>} closer
 * @property {ReturnType<typeof import("../charts/thumbnail_sheet.js").createPartMemory>} remember
 * @property {ReturnType<typeof import("../explorer/heads/head_measures.js").createHeadMeasures>} measures
 * @property {() => void} schedule  asks for another rendering
 *
 * @typedef {object} Scene  what is to be shown; the same for every panel
 * @property {ViewState} value  inside what the analysis has
 * @property {Analysis} analysis
 * @property {Part} part
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {string} name  of the chosen head
 * @property {import("../explorer/state/changed_heads.js").ChangedHeads} changed  heads that are marked
 * @property {import("../explorer/heads/head_measures.js").Measured} measured  the part with measures that cost a run of their own
 * @property {Pointed} pointed
 * @property {ReturnType<typeof import("../charts/heat_map/scales.js").createPalette>} palette
 *
 * @typedef {object} Panel  one view of the main panel, made of one or more views in its own element
 * @property {(scene: Scene) => void} show  called for every change while its tab is chosen
 * @property {(pointed: Pointed) => void} [point]  called while its tab is chosen when only this has changed
 * @property {() => void} hide  called when another is chosen: leaves nothing behind
 */

export {};
