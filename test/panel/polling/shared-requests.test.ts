import { testSharedRequests } from '../../../harness/properties/shared-requests-properties.ts'

describe('The requests of many nodes of one panel', () => {
  testSharedRequests(3)
})
