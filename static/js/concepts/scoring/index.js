/** The page of the scoring lab: any queries, keys and values through every stage, twice if wished. */

import { allowedControl, biasControl, tensorControl } from "./inputs.js";
import { also, buttons, fields, request } from "./state.js";
import { besideSays, lookedAt } from "./numbers.js";
import { calculation } from "./steps.js";
import { captions } from "../../wording/stories.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { film } from "./film.js";
import { hiddenLayerView } from "./hidden_layer.js";
import { pytorch } from "./pytorch.js";
import { scoringNumbers } from "./computed.js";
import { scoringView } from "./view.js";

concept({
  stem: "scoring",
  fields,
  request,
  also,
  computes: { scoring: scoringNumbers },
  data: lookedAt,
  exercises,
  buttons,
  controls: {
    "#queries": tensorControl("queries"),
    "#keys": tensorControl("keys"),
    "#values": tensorControl("values"),
    "#bias": biasControl,
    "#allowed": allowedControl,
  },
  views: { "#hidden-layer": hiddenLayerView, "#stages": scoringView },
  texts: {
    "#queries-caption": ({ state }) => captions(state.story).queries,
    "#keys-caption": ({ state }) => captions(state.story).keys,
    "#values-caption": ({ state }) => captions(state.story).values,
    "#beside-says": besideSays,
  },
  pictures: ".bench-picture .is-picture svg",
  film,
  steps: calculation,
  pytorch,
});
