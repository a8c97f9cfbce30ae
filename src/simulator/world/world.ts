import { hour } from '../../duration.ts'
import { Random } from '../random.ts'
import type { Schedule } from '../schedule.ts'
import { EventCounter } from './event-log.ts'
import { Panel, type PanelPlan } from './panel.ts'
import type { PanelOptions } from './panel-options.ts'
import { createSites } from './sample-sites.ts'
import { isoT, WorldTime } from './world-time.ts'

/** The simulated world: its time and its panels. Only a scenario, a test or a client changes it. */
export class World {
  readonly time: WorldTime
  readonly panels: readonly Panel[]

  /** @param settings.serials replace the serials of the first panels */
  constructor(
    schedule: Schedule,
    settings: {
      panels: number
      seed: number
      speed: number
      hasNight: boolean
      locale: string
      serials?: readonly string[]
      plans?: readonly PanelPlan[] | undefined
      panelOptions?: Partial<PanelOptions> | undefined
    },
  ) {
    this.time = new WorldTime(schedule, settings.speed)
    const counter = new EventCounter(new Random(settings.seed))
    const plans = settings.plans ?? createSites(settings.panels, isoT(this.time.now() - hour), settings)
    const { serials = [], panelOptions } = settings
    this.panels = plans.map((plan, index) => {
      const options = { ...plan.options, ...panelOptions }
      return new Panel({ ...plan, options, serial: serials[index] ?? plan.serial }, this.time, counter)
    })
  }

  /** Returns the panel with this serial. */
  panel(serial: string): Panel {
    const found = this.panels.find((panel) => panel.serial === serial)
    if (!found) throw new RangeError(`The simulated world has no panel ${serial}.`)
    return found
  }
}
