import { testNewEvents } from '../../harness/properties/new-events-properties.ts'

describe('The feed of a panel', () => {
  testNewEvents(1000)
})
