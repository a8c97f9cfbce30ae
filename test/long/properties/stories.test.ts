import { inputs } from '../../../harness/mocha/depth.ts'
import { testChainTests } from '../../../harness/properties/chain-properties.ts'
import { testConditions } from '../../../harness/properties/condition-properties.ts'
import { testIncidents } from '../../../harness/properties/incident-properties.ts'

describe('The conditions that a node tells', () => testConditions(inputs(150)))
describe('The incidents that a node tells', () => testIncidents(inputs(50), inputs(10)))
describe('A test of the alarm chain', () => {
  it('never passes without an answer, and finds every broken link within its interval', () => {
    testChainTests(inputs(1000))
  })
})
