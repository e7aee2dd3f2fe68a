// A stranger's program: the types are those that openapi-typescript makes, the requests are openapi-fetch's.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };
const client = createClient<paths>({ baseUrl: process.argv[2] });

const scored = await client.POST("/api/scoring", {
  body: {
    queries: [[1, 0]],
    keys: [
      [1, 0],
      [0, 1],
    ],
    values: [[5], [7]],
    mechanism: "dot",
  },
});
if (scored.error) throw new Error(scored.error.error.message);
const weights: (number | "-Infinity" | "Infinity")[][] = scored.data.weights;

const refused = await client.GET("/api/analyses/{analysis_id}", { params: { path: { analysis_id: "nowhere" } } });
const problem: components["schemas"]["ErrorResponse"] | undefined = refused.error;

// @ts-expect-error Scores are numbers.
await client.POST("/api/softmax", { body: { scores: ["three"] } });

console.log(JSON.stringify({ weights, code: problem?.error.code, status: refused.response.status }));
