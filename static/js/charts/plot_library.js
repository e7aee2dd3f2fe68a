/** Loads the charting library once, when it is first needed: from this server, or out of a saved file. */

/** @type {Promise<void> | null} */
let loading = null;

/**
 * The library; a failed load is tried again at the next call.
 * @template T
 * @param {() => T | undefined} found  where it puts itself
 * @returns {Promise<T>}
 */
export async function loadedFrom(found) {
  const there = found();
  if (there !== undefined) return there;
  loading ??= load().catch((error) => {
    loading = null;
    throw error;
  });
  await loading;
  const loaded = found();
  if (loaded === undefined) throw new Error("the charting library is not what was loaded");
  return loaded;
}

function load() {
  const held = document.querySelector("script[data-charting]");
  return held ? unpack(held.textContent ?? "") : request();
}

/** @returns {Promise<void>} */
function request() {
  const { charting } = JSON.parse(document.querySelector("#config")?.textContent ?? "{}");
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = charting;
    script.addEventListener("load", () => resolve());
    script.addEventListener("error", () => {
      script.remove();
      reject(new Error(`${charting} could not be loaded`));
    });
    document.head.append(script);
  });
}

/**
 * A saved file carries it compressed; its policy allows exactly this script.
 * @param {string} packed  gzip in base64
 */
async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.trim()), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
}
