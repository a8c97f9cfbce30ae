import { testNewEvents } from '../../harness/properties/new-events-properties.ts'

describe('The detection of new events', () => {
  testNewEvents(1000)
})
