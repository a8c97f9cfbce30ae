import { testConditions } from '../../../harness/properties/condition-properties.ts'

describe('The conditions that a node tells', () => {
  testConditions(10)
})
