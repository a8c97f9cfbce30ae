import type { NodeAPI } from 'node-red'
import { systemClock } from '../../src/clock.ts'
import { checkCluster } from '../../src/cluster/cluster-check.ts'
import { type ClusterSettings, clusterSettings } from '../../src/cluster/cluster-settings.ts'
import type { RawSettings } from '../../src/settings.ts'
import { configNode } from '../config/config-nodes.ts'
import { ofCluster, sessionOf } from '../config/open-cluster.ts'
import { checkStream } from './check-stream.ts'
import type { FormAnswer } from './form-route.ts'
import { credentialsFilledIn, resolveStored, useOf } from './form-values.ts'

/** Checks the server in a cluster dialog; works before the first deploy too. */
export function clusterCheck(RED: NodeAPI): FormAnswer {
  return checkStream(async function* (id, form, signal) {
    const settings = await settingsOf(RED, id, form)
    yield* checkCluster(settings, { clock: systemClock, signal, ownSession: sessionOf(id) })
  })
}

/**
 * Returns the settings in a form, with what only the runtime knows.
 * @throws KeyholderError if a value is invalid
 */
async function settingsOf(RED: NodeAPI, id: string, form: RawSettings): Promise<ClusterSettings> {
  const node = configNode(RED, 'keyholder-cluster', id)
  const { username, password, ...rest } = form
  const raw = resolveStored(rest, node?.deployed)
  const use = () => useOf(RED, node, ofCluster, raw)
  return clusterSettings({ ...raw, ...(await credentialsFilledIn({ username, password }, use)) })
}
