import type { Clock } from '../../src/clock.ts'
import { second } from '../../src/duration.ts'
import { type OutageReports, withOutlook } from '../../src/panel/polling/outage-reporter.ts'
import type { OpenCluster } from './open-cluster.ts'

const reserveWaiting =
  'This instance has no reserve yet: those of instances that have failed in the last 24 hours take half of the request limit. Until they end, it sends nothing while the shared state is away. The section "A reserve" of docs/cluster.md tells how to remove those of instances that do not come back.'

/** Milliseconds for which the shared state may be away without a report: a failover takes less. */
const patience = 10 * second

/**
 * Reports once that the shared state of a cluster has been away for a while, and once its end; and that this instance
 * has no reserve. Returns a function that ends this.
 */
export function watchCluster(
  { cluster, onChange }: Pick<OpenCluster, 'onChange'> & { cluster: Pick<OpenCluster['cluster'], 'status'> },
  clock: Clock,
  { outage, recovery, notice }: OutageReports & { notice(sentence: string): void },
): () => void {
  let isReported = false
  let cancel = () => {}
  let isReserveReported = false
  let cancelNotice = () => {}
  const lookAtReserve = () => {
    cancelNotice()
    const { state, isReserveWaiting } = cluster.status
    if (isReserveReported || state !== 'connected' || !isReserveWaiting) return
    cancelNotice = clock.after(patience, () => {
      isReserveReported = true
      notice(reserveWaiting)
    })
  }
  const look = () => {
    cancel()
    lookAtReserve()
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
    cancelNotice()
  }
}
