import type { NodeAPI, NodeDef } from 'node-red'
import type { RawSettings } from '../src/settings.ts'
import { addFormRoute } from './admin/form-route.ts'
import { type ClusterCredentials, type ClusterNode, Members } from './config/config-nodes.ts'
import { dataFolder } from './config/data-folder.ts'

export default function register(RED: NodeAPI): void {
  function ClusterNode(this: ClusterNode & { deployed: RawSettings }, def: NodeDef): void {
    RED.nodes.createNode(this, def)
    const members = new Members()
    this.deployed = { ...def }
    this.join = (node, onClose) => members.join(node, onClose)
    this.open = async () => {
      const { openCluster } = await import('./config/open-cluster.ts')
      const { leaveWhenStopped } = await import('./config/leave-cluster.ts')
      leaveWhenStopped(RED)
      return openCluster(dataFolder(RED), this.id, { ...def, ...this.credentials })
    }
    this.on('close', () => members.close())
  }

  addFormRoute(RED, ['cluster'], 'check', async () => {
    const { clusterCheck } = await import('./admin/cluster-check.ts')
    return clusterCheck(RED)
  })
  RED.nodes.registerType<ClusterNode, NodeDef, Record<string, never>, ClusterCredentials>(
    'keyholder-cluster',
    ClusterNode,
    { credentials: { username: { type: 'text' }, password: { type: 'password' } } },
  )
}
