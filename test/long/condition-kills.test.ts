import { testConditionKills } from '../../harness/properties/condition-kills.ts'
import { testConditions } from '../../harness/properties/condition-properties.ts'

describe('Conditions over kills of a real Node-RED', () => {
  testConditionKills(24)
})

describe('The conditions that a node tells', () => {
  testConditions(150)
})
