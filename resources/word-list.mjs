/** The words of a list as it is typed into a field. */
export function wordsOf(text) {
  return text.match(/[^\s,;]+/g) ?? []
}

/** The same list with a word put in at its end, or taken out. */
export function withWord(text, word, isWanted) {
  const others = wordsOf(text).filter((one) => one !== word)
  return (isWanted ? [...others, word] : others).join(', ')
}

/** Whether a word stands for what the environment holds when the node is deployed. */
export function isVariable(word) {
  return /^\$\{[a-zA-Z_]\w*\}$/.test(word)
}
