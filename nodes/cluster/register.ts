import type { NodeAPI, NodeDef } from 'node-red'
import type { RawSettings } from '../../src/settings.ts'
import { addFormRoute } from '../admin/form-route.ts'
import { type ClusterCredentials, type ClusterNode, Members } from '../config/config-nodes.ts'
import { guard } from '../shared/guard.ts'

export default function register(RED: NodeAPI): void {
  function ClusterNode(this: ClusterNode & { deployed: RawSettings }, def: NodeDef): void {
    RED.nodes.createNode(this, def)
    const members = new Members()
    // Saved flows may have a reserve, which is no setting any more; a variable in it need not be set.
    const { reserve, ...settings }: RawSettings = { ...def }
    if (Number(reserve ?? 0) !== 0) {
      this.warn(RED._('@keyholder/node-red-alarm-panel/keyholder:cluster.notice.reserve'))
    }
    this.deployed = settings
    this.join = (node, onClose) => members.join(node, onClose)
    this.open = async () => {
      const { leaveWhenStopped, ofCluster, openCluster } = await import('../config/open-cluster.ts')
      const { refuseElsewhere } = await import('../config/stored-for.ts')
      await refuseElsewhere(RED, this, ofCluster)
      leaveWhenStopped(RED)
      return openCluster(this.id, { ...settings, ...this.credentials })
    }
    this.on('close', (removed: boolean, done: () => void) => {
      guard(
        this,
        async () => {
          members.close()
          if (removed) {
            const { forgetDestination } = await import('../config/stored-for.ts')
            await forgetDestination(RED, this)
          }
          done()
        },
        () => done(),
      )
    })
  }

  addFormRoute(RED, ['cluster'], 'check', async () => {
    const { clusterCheck } = await import('../admin/cluster-check.ts')
    return clusterCheck(RED)
  })
  RED.nodes.registerType<ClusterNode, NodeDef, Record<string, never>, ClusterCredentials>(
    'keyholder-cluster',
    ClusterNode,
    {
      credentials: {
        username: { type: 'text' },
        password: { type: 'password' },
        storedFor: { type: 'password' },
      },
    },
  )
}
