/**
 * The shapes that travel: JSON of the server as it comes, and what the page makes of it.
 *
 * Names are the API's. Layers, heads, queries and keys count from 0 here and in URLs, whatever the screen shows.
 *
 * @typedef {"raw_scores" | "scaled_scores" | "masked_scores" | "weights" | "value_weighted" | "norm_weighted"} Stage
 *
 * @typedef {object} EncodedArray  base64 of little-endian bytes, row-major
 * @property {"f4" | "f2" | "u1"} dtype
 * @property {string} shape  sizes separated by commas
 * @property {string} bdata
 *
 * @typedef {object} Token
 * @property {number} index
 * @property {number} id
 * @property {string} text  what the reader sees
 * @property {string} [token]  the vocabulary's own spelling, such as "##ing"
 * @property {string} [label]  what is shown in place of the text, all of it seen
 * @property {number | null} start  character offsets in the text; null where the tokeniser gives none
 * @property {number | null} end
 * @property {boolean} special
 * @property {number | null} segment
 * @property {[number, number, number, number]} [box]  of a patch of a picture: left, top, width, height in pixels
 *
 * @typedef {object} Model
 * @property {string} id
 * @property {string} title
 * @property {string | null} architecture
 * @property {string | null} kind
 * @property {number | null} layers
 * @property {number | null} heads
 * @property {number | null} kv_heads
 * @property {number | null} head_dim
 * @property {number | null} max_tokens
 * @property {string | null} positions
 * @property {string | null} source
 * @property {boolean} available
 * @property {string | null} reason  why it is not available, and what to do
 * @property {"text" | "image"} reads  what an analysis starts from
 * @property {string | null} [mask_token]  what stands in a text for a token to be guessed
 * @property {SelfCheck | null} [self_check]  null before it was loaded
 * @property {boolean} loaded  in memory
 * @property {string | null} loading  how far its loading has come
 *
 * @typedef {object} SelfCheck  our attention against the library's own, on a few random tokens
 * @property {number | null} weights  largest difference; null where the library hands out none
 * @property {number} last_hidden_state  as a share of its largest number
 * @property {number} bound  how much is rounding
 * @property {number} tokens
 *
 * @typedef {object} ModelMemory  what models in memory take
 * @property {number} used_bytes
 * @property {number} limit_bytes
 *
 * @typedef {object} Loading  how far a model has come into memory
 * @property {string} model
 * @property {"idle" | "waiting" | "fetching" | "checking" | "reading" | "trying" | "ready" | "failed"} state
 * @property {number} done_bytes  fetched
 * @property {number} total_bytes  0 where it is not known
 * @property {string | null} message
 *
 * @typedef {Record<string, number[][]>} Metrics  value by metric, layer and head
 *
 * @typedef {object} MetricInfo
 * @property {string} title
 * @property {string} definition
 * @property {string} source
 * @property {string} unit
 * @property {string} [remark]  how it was measured, in the reader's language
 *
 * @typedef {object} Part  one block of attention layers: an encoder, a decoder, or the cross-attention between them
 * @property {string} name
 * @property {number} layers
 * @property {number} heads
 * @property {number} kv_heads
 * @property {boolean} causal
 * @property {"source" | "target"} query_side
 * @property {"source" | "target"} key_side
 * @property {number} query_tokens
 * @property {number} key_tokens
 * @property {string[]} stages  what can be looked at: given weights, say, have no scores
 * @property {EncodedArray} overview  weights of every head as small pictures: "layers,heads,rows,columns"
 * @property {Metrics} metrics
 *
 * @typedef {object} Candidate
 * @property {number} id
 * @property {string} text
 * @property {number} probability
 * @property {number} logit
 * @property {string | null} [written]  what to write to have it there; null where no text gives it
 *
 * @typedef {object} Prediction
 * @property {"next_token" | "masked_token" | "class"} kind
 * @property {number} index  the token read
 * @property {Candidate[]} candidates
 *
 * @typedef {object} Parity  largest differences between our attention and the library's
 * @property {number} weights
 * @property {number} last_hidden_state
 * @property {number} relative_hidden_state  the same as a share of the largest number in it
 * @property {number} bound
 * @property {boolean} within_bound  whether the weights and that share are
 *
 * @typedef {object} Picture  an image as the model saw it
 * @property {number} width
 * @property {number} height
 * @property {[number, number]} patch  height and width of one, in pixels
 * @property {[number, number]} grid  patches down and across
 * @property {[number, number]} original_size  width and height of what was sent
 * @property {string} png  in base64
 *
 * @typedef {object} AnalysisJson
 * @property {string} id
 * @property {Model | string} model
 * @property {Token[]} tokens
 * @property {Token[] | null} [target_tokens]
 * @property {number} layers
 * @property {number} heads
 * @property {number} kv_heads
 * @property {boolean} causal
 * @property {Array<Partial<Part> & Pick<Part, "name" | "layers" | "query_tokens" | "key_tokens" | "stages">>} parts
 * @property {EncodedArray} overview
 * @property {Metrics} metrics
 * @property {Record<string, MetricInfo>} metric_info
 * @property {Prediction[]} predictions
 * @property {string} device
 * @property {string} dtype
 * @property {Record<string, number>} timings_ms
 * @property {Parity | null} parity
 * @property {import("../explorer/state/changes.js").Intervention[]} interventions  what was changed in the model
 * @property {Picture | null} [image]  of a model that reads images
 * @property {{code: string, message: string}[]} warnings  what whoever looks should know
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
 * @typedef {object} Distribution
 * @property {number[]} edges
 * @property {number[]} counts
 * @property {number | null} mean
 * @property {number | null} standard_deviation
 * @property {number | null} minimum
 * @property {number | null} maximum
 * @property {number} masked
 * @property {number[]} row_entropy
 *
 * @typedef {object} TopTokens  the largest weights of each head: layers × heads × count
 * @property {number[][][]} indices
 * @property {number[][][]} weights
 * @property {number[][]} totals
 *
 * @typedef {object} TokenReads
 * @property {string} side
 * @property {number} index
 * @property {{name: string, reads: TopTokens | null, read_by: TopTokens | null}[]} parts
 *
 * @typedef {object} HeadScores
 * @property {number} period  different random tokens before they are repeated
 * @property {number} sequences
 * @property {{name: string, scores: Metrics}[]} parts
 * @property {Record<string, MetricInfo>} score_info
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
 * @property {ReturnType<typeof import("../explorer/data/head_loader.js").createCloser>} closer
 * @property {import("../explorer/data/images.js").GivenPictures} pictures  that models read
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
