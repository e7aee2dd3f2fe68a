/** Whether what takes long is stopped: the question that was wanted then, until it goes on or another is wanted. */

/**
 * @param {() => void} onChange  somebody stopped it, or let it go on
 * @param {() => void} [giveUp]  what is on its way
 */
export function createStopping(onChange, giveUp = () => undefined) {
  let stopped = "";
  let wanted = "";
  const isStopped = () => stopped !== "";
  return {
    /**
     * @param {unknown} question  that is wanted now; of another, what was stopped is forgotten
     * @returns {boolean}  whether it is the one that was stopped
     */
    holds(question) {
      wanted = JSON.stringify(question);
      if (wanted !== stopped) stopped = "";
      return isStopped();
    },
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
