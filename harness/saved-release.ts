import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RejectedCredentials } from '../src/account/service-user/auth/rejected-credentials.ts'
import { parseRecording, type Recording } from '../src/simulator/replay.ts'
import { defaultsOf } from './fixtures/node-fields.ts'
import type { FlowPart } from './flow/flow-part.ts'

const root = fileURLToPath(new URL('../test/releases/', import.meta.url))

/** The id of the Home Assistant node that is added to the flows of a release that had none. */
const addedId = 'added home assistant'

/** The things that a Node-RED with a release left when it was killed, as `scripts/record-release.js` kept them. */
export interface SavedRelease {
  version: string
  folder: string
  flows: FlowPart['nodes']
  credentials: FlowPart['credentials']
  /** The answers of the service. */
  recording: Recording
  /** The events that happened after the kill: no node has delivered them. */
  missed: number[]
  /** The time of the last event that was delivered, shortly before the kill; milliseconds since 1970. */
  deliveredAt: number
  /** The port of the service, whose address is in the names of files and keys. */
  port: number
}

/** Returns all releases. Those with a cluster have a second one in a folder of their own. */
export function savedReleases(name: '.' | 'cluster' = '.'): SavedRelease[] {
  const versions = readdirSync(root)
  return versions
    .filter((version) => existsSync(join(root, version, name)))
    .map((version) => readRelease(version, join(root, version, name)))
}

function readRelease(version: string, folder: string): SavedRelease {
  const read = (name: string) => readSaved(folder, name)
  const flows: FlowPart['nodes'] = read('flows')
  const recorded = read('recording')
  const happened: number[] = recorded.answers.events.answer.map(({ event }: { event: number }) => event)
  const account = flows.find(({ id }) => id === 'account')
  const lastDelivered = read('delivered').at(-1)
  return {
    ...{ version, folder, flows, credentials: read('credentials') },
    recording: parseRecording(JSON.stringify(recorded)),
    missed: happened.slice(happened.indexOf(lastDelivered.id) + 1),
    deliveredAt: Date.parse(lastDelivered.time),
    port: Number(new URL(`${account?.url}`).port),
  }
}

/** Returns what a JSON file of a release contains. */
export function readSaved(folder: string, name: string) {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
}

/** Returns the part of a flow with all that was saved, and a recorder behind each node. */
export function createSavedPart({ flows, credentials }: SavedRelease): FlowPart {
  const nodes = flows.filter(({ type }) => type !== 'tab')
  const ids = nodes.filter(({ z }) => z !== undefined).map(({ id }) => id)
  return {
    ...{ account: 'account', panel: 'panel', credentials },
    ids: new Map(ids.map((id) => [id, id])),
    nodes: nodes.flatMap((node) =>
      ids.includes(node.id)
        ? [
            { ...node, wires: [[`out ${node.id}`]] },
            { id: `out ${node.id}`, type: 'recorder', z: node.z, x: 600, y: 100, wires: [] },
          ]
        : [node],
    ),
  }
}

/** Returns the flows of a release with a Home Assistant node, which is added if the release had none, and the id of this node. */
export function withHomeAssistant(release: SavedRelease): [SavedRelease, string] {
  const type = 'keyholder-home-assistant'
  const saved = release.flows.find((node) => node.type === type)
  if (saved !== undefined) return [release, saved.id]
  const added = {
    ...defaultsOf(type),
    code: 'none',
    id: addedId,
    type,
    panel: 'panel',
    z: 'tab',
    x: 200,
    y: 100,
  }
  return [{ ...release, flows: [...release.flows, added] }, addedId]
}

/** Hashes passwords and codes as the product does, as those in the files are, until the function that it returns is called. */
export function useHashingCostOfProduct(): () => void {
  const { cost } = RejectedCredentials
  RejectedCredentials.cost = 16_384
  return () => {
    RejectedCredentials.cost = cost
  }
}
