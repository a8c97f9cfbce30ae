import fc from 'fast-check'
import { blockedLoops } from './blocked-loop.ts'
import { anyIncompleteAnswers } from './incomplete-answer.ts'
import type { LastingDisturbance } from './lasting-disturbance.ts'
import { anyLateEvents } from './late-events.ts'
import { slowFlows } from './slow-flow.ts'
import { slowServices } from './slow-service.ts'
import { anySlowStores } from './slow-store.ts'
import { wrongMachineClocks, wrongPanelClocks } from './wrong-clock.ts'

/** An arbitrary for all disturbances that make something slow, late, incomplete or wrong, but end nothing. */
export const anyDisturbance: fc.Arbitrary<LastingDisturbance> = fc.oneof(
  slowServices,
  anySlowStores,
  blockedLoops,
  slowFlows,
  anyIncompleteAnswers,
  wrongMachineClocks,
  wrongPanelClocks,
  anyLateEvents,
)
