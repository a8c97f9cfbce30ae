import { testConditionKills } from '../../../../harness/kills/condition-kills.ts'
import { repetitions } from '../../../../harness/mocha/depth.ts'

describe('Conditions over kills of a real Node-RED', () => testConditionKills(repetitions(24, 4)))
