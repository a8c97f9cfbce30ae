import { parse } from 'acorn'

/**
 * Makes the text of a chunk smaller, which V8 keeps in memory for as long as the process lives. Its lines stay the same,
 * so that a stack trace can be read.
 */
export const smallText = {
  name: 'small-text',
  renderChunk(code) {
    return { code: inAscii(indentedByTabs(code)), map: null }
  },
}

/** Escapes all characters beyond ASCII: a single one that is not Latin makes V8 keep two bytes for each character. */
function inAscii(code) {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Writes a tab for each four spaces at the begin of a line, but not in a template: its lines belong to a text. */
function indentedByTabs(code) {
  const inTemplate = new Set()
  parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    onToken({ type, start, end }) {
      if (type.label !== 'template') return
      for (let at = code.indexOf('\n', start); at !== -1 && at < end; at = code.indexOf('\n', at + 1))
        inTemplate.add(at + 1)
    },
  })
  return code.replace(/^(?: {4})+/gm, (spaces, at) =>
    inTemplate.has(at) ? spaces : '\t'.repeat(spaces.length / 4),
  )
}
