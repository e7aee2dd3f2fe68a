/** Scans on the server: begun, followed by their events, cancelled, taken up again; and uploaded corpora. */

import { deleteAtlas, deleteCorpus, postCorpus, postScan } from "../../../api/atlases.js";
import { followEvents } from "../../../api/server_events.js";
import { t } from "../../../base/i18n.js";
import { isRecorded } from "../../../requests/recorded_answers.js";

/** @typedef {import("../../../api/atlases.js").ScanState} ScanState */

/** What is being done, and what went wrong. @typedef {{isBusy: boolean, problem: string, field: string | null}} Standing */

/** Ends of the names of files that can be a corpus; all may be packed with gzip, but for Parquet. */
export const CORPUS_FORMATS = [".txt", ".jsonl", ".csv", ".parquet", ".conllu"];
const GOING_ON = new Set(["waiting", "running"]);

/** @param {{state: string}} scan */
export const isGoingOn = ({ state }) => GOING_ON.has(state);

/**
 * @param {(isOther: boolean) => void} onChange  `isOther`: the list of atlases or corpora is another
 */
export function createScans(onChange) {
  const known = createKnown(onChange);
  const { doing, standing } = createDoing(() => onChange(false));

  /** @param {import("../../../api/atlases.js").ScanRequest} scan @returns {Promise<ScanState | null>} */
  async function begin(scan) {
    const begun = await doing(() => postScan(scan));
    if (begun) {
      known.begin(begun);
      onChange(true);
    }
    return begun;
  }

  return {
    standing,
    follow: known.follow,
    all: known.all,
    of: known.of,
    begin,
    /** The same request again. @param {ScanState} scan */
    resume: ({ model, corpus, max_tokens: most, window_tokens: tokens, seed }) =>
      begin({ model, corpus, max_tokens: most, window_tokens: tokens, seed }),
    /** Cancels a scan, whose events say whether others still want it, or deletes what is over. @param {string} id */
    async remove(id) {
      const before = known.get(id);
      const isDone = await doing(async () => {
        await deleteAtlas(id);
        return true;
      });
      if (isDone) known.remove(id, before);
      onChange(true);
    },
    /** @param {File} file @param {string} column @returns {Promise<import("../../../api/atlases.js").Corpus | null>} */
    async upload(file, column) {
      const corpus = await doing(() => postCorpus(corpusFile(file), column));
      onChange(true);
      return corpus;
    },
    /** @param {string} id */
    async forget(id) {
      await doing(() => deleteCorpus(id));
      onChange(true);
    },
  };
}

/**
 * What is known of the server's scans; those that go on are followed by their events.
 * @param {(isOther: boolean) => void} onChange
 */
function createKnown(onChange) {
  /** The newest that is known of each. @type {Map<string, ScanState>} */
  const known = new Map();
  /** @type {Map<string, () => void>} */
  const followed = new Map();
  /** Deleted here; a list that was asked for before still has them. @type {Set<string>} */
  const gone = new Set();

  /** @param {ScanState} scan */
  function take(scan) {
    const before = known.get(scan.id);
    known.set(scan.id, scan);
    if (isGoingOn(scan)) followOne(scan.id);
    else {
      followed.get(scan.id)?.();
      followed.delete(scan.id);
    }
    onChange(before !== undefined && isGoingOn(before) && !isGoingOn(scan));
  }

  /** @param {string} id */
  function followOne(id) {
    if (followed.has(id) || isRecorded()) return;
    const nothing = () => undefined;
    const on = { state: take };
    followed.set(id, followEvents(`atlases/${id}/events`, { on, onOpen: nothing, onLost: nothing, last: () => 0 }));
  }

  return {
    /** Those that go on on the server. @param {readonly ScanState[]} scans */
    follow(scans) {
      for (const scan of scans) {
        if (followed.has(scan.id) || gone.has(scan.id)) continue; // its events are newer
        known.set(scan.id, scan);
        if (isGoingOn(scan)) followOne(scan.id);
      }
    },
    /** @param {string} id */
    get: (id) => known.get(id),
    all: () => [...known.values()],
    /** The scan of an atlas, or the newest of a model. @param {string} id @param {string} model */
    of(id, model) {
      const matching = [...known.values()].filter((scan) => (id ? scan.id === id : scan.model === model));
      return matching.at(-1) ?? null;
    },
    /** @param {ScanState} begun */
    begin(begun) {
      known.delete(begun.id);
      gone.delete(begun.id);
      take(begun);
    },
    /** One that is over is deleted; of one that goes on, others may want it still. @param {string} id @param {ScanState | undefined} before */
    remove(id, before) {
      if (before && isGoingOn(before)) return take({ ...before, yours: false });
      known.delete(id);
      gone.add(id);
    },
  };
}

/** One thing done at a time, and what went wrong with the last. @param {() => void} onChange */
function createDoing(onChange) {
  /** @type {Standing} */
  let standing = { isBusy: false, problem: "", field: null };
  return {
    standing: () => standing,
    /**
     * @template T
     * @param {() => Promise<T>} act
     * @returns {Promise<T | null>}  null if it failed
     */
    async doing(act) {
      standing = { isBusy: true, problem: "", field: null };
      onChange();
      try {
        const done = await act();
        standing = { isBusy: false, problem: "", field: null };
        return done;
      } catch (error) {
        const { field = null } = /** @type {{field?: string | null}} */ (error);
        standing = { isBusy: false, problem: error instanceof Error ? error.message : String(error), field };
        return null;
      } finally {
        onChange();
      }
    },
  };
}

/**
 * The file, its name as the server wants it.
 * @param {File} file
 * @throws {Error} if it is no corpus
 */
function corpusFile(file) {
  const name = file.name.replace(/\.\w+(\.gz)?$/i, (suffix) => suffix.toLowerCase());
  if (CORPUS_FORMATS.some((format) => name.endsWith(format) || name.endsWith(`${format}.gz`))) {
    return new File([file], name);
  }
  const formats = CORPUS_FORMATS.join(", ");
  throw new Error(t("{name} is in no format of a corpus: {formats}.", { name: file.name, formats }));
}
