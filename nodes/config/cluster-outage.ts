import type { Clock } from '../../src/clock.ts'
import { second } from '../../src/duration.ts'
import { type OutageReports, withOutlook } from '../../src/panel/polling/outage-reporter.ts'
import type { OpenCluster } from './open-cluster.ts'

/** Milliseconds for which the shared state may be away without a report: a failover takes less. */
const patience = 10 * second

/**
 * Reports once that the shared state of a cluster has been away for a while, and once its end. Returns a function that
 * ends this.
 */
export function watchCluster(
  { cluster, onChange }: Pick<OpenCluster, 'onChange'> & { cluster: Pick<OpenCluster['cluster'], 'status'> },
  clock: Clock,
  { outage, recovery }: OutageReports,
): () => void {
  let isReported = false
  let cancel = () => {}
  const look = () => {
    cancel()
    const { state, error, awaySince = 0 } = cluster.status
    const isAway = state === 'away' || state === 'alone'
    if (state === 'connected') {
      if (isReported) recovery()
      isReported = false
    }
    // The polls report all other errors, which do not pass by themselves.
    if (isReported || !isAway || error?.code !== 'SHARED_STATE_AWAY') return
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
  }
}
