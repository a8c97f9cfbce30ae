import { testIncidents } from '../../../harness/properties/incident-properties.ts'

describe('The incidents that a node tells', () => {
  testIncidents(5, 10)
})
