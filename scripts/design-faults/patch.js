/**
 * Reads a patch in the form of `git diff`.
 * @param {string} text lines before the first file are no part of it
 * @returns {{ file: string, hunks: { before: string, after: string }[] }[]} the lines that a hunk replaces, and those that
 *   replace them
 */
export function readPatch(text) {
  const files = []
  for (const line of text.split('\n')) {
    const [, file] = /^\+\+\+ b\/(\S+)$/.exec(line) ?? []
    const hunk = files.at(-1)?.hunks.at(-1)
    if (file !== undefined) files.push({ file, hunks: [] })
    else if (/^(diff|index|---) /.test(line)) continue
    else if (line.startsWith('@@')) files.at(-1)?.hunks.push({ before: '', after: '' })
    else if (hunk !== undefined) {
      if (/^[ -]/.test(line)) hunk.before += `${line.slice(1)}\n`
      if (/^[ +]/.test(line)) hunk.after += `${line.slice(1)}\n`
    }
  }
  return files
}

/**
 * Applies the hunks of a patch to a source, wherever their lines are now.
 * @param {string} source
 * @param {{ before: string, after: string }[]} hunks
 * @returns {string | undefined} undefined if the lines of a hunk are not there, or more than once
 */
export function applyHunks(source, hunks) {
  let text = `\n${source}`
  for (const { before, after } of hunks) {
    const at = text.indexOf(`\n${before}`)
    if (before === '' || at < 0 || text.includes(`\n${before}`, at + 1)) return undefined
    text = `${text.slice(0, at + 1)}${after}${text.slice(at + 1 + before.length)}`
  }
  return text.slice(1)
}
