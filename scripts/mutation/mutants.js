import { parse } from 'acorn'
import { listReplacements } from './replacements.js'

/**
 * Lists the mutants of a JavaScript module, each of which is its source with one small fault.
 * @param {string} source
 * @returns {{ start: number, end: number, original: string, replacement: string, runsAtLoad: boolean }[]} offsets in the
 *   source; `runsAtLoad` is true outside of all functions, where coverage cannot tell who uses the value
 */
export function findMutants(source) {
  const mutants = []
  visit(parse(source, { ecmaVersion: 'latest', sourceType: 'module' }), [], (node, ancestors) => {
    for (const [{ start, end }, replacement] of listReplacements(node, ancestors.at(-1), source)) {
      const original = source.slice(start, end)
      const runsAtLoad = !ancestors.some(runsLater)
      mutants.push({ start, end, original, replacement, runsAtLoad })
    }
  })
  return mutants
}

/** Returns the source with the fault of a mutant. */
export function applyMutant(source, { start, end, replacement }) {
  return source.slice(0, start) + replacement + source.slice(end)
}

function visit(node, ancestors, see) {
  see(node, ancestors)
  const inside = [...ancestors, node]
  for (const child of Object.values(node).flat()) {
    if (typeof child?.type === 'string') visit(child, inside, see)
  }
}

function runsLater({ type, static: isStatic }) {
  return /Function/.test(type) || (type === 'PropertyDefinition' && !isStatic)
}
