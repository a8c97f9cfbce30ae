import type { NodeAPI } from 'node-red'
import type { AccountMode } from '../../src/account/account-settings.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { labels, missingSetting, type RawSettings, text } from '../../src/settings.ts'
import { configNode } from './config-nodes.ts'
import { isDemo } from './demo.ts'
import type { OpenCluster } from './open-cluster.ts'

/**
 * Opens the cluster that an account selects; undefined if it selects none, or is the demo. Waits for the first attempt
 * to connect, because a request before it would fail.
 * @param raw settings of the account
 * @throws KeyholderError if there is no such cluster, or a setting of it is invalid
 */
export async function openClusterOf(
  RED: NodeAPI,
  raw: RawSettings,
  mode: AccountMode,
): Promise<OpenCluster | undefined> {
  const id = text(raw, 'cluster')
  if (id === '' || isDemo(raw)) return undefined
  const node = configNode(RED, 'keyholder-cluster', id)
  if (node === undefined)
    throw mode === 'trial' ? undeployed() : missingSetting('cluster', 'the alarm account node')
  const opened = await node.open()
  await opened.tried
  return opened
}

function undeployed(): KeyholderError {
  const sentence = `${labels.cluster}: it is not deployed yet. Deploy, then try again.`
  return new KeyholderError('NOT_CONFIGURED', sentence, {}, { text: 'finding.clusterUndeployed' })
}
