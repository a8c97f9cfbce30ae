import { isDeepStrictEqual } from 'node:util'
import { declarations } from '../../harness/fixtures/declarations.js'

/** Tells if a dialog fills in a field that a flow lacks; it shows every other one as empty. */
function isFilledIn(type, field) {
  const declared = declarations.get(type.replace('keyholder-', ''))?.fields[field]
  return declared?.kind === 'source' || declared?.isAdded === true
}

/** The fields that must be there, because the editor would show the node as invalid. */
const needed = { 'keyholder-panel': ['stateEvery', 'eventsEvery', 'devicesEvery'] }

const isEmpty = (value) => value === '' || value === false || (Array.isArray(value) && value.length === 0)

/**
 * Returns the fields of a node type that an example leaves out where they have their default: those with which the editor
 * shows and saves the same without them. A new setting of a node then changes no example.
 *
 * @param {string} type of the node
 * @param {Readonly<Record<string, unknown>>} defaults of its fields
 */
export function fieldsToLeaveOut(type, defaults) {
  return Object.keys(defaults).filter((field) =>
    isEmpty(defaults[field]) ? !needed[type]?.includes(field) : isFilledIn(type, field),
  )
}

/**
 * Returns the nodes of an example without the fields that it leaves out.
 *
 * @param {readonly Readonly<Record<string, unknown>>[]} nodes
 * @param {(type: string) => Readonly<Record<string, unknown>>} defaultsOf returns the fields of a new node of a type
 */
export function withoutDefaults(nodes, defaultsOf) {
  return nodes.map((node) => {
    const defaults = defaultsOf(node.type)
    const left = fieldsToLeaveOut(node.type, defaults).filter((field) =>
      isDeepStrictEqual(node[field], defaults[field]),
    )
    return Object.fromEntries(Object.entries(node).filter(([field]) => !left.includes(field)))
  })
}
