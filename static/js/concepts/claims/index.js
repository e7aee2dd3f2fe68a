/** The page of claims about heads, measured on the model that is loaded. */

import { calculation, claimSays } from "./steps.js";
import { chosenClaim, dependents, explorer, fields, request, within } from "./state.js";
import { claimsView, measuredView } from "./view.js";
import { concept } from "../frame/concept.js";
import { pytorch } from "./pytorch.js";

concept({
  stem: "claims",
  fields,
  request,
  within,
  dependents,
  views: { "#cards": claimsView, "#bars": measuredView },
  texts: {
    "#chosen-title": (data) => claimSays(chosenClaim(data)),
    "#convention": (data) => chosenClaim(data).convention,
    "#source": (data) => chosenClaim(data).source,
  },
  explorer,
  pictures: "#bars .plot",
  steps: calculation,
  pytorch,
});
