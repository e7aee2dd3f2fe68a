/**
 * Types of the API's JSON, and of what the page makes of it.
 *
 * Requests and answers are typed by the OpenAPI document: by `schema.d.ts`, which `make check` makes from it. A fresh
 * clone has none, and git does not keep it. Names are the API's. Layers, heads, queries and keys count from 0 here and
 * in URLs, whatever the screen shows.
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
 * The stem of `/api/<stem>`: every route without an id.
 * @typedef {{[P in keyof Paths]: P extends `/api/${infer S}` ? S extends `${string}{${string}` ? never : S : never}[keyof Paths]} Stem
 */

/**
 * An answer whose arrays are lists, as they are unless asked for otherwise.
 * @template T
 * @typedef {T extends {bdata: string} ? never : T extends object ? {[K in keyof T]: Listed<T[K]>} : T} Listed
 */

/**
 * The answer of `/api/<stem>`.
 * @template {Stem} S
 * @typedef {S extends Stem ? Listed<Paths[`/api/${S}`] extends {post: object} ? Answer<`/api/${S}`, "post"> : Answer<`/api/${S}`, "get">> : never} AnswerTo
 */

/**
 * The body of `POST /api/<stem>`; undefined for a GET.
 * @template {Stem} S
 * @typedef {Paths[`/api/${S}`] extends {post: {requestBody?: {content: {"application/json": infer B}}}} ? B : undefined} Body
 */

/**
 * A call of `/api/<stem>`: of this stem, or of any.
 * @template {Stem} [S=Stem]
 * @typedef {S extends Stem ? undefined extends Body<S> ? {stem: S, body?: undefined} : {stem: S, body: Body<S>} : never} Call
 */

/**
 * The answers to a list of calls.
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
 * @typedef {"token" | "box" | "seconds" | "word" | "word_text"} OptionalOfToken
 * @typedef {Omit<Schemas["Token"], OptionalOfToken> & Partial<Pick<Schemas["Token"], OptionalOfToken>> & TokenLabel} Token
 *
 * @typedef {Schemas["ListedModel"]} Model
 * @typedef {Schemas["Model"]} ModelFacts
 * @typedef {Schemas["FoundModel"]} FoundModel
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
 * @typedef {{[K in keyof Schemas["PartAnswer"]]: K extends "allowed_keys" ? Schemas["PartAnswer"][K] : NonNullable<Schemas["PartAnswer"][K]>}} Part
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
 * @property {boolean} [chat]  whether the text is a chat message
 * @property {string} [system_text]  the system message before it
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
 * @property {import("../base/decode.js").Range} [rows]
 * @property {import("../base/decode.js").Range} [cols]
 * @property {number} [maxSize]
 *
 * @typedef {Schemas["DistributionAnswer"]} Distribution
 *
 * @typedef {Schemas["TopTokensAnswer"]} TopTokens
 *
 * @typedef {Schemas["TokenReadsAnswer"]} TokenReads
 *
 * @typedef {Schemas["HeadScoresAnswer"]} HeadScores
 */

export {};
