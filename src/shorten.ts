/** Returns a text of a maximum length; a longer one is cut after a word, if one is complete, and ends in an ellipsis. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const [words = ''] = /^.*(?=[\s,])/.exec(text.slice(0, maxLength)) ?? []
  const kept = words || text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')
  return `${kept.replace(/[\s,]+$/, '')}…`
}
