/** Find the answer to a further call, where the further calls depend on the view. */

/**
 * The one that has this field; undefined where nothing, or something else, was asked.
 * @template {object} A
 * @template {A extends object ? keyof A : never} K
 * @param {readonly A[]} others
 * @param {K} field
 * @returns {Extract<A, {[F in K]: unknown}> | undefined}
 */
export function furtherAnswer(others, field) {
  const match = others.find((answer) => field in answer);
  return /** @type {Extract<A, {[F in K]: unknown}> | undefined} */ (match);
}
