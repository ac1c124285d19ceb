// How search orders the pages that it finds. Sphinx puts this after its stop words; from there on
// the queries of readers, not the words of pages, lack those that only make a question of them.

for (const word of ["get", "make", "need", "see", "use", "want"]) stopwords.add(word);

// Guides come before the pages that mention everything: reports, decisions, the changelog.
const areas = { howto: 3, start: 3, tutorials: 2, api: 1, concepts: 1, papers: -12, project: -12 };

var Scorer = {
  score: ([docname, , , , score]) => score + (areas[docname.split("/")[0]] ?? 0),
  objNameMatch: 11, // from here on as in Sphinx
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
