/** Returns the words of a list typed into a field. */
export function splitList(text) {
  return text.match(/[^\s,;]+/g) ?? []
}

/** Returns the list with a word appended or removed. */
export function toggleListItem(text, word, isWanted) {
  const others = splitList(text).filter((one) => one !== word)
  return (isWanted ? [...others, word] : others).join(', ')
}

/** Tells if a word is an environment variable, which is replaced on deploy. */
export function isVariable(word) {
  return /^\$\{[a-zA-Z_]\w*\}$/.test(word)
}
