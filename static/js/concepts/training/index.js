/** The page of live training: a run on the server, its curves, its maps and what became of it. */

import { beginButton, commandButtons, downloadView, guessesControl, scrubView } from "./controls.js";
import { addressView, settingsView } from "./run_views.js";
import { calculation } from "./steps.js";
import { chartsView } from "./charts.js";
import { comparisonView } from "./comparison.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { fields, question, request, settingsOf } from "./state.js";
import { mapsView } from "./view.js";
import { HELD } from "./held_run.js";
import { pytorch } from "./pytorch.js";
import { drawnAnswers, runSource } from "./run_source.js";
import { runTexts } from "./run_texts.js";
import { verdictView } from "./verdict_view.js";

concept({
  stem: "training",
  fields,
  request,
  held: async ({ answer: { leading, run } }) => ({
    state: { ...(run && settingsOf(run.answer.config)), run: "" },
    records: [{ request: HELD, answer: await leading.held() }],
  }),
  source: runSource,
  drawn: drawnAnswers,
  isWaiting: ({ isPending }) => isPending,
  exercises,
  controls: { "#guesses": guessesControl },
  views: {
    ".train-course": addressView,
    "#begin": beginButton,
    ...commandButtons,
    "#scrub": scrubView,
    "#run-settings": settingsView,
    "#download": downloadView,
    "#verdict": verdictView,
    "#charts": chartsView,
    "#maps": mapsView,
    "#comparison": comparisonView,
  },
  texts: { "#guess-question": question, ...runTexts },
  shown: {
    "#run-problem": ({ answer }) => answer.problem !== "",
  },
  pictures: "#charts .plot",
  steps: calculation,
  pytorch,
});
