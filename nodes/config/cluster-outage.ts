import type { Clock } from '../../src/clock.ts'
import type { ClusterStatus } from '../../src/cluster/cluster.ts'
import { second } from '../../src/duration.ts'
import { type OutageReports, withOutlook } from '../../src/panel/polling/outage-reporter.ts'
import type { OpenCluster } from './config-nodes.ts'

/** Milliseconds for which the shared state may be away without a report: a failover takes less. */
const patience = 10 * second

/**
 * Reports once that the shared state of a cluster has been away for a while, and once its end; and gives notices about
 * this instance. Returns a function that ends this.
 */
export function watchCluster(
  { cluster, onChange }: Pick<OpenCluster, 'onChange'> & { cluster: Pick<OpenCluster['cluster'], 'status'> },
  clock: Clock,
  { outage, recovery, notice }: OutageReports & { notice(sentence: string): void },
): () => void {
  let isReported = false
  let cancel = () => {}
  const given = new Set<string>()
  let cancelNotices = () => {}
  const planNotices = ({ state, warnings }: ClusterStatus) => {
    cancelNotices()
    const due = warnings.filter((sentence) => !given.has(sentence))
    if (due.length === 0 || state !== 'connected') return
    cancelNotices = clock.after(patience, () => {
      for (const sentence of due) {
        given.add(sentence)
        notice(sentence)
      }
    })
  }
  const look = () => {
    cancel()
    const { status } = cluster
    planNotices(status)
    const { state, error, awaySince = 0 } = status
    if (state === 'connected') {
      if (isReported) recovery()
      isReported = false
    }
    // The polls report all other errors, which do not pass by themselves.
    if (isReported || state !== 'away' || error?.code !== 'SHARED_STATE_AWAY') return
    const left = awaySince + patience - clock.monotonic()
    if (left > 0) {
      cancel = clock.after(left, look)
    } else {
      isReported = true
      outage(withOutlook(error))
    }
  }
  const ignore = onChange(look)
  look()
  return () => {
    ignore()
    cancel()
    cancelNotices()
  }
}
