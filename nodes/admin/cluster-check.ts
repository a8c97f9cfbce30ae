import type { NodeAPI } from 'node-red'
import { systemClock } from '../../src/clock.ts'
import { checkCluster } from '../../src/cluster/cluster-check.ts'
import { type ClusterSettings, clusterSettings } from '../../src/cluster/cluster-settings.ts'
import { type RawSettings, text } from '../../src/settings.ts'
import { configNode } from '../config/config-nodes.ts'
import { sessionOf } from '../config/open-cluster.ts'
import { checkStream } from './check-stream.ts'
import type { FormAnswer } from './form-route.ts'
import { credentialsFilledIn, resolveStored } from './form-values.ts'

/** Checks the server in a cluster dialog; works before the first deploy too. */
export function clusterCheck(RED: NodeAPI): FormAnswer {
  return checkStream(async function* (id, form, signal) {
    const settings = settingsOf(RED, id, form)
    yield* checkCluster(settings, { clock: systemClock, signal, ownSession: sessionOf(id) })
  })
}

/**
 * Returns the settings in a form, with what only the runtime knows.
 * @throws KeyholderError if a value is invalid
 */
function settingsOf(RED: NodeAPI, id: string, form: RawSettings): ClusterSettings {
  const node = configNode(RED, 'keyholder-cluster', id)
  const { username, password, ...rest } = form
  const raw = resolveStored(rest, node?.deployed)
  const stored = node?.deployed ?? {}
  const isSameHost = ['address', 'master'].every((field) => text(raw, field) === text(stored, field))
  const credentials = { ...node?.credentials }
  return clusterSettings({
    ...raw,
    ...credentialsFilledIn({ username, password }, node && credentials, isSameHost),
  })
}
