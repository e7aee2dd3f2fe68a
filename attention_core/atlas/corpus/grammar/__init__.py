"""The grammar of the probe corpus: vocabulary, phrases, kinds of sentences, dependency trees."""
