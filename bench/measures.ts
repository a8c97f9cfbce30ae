import type { Measure } from './measure.ts'

/** An entry in the list of benchmarks. */
export interface ListedMeasure {
  name: string
  load(): Promise<{ default: Measure }>
}

/** The thirteen benchmarks; the first is number 1. */
export const measures: readonly ListedMeasure[] = [
  { name: 'Requests of 50 nodes / of 1 node', load: () => import('./measures/requests-of-many-nodes.ts') },
  { name: 'Attempts in any minute / cap', load: () => import('./measures/attempts-in-a-minute.ts') },
  { name: 'Backlog, wall clock stepped / unstepped', load: () => import('./measures/stepped-clock.ts') },
  { name: 'Wait of a command behind polls / window', load: () => import('./measures/command-wait.ts') },
  { name: 'Call through the account / bare got call', load: () => import('./measures/cost-of-a-call.ts') },
  { name: 'Finding new events / parsing them', load: () => import('./measures/new-events.ts') },
  { name: 'Checking an answer / parsing it', load: () => import('./measures/checked-answers.ts') },
  { name: 'Events lost or repeated', load: () => import('./measures/lost-events.ts') },
  { name: 'Sign-ins / expiries, wrong passwords', load: () => import('./measures/sign-ins.ts') },
  { name: 'Loading in Node-RED / best peer', load: () => import('./measures/loading.ts') },
  { name: 'Installed size / smallest peer', load: () => import('./measures/installed-size.ts') },
  {
    name: 'Heap of a panel of 1,000 / its parsed answers',
    load: () => import('./measures/heap-of-a-panel.ts'),
  },
  { name: 'Age of an event when it is told / bound', load: () => import('./measures/event-age.ts') },
]
