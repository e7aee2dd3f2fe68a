/** The page of what heads do: a role of every head over many sentences, beside what a fixed distance would find. */

import { also, choices, dependents, explorer, fields, grid, request, within } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { foundSays, pairSays } from "./words.js";
import { atlasLinkView, headsView, profileView, relationsView, sentenceView } from "./view.js";
import { pytorch } from "./pytorch.js";

concept({
  stem: "head_roles",
  fields,
  request,
  also,
  grid,
  within,
  exercises,
  dependents,
  choices,
  buttons: { "#strongest": () => ({ layer: null, head: null, query: -1 }) },
  views: {
    "#heads": headsView,
    "#sentence": sentenceView,
    "#relations": relationsView,
    "#profile": profileView,
    "#to-atlas": atlasLinkView,
  },
  texts: { "#found": foundSays, "#pair": pairSays },
  explorer,
  pictures: "#heads svg.mark, #sentence svg.mark, #relations .plot",
  steps: calculation,
  pytorch,
});
