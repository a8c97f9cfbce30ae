import assert from 'node:assert/strict'
import { dotColor } from '../../../nodes/shared/node-status.ts'
import type { RunningAlarm } from '../../../src/panel/incidents/running-alarms.ts'
import type { SituationFacts } from '../../../src/panel/situation.ts'

const alarm: RunningAlarm = {
  kind: 'burglary',
  deviceType: 'ZONE',
  zone: 2,
  name: 'Kitchen window',
  partitions: [1],
  since: 0,
  eventKey: null,
}
const facts = (some: Partial<SituationFacts> = {}): SituationFacts => ({
  alarms: [],
  delay: null,
  isUnready: false,
  ...some,
})

describe('The color of a dot', () => {
  for (const [title, color, some, isPending] of [
    ['is green if nothing is wrong', 'green', facts(), false],
    ['is red while an alarm runs', 'red', facts({ alarms: [alarm] }), false],
    [
      'is red while an alarm runs, whatever else is',
      'red',
      facts({ alarms: [alarm], delay: 'ARMING' }),
      true,
    ],
    ['is yellow during an entry delay', 'yellow', facts({ delay: 'ENTRY_DELAY' }), false],
    ['is yellow during an exit delay', 'yellow', facts({ delay: 'ARMING' }), false],
    ['is yellow if the node shows something that needs attention', 'yellow', facts(), true],
    ['is green for a node that shows no panel', 'green', undefined, false],
  ] as const)
    it(title, () => assert.equal(dotColor(some, isPending), color))
})
