/** Whether what takes long is stopped: the question that was wanted then, until it goes on or is forgotten. */

/**
 * @param {() => void} onChange  somebody stopped it, or let it go on
 * @param {() => void} [giveUp]  what is on its way
 */
export function createStopping(onChange, giveUp = () => undefined) {
  let stopped = "";
  let wanted = "";
  const isStopped = () => stopped !== "" && stopped === wanted;
  return {
    /** @param {unknown} question  that is wanted now @returns {boolean}  whether it is the one that was stopped */
    holds(question) {
      wanted = JSON.stringify(question);
      return isStopped();
    },
    /** From here on nothing is stopped, not even what is wanted again later. */
    forget: () => void (stopped = ""),
    choices: {
      isStopped,
      stop() {
        stopped = wanted;
        giveUp();
        onChange();
      },
      goOn() {
        stopped = "";
        onChange();
      },
    },
  };
}
