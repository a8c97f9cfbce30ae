/** The notes of nodes, by node id: those that have changed least recently come first. */
export type NodeNotes = Readonly<Record<string, string>>

/** Nodes that are away, such as in a disabled flow, whose notes are kept. Those of deleted nodes go with time. */
const maxAway = 5

/** Returns the notes with those that have changed. */
export function withNotes(notes: NodeNotes, changed: Iterable<readonly [string, string]>): NodeNotes {
  const known = new Map(Object.entries(notes))
  for (const [nodeId, text] of changed) {
    known.delete(nodeId)
    known.set(nodeId, text)
  }
  return Object.fromEntries(known)
}

/** Returns the notes to keep, so that a cursor does not grow with each node that is deleted. */
export function keptNotes(notes: NodeNotes, present: ReadonlySet<string>): NodeNotes {
  const nodeIds = Object.keys(notes)
  const away = nodeIds.filter((nodeId) => !present.has(nodeId))
  if (away.length <= maxAway) return notes
  const forgotten = new Set(away.slice(0, -maxAway))
  return Object.fromEntries(Object.entries(notes).filter(([nodeId]) => !forgotten.has(nodeId)))
}
