import { testConditionKills } from '../../../harness/properties/condition-kills.ts'

describe('Conditions over kills of a real Node-RED', () => testConditionKills(24))
