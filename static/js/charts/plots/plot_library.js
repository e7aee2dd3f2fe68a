/** Loads the charting library once, when it is first needed. Saved files have none (`plot_drawing.js`). */

/** @type {Promise<void> | null} */
let loading = null;

/**
 * The library; a failed load is tried again at the next call.
 * @template T
 * @param {() => T | undefined} loadedNow  where it puts itself
 * @returns {Promise<T>}
 */
export async function loadedFrom(loadedNow) {
  const there = loadedNow();
  if (there !== undefined) return there;
  loading ??= request().catch((error) => {
    loading = null;
    throw error;
  });
  await loading;
  const loaded = loadedNow();
  if (loaded === undefined) throw new Error("the charting library is not what was loaded");
  return loaded;
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
