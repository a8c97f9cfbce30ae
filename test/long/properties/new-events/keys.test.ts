import assert from 'node:assert/strict'
import fc from 'fast-check'
import { inputs } from '../../../../harness/mocha/depth.ts'
import { faultyMethods } from '../../../../harness/properties/events/detection-methods.ts'
import {
  countErrors,
  createHistory,
  type DetectionMethod,
  type HistoryKind,
  historyPlans,
  noErrors,
} from '../../../../harness/properties/events/event-histories.ts'
import { testEventKeys } from '../../../../harness/properties/events/new-events-properties.ts'

describe('The keys of events', () => testEventKeys(inputs(1000)))

describe('The random histories', () => {
  const isDetected = (method: () => DetectionMethod, kind: HistoryKind) => {
    const property = fc.property(historyPlans(kind, 'oldest first', 8), (course) => {
      assert.deepEqual(countErrors(createHistory(course), method()), noErrors)
    })
    return fc.check(property, { numRuns: 300, endOnFailure: true }).failed
  }

  for (const [name, { method, fails }] of Object.entries(faultyMethods())) {
    it(`detect the flaw of the method "${name}"`, () => {
      for (const kind of fails) assert.ok(isDetected(method, kind), kind)
    })
  }
})
