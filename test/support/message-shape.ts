import assert from 'node:assert/strict'
import type { Shape } from './shape.ts'

/** A time in ISO 8601 and UTC. */
export const isoTime: Shape = (value) => {
  assert.equal(typeof value, 'string')
  assert.match(value as string, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
}

/** What every message of ours carries beside its payload, and what Node-RED adds. */
export const messageShape: { [name: string]: Shape } = {
  _msgid: 'string',
  topic: 'string',
  panel: { serial: 'string', alias: 'string', online: 'boolean' },
  fetchedAt: isoTime,
  stale: 'boolean',
}
