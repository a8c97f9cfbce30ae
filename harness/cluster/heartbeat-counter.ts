import { type Clock, systemClock } from '../../src/clock.ts'
import { until } from '../clock/until.ts'
import { shortTimes } from './cluster-instances.ts'

const { heartbeat } = shortTimes.membership

/** The clock of the machine, which counts the heartbeats of an instance. */
export class HeartbeatCounter implements Clock {
  count = 0
  readonly monotonic = systemClock.monotonic
  readonly wall = systemClock.wall

  after(delay: number, callback: () => void): () => void {
    return systemClock.after(delay, () => {
      callback()
      if (delay === heartbeat) this.count += 1
    })
  }

  /** Waits for some more of them. */
  async pass(count: number): Promise<void> {
    const before = this.count
    await until(() => this.count >= before + count)
  }
}
