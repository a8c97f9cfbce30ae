import { inputs } from '../../../../harness/mocha/depth.ts'
import { testNewEvents } from '../../../../harness/properties/events/new-events-properties.ts'

describe('The detection of new events', () =>
  testNewEvents(inputs(1000), ['plain', 'twins', 'late', 'reset']))
