import { isDeepStrictEqual } from 'node:util'
import type { NodeAPI } from 'node-red'
import { type Clock, systemClock } from '../../src/clock.ts'
import { Cluster, type ClusterStatus } from '../../src/cluster/cluster.ts'
import { type ClusterSettings, clusterLabels, clusterSettings } from '../../src/cluster/cluster-settings.ts'
import { second } from '../../src/duration.ts'
import { type RawSettings, text } from '../../src/settings.ts'
import { configNode, type OpenCluster } from './config-nodes.ts'
import type { SecretKind } from './stored-for.ts'

/** Creates a cluster, connected from then on. A test replaces it. */
type CreateCluster = (settings: ClusterSettings, onChange: () => void) => Cluster

/** Milliseconds for which a cluster without a user stays open: a redeploy takes only a moment. */
const maxIdle = 10 * second

interface Entry {
  readonly settings: ClusterSettings
  readonly cluster: Cluster
  readonly tried: Promise<void>
  readonly listeners: Set<() => void>
  users: number
  cancelClose(): void
}

/** The clusters of this process: one object for each config node. */
export class OpenClusters {
  readonly #clock: Clock
  readonly #create: CreateCluster
  readonly #entries = new Map<string, Entry>()

  constructor(clock: Clock, create: CreateCluster) {
    this.#clock = clock
    this.#create = create
  }

  /**
   * Opens the cluster of a config node, the same one for all its users. One with other settings is closed.
   * @param id of the config node
   */
  open(id: string, settings: ClusterSettings): OpenCluster {
    const known = this.#entries.get(id)
    if (known !== undefined && !isDeepStrictEqual(known.settings, settings)) this.#close(id, known)
    const entry = this.#entries.get(id) ?? this.#add(id, settings)
    const { cluster, tried, listeners } = entry
    entry.cancelClose()
    entry.users += 1
    let isReleased = false
    return {
      cluster,
      tried,
      onChange: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      release: () => {
        if (isReleased) return
        isReleased = true
        entry.users -= 1
        if (entry.users > 0) return
        entry.cancelClose()
        entry.cancelClose = this.#clock.after(maxIdle, () => this.#close(id, entry))
      },
    }
  }

  /** The status of the cluster of a config node; undefined while it is not open. */
  status(id: string): ClusterStatus | undefined {
    return this.#entries.get(id)?.cluster.status
  }

  /** The session of the cluster of a config node; 0 while it has none. */
  session(id: string): number {
    return this.#entries.get(id)?.cluster.session ?? 0
  }

  /** Leaves the clusters of these config nodes at once, whoever uses them. */
  leave(isLeft: (id: string) => boolean): void {
    for (const [id, entry] of [...this.#entries]) if (isLeft(id)) this.#close(id, entry)
  }

  #add(id: string, settings: ClusterSettings): Entry {
    const listeners = new Set<() => void>()
    let noteTried = () => {}
    const tried = new Promise<void>((resolve) => {
      noteTried = resolve
    })
    const onChange = () => {
      if (cluster.status.state !== 'connecting') noteTried()
      for (const listener of [...listeners]) listener()
    }
    const cluster: Cluster = this.#create(settings, onChange)
    const entry: Entry = { settings, cluster, tried, listeners, users: 0, cancelClose: () => {} }
    this.#entries.set(id, entry)
    cluster.open()
    return entry
  }

  #close(id: string, entry: Entry): void {
    entry.cancelClose()
    if (this.#entries.get(id) === entry) this.#entries.delete(id)
    // Never rejects.
    void entry.cluster.close()
  }
}

const clusters = new OpenClusters(
  systemClock,
  (settings, onChange) => new Cluster(settings, { clock: systemClock, onChange }),
)

/** The password of a cluster, which is sent to its servers. */
export const ofCluster: SecretKind = {
  field: 'password',
  label: `${clusterLabels.password} of the cluster`,
  place: 'cluster.',
  destinationOf: ({ address, master }) => {
    try {
      return serversOf(clusterSettings({ address, master }), text({ master }, 'master'))
    } catch {
      return undefined
    }
  },
  describe: (destination) => destination,
}

function serversOf({ address }: ClusterSettings, group: string): string {
  const { servers, master = group, database, isTls } = address
  const hosts = servers.map(({ host, port }) => `${host.toLowerCase()}:${port}`)
  const scheme = isTls ? 'rediss' : 'redis'
  return `${scheme}://${hosts.join(',')}${database === 0 ? '' : `/${database}`}${master && ` (${master})`}`
}

/**
 * Opens the cluster of a config node.
 * @param raw settings including credentials
 * @throws KeyholderError if a setting is invalid
 */
export function openCluster(id: string, raw: RawSettings): OpenCluster {
  return clusters.open(id, clusterSettings(raw))
}

/** Returns the session of the cluster of a config node; 0 while it has none. */
export function sessionOf(id: string): number {
  return clusters.session(id)
}

/**
 * Leaves clusters at once, so that the other instances need not wait for the end of the session. The message is on its
 * way when this returns.
 * @param isLeft tells by the id of its config node if a cluster is left
 */
function leaveClusters(isLeft: (id: string) => boolean): void {
  clusters.leave(isLeft)
}

/** An event for the editor, of which Node-RED tells the runtime too. */
interface RuntimeEvent {
  id?: string
  payload?: { state?: string; deploy?: boolean }
}

const watched = new WeakSet<object>()

/**
 * Leaves the clusters when Node-RED stops its flows, also before it ends, and after a deploy those whose config node was
 * deleted or disabled. Otherwise a cluster outlives the flows for a while, because a deploy stops them too.
 */
export function leaveWhenStopped(RED: NodeAPI): void {
  const { events } = RED
  if (watched.has(events)) return
  watched.add(events)
  // The nodes are closed by now, and the process ends soon. Only this event tells a stop from a deploy.
  events.on('runtime-event', ({ id, payload }: RuntimeEvent) => {
    const isStop = id === 'runtime-state' && payload?.state === 'stop' && !payload.deploy
    if (isStop) leaveClusters(() => true)
  })
  events.on('flows:started', () =>
    leaveClusters((id) => configNode(RED, 'keyholder-cluster', id) === undefined),
  )
}
