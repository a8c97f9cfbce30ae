/**
 * A process with several simulated services of one user each; it sends the credentials, and answers how many panels were
 * polled and how many requests have come. It ends with its parent process.
 */
import { WatchedService } from '../../harness/cluster/fleet/watched-service.ts'

/** The argument of the process. */
export interface ClusterServiceTask {
  services: number
  /** The number of panels of each. */
  panels: number
}

/** The answer to any message after the first one. */
export interface ServiceFigures {
  /** The number of panels whose events were ever read. */
  polledPanels: number
  requests: number
  /** The number of polls of events. */
  eventPolls: number
}

const { services: count, panels }: ClusterServiceTask = JSON.parse(process.argv[2] ?? '{}')
const services: WatchedService[] = []
for (let nth = 0; nth < count; nth += 1) services.push(await WatchedService.start({ panels, seed: nth + 1 }))
process.on('message', () => {
  const figures: ServiceFigures = { polledPanels: 0, requests: 0, eventPolls: 0 }
  for (const service of services) {
    const polls = service.of('events')
    figures.requests += service.requests.length
    figures.eventPolls += polls.length
    figures.polledPanels += new Set(polls.map(({ panel }) => panel)).size
  }
  process.send?.(figures)
})
process.once('disconnect', () => process.exit())
process.send?.(
  services.map(({ simulator: { url, email, password, userCode, serials } }) => {
    return { url, email, password, userCode, serials }
  }),
)
