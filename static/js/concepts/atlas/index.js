/** The page of atlases: heads measured over a whole corpus, as a map, and beside it the portrait of one head. */

import { ANSWERS } from "./questions.js";
import { atlasSource } from "./source.js";
import { caveatsView, factsLine, factsView, takeAlongView } from "./about.js";
import { calculation } from "./steps.js";
import { circuitsView } from "./weights/circuits.js";
import { comparisonView } from "./comparison.js";
import { compositionView } from "./weights/composition_matrix.js";
import { concept } from "../frame/concept.js";
import { choices } from "./choices.js";
import { legendView } from "./map/colouring.js";
import { distributionsView, neighboursView, offsetsView, pairsView } from "./head/portrait.js";
import { examplesView, samplesControl } from "./head/examples.js";
import { explorer, headTitleView, headValuesView, selectionView } from "./head/head_card.js";
import { dependents, fields, presetFields, request, within } from "./state.js";
import { gridView, pointedView } from "./map/grid.js";
import { mapView } from "./map/map.js";
import { isMissing, problemView, standingView } from "./scans/standing.js";
import { ownRelationsView } from "./head/own_relations.js";
import { relationsView } from "./relations.js";
import { scanForm } from "./scans/scan_form.js";
import { damagedView, scansView } from "./scans/scanning.js";
import { searchView } from "./head/search.js";
import { scanAnotherView, tabsView } from "./tabs.js";

concept({
  stem: "atlases",
  fields,
  page: "atlas",
  presetFields,
  request,
  source: atlasSource,
  drawn: ({ answer }) => ANSWERS.map((name) => answer[name]),
  isWaiting: (answer) => answer.isWaiting,
  within,
  dependents,
  choices,
  controls: { "#tabs": tabsView, "#scan-another": scanAnotherView },
  views: {
    "#problem": problemView,
    "#standing": standingView,
    "#map": mapView,
    "#legend": legendView,
    "#pointed": pointedView,
    "#grid": gridView,
    "#head-line": headTitleView,
    "#head-values": headValuesView,
    "#selection": selectionView,
    "#offsets": offsetsView,
    "#pairs": pairsView,
    "#own-relations": ownRelationsView,
    "#neighbours": neighboursView,
    "#distributions": distributionsView,
    "#samples": samplesControl,
    "#examples": examplesView,
    "#relations": relationsView,
    "#found": searchView,
    "#circuits": circuitsView,
    "#composition": compositionView,
    "#comparison": comparisonView,
    "#facts": factsView,
    "#caveats": caveatsView,
    "#take-along": takeAlongView,
    "#scan-form": scanForm,
    "#scans": scansView,
    "#damaged": damagedView,
  },
  texts: { "#facts-line": factsLine },
  shown: {
    "#of-map": ({ answer }) => !isMissing(answer),
    "#of-head": ({ answer }) => !isMissing(answer),
    "#of-composition": ({ answer }) => answer.composition !== null,
  },
  explorer,
  pictures: "#map svg.atlas-map",
  steps: calculation,
});
